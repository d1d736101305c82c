package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord/endpoint"
	"castellan/bot/host"
	"castellan/bot/host/verify"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/storage"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/sqlite"
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
		if got.code != exitOK || !strings.Contains(got.out, "1 match, 1 ended") {
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
	b.start()
	b.move(b.anna, "down")
	b.press(b.ben, "Up")
	b.awaitAnswer(b.anna.Command(b.channel, "resign"))
	b.press(b.anna, "Resign")
	b.await("the end", func() bool { return b.shows("resigned") })
	if log := b.stop(); !strings.Contains(log, "registered already") {
		t.Errorf("the commands were registered again: %s", log)
	}
}

func TestRunLimits(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t, "open_challenges_per_person = 10", "open_challenges_per_person = 1")
	b.start()
	for range 2 {
		b.challenge("trails", sandbox.Opt("opponent", b.ben.ID()))
		n := 0
		b.buttons(b.ben, func(_, _, label string) {
			if label == "Accept" {
				n++
			}
		})
		if n != 1 {
			t.Errorf("%d open challenges, want 1", n)
		}
	}
	b.stop()
}

// The environment takes precedence over the token file.
func TestRunTokenFromEnvironment(t *testing.T) {
	b := newBotProcess(t)
	write(t, filepath.Join(filepath.Dir(b.config), "token"), "not.the.token")
	t.Setenv(tokenVariable, b.chat.Token())
	b.start()
	b.stop()
}

func TestRunTokenRefused(t *testing.T) {
	b := newBotProcess(t)
	b.mayBeRefused = true
	t.Setenv(tokenVariable, "not.the.token")
	check := func(args ...string) {
		got := castellan(t, append([]string{"run", "--config", b.config}, args...)...)
		if got.code != exitUsage || !strings.Contains(got.errs, "\ncastellan: ") || !strings.Contains(got.errs, "Reset Token") || strings.Contains(got.errs, "not.the.token") {
			t.Errorf("%v: exit %d, errors %s", args, got.code, got.errs)
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
		if got.code != exitUsage || !strings.Contains(got.errs, part) {
			t.Errorf("exit %d: %q does not say %q", got.code, got.errs, part)
		}
	}
	if left := files(t, "."); len(left) != 0 {
		t.Errorf("it wrote %v", left)
	}
}

// No error shows the rejected token.
func TestRunBadToken(t *testing.T) {
	folder := t.TempDir()
	config := filepath.Join(folder, "castellan.toml")
	for _, c := range []struct {
		name, environment, file, content string
		parts                            []string
	}{
		{"with the word Bot", "Bot abc.def", "token-of-test", "", []string{tokenVariable, "without the word Bot"}},
		{"two words", "abc def", "token-of-test", "", []string{tokenVariable, "no spaces"}},
		{"an empty file", "", "token-of-test", " \n", []string{"token-of-test", "empty"}},
		{"a large file", "", "token-of-test", strings.Repeat("abc.def", 1000), []string{"token-of-test", "4096"}},
		{"a foreign letter", "", "token-of-test", "abc.dëf", []string{"token-of-test", "ASCII"}},
		{"no file", "", "nowhere", "", []string{"nowhere", "token_file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(tokenVariable, c.environment)
			write(t, filepath.Join(folder, "token-of-test"), c.content)
			write(t, config, "[discord]\ntoken_file = '"+filepath.Join(folder, c.file)+"'\n")
			got := castellan(t, "run", "--config", config)
			got.refusal(t, exitUsage, c.parts...)
			if strings.Contains(got.errs, "abc") {
				t.Errorf("%q shows the token", got.errs)
			}
		})
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
	for _, s := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			b := newBotProcess(t)
			i, notified, release := startTurn(t, b)
			b.signal(s)
			b.await("the bot to go offline", func() bool { return !b.chat.Online() })
			if b.answered(i.ID) {
				t.Error("the move is answered although its board is held back")
			}
			release()
			if code := b.wait().ExitCode(); code != exitOK {
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
		})
	}
}

