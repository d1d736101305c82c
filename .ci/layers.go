//go:build ignore

// Layers checks the direction of imports: which packages of Castellan a package
// may import, and which libraries have one home. Run it with
//
//	go run .ci/layers.go
//
// It prints every import that is not allowed, and every package with a single
// importer that is not explained, and exits with status 1. The table below is the
// diagram of CONTRIBUTING.md in full. A package that matches no row is an error, so
// that a new one gets its place.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// layers lists, for packages, what they may import of Castellan. The first row
// whose pattern matches counts. In a pattern, * matches one path element and a
// final /... matches the package and everything below it.
var layers = []struct {
	packages string
	allowed  string
}{
	// engine: pure rules.
	{"engine", ""},
	{"engine/enginetest/...", "engine engine/enginetest/..."},
	{"engine/grid", "engine"},
	{"engine/match", "engine engine/grid"},
	{"engine/prepared", "engine engine/match"},
	{"engine/record", "engine engine/match"},
	{"engine/rating", ""},
	{"engine/tournament/pairing", ""},
	{"engine/tournament/tiebreak", ""},
	{"engine/tournament", "engine/tournament/..."},
	{"engine/search", "engine engine/grid"},
	{"engine/search/searchtest", "engine engine/enginetest/... engine/search"},
	{"engine/search/...", "engine engine/search engine/search/..."},
	{"engine/*", "engine engine/grid engine/*/internal/..."},
	{"engine/*/internal/...", "engine engine/grid"},
	{"engine/*/ai", "engine engine/search engine/search/fit engine/. engine/*/internal/..."},

	// imaging: positions as pictures.
	{"imaging/draw", "engine imaging/fonts"},
	{"imaging/imagingtest", "engine engine/enginetest imaging imaging/draw"},
	{"imaging/fonts", ""},
	{"imaging", "engine imaging/draw imaging/fonts"},
	{"imaging/*", "engine engine/. imaging imaging/draw"},

	// storage: the contract and its drivers.
	{"storage", ""},
	{"storage/...", "storage storage/..."},

	// bot: from the use cases out to Discord.
	{"bot/host", "bot/host/offers engine engine/match engine/prepared engine/rating engine/search engine/tournament storage"},
	{"bot/host/modeltest", ""},
	{"bot/host/offers", "engine engine/match engine/search"},
	{"bot/host/verify", "bot/host engine engine/match storage"},
	{"bot/account", "bot/catalogue bot/host engine storage"},
	{"bot/browse", "bot/host engine storage"},
	{"bot/host/hosttest", "bot/account bot/browse bot/catalogue bot/host engine engine/... imaging imaging/... storage storage/..."},
	{"bot/catalogue", "engine engine/record"},
	{"bot/discord", "storage"},
	{"bot/discord/discordtest", "bot/discord storage"},
	{"bot/discord/gateway", "bot/discord"},
	{"bot/interaction", "bot/catalogue bot/discord bot/host storage"},
	{"bot/message", "bot/account bot/browse bot/catalogue bot/discord bot/host bot/host/offers engine engine/match engine/prepared engine/record engine/tournament imaging imaging/draw storage"},
	{"bot/publish", "bot/account bot/browse bot/catalogue bot/discord bot/host bot/message storage"},
	{"bot/computer", "bot/host storage"},
	{"bot/cluster", "bot/discord bot/discord/gateway storage"},
	{"bot/handlers", "bot/account bot/browse bot/catalogue bot/computer bot/discord bot/host bot/host/offers bot/interaction bot/message bot/publish engine engine/match engine/prepared engine/record storage"},
	{"bot", "bot/account bot/browse bot/catalogue bot/cluster bot/computer bot/discord bot/discord/gateway bot/handlers bot/host bot/interaction bot/message bot/publish engine storage"},
	{"bot/metrics", "bot bot/computer bot/discord bot/discord/gateway bot/interaction storage"},
	{"bot/sandbox/...", "bot/sandbox/..."},
	{"bot/internal/...", "bot/internal/..."},
	{"bot/bottest", "bot bot/catalogue bot/discord bot/discord/discordtest bot/host bot/host/hosttest bot/interaction bot/message bot/publish bot/sandbox/api engine/... imaging/... storage storage/sqlite"},

	// cmd: the programs.
	{"cmd/internal/cli", ""},
	{"cmd/internal/clitest", "cmd/internal/cli"},
	{"cmd/internal/games", "engine engine/... imaging imaging/..."},
	{"cmd/lab/internal/protocol", "engine engine/match engine/record engine/search"},
	{"cmd/lab/internal/arena", "cmd/lab/internal/protocol engine engine/search"},
	{"cmd/lab/internal/load", "bot/discord bot/discord/gateway bot/interaction bot/metrics bot/sandbox bot/sandbox/..."},
	{"cmd/lab", "cmd/internal/... cmd/lab/internal/... engine engine/..."},
	{"cmd/castellan", "cmd/internal/... bot bot/... engine engine/... imaging imaging/... storage storage/..."},
}

