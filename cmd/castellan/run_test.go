package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord"
	"castellan/bot/sandbox"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/clitest"
	"castellan/storage/postgres/pgtest"
)

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

// A disk that hangs does not keep the process from ending, and one that works is
// waited for.
func TestCloseStore(t *testing.T) {
	for _, c := range []struct {
		name string
		disk time.Duration // until it responds
		want time.Duration
		log  string
	}{
		{"slow", 9 * time.Second, 9 * time.Second, ""},
		{"hanging", time.Hour, shutdownTimeout, "the disk does not respond"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			late := make(chan struct{})
			time.AfterFunc(shutdownTimeout, func() { close(late) })
			began := time.Now()
			closeStore(closerFunc(func() error { time.Sleep(c.disk); return nil }), late, slog.New(slog.NewTextHandler(&log, nil)))
			if took := time.Since(began); took != c.want || !strings.Contains(log.String(), c.log) || c.log == "" && log.Len() > 0 {
				t.Errorf("%s disk: %v, log %s", c.name, took, &log)
			}
			time.Sleep(c.disk)
		})
	}
}

// A whole match with the example configuration, interrupted by a restart.
func TestRunAcrossRestart(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		testRunAcrossRestart(t, newBotProcess(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Database(t)
		b := newBotProcess(t)
		b.env = []string{databaseVariable + "=" + strings.Replace(url, "castellan@", "castellan:secret@", 1)}
		testRunAcrossRestart(t, b)
		got := castellan(t, "verify", "--db", url)
		if got.Code != cli.ExitOK || !strings.Contains(got.Out, "1 match, 1 ended") {
			t.Errorf("%+v", got)
		}
	})
}

func testRunAcrossRestart(t *testing.T, b *botProcess) {
	if line := b.start(); !strings.Contains(line, b.chat.Base()+"/oauth2/authorize?client_id="+b.chat.ApplicationID()+"&scope=bot+applications.commands&permissions=") {
		t.Errorf("it prints %q", line)
	}
	b.startMatch()
	b.press(b.anna, "Right")
	b.move(b.ben, "left")

	log := b.stop()
	for line := range strings.Lines(log) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry["msg"] == "" || entry["level"] == "" {
			t.Errorf("the log has the line %q, %v", line, err)
		}
	}
	if !strings.Contains(log, `"commands registered"`) || strings.Contains(log, b.chat.Token()) || strings.Contains(log, "secret") {
		t.Errorf("the log: %s", log)
	}
	const created = "there is no database yet"
	if inFile := b.env == nil; strings.Contains(log, created) != inFile {
		t.Errorf("whether the log tells of a new file is not %t: %s", inFile, log)
	}
	b.start()
	b.move(b.anna, "down")
	b.press(b.ben, "Up")
	b.awaitAnswer(b.anna.Command(b.channel, "resign"))
	b.press(b.anna, "Resign")
	b.await("the end", func() bool { return b.shows("resigned") })
	if log := b.stop(); !strings.Contains(log, "registered already") || strings.Contains(log, created) {
		t.Errorf("the commands were registered again, or the database created again: %s", log)
	}
}

func TestRunTokenRefused(t *testing.T) {
	b := newBotProcess(t)
	b.mayBeRefused = true
	t.Setenv(tokenVariable, "not.the.token")
	check := func(args ...string) {
		got := castellan(t, append([]string{"run", "--config", b.config}, args...)...)
		if got.Code != cli.ExitUsage || !strings.Contains(got.Errs, "\ncastellan: ") || !strings.Contains(got.Errs, "Reset Token") || strings.Contains(got.Errs, "not.the.token") {
			t.Errorf("%v: exit %d, errors %s", args, got.Code, got.Errs)
		}
	}
	check()
	t.Setenv(databaseVariable, pgtest.Database(t))
	check("--role", "gateway")
	check("--role", "worker")
}

func TestRunNoToken(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(tokenVariable, "")
	got := castellan(t, "run")
	for _, part := range []string{"no bot token", "https://discord.com/developers/applications", "New Application", tokenVariable, "token_file", "castellan sandbox"} {
		if got.Code != cli.ExitUsage || !strings.Contains(got.Errs, part) {
			t.Errorf("exit %d: %q does not say %q", got.Code, got.Errs, part)
		}
	}
	if left := files(t, "."); len(left) != 0 {
		t.Errorf("it wrote %v", left)
	}
}

