package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/clitest"
	"castellan/cmd/internal/games"
	"castellan/imaging/draw"
)

// root returns the text of a file of the repository.
func root(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(clitest.Root, file))
	must(t, err)
	return string(text)
}

// Links lead to files and headings that exist, and every page can be reached from the
// index of its folder.
func TestPageLinks(t *testing.T) {
	t.Parallel()
	pages := clitest.Pages(t)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	unsafe := regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
	anchors := map[string][]string{}
	for file, text := range pages {
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			title := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1")
			anchors[file] = append(anchors[file], strings.ReplaceAll(unsafe.ReplaceAllString(strings.ToLower(title), ""), " ", "-"))
		}
	}
	linked, links := map[string]bool{}, 0
	for file, text := range pages {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			target, anchor, _ := strings.Cut(m[1], "#")
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.Join(clitest.Root, to)); err != nil {
				t.Errorf("%s links to %s, which does not exist", file, m[1])
			}
			if anchor != "" && strings.HasSuffix(to, ".md") && !slices.Contains(anchors[to], anchor) {
				t.Errorf("%s links to %s, and there is no such heading", file, m[1])
			}
			if path.Base(file) == "README.md" || strings.HasPrefix(to, "docs/reference/strength/") {
				linked[to] = true
			}
		}
	}
	if links < 300 {
		t.Errorf("%d links: has their form changed?", links)
	}
	for file := range pages {
		if strings.HasPrefix(file, "docs/") && file != "docs/README.md" && !linked[file] {
			t.Errorf("no index leads to %s", file)
		}
	}
}

// What the pages write in code exists: commands with their flags, commands in Discord,
// keys of the configuration, targets of make, variables, files, and tests.
func TestPageNames(t *testing.T) {
	t.Parallel()
	pages := clitest.Pages(t)
	if n := clitest.CheckCommands(t, program, pages); n < 60 {
		t.Errorf("%d commands: has the form of the pages changed?", n)
	}

	known, err := games.Registry()
	must(t, err)
	texts, err := catalogue.New(known.Games()...)
	must(t, err)
	slash := map[string]bool{"/" + message.Commands{Texts: texts}.Operator().Name: true}
	for _, c := range (message.Commands{Games: known, Texts: texts, Levels: func(string) []host.Level { return nil }}).All() {
		slash["/"+c.Name] = true
	}
	config := defaultConfig()
	keys := config.keys()
	makefile, sources := root(t, "Makefile"), goSources(t)
	all := sources + makefile + root(t, "compose.yaml") + root(t, "docs/host/compose.cluster.yaml") + root(t, ".ci/run") + root(t, "docs/pictures/draw.sh")

	counts := map[string]int{}
	check := func(kind, file, what string, ok bool) {
		if counts[kind]++; !ok {
			t.Errorf("%s: there is no %s %s", file, kind, what)
		}
	}
	slashCommand := regexp.MustCompile(`^/[a-z]+`)
	keyed := regexp.MustCompile("`(\\w+)(?: = [^`]+)?` (?:under|of|in) `\\[(\\w+)\\]`")
	target := regexp.MustCompile(`^make ([a-z-]+)`)
	variable := regexp.MustCompile(`CASTELLAN_[A-Z_]+`)
	file := regexp.MustCompile(`^(?:bot|cmd|docs|engine|imaging|storage|\.ci)/[\w./-]+$`)
	run := regexp.MustCompile(`go test .*-run '?([\w|$\\.*]+)'?`)
	outside := []string{"/metrics", "/healthz", "/readyz", "/shards", "/interactions", "/data"}
	for page, text := range pages {
		for _, c := range clitest.Code(text) {
			if s := slashCommand.FindString(c); s != "" && !strings.HasPrefix(c, s+"/") && !slices.Contains(outside, s) &&
				(strings.HasPrefix(page, "docs/play/") || strings.HasPrefix(page, "docs/host/") || path.Dir(page) == ".") {
				check("command in Discord", page, s, slash[s])
			}
			if m := target.FindStringSubmatch(c); m != nil && m[1] != "vendor" {
				check("target of make", page, m[1], strings.Contains(makefile, "\n"+m[1]+":"))
			}
			for _, v := range variable.FindAllString(c, -1) {
				check("variable", page, v, strings.Contains(all, v))
			}
			if file.MatchString(c) && !strings.Contains(c, "...") && !strings.HasPrefix(page, "docs/decisions/") && page != "docs/build/adding-a-game.md" {
				_, err := os.Stat(filepath.Join(clitest.Root, c))
				check("file", page, c, err == nil)
			}
			if m := run.FindStringSubmatch(c); m != nil && m[1] != "^$" && m[1] != "xxx" {
				for _, name := range strings.Split(strings.ReplaceAll(m[1], `\|`, "|"), "|") {
					name = strings.Trim(name, "$^\\")
					check("test", page, name, regexp.MustCompile(`func Test\w*`+strings.TrimPrefix(name, "Test")).MatchString(sources))
				}
			}
		}
		for _, m := range keyed.FindAllStringSubmatch(text, -1) {
			check("key", page, m[1]+" under ["+m[2]+"]", keys[m[2]][m[1]] != nil)
		}
	}
	for kind, least := range map[string]int{"command in Discord": 50, "target of make": 30, "variable": 25, "file": 30, "test": 30, "key": 8} {
		if counts[kind] < least {
			t.Errorf("%d of the kind %s: has the form of the pages changed?", counts[kind], kind)
		}
	}
}

