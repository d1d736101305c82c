//go:build ignore

// Layers checks the direction of imports: which packages of Castellan a package
// may import, and which libraries have one home. Run it with
//
//	go run .ci/layers.go
//
// It prints every import that is not allowed, and every package that is too
// large, and exits with status 1. The table
// below is the diagram of CONTRIBUTING.md. A package that matches no row is an
// error, so that a new one gets its place.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
	{"engine/search", "engine engine/grid"},
	{"engine/search/protocol", "engine engine/match engine/record engine/search"},
	{"engine/search/searchtest", "engine engine/enginetest/... engine/search"},
	{"engine/search/...", "engine engine/search engine/search/..."},
	{"engine/*", "engine engine/grid"},
	{"engine/*/ai", "engine engine/search engine/search/fit engine/."},

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
	{"bot/host", "bot/host/internal/... bot/host/offers engine engine/match engine/prepared engine/rating engine/search storage"},
	{"bot/host/internal/backoff", "storage"},
	{"bot/host/internal/boards", "engine engine/match storage"},
	{"bot/host/internal/cache", "engine/match storage"},
	{"bot/host/internal/contact", "engine engine/match storage"},
	{"bot/host/internal/even", "engine/search storage"},
	{"bot/host/internal/limits", "storage"},
	{"bot/host/internal/ratings", "engine engine/match engine/rating storage"},
	{"bot/host/internal/show", "bot/host/internal/boards storage"},
	{"bot/host/internal/stored", "engine engine/match storage"},
	{"bot/host/internal/think", "engine engine/match engine/search"},
	{"bot/host/modeltest", ""},
	{"bot/host/offers", "engine engine/match engine/search"},
	{"bot/host/verify", "bot/host engine engine/match storage"},
	{"bot/account", "bot/host engine storage"},
	{"bot/browse", "bot/host engine storage"},
	{"bot/host/hosttest", "bot/account bot/browse bot/catalogue bot/host engine engine/... imaging imaging/... storage storage/..."},
	{"bot/catalogue", "engine engine/record"},
	{"bot/discord", ""},
	{"bot/discord/discordtest", "bot/discord storage"},
	{"bot/discord/endpoint", "bot/discord"},
	{"bot/discord/gateway", "bot/discord"},
	{"bot/interaction", "bot/catalogue bot/discord bot/host storage"},
	{"bot/language", "bot/account bot/catalogue bot/host storage"},
	{"bot/message", "bot/account bot/browse bot/catalogue bot/discord bot/host bot/host/offers engine engine/match engine/record imaging imaging/draw storage"},
	{"bot/peers", "bot/account bot/discord bot/language storage"},
	{"bot/publish", "bot/account bot/browse bot/catalogue bot/discord bot/host bot/message storage"},
	{"bot/command", "bot/catalogue bot/discord bot/host bot/message bot/settings engine storage"},
	{"bot/computer", "bot/host storage"},
	{"bot/chores", "bot/host storage"},
	{"bot/settings", "bot/account bot/catalogue bot/discord bot/host bot/interaction bot/message imaging/draw storage"},
	{"bot/privacy", "bot/account bot/catalogue bot/discord bot/host bot/interaction bot/message storage"},
	{"bot/suggest", "bot/catalogue bot/discord bot/host bot/message engine engine/match"},
	{"bot/refusal", "bot/discord bot/host bot/interaction bot/message engine engine/match storage"},
	{"bot/tap", "bot/account bot/catalogue bot/host bot/message engine imaging storage"},
	{"bot/prepare", "bot/catalogue bot/discord bot/host bot/interaction bot/message bot/suggest engine engine/match engine/prepared"},
	{"bot/cluster", "bot/discord bot/discord/gateway storage"},
	{"bot", "bot/account bot/browse bot/catalogue bot/cluster bot/command bot/computer bot/discord bot/discord/endpoint bot/discord/gateway bot/host bot/host/offers bot/interaction bot/language bot/message bot/peers bot/prepare bot/privacy bot/publish bot/refusal bot/settings bot/suggest bot/tap engine engine/match engine/prepared engine/record storage"},
	{"bot/metrics", "bot bot/computer bot/discord bot/discord/gateway bot/interaction storage"},
	{"bot/sandbox/...", "bot/internal/facts bot/sandbox/..."},
	{"bot/load", "bot/discord bot/discord/gateway bot/sandbox bot/sandbox/..."},
	{"bot/internal/...", "bot/internal/..."},
	{"bot/bottest", "bot bot/catalogue bot/discord bot/discord/discordtest bot/host bot/host/hosttest bot/interaction bot/message bot/publish engine/... imaging/... storage storage/sqlite"},

	{"cmd/...", "..."},
}