// No error shows the rejected token.
func TestReadToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token-of-test")
	for _, c := range []struct {
		environment, file, content string
		parts                      []string
	}{
		{"Bot abc.def", file, "", []string{tokenVariable, "without the word Bot"}},
		{"abc def", file, "", []string{tokenVariable, "no spaces"}},
		{"", file, " \n", []string{"token-of-test", "empty"}},
		{"", file, strings.Repeat("abc.def", 1000), []string{"token-of-test", "4096"}},
		{"", file, "abc.dëf", []string{"token-of-test", "ASCII"}},
		{"", "nowhere", "", []string{"nowhere", "token_file"}},
	} {
		write(t, file, c.content)
		_, err := readToken(c.environment, c.file)
		for _, p := range c.parts {
			if err == nil || !strings.Contains(err.Error(), p) || strings.Contains(err.Error(), "abc") {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
	write(t, file, "abc.def\n")
	if token, err := readToken("", file); err != nil || token != "abc.def" {
		t.Errorf("%q, %v", token, err)
	}
}

// A token file that others can read is noticed, unless it is not used.
func TestTokenOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, "abc.def")
	for mode, open := range map[os.FileMode]bool{0o644: true, 0o604: true, 0o640: false, 0o600: false} {
		must(t, os.Chmod(file, mode))
		for token, want := range map[string]bool{"": open, "abc.def": false} {
			t.Setenv(tokenVariable, token)
			if got := (runConfig{config: config{TokenFile: file}}).tokenOpen(); got != want && runtime.GOOS != "windows" {
				t.Errorf("mode %v, variable %q: %v", mode, token, got)
			}
		}
	}
}

// A process that may have too few files open says at the start how many it needs, which
// are more than it has when it is idle.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("only Linux tells the limit")
	}
	b := newBotProcess(t)
	b.start()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.process.Process.Pid))
	must(t, err)
	if log := b.stop(); len(open) > minDescriptors/2 || strings.Contains(log, `"needed"`) {
		t.Errorf("%d files are open\n%s", len(open), log)
	}
	b.limit = "100"
	b.start()
	if log := b.stop(); !strings.Contains(log, `"limit":100,"needed":256`) {
		t.Errorf("the log does not say how many descriptors are needed:\n%s", log)
	}
}

// createMessage is the route by which boards are posted.
const createMessage = "POST /channels/{channel_id}/messages"

// startTurn has Anna move, and returns when her board is posted but Discord's
// answer is held back.
func startTurn(t *testing.T, b *botProcess) (i sandbox.Interaction, notified int, release func()) {
	t.Helper()
	b.start()
	b.startMatch()
	notified = b.ben.Mentions(b.channel) + 1
	release = b.hold(createMessage)
	t.Cleanup(release)
	i, err := b.anna.Command(b.channel, "move", sandbox.Opt("turn", "right"))
	must(t, err)
	b.await("the board to be posted", func() bool { return b.ben.Mentions(b.channel) == notified })
	return i, notified, release
}

// A signal takes the bot offline; it finishes the interactions that it has begun.
func TestSIGTERM(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	i, notified, release := startTurn(t, b)
	b.signal(syscall.SIGTERM)
	b.await("the bot to go offline", func() bool { return !b.chat.Gateway.Online() })
	if b.answered(i.ID) {
		t.Error("the move is answered although its board is held back")
	}
	release()
	if code := b.wait().ExitCode(); code != cli.ExitOK {
		t.Errorf("exit code %d\n%s", code, b.log)
	}
	if strings.Contains(b.log.String(), `"level":"WARN"`) {
		t.Errorf("it logs warnings\n%s", b.log)
	}
	if !b.answered(i.ID) {
		t.Errorf("the move was not answered\n%s", b.log)
	}
	b.start()
	b.move(b.ben, "left")
	if got := b.ben.Mentions(b.channel); got != notified {
		t.Errorf("Ben was notified %d times of one move", got-notified+1)
	}
	b.stop()
}

// After an interrupt, too, a second signal ends the process at once.
func TestSecondSIGTERM(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	i, _, release := startTurn(t, b)
	b.signal(os.Interrupt)
	b.await("the bot to go offline", func() bool { return !b.chat.Gateway.Online() })
	b.signal(syscall.SIGTERM)
	status, ok := b.wait().Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v, not by the signal\n%s", status, b.log)
	}
	if b.answered(i.ID) {
		t.Error("the move was answered although its board is held back")
	}
	release()
	// The move was stored before it was posted: it counts once, and the match
	// goes on.
	b.start()
	b.move(b.ben, "left")
}