// goSources returns the Go files of the repository, one after the other.
func goSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range []string{"bot", "cmd", "engine", "imaging", "storage"} {
		must(t, filepath.WalkDir(filepath.Join(clitest.Root, folder), func(file string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") {
				return err
			}
			text, err := os.ReadFile(file)
			all.Write(text)
			return err
		}))
	}
	return all.String()
}

// Blocks of TOML in docs/host are parts of a configuration.
func TestPageConfigurations(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?ms)^ *```toml\n(.*?)^ *```")
	n := 0
	for page, text := range clitest.Pages(t) {
		if !strings.HasPrefix(page, "docs/host/") {
			continue
		}
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			n++
			if _, mistakes := parseConfig(strings.ReplaceAll(m[1], "…", strings.Repeat("0a", 32))); len(mistakes) > 0 {
				t.Errorf("%s: %v in\n%s", page, mistakes, m[1])
			}
		}
	}
	if n < 3 {
		t.Errorf("%d blocks", n)
	}
}

// The numbers and names in the pages are those of the program and its files.
func TestPageClaims(t *testing.T) {
	t.Parallel()
	pages := clitest.Pages(t)
	known, err := games.Registry()
	must(t, err)
	texts, err := catalogue.New(known.Games()...)
	must(t, err)
	levels, seats := map[string]int{}, ""
	for _, g := range games.All {
		levels[g.Rules.Key()] = len(g.Engine.Levels)
		if least, most := g.Rules.Seats(); most > 2 {
			seats = fmt.Sprint(least, " ", most)
		}
	}
	// in returns what a pattern captures in a file of the repository.
	in := func(file, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(root(t, file))
		if m == nil {
			t.Fatalf("%s has no %s", file, pattern)
		}
		return strings.Join(m[1:], " ")
	}
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	grouped := func(s string) string { return regexp.MustCompile(`^(\d+)(\d{3})$`).ReplaceAllString(s, "$1,$2") }
	service := root(t, "docs/host/systemd/castellan.service")
	if stop, err := strconv.Atoi(in("docs/host/systemd/castellan.service", `TimeoutStopSec=(\d+)`)); err != nil || float64(stop) <= shutdownTimeout.Seconds() {
		t.Errorf("systemd kills the bot after %d s, before %v", stop, shutdownTimeout)
	}
	state := "/var/lib/" + in("docs/host/systemd/castellan.service", `StateDirectory=(\w+)`)
	budget := func(name string) string { return grouped(in("bot/discord/invalid.go", name+` += (\d+)`)) }
	for _, c := range []struct{ page, pattern, want string }{
		{"README.md", `\*\*(\w+) forgotten strategy games`, strings.ToUpper(words[len(games.All)][:1]) + words[len(games.All)][1:]},
		{"README.md", `For (\d) to (\d)\.`, seats},
		{"README.md", `It speaks (?:[\w ]+, ){4}[\w ]+( and )[\w ]+\.`, map[bool]string{true: " and "}[len(texts.Languages()) == 6]},
		{"CHANGELOG.md", `in (\w+) languages`, words[len(texts.Languages())]},
		{"CHANGELOG.md", `theme \((\w+), one of high contrast\)`, words[len(draw.Themes())]},
		{"docs/reference/strength.md", `the highest is (\d+) in Stone Towers, (\d+) in Towers, (\d+) in Rings and (\d+) in Trails`,
			fmt.Sprint(levels["stone-towers"], " ", levels["towers"], " ", levels["rings"], " ", levels["trails"])},
		{"docs/host/operating.md", `\((\d+) days a year at most\)`, fmt.Sprint(account.VacationDays)},
		{"docs/host/operating.md", `what it has begun, in (\w+) seconds at most`, words[int(shutdownTimeout.Seconds())]},
		{"docs/host/scaling.md", `until it has ended, (\w+) seconds at most`, words[int(shutdownTimeout.Seconds())]},
		{"docs/host/operating.md", `The file has mode (\d+)`, modeOfDatabase(t)},
		{"docs/host/backup.md", `a copy a day in ` + "`" + `([\w/]+)/backups`, state},
		{"docs/host/backup.md", `kept for (\w+) weeks`, words[number(t, in("docs/host/systemd/castellan-backup.service", `-mtime \+(\d+)`))/7]},
		{"docs/host/PRIVACY.md", `deleted data is gone after (\w+) weeks`, words[number(t, in("docs/host/systemd/castellan-backup.service", `-mtime \+(\d+)`))/7]},
		{"docs/host/backup.md", `install -o (\d+) -g (\d+)`, strings.ReplaceAll(in("Dockerfile", `USER (\d+:\d+)`), ":", " ")},
		{"docs/host/backup.md", `--volumes-from (\S+) `, in("compose.yaml", `(?m)^name: (\w+)`) + "-" + in("compose.yaml", `(?m)^services:\n  (\w+):`) + "-1"},
		{"docs/host/installing.md", "the volume `(\\w+)`", in("compose.yaml", `(?m)^name: (\w+)`) + "_" + in("compose.yaml", `(?m)^volumes:\n  (\w+):`)},
		{"docs/host/installing.md", `let user (\d+) write`, in("Dockerfile", `USER (\d+):`)},
		{"docs/host/installing.md", `the database in ` + "`" + `([\w/]+)` + "`", state},
		{"docs/host/installing.md", `Keep ` + "`listen = \"([\\d.:]+)\"", in("Dockerfile", `listen = "([\d.:]+)"`)},
		{"docs/host/installing.md", "\\(`\\.(\\w+)`, `\\.(\\w+)`, `\\.(\\w+)`, for (\\w+), (\\w+) and (\\w+)\\)", in(".ci/release", `packager in (\w+) (\w+) (\w+);`) + " amd64 arm64 armv7"},
		{"docs/host/metrics.md", `such as ` + "`listen = \"([\\d.:]+)\"", in("docs/host/systemd/castellan.toml", `listen = "([\d.:]+)"`)},
		{"docs/host/metrics.md", `targets: \["([\d.:]+)"\]`, in("docs/host/systemd/castellan.toml", `listen = "([\d.:]+)"`)},
		{"docs/host/metrics.md", `has (\w+) alerts`, words[strings.Count(root(t, "docs/host/alerts.yaml"), "- alert:")]},
		{"docs/host/metrics.md", `exit code is (\d) if the bot .* is healthy, (\d) if it is not .*, (\d) if the configuration`, fmt.Sprint(cli.ExitOK, cli.ExitError, cli.ExitUsage)},
		{"docs/host/metrics.md", `interactions in progress \| near (\d+)`, in("bot/interaction/admission.go", `maxServed = (\d+)`)},
		{"docs/host/metrics.md", `hints near (\d+)`, in("bot/computer/scheduler.go", `maxHints = (\d+)`)},
		{"docs/host/trouble.md", `From ([\d,]+) invalid requests in ten minutes on, .*; from ([\d,]+) on also .*; from ([\d,]+) on`,
			budget("backgroundBudget") + " " + budget("actionBudget") + " " + budget("responseBudget")},
		{"docs/host/trouble.md", `at most (\d+) requests a second`, fmt.Sprint(discord.DefaultGlobalLimit)},
		{"docs/host/scaling.md", `The limit of (\d+) requests a second`, fmt.Sprint(discord.DefaultGlobalLimit)},
		{"docs/play/README.md", `has not moved for (\w+) days`, words[int(host.ClaimAfter.Hours())/24]},
		{"CONTRIBUTING.md", `staticcheck@(v[\d.]+)`, in(".ci/run", `staticcheck_version=(\S+)`)},
		{"CONTRIBUTING.md", `golangci-lint@(v[\d.]+)`, in(".ci/run", `golangci_version=(\S+)`)},
	} {
		m := regexp.MustCompile(c.pattern).FindStringSubmatch(pages[c.page])
		if m == nil {
			t.Errorf("%s no longer says %s: correct this test", c.page, c.pattern)
		} else if got := strings.Join(m[1:], " "); got != c.want {
			t.Errorf("%s says %q for %q: %s", c.page, got, c.want, m[0])
		}
	}
	if !strings.Contains(service, "/etc/castellan/castellan.toml") || !strings.Contains(pages["docs/host/installing.md"], "in `/etc/castellan`") {
		t.Error("the folder of the configuration")
	}
	help := castellan(t, "sandbox", "--help").Out
	for _, page := range []string{"docs/build/sandbox-clients.md", "docs/host/scaling.md"} {
		if !strings.Contains(help, "(127.0.0.1:8080)") || !strings.Contains(pages[page], "127.0.0.1:8080") {
			t.Errorf("%s names another address than the sandbox's", page)
		}
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	must(t, err)
	return n
}

// modeOfDatabase returns the permissions of a new database, and checks that the files
// that the documentation lists are beside it.
func modeOfDatabase(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "castellan.db")
	newDatabase(t, file)
	table := root(t, "docs/host/operating.md")
	for _, name := range files(t, filepath.Dir(file)) {
		if !strings.Contains(table, "| `"+name+"` |") {
			t.Errorf("docs/host/operating.md does not list %s", name)
		}
	}
	info, err := os.Stat(file)
	must(t, err)
	return fmt.Sprintf("0%o", info.Mode().Perm())
}

