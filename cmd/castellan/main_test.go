package main

import (
	"context"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// result is the outcome of a command line.
type result struct {
	code      int
	out, errs string
}

func castellan(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs strings.Builder
	code := run(t.Context(), args, &out, &errs)
	return result{code, out.String(), errs.String()}
}

// refusal checks for an exit code and a single line of error that contains all
// the parts.
func (r result) refusal(t *testing.T, code int, parts ...string) {
	t.Helper()
	text, _, _ := strings.Cut(r.errs, "\nTry castellan --help.")
	text = strings.TrimSuffix(text, "\n")
	if r.code != code || r.out != "" || !strings.HasPrefix(text, "castellan: ") || strings.Contains(text, "\n") {
		t.Errorf("exit %d, want %d, out %q, errors %q", r.code, code, r.out, r.errs)
	}
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not say %q", text, p)
		}
	}
	for _, inner := range []string{"match: ", "imaging: ", "sqlite: ", "storage: ", "%!", "goroutine"} {
		if strings.Contains(text, inner) {
			t.Errorf("%q shows internals", text)
		}
	}
}

// files returns the names in a folder.
func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"-h"}} {
		got := castellan(t, args...)
		if got.code != 0 || got.errs != "" {
			t.Errorf("%q: exit %d, errors %q", args, got.code, got.errs)
		}
		for _, part := range []string{"castellan sandbox", "castellan run", "CASTELLAN_TOKEN", "/challenge", "castellan render --game trails", "version", "--help"} {
			if !strings.Contains(got.out, part) {
				t.Errorf("%q: the help does not say %q:\n%s", args, part, got.out)
			}
		}
	}
	for command, parts := range map[string][]string{
		"sandbox":      {"--listen", "127.0.0.1:8080", "--db", ":memory:"},
		"render":       {"--game", "trails", "--turns", "--option", "--out", "dark,light,contrast", "--record", "--turn"},
		"run":          {"--config", "config.example.toml"},
		"check-config": {"<file>", "every mistake"},
		"backup":       {"--db", "--force", "<file>"},
		"verify":       {"--db", "--json"},
		"engine":       {"--game", "--level", "--memory", "--seed", "docs/engine-protocol.md"},
		"arena":        {"--players", "--games", "--sprt", "--resume", "docs/arena.md", "cmd:PROGRAM"},
		"version":      {"Print the version"},
	} {
		got := castellan(t, command, "--help")
		for _, part := range parts {
			if got.code != 0 || !strings.Contains(got.out, part) {
				t.Errorf("%s --help, exit %d, does not say %q:\n%s", command, got.code, part, got.out)
			}
		}
	}
}

func TestHelpExamples(t *testing.T) {
	examples := regexp.MustCompile(`castellan (render .*)`).FindAllStringSubmatch(description, -1)
	if len(examples) == 0 {
		t.Fatal("there are no examples")
	}
	for _, e := range examples {
		t.Chdir(t.TempDir())
		var args []string
		for _, a := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(e[1], -1) {
			args = append(args, strings.Trim(a, `"`))
		}
		if got := castellan(t, args...); got.code != 0 {
			t.Errorf("%s: exit %d: %s", e[0], got.code, got.errs)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args  string
		parts []string
	}{
		{"--nope", []string{"unknown flag --nope"}},
		{"frobnicate", []string{"frobnicate"}},
		{"version extra", []string{"extra"}},
		{"sandbox --port 80", []string{"--port"}},
		{"backup copy.db", []string{"--db"}},
		{"backup --db castellan.db", []string{"<file>"}},
		{"verify", []string{"--db"}},
		{"verify castellan.db", []string{"castellan.db"}},
		{"render", []string{"--game", "--out"}},
		{"render --game trails", []string{"--out"}},
		{"render --game trails --out x.png --theme pink", []string{"--theme", "dark", "pink"}},
		{"render --game trails --out x.png --option size", []string{"--option", "size"}},
		{"render --game trails --out x.png --seats two", []string{"--seats"}},
		{"engine", []string{"--game"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got := castellan(t, strings.Fields(c.args)...)
			got.refusal(t, exitUsage, c.parts...)
			if !strings.HasSuffix(got.errs, "Try castellan --help.\n") {
				t.Errorf("no hint about --help: %q", got.errs)
			}
			if left := files(t, "."); len(left) != 0 {
				t.Errorf("it wrote %v", left)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	got := castellan(t, "version")
	want := regexp.MustCompile(`^castellan \S+( [0-9a-f]{40})? ` + regexp.QuoteMeta(runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH) + "\n$")
	if got.code != 0 || got.errs != "" || !want.MatchString(got.out) {
		t.Errorf("%+v", got)
	}
}

// closedWriter rejects all output.
type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestOutputError(t *testing.T) {
	var errs strings.Builder
	if code := run(context.Background(), []string{"version"}, closedWriter{}, &errs); code != exitError || errs.Len() == 0 {
		t.Errorf("exit %d, errors %q", code, errs.String())
	}
}

func TestGames(t *testing.T) {
	_, err := registry()
	must(t, err)
	_, err = pictures()
	must(t, err)
	for _, g := range games {
		if g.rules.Key() != g.painter.Key() {
			t.Errorf("%s is drawn by the painter of %s", g.rules.Key(), g.painter.Key())
		}
		if b := engines()[g.rules.Key()]; b.Game != g.rules {
			t.Errorf("%s is played by a player of %v", g.rules.Key(), b.Game)
		}
	}
	if !slices.Contains(keys(), "trails") {
		t.Errorf("games %v", keys())
	}
}

// TestPlan compares the table in the documentation with what the command prints, and
// shows that the simulation notices a limit.
func TestPlan(t *testing.T) {
	page, err := os.ReadFile("../../docs/scaling.md")
	must(t, err)
	got := castellan(t, "plan")
	if got.code != 0 || got.errs != "" || !strings.Contains(string(page), got.out) {
		t.Errorf("docs/scaling.md does not contain what castellan plan prints: %d %s\n%s", got.code, got.errs, got.out)
	}
	raised := castellan(t, "plan", "--guilds", "150000", "--limit", "500").out
	if !strings.Contains(got.out, "over the limit") || strings.Contains(raised, "over the limit") {
		t.Errorf("a limit of 500 requests makes no difference:\n%s", raised)
	}
	castellan(t, "plan", "--peak", "0.5").refusal(t, exitUsage, "--peak is 0.5", "from 1 to 20")
	castellan(t, "plan", "--guilds", "0").refusal(t, exitUsage, "--guilds")
}