// A process with the gateway alone says that Discord sends interactions elsewhere.
func TestRunWarnsOfEndpoint(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	const warning = "the application has an interactions endpoint URL"
	b.start()
	if log := b.stop(); strings.Contains(log, warning) {
		t.Errorf("it warns of nothing: %s", log)
	}
	key, err := discord.ParsePublicKey(b.chat.PublicKey())
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	elsewhere := discord.NewEndpoint(discord.EndpointConfig{PublicKey: key, Stop: func() {}, Now: func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }, Logger: slog.New(slog.DiscardHandler)})
	go elsewhere.Run(t.Context(), listener)
	must(t, b.chat.SetInteractionsEndpoint(t.Context(), "http://"+listener.Addr().String()+discord.EndpointPath))
	b.start()
	if log := b.stop(); strings.Count(log, warning) != 1 {
		t.Errorf("it does not warn once: %s", log)
	}
}

// Three processes share the work: two have the gateway, the other one plays the
// computer's turns and posts. When the one that holds the shard leaves, the other
// resumes its session.
func TestRunRoles(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	url := pgtest.Database(t)
	b.env = []string{databaseVariable + "=" + url}
	b.roles = "gateway"
	other := &botProcess{t: t, config: b.config, env: b.env, roles: "poster,worker"}
	t.Cleanup(other.kill)
	if line := other.start(); line != "Castellan is at work as poster,worker.\n" {
		t.Error(line)
	}
	first := &botProcess{t: t, config: b.config, env: b.env, roles: "gateway"}
	t.Cleanup(first.kill)
	first.start()
	b.await("the shard", func() bool { return len(b.chat.Gateway.Sessions()) == 1 })
	if line := b.start(); !strings.Contains(line, "Invite it") {
		t.Error(line)
	}
	if got := castellan(t, "processes", "--db", url); got.Code != cli.ExitOK || strings.Count(got.Out, " ago\n") != 3 || !regexp.MustCompile(`(?m)^\S+ +poster,worker +\S+ +\ds ago$`).MatchString(got.Out) {
		t.Errorf("%+v", got)
	}
	if log := first.stop(); !strings.Contains(log, `"msg":"castellan has stopped"`) {
		t.Errorf("the last line is missing: %s", log)
	}
	if got := castellan(t, "processes", "--db", url); got.Code != cli.ExitOK || strings.Count(got.Out, " ago\n") != 2 {
		t.Errorf("%+v", got)
	}
	b.challengeComputer("newcomer")
	b.await("the computer's turn", func() bool { return b.anna.Mentions(b.channel) == 1 })
	if got := castellan(t, "jobs", "start", "--db", url, "ratings"); got.Code != cli.ExitOK || got.Out != "0 matches ended, 0 of them rated, 0 ratings; nothing differs\n" {
		t.Errorf("%+v", got)
	}
	got := castellan(t, "jobs", "--db", url)
	for tries := 0; tries < 200 && !strings.Contains(got.Out, "  interactions  "); tries++ { // until the worker has begun its jobs
		got = castellan(t, "jobs", "--db", url)
	}
	if got.Code != cli.ExitOK || !regexp.MustCompile(`(?m)^\d+ +ratings +completed +1 .* nothing differs$`).MatchString(got.Out) || !strings.Contains(got.Out, "  interactions  ") {
		t.Errorf("%+v", got)
	}
	castellan(t, "jobs", "--db", "file.db").Refused(t, cli.ExitUsage, "kept in PostgreSQL")
	for p, roles := range map[*botProcess]string{b: "gateway", other: "poster,worker"} {
		log := p.stop()
		if strings.Contains(log, `"session":"identified"`) {
			t.Errorf("a session is not resumed: %s", log)
		}
		if !strings.HasPrefix(log, `{"time":`) || !strings.Contains(log[:strings.Index(log, "\n")], `"roles":"`+roles+`"`) {
			t.Errorf("the log begins with %s", log)
		}
	}
	castellan(t, "run", "--config", b.config, "--role", "worker").Refused(t, cli.ExitUsage, "url under [database]")
}