// homes lists libraries with the packages that may import them.
var homes = []struct{ library, packages string }{
	{"github.com/bwmarrin/discordgo", "bot bot/discord bot/discord/endpoint bot/discord/gateway bot/interaction bot/publish bot/load bot/bottest bot/discord/discordtest bot/sandbox/internal/..."},
	{"github.com/prometheus/client_golang", "bot/metrics"},
	{"modernc.org/sqlite", "storage/sqlite"},
	{"github.com/pressly/goose", "storage/sqlite/migrations storage/postgres/migrations"},
	{"database/sql", "storage/internal/... storage/sqlite storage/sqlite/... storage/postgres storage/postgres/... storage/transfer"},
	{"github.com/jackc/pgx/v5", "storage/postgres storage/postgres/... storage/transfer"},
	{"github.com/riverqueue/river", "storage/postgres/queue"},
	{"github.com/fogleman/gg", "imaging imaging/..."},
	{"image", "imaging imaging/... bot/message bot/host/hosttest cmd/... bot/sandbox/..."},
	{"testing", "engine/enginetest/... imaging/imagingtest engine/search/searchtest storage/storagetest bot/bottest bot/discord/discordtest bot/host/hosttest storage/chorestest bot/internal/... bot/sandbox/browser bot/sandbox/internal/..."},
}

// forbidden lists what packages must not import of the standard library.
var forbidden = []struct{ packages, libraries string }{
	{"engine/enginetest/...", ""},
	{"engine/search/...", "crypto/rand log net"},
	{"engine/*/ai", "crypto/rand log net os"},
	{"engine/...", "crypto/rand log math/rand math/rand/v2 net os"},
}

type pkg struct {
	ImportPath, Dir string
	Imports         []string
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
	fmt.Printf("the imports and sizes of %d packages are in order\n", n)
}

func check() (wrong []string, n int, err error) {
	// Imports that must be refused show that the table bites.
	for _, trial := range []struct{ from, to string }{
		{"engine/trails", "castellan/storage"}, {"bot/message", "github.com/bwmarrin/discordgo"},
		{"bot/chores", "github.com/jackc/pgx/v5"}, {"bot/chores", "github.com/riverqueue/river"}, {"bot/metrics", "database/sql"},
	} {
		if refuse(trial.from, trial.to) == "" {
			return nil, 0, fmt.Errorf("the table allows what it must refuse: %s imports %s", trial.from, trial.to)
		}
	}
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports", "./...")
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
		if why := tooLarge(p); why != "" {
			wrong = append(wrong, why)
		}
		for _, i := range p.Imports {
			if why := refuse(strings.TrimPrefix(p.ImportPath, "castellan/"), i); why != "" {
				wrong = append(wrong, why)
			}
		}
	}
	return wrong, n, cmd.Wait()
}

// tooLarge returns why a package is too large, or nothing if it is not: it may
// have 30 files with its tests and 3,500 lines without, more in the sandbox.
func tooLarge(p pkg) string {
	files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go")) // the pattern is valid
	lines := 0
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && !strings.HasSuffix(f, "_test.go") {
			lines += bytes.Count(data, []byte("\n"))
		}
	}
	if len(files) > 30 || lines > 3500 && !match("castellan/bot/sandbox/...", p.ImportPath) {
		return fmt.Sprintf("%s has %d files, and %d lines without tests; the limits are 30 and 3500", p.ImportPath, len(files), lines)
	}
	return ""
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