func TestSecondSIGTERM(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	i, _, release := startTurn(t, b)
	b.signal(syscall.SIGTERM)
	b.await("the bot to go offline", func() bool { return !b.chat.Online() })
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
	for _, several := range []bool{false, true} {
		b := newBotProcess(t)
		if several {
			b.env, b.roles = []string{databaseVariable + "=" + pgtest.Database(t)}, "gateway"
		}
		const warning = "the application has an interactions endpoint URL"
		b.start()
		if log := b.stop(); strings.Contains(log, warning) {
			t.Errorf("it warns of nothing: %s", log)
		}
		key, err := endpoint.ParsePublicKey(b.chat.PublicKey())
		must(t, err)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		elsewhere := endpoint.New(endpoint.Config{PublicKey: key, Stop: func() {}, Now: func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }, Logger: slog.New(slog.DiscardHandler)})
		go elsewhere.Run(t.Context(), listener)
		must(t, b.chat.SetInteractionsEndpoint(t.Context(), "http://"+listener.Addr().String()+endpoint.Path))
		b.start()
		if log := b.stop(); strings.Count(log, warning) != 1 {
			t.Errorf("it does not warn once: %s", log)
		}
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
	b.await("the shard", func() bool { return len(b.chat.Sessions()) == 1 })
	if line := b.start(); !strings.Contains(line, "Invite it") {
		t.Error(line)
	}
	if got := castellan(t, "processes", "--db", url); got.code != exitOK || strings.Count(got.out, " ago\n") != 3 || !regexp.MustCompile(`(?m)^\S+ +poster,worker +\S+ +\ds ago$`).MatchString(got.out) {
		t.Errorf("%+v", got)
	}
	if log := first.stop(); !strings.Contains(log, `"msg":"castellan has stopped"`) {
		t.Errorf("the last line is missing: %s", log)
	}
	if got := castellan(t, "processes", "--db", url); got.code != exitOK || strings.Count(got.out, " ago\n") != 2 {
		t.Errorf("%+v", got)
	}
	b.challenge("towers", sandbox.Opt("size", 5), sandbox.Opt("first", "them"), sandbox.Opt("opponent", b.chat.ApplicationID()), sandbox.Opt("level", "newcomer"))
	b.await("the computer's turn", func() bool { return b.anna.Mentions(b.channel) == 1 })
	if got := castellan(t, "jobs", "start", "--db", url, "ratings"); got.code != exitOK || got.out != "0 matches ended, 0 of them rated, 0 ratings; nothing differs\n" {
		t.Errorf("%+v", got)
	}
	got := castellan(t, "jobs", "--db", url)
	for tries := 0; tries < 200 && !strings.Contains(got.out, "  interactions  "); tries++ { // until the worker has begun its chores
		got = castellan(t, "jobs", "--db", url)
	}
	if got.code != exitOK || !regexp.MustCompile(`(?m)^\d+ +ratings +completed +1 .* nothing differs$`).MatchString(got.out) || !strings.Contains(got.out, "  interactions  ") {
		t.Errorf("%+v", got)
	}
	castellan(t, "jobs", "--db", "file.db").refusal(t, exitUsage, "kept in PostgreSQL")
	for p, roles := range map[*botProcess]string{b: "gateway", other: "poster,worker"} {
		log := p.stop()
		if strings.Contains(log, `"session":"identified"`) {
			t.Errorf("a session is not resumed: %s", log)
		}
		if !strings.HasPrefix(log, `{"time":`) || !strings.Contains(log[:strings.Index(log, "\n")], `"roles":"`+roles+`"`) {
			t.Errorf("the log begins with %s", log)
		}
	}
	castellan(t, "run", "--config", b.config, "--role", "worker").refusal(t, exitUsage, "url under [database]")
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
		if got := castellan(t, args...); got.code != exitOK || got.out != want || got.errs != "" {
			t.Errorf("%s: %+v", args, got)
		}
	}
	for want, args := range map[string][]string{
		"0 of 1  connected ": nil, `"shards":[{"id":0,"shards":1,"connected":true,`: {"--json"}, "": {"--check"},
	} {
		if got := castellan(t, append([]string{"shards", "--config", b.config}, args...)...); got.code != exitOK || !strings.Contains(got.out, want) {
			t.Errorf("shards %s: %+v", args, got)
		}
	}
	response, err := http.Get("http://" + address + "/metrics")
	must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("metrics: %s", response.Status)
	}
	castellan(t, "run", "--config", b.config).refusal(t, exitError, address, "[http]", "another program uses that port")
	if log := b.stop(); !strings.Contains(log, `"serving metrics and health"`) {
		t.Errorf("the log: %s", log)
	}
	castellan(t, health...).refusal(t, exitError, address, "does not answer")
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
	health := func(listen string) result {
		write(t, config, "http.listen = '"+listen+"'")
		return castellan(t, "health", "--config", config)
	}
	health(server.Listener.Addr().String()).refusal(t, exitError, "unhealthy: database: no answer within 2s")
	status = http.StatusNotFound
	health(server.Listener.Addr().String()).refusal(t, exitError, "404", "not castellan run")

	castellan(t, "health").refusal(t, exitUsage, "[http]", `listen = "127.0.0.1:9464"`)
	for listen, part := range map[string]string{"127.0.0.1:0": "port 0", "9464": "must be an address and a port", "127.0.0.1:99999": "must be an address and a port"} {
		if got := health(listen); got.code != exitUsage || !strings.Contains(got.errs, part) {
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

// challengeComputer starts the shortest match of a game against the computer.
func (b *botProcess) challengeComputer(game, level string) {
	b.t.Helper()
	options := map[string][]sandbox.CommandOption{
		"stone-towers": {sandbox.Opt("width", 4), sandbox.Opt("height", 4), sandbox.Opt("turns", 5)},
		"towers":       {sandbox.Opt("size", 5)},
		"rings":        {sandbox.Opt("side", 3)},
		"trails":       {sandbox.Opt("size", 7)},
	}[game]
	b.challenge(game, append(options, sandbox.Opt("opponent", b.chat.ApplicationID()), sandbox.Opt("level", level))...)
}

// awaitTurn waits until the computer has moved and its board is posted.
func (b *botProcess) awaitTurn() (v *host.View) {
	b.t.Helper()
	b.await("a person's turn", func() bool {
		b.read(func(h *host.Host, _ *sqlite.Store) (err error) {
			v, err = h.Match(b.t.Context(), 1)
			return err
		})
		_, computer := v.ComputerToMove()
		return !computer && v.Board.State == storage.BoardPosted
	})
	return v
}

// moveAny has Anna play a legal turn.
func (b *botProcess) moveAny(v *host.View) {
	b.t.Helper()
	p, nth := v.Match.Position(), v.Match.Seq()
	var tokens []string
	for turns := p.Turns(); p.Seat() != engine.Nobody && p.Turns() == turns; nth++ {
		legal := p.Legal()
		a := legal[nth*7%len(legal)]
		next, err := p.Apply(a)
		must(b.t, err)
		p, tokens = next, append(tokens, a.String())
	}
	b.move(b.anna, strings.Join(tokens, " "))
}

// testComputerGames runs a test with a bot for every game, or for Towers alone
// without CASTELLAN_FULL.
func testComputerGames(t *testing.T, level string, test func(t *testing.T, b *botProcess)) {
	t.Parallel()
	for _, g := range games {
		if !full() && g.rules.Key() != "towers" {
			continue
		}
		t.Run(g.rules.Key(), func(t *testing.T) {
			t.Parallel()
			b := newBotProcess(t, "requests_per_person = 30", "requests_per_person = 1000000")
			b.start()
			b.challengeComputer(g.rules.Key(), level)
			test(t, b)
		})
	}
}

// A person plays against the computer to the end.
func TestComputerOpponent(t *testing.T) {
	testComputerGames(t, "newcomer", func(t *testing.T, b *botProcess) {
		for range 200 {
			v := b.awaitTurn()
			if _, over := v.Match.Over(); over {
				if len(v.RatingChanges) != 0 {
					t.Errorf("an unrated match changed ratings: %+v", v.RatingChanges)
				}
				return
			}
			b.moveAny(v)
		}
		t.Fatal("the match does not end")
	})
}

// Killed while the computer thinks, the bot loses nothing and counts nothing
// twice.
func TestKillDuringComputerTurn(t *testing.T) {
	testComputerGames(t, "expert", func(t *testing.T, b *botProcess) {
		moves, thinking := 0, 0
		for range 3 {
			v := b.awaitTurn()
			if v.Match.Seat() == engine.Nobody {
				break // the computer has won
			}
			b.moveAny(v)
			moves++
			b.kill()
			b.read(func(h *host.Host, s *sqlite.Store) error {
				waiting, err := h.ComputerTurns(t.Context(), 10)
				thinking += len(waiting)
				return err
			})
			b.start()
		}
		v := b.awaitTurn()
		t.Logf("%d of %d kills while the computer was thinking; %s", thinking, moves, v.Match.Position().Status())
		own, others := 0, 0
		for _, turn := range v.Match.Turns() {
			if v.Person(turn.Seat).Level == "" {
				own++
			} else {
				others++
			}
		}
		notified := moves
		if last, _ := v.Match.Last(); v.Person(last.Seat).Level != "" { // nobody is notified of the end that they caused
			notified++
		}
		if own != moves || others < moves-1 || others > moves+1 {
			t.Errorf("%d turns of the person and %d of the computer after %d", own, others, moves)
		}
		if got := b.anna.Mentions(b.channel); got != notified {
			t.Errorf("Anna was notified %d times, not %d", got, notified)
		}
		b.read(func(_ *host.Host, s *sqlite.Store) error {
			games, err := registry()
			must(t, err)
			found, err := verify.Matches(context.Background(), s, games, nil)
			if len(found.Faults) > 0 {
				t.Errorf("faults %+v", found.Faults)
			}
			return err
		})
	})
}