func TestHealth(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	b := newBotProcess(t, `listen = ""`, `listen = "`+address+`"`)
	b.start()
	health := []string{"health", "--config", b.config}
	for want, args := range map[string][]string{
		"database: ok\nreconciler: ok\n":                            health,
		"gateway: ok\ncommands: ok\ndatabase: ok\nreconciler: ok\n": append(health[:3:3], "--ready"),
	} {
		if got := castellan(t, args...); got.Code != cli.ExitOK || got.Out != want || got.Errs != "" {
			t.Errorf("%s: %+v", args, got)
		}
	}
	for want, args := range map[string][]string{
		"0 of 1  connected ": nil, `"shards":[{"id":0,"shards":1,"connected":true,`: {"--json"}, "": {"--check"},
	} {
		if got := castellan(t, append([]string{"shards", "--config", b.config}, args...)...); got.Code != cli.ExitOK || !strings.Contains(got.Out, want) {
			t.Errorf("shards %s: %+v", args, got)
		}
	}
	response, err := http.Get("http://" + address + "/metrics")
	must(t, err)
	metrics, err := io.ReadAll(response.Body)
	must(t, err)
	response.Body.Close()
	for _, want := range []string{"castellan_ready 1", "castellan_database_up 1", `castellan_gateway_connected{shard="0"} 1`, `castellan_database_transactions_total{kind="view",outcome="done"}`, `castellan_discord_requests_total{route="PUT /applications/{id}/commands",status="200"} 1`} {
		if !strings.Contains(string(metrics), "\n"+want) {
			t.Errorf("metrics: %s, without %s", response.Status, want)
		}
	}
	castellan(t, "run", "--config", b.config).Refused(t, cli.ExitError, address, "[http]", "another program uses that port")
	if log := b.stop(); !strings.Contains(log, `"serving metrics and health"`) {
		t.Errorf("the log: %s", log)
	}
	castellan(t, health...).Refused(t, cli.ExitError, address, "does not answer")
}

func TestHealthFailures(t *testing.T) {
	t.Parallel()
	status := http.StatusServiceUnavailable
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte("database: no answer within 2s\nreconciler: ok\n"))
	}))
	defer server.Close()
	config := filepath.Join(t.TempDir(), "castellan.toml")
	health := func(listen string) clitest.Result {
		write(t, config, "http.listen = '"+listen+"'")
		return castellan(t, "health", "--config", config)
	}
	health(server.Listener.Addr().String()).Refused(t, cli.ExitError, "unhealthy: database: no answer within 2s")
	status = http.StatusNotFound
	health(server.Listener.Addr().String()).Refused(t, cli.ExitError, "404", "not castellan run")

	castellan(t, "health").Refused(t, cli.ExitUsage, "[http]", `listen = "127.0.0.1:9464"`)
	for listen, part := range map[string]string{"127.0.0.1:0": "port 0", "9464": "must be an address and a port", "127.0.0.1:99999": "must be an address and a port"} {
		if got := health(listen); got.Code != cli.ExitUsage || !strings.Contains(got.Errs, part) {
			t.Errorf("%s: %+v", listen, got)
		}
	}
}

func TestHealthAddress(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:1": "127.0.0.1:1", ":2": "127.0.0.1:2", "0.0.0.0:3": "127.0.0.1:3", "[::]:4": "[::1]:4", "host:5": "host:5", "[fe80::1]:6": "[fe80::1]:6",
	} {
		if got, err := (config{Listen: listen}).healthAddress(); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", listen, got, err, want)
		}
	}
}

// challengeComputer starts a match in which the computer moves first.
func (b *botProcess) challengeComputer(level string) {
	b.t.Helper()
	b.challenge("towers", sandbox.Opt("size", 5), sandbox.Opt("first", "them"), sandbox.Opt("opponent", b.chat.ApplicationID()), sandbox.Opt("level", level))
}

// Killed while the computer thinks, the bot plays the turn once when it is back.
func TestKillDuringComputerTurn(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	b.start()
	b.challengeComputer("expert")
	b.kill()
	b.start()
	b.await("the computer's turn", func() bool { return b.anna.Mentions(b.channel) == 1 })
	b.stop()
	got := castellan(t, "verify", "--db", b.db)
	if n := b.anna.Mentions(b.channel); n != 1 || got.Code != cli.ExitOK || !strings.Contains(got.Out, "1 match, 0 ended") {
		t.Errorf("Anna was notified %d times; %+v", n, got)
	}
}
