// Package clients_test tests the sandbox with bots in other libraries, unmodified and
// at pinned versions. docs/build/sandbox-clients.md has the results, and says how to
// point each library at the sandbox.
//
// The tests run if CASTELLAN_CLIENTS is 1. They need Node with npm, and Debian's
// python3-discord. Go's library is tested by Castellan, which uses it.
//
// Each library has a small bot with the behaviour that testdata/README.md
// describes, so that one test drives them all.
package clients_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// client is a library with its bot.
type client struct {
	name     string
	version  string
	prepare  func(t *testing.T, c *client) *exec.Cmd // the bot's command, without its environment
	file     string                                  // of the bot
	commands int                                     // how many it registers, if they are not all
	module   string                                  // its package at the registry
	// lacks lists the capabilities that the library itself does not have, by
	// their names, with the reason.
	lacks map[string]string
}

// requireClients skips the test unless CASTELLAN_CLIENTS is 1.
func requireClients(t *testing.T) {
	t.Helper()
	if os.Getenv("CASTELLAN_CLIENTS") != "1" {
		t.Skip("set CASTELLAN_CLIENTS=1 to test with other libraries")
	}
}

// unavailable skips a test because the machine lacks something; with CI set, the
// test fails.
func unavailable(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// output runs a command in a folder and returns what it prints. If the command
// does not work, the client is unavailable.
func output(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		unavailable(t, "%s: %v %.500s", strings.Join(argv, " "), err, &errs)
	}
	return strings.TrimSpace(string(out))
}

// install prepares a folder of this package once per content of a file in it, in
// the user's cache. It returns the prepared copy.
func install(t *testing.T, dir, lock string, argv ...string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, lock))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	to := filepath.Join(cache, "castellan-clients", fmt.Sprintf("%s-%.6x", filepath.Base(dir), sha256.Sum256(raw)))
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err == nil {
				err = os.WriteFile(filepath.Join(to, e.Name()), raw, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	done := filepath.Join(to, "installed")
	if _, err := os.Stat(done); err == nil {
		return to
	}
	began := time.Now()
	output(t, to, argv...)
	t.Logf("%s took %.0f s", strings.Join(argv, " "), time.Since(began).Seconds())
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}

var nodeMu sync.Mutex

// node prepares a bot for Node.
func node(t *testing.T, c *client) *exec.Cmd {
	nodeMu.Lock()
	defer nodeMu.Unlock()
	dir := install(t, "testdata/node", "package-lock.json", "npm", "ci", "--no-audit", "--no-fund", "--prefer-offline", "--silent")
	cmd := exec.Command("node", c.file)
	cmd.Dir = dir
	return cmd
}

// python checks that Debian's Python has the library.
func python(t *testing.T, c *client) *exec.Cmd {
	const interpreter = "/usr/bin/python3"
	if got := output(t, ".", interpreter, "-c", "import discord; print(discord.__version__)"); got != c.version {
		unavailable(t, "discord.py is %s, want %s", got, c.version)
	}
	return exec.Command(interpreter, filepath.Join("testdata/python", c.file))
}

// pinned returns the version of a package in package.json.
func pinned(t *testing.T, module string) string {
	t.Helper()
	var manifest struct{ Dependencies map[string]string }
	raw, err := os.ReadFile(filepath.Join("testdata/node", "package.json"))
	if err == nil {
		err = json.Unmarshal(raw, &manifest)
	}
	if err != nil || manifest.Dependencies[module] == "" {
		t.Fatalf("the version of %s is not pinned: %v", module, err)
	}
	return manifest.Dependencies[module]
}

// patience bounds every wait; only failing tests reach it.
const patience = 2 * time.Minute

// Ids of the default world.
const (
	keep    = "1150000000000000001"
	outpost = "1150000000004194305" // on the other of two shards
	yard    = "1150000000000000101"
	hall    = "1150000000000000102"
	fire    = "1150000000000000104" // in the outpost
	wardens = "1150000000000000201"
	anna    = "1120000000000000011"
	ben     = "1120000000000000012"
)

// rig is a sandbox with a running bot.
type rig struct {
	t   *testing.T
	box *sandbox.Sandbox
}

// start runs a bot in a new sandbox until the test ends, and waits until it has
// registered its commands.
func start(t *testing.T, cmd *exec.Cmd, commands int, env ...string) *rig {
	t.Helper()
	world := sandbox.DefaultWorld()
	world.Guilds[0].ID = outpost
	for i := range world.Channels {
		if world.Channels[i].GuildID != "" {
			world.Channels[i].GuildID = outpost
		}
	}
	// The sandbox's clock is slow, so that an interaction has fifteen seconds on
	// a busy machine.
	const slow = 5
	began := time.Now()
	box, err := sandbox.New(sandbox.Options{
		World:     world,
		Now:       func() time.Time { return began.Add(time.Since(began) / slow) },
		AfterFunc: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d*slow, f).Stop },
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(box)
	bot := exec.Command(cmd.Path, cmd.Args[1:]...)
	bot.Dir = cmd.Dir
	bot.Env = append(os.Environ(), "SANDBOX_API="+srv.URL+"/api", "SANDBOX_TOKEN="+box.Token(), "NODE_NO_WARNINGS=1")
	bot.Env = append(bot.Env, env...)
	var said bytes.Buffer
	bot.Stdout, bot.Stderr = &said, &said
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bot.Process.Kill() // it may have ended
		_ = bot.Wait()
		box.Close()
		srv.Close()
		if t.Failed() {
			t.Logf("the bot said: %.4000s", &said)
		}
	})
	r := &rig{t, box}
	r.until("its commands", func() bool { return box.Gateway.Online() && len(box.As(anna).CommandsIn(yard)) == commands })
	return r
}

// until waits for a condition.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if err := r.box.Wait(ctx, cond); err != nil {
		r.t.Fatalf("%s: %v", what, err)
	}
}

// message waits for a message in a channel that Anna sees, of which cond is true.
func (r *rig) message(channel, what string, cond func(m api.Message) bool) api.Message {
	r.t.Helper()
	var found api.Message
	r.until(what, func() bool {
		for _, m := range r.box.As(anna).Messages(channel) {
			if cond(m) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// says waits for a message of the bot with a content.
func (r *rig) says(channel, content string) api.Message {
	r.t.Helper()
	return r.message(channel, fmt.Sprintf("no message %q", content), func(m api.Message) bool { return m.Author.Bot && m.Content == content })
}

// answered waits for the answer to an interaction and returns the message that
// it wrote or used, if there is one.
func (r *rig) answered(i sandbox.Interaction, err error) api.Message {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	var now sandbox.Interaction
	r.until(i.Kind+" "+i.Name+" has no answer", func() bool {
		now, _ = r.box.Interaction(i.ID)
		return now.State == sandbox.StateAnswered || now.State == sandbox.StateFailed
	})
	if now.State == sandbox.StateFailed {
		r.t.Fatalf("%s %s failed", i.Kind, i.Name)
	}
	for _, m := range r.box.As(anna).Messages(now.ChannelID) {
		if m.ID == now.MessageID {
			return m
		}
	}
	return api.Message{}
}

// command has Anna use a command, and checks the content of the answer.
func (r *rig) command(want, name string, options ...sandbox.CommandOption) api.Message {
	r.t.Helper()
	i, err := r.box.As(anna).Command(yard, name, options...)
	m := r.answered(i, err)
	r.content(m, want)
	return m
}

func (r *rig) content(m api.Message, want string) {
	r.t.Helper()
	if m.Content != want {
		r.t.Errorf("the answer is %q, want %q", m.Content, want)
	}
}