// homes lists libraries with the packages that may import them.
var homes = []struct{ library, packages string }{
	{"github.com/bwmarrin/discordgo", "bot bot/discord bot/discord/gateway bot/interaction bot/publish cmd/lab/internal/load bot/bottest bot/discord/discordtest"},
	{"github.com/prometheus/client_golang", "bot/metrics"},
	{"modernc.org/sqlite", "storage/sqlite"},
	{"github.com/pressly/goose", "storage/sqlite storage/postgres/migrations"},
	{"database/sql", "storage/sqlstore storage/sqlite storage/postgres storage/postgres/... storage/transfer"},
	{"github.com/jackc/pgx/v5", "storage/postgres storage/postgres/... storage/transfer"},
	{"github.com/riverqueue/river", "storage/postgres/jobs"},
	{"github.com/fogleman/gg", "imaging imaging/..."},
	{"image", "imaging imaging/... bot/message bot/host/hosttest cmd/... bot/sandbox/..."},
	{"testing", "engine/enginetest/... imaging/imagingtest engine/search/searchtest storage/storagetest cmd/internal/clitest bot/bottest bot/discord/discordtest bot/host/hosttest bot/internal/... bot/sandbox/browser"},
}

// forbidden lists what packages must not import of the standard library.
var forbidden = []struct{ packages, libraries string }{
	{"engine/enginetest/...", ""},
	{"engine/search/...", "crypto/rand log net"},
	{"engine/*/ai", "crypto/rand log net os"},
	{"engine/...", "crypto/rand log math/rand math/rand/v2 net os"},
}

// alone lists the packages that one other package imports, tests included, with the
// idea for which each is a package of its own.
var alone = []struct{ packages, idea string }{
	{"bot/handlers", "what happens on an interaction; bot assembles and runs it"},
	{"bot/bottest", "the test rig of the bot without a connection"},
	{"bot/sandbox/gateway", "Discord's side of the gateway"},
	{"bot/sandbox/browser", "drives Chromium"},
	{"cmd/lab/internal/...", "the research program's parts: arena, engine protocol, load"},
	{"engine/rating", "rating methods, pure and published"},
	{"engine/tournament/...", "pairings and tie-breaks, pure and published"},
	{"engine/*/ai", "a computer player"},
	{"engine/*/internal/...", "the state that rules and search share"},
	{"storage/postgres/jobs", "the home of River"},
	{"storage/transfer", "copies one database to another"},
}

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func main() {
	wrong, n, err := check()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, w := range wrong {
		fmt.Fprintln(os.Stderr, w)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
	fmt.Printf("the imports of %d packages are in order\n", n)
}

func check() (wrong []string, n int, err error) {
	// Imports that must be refused show that the table bites.
	for _, trial := range []struct{ from, to string }{
		{"engine/trails", "castellan/storage"}, {"bot/message", "github.com/bwmarrin/discordgo"},
		{"bot/host", "github.com/jackc/pgx/v5"}, {"storage/postgres", "github.com/riverqueue/river"}, {"bot/metrics", "database/sql"},
	} {
		if refuse(trial.from, trial.to) == "" {
			return nil, 0, fmt.Errorf("the table allows what it must refuse: %s imports %s", trial.from, trial.to)
		}
	}
	importers := map[string]map[string]bool{}
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	for d := json.NewDecoder(out); ; n++ {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, 0, fmt.Errorf("reading go list: %w", err)
		}
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if to, own := strings.CutPrefix(i, "castellan/"); own && i != p.ImportPath {
				if importers[to] == nil {
					importers[to] = map[string]bool{}
				}
				importers[to][p.ImportPath] = true
			}
		}
		for _, i := range p.Imports {
			if why := refuse(strings.TrimPrefix(p.ImportPath, "castellan/"), i); why != "" {
				wrong = append(wrong, why)
			}
		}
	}
	for to, by := range importers {
		if len(by) == 1 && !slices.ContainsFunc(alone, func(a struct{ packages, idea string }) bool { return match(a.packages, to) }) {
			wrong = append(wrong, fmt.Sprintf("%s has a single importer, and no row in the list of such packages: merge them, or say why not", to))
		}
	}
	return wrong, n, cmd.Wait()
}

// refuse returns why a package must not import another, or nothing if it may.
func refuse(from, to string) string {
	if own, ok := strings.CutPrefix(to, "castellan/"); ok {
		for _, l := range layers {
			if !match(l.packages, from) {
				continue
			}
			if slices.ContainsFunc(strings.Fields(l.allowed), func(p string) bool { return match(sameGame(p, from), own) }) {
				return ""
			}
			return fmt.Sprintf("%s imports %s; it may import: %s", from, own, l.allowed)
		}
		return fmt.Sprintf("%s has no row in .ci/layers.go", from)
	}
	for _, h := range homes {
		if to != h.library && !strings.HasPrefix(to, h.library+"/") {
			continue
		}
		if !slices.ContainsFunc(strings.Fields(h.packages), func(p string) bool { return match(p, from) }) {
			return fmt.Sprintf("%s imports %s, whose home is: %s", from, to, h.packages)
		}
	}
	for _, f := range forbidden {
		if match(f.packages, from) {
			if slices.Contains(strings.Fields(f.libraries), to) {
				return fmt.Sprintf("%s imports %s", from, to)
			}
			return ""
		}
	}
	return ""
}

// sameGame replaces a final dot in a pattern by the game of a package:
// "engine/." allows imaging/trails and engine/trails/ai to import engine/trails.
func sameGame(pattern, from string) string {
	prefix, ok := strings.CutSuffix(pattern, "/.")
	if !ok {
		return pattern
	}
	return prefix + "/" + strings.Split(from, "/")[1]
}

func match(pattern, path string) bool {
	if pattern == "..." {
		return true
	}
	prefix, below := strings.CutSuffix(pattern, "/...")
	want, have := strings.Split(prefix, "/"), strings.Split(path, "/")
	if len(have) < len(want) || !below && len(have) > len(want) {
		return false
	}
	for i, w := range want {
		if w != "*" && w != have[i] {
			return false
		}
	}
	return true
}