// block is a block of code in a page, with the comment before it. harmless blocks are
// nothing but commands of castellan, and are run.
var (
	block    = regexp.MustCompile(`(?m)(?:^<!-- (.*) -->\n\n)?((?:^ {4}.*\n)+)`)
	harmless = regexp.MustCompile("^(?: {4}castellan [^;&|<>$`\n]*\n)+$")
	label    = regexp.MustCompile("(?m)^ *```(\\w*)\n(?:.*\n)*?^ *```$")
)

// Every block of shell in README.md and docs/host works as it is written, beside a running
// bot, unless a comment before it says which test runs it, or why nothing does.
func TestPageShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	b := newBotProcess(t, `listen = ""`, `listen = "`+l.Addr().String()+`"`)
	dir := filepath.Dir(b.config)
	must(t, newDatabase(t, b.db).Close())
	b.mu.Lock()
	b.mayBeRefused = true // its matches are in no channel
	b.mu.Unlock()
	must(t, os.Mkdir(filepath.Join(dir, "backups"), 0o755))
	bin := t.TempDir()
	self, err := os.Executable()
	must(t, err)
	write(t, filepath.Join(bin, "castellan"), fmt.Sprintf("#!/bin/sh\n%s=yes exec '%s' \"$@\"\n", clitest.Self, self))
	must(t, os.Chmod(filepath.Join(bin, "castellan"), 0o755))
	b.start()

	sources, run, marked := goSources(t), 0, 0
	pages := clitest.Pages(t)
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		if page != "README.md" && !strings.HasPrefix(page, "docs/host/") {
			continue
		}
		text := pages[page]
		for _, m := range label.FindAllStringSubmatch(text, -1) {
			if m[1] == "" || m[1] == "sh" || m[1] == "bash" {
				t.Errorf("%s: indent shell by four characters, and name the language of any other block:\n%s", page, m[0])
			}
		}
		for _, m := range block.FindAllStringSubmatch(label.ReplaceAllString(text, ""), -1) {
			kind, what, _ := strings.Cut(m[1], " ")
			by, isTest := strings.CutPrefix(m[1], "run by ")
			switch reason, isReason := strings.CutPrefix(m[1], "not run: "); {
			case isTest:
				if marked++; !strings.Contains(sources, "\nfunc "+by+"(") {
					t.Errorf("%s: there is no %s to run\n%s", page, by, m[2])
				}
			case isReason && len(reason) > 5:
				marked++
			case m[1] != "":
				t.Errorf("%s: the comment is neither “run by” a test nor “not run:” with a reason, but %s %s", page, kind, what)
			case !harmless.MatchString(m[2]):
				t.Errorf("%s: a comment has to say why this is not run, because it is more than commands of castellan:\n%s", page, m[2])
			default:
				run++
				shell := exec.CommandContext(t.Context(), bash, "-euo", "pipefail", "-c", m[2])
				shell.Dir = dir
				shell.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
				if out, err := shell.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s%s", page, err, m[2], out)
				}
			}
		}
	}
	if run < 7 || marked < 20 {
		t.Errorf("%d blocks run, %d marked: has the form of the pages changed?", run, marked)
	}
	t.Logf("%d blocks run, %d marked", run, marked)
}
