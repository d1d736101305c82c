package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/clitest"
)

// patience bounds every wait. No test needs it.
const patience = 2 * time.Minute

// botProcess is a sandbox with castellan run in a process of its own, and two
// people.
type botProcess struct {
	t       *testing.T
	chat    *sandbox.Sandbox
	config  string // file names
	db      string
	env     []string // of the process, besides that of the test
	roles   string   // of the process; all if empty
	limit   string   // of its file descriptors; that of this process if empty
	channel string
	anna    *sandbox.Person
	ben     *sandbox.Person

	mu           sync.Mutex
	mayBeRefused bool                     // by Discord: the test provokes it
	held         map[string]chan struct{} // requests whose answers are held back

	seconds atomic.Int64 // by which the clock of the chat has advanced

	process *exec.Cmd
	log     *strings.Builder // complete once the process has exited
	exited  chan error
}

// newBotProcess prepares a bot without starting it. Its configuration is the
// example, adapted to the sandbox. changes are further lines of the example and
// their replacements, in turn.
func newBotProcess(t *testing.T, changes ...string) *botProcess {
	t.Helper()
	folder := t.TempDir()
	b := &botProcess{
		t: t, config: filepath.Join(folder, "castellan.toml"), db: filepath.Join(folder, "castellan.db"),
		held: map[string]chan struct{}{},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	world := sandbox.DefaultWorld()
	b.chat, err = sandbox.New(sandbox.Options{
		Base: "http://" + listener.Addr().String(), World: world, Observe: b.observe, Strict: true, Rates: time.Now, Pace: 5 * time.Second,
		// On a busy machine an answer may take longer than Discord's three
		// seconds, so time stands still between presses.
		Now:       func() time.Time { return time.Date(2026, 5, 1, 12, 0, int(b.seconds.Load()), 0, time.UTC) },
		AfterFunc: func(time.Duration, func()) (stop func() bool) { return func() bool { return true } },
	})
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- b.chat.Serve(listener) }()
	t.Cleanup(func() {
		b.kill()
		must(t, b.chat.Close())
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	b.channel = world.Channels[0].ID
	b.anna, b.ben = b.chat.As(world.Users[0].ID), b.chat.As(world.Users[1].ID)

	token := filepath.Join(folder, "token")
	write(t, token, b.chat.Token()+"\n")
	example, err := os.ReadFile(exampleConfig)
	must(t, err)
	text := string(example)
	changes = append(changes,
		`api = "https://discord.com"`, `api = "`+b.chat.Base()+`"`,
		`token_file = ""`, `token_file = '`+token+`'`,
		`path = "castellan.db"`, `path = '`+b.db+`'`,
		`format = "text"`, `format = "json"`)
	for i := 0; i < len(changes); i += 2 {
		line := "\n" + changes[i] + "\n"
		if strings.Count(text, line) != 1 {
			t.Fatalf("the example does not have exactly one line %s", changes[i])
		}
		text = strings.Replace(text, line, "\n"+changes[i+1]+"\n", 1)
	}
	write(t, b.config, text)
	return b
}

// start starts the process, waits until the bot is ready and returns the first
// line of its output.
func (b *botProcess) start() string {
	b.t.Helper()
	binary, err := os.Executable()
	must(b.t, err)
	b.log = &strings.Builder{}
	b.process = exec.Command(binary, "run", "--config", b.config)
	if b.limit != "" {
		b.process = exec.Command("sh", "-c", `ulimit -n "$0"; exec "$@"`, b.limit, binary, "run", "--config", b.config)
	}
	if b.roles != "" {
		b.process.Args = append(b.process.Args, "--role", b.roles)
	}
	b.process.Env = append(append(os.Environ(), clitest.Self+"=yes"), b.env...)
	b.process.Stderr = b.log
	out, err := b.process.StdoutPipe()
	must(b.t, err)
	must(b.t, b.process.Start())
	b.exited = make(chan error, 1)
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func(p *exec.Cmd, exited chan<- error) {
		_, _ = io.Copy(io.Discard, lines)
		exited <- p.Wait()
	}(b.process, b.exited)
	if err != nil {
		b.kill()
		b.t.Fatalf("the bot does not become ready: %v: %s", err, b.log)
	}
	return line
}

func (b *botProcess) kill() {
	if b.process != nil && b.process.ProcessState == nil {
		_ = b.process.Process.Kill()
		<-b.exited
	}
}

func (b *botProcess) signal(s os.Signal) {
	b.t.Helper()
	must(b.t, b.process.Process.Signal(s))
}

// wait waits until the process has exited and returns its state.
func (b *botProcess) wait() *os.ProcessState {
	b.t.Helper()
	select {
	case <-b.exited:
		return b.process.ProcessState
	case <-time.After(patience):
		b.t.Fatal("the process does not exit")
		panic("not reached")
	}
}

// stop shuts the bot down by SIGTERM and returns its log.
func (b *botProcess) stop() string {
	b.t.Helper()
	b.signal(syscall.SIGTERM)
	if code := b.wait().ExitCode(); code != cli.ExitOK {
		b.t.Errorf("exit code %d\n%s", code, b.log)
	}
	return b.log.String()
}

func (b *botProcess) observe(x api.Exchange) {
	if x.Status/100 == 4 && !b.mayBeRefused {
		b.t.Errorf("Discord refused a request: %s %s: %d %s", x.Method, x.Route, x.Status, x.ResponseBody)
	}
	b.mu.Lock()
	held := b.held[x.Method+" "+x.Route]
	b.mu.Unlock()
	if held != nil {
		<-held
	}
}

// hold holds the answers to a route back until release is called.
func (b *botProcess) hold(route string) (release func()) {
	c := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[route] = c
	return sync.OnceFunc(func() {
		b.mu.Lock()
		delete(b.held, route)
		b.mu.Unlock()
		close(c)
	})
}

// await waits for a condition of the sandbox.
func (b *botProcess) await(what string, cond func() bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := b.chat.Wait(ctx, cond); err != nil {
		b.t.Fatalf("waiting for %s: %v", what, err)
	}
}

func (b *botProcess) answered(id string) bool {
	i, _ := b.chat.Interaction(id)
	return i.State == sandbox.StateAnswered
}

// awaitAnswer waits until the bot has answered an interaction.
func (b *botProcess) awaitAnswer(i sandbox.Interaction, err error) {
	b.t.Helper()
	must(b.t, err)
	b.await("an answer", func() bool { return b.answered(i.ID) })
}

// challenge gives the command /challenge as Anna.
func (b *botProcess) challenge(game string, options ...sandbox.CommandOption) {
	b.t.Helper()
	options = append(options, sandbox.Opt("thread", false))
	b.awaitAnswer(b.anna.Command(b.channel, "challenge", sandbox.Sub(game, options...)))
}

// startMatch starts a match between Anna, who moves first, and Ben.
func (b *botProcess) startMatch() {
	b.t.Helper()
	b.challenge("trails", sandbox.Opt("opponent", b.ben.ID()), sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"))
	b.press(b.ben, "Accept")
}

// buttons calls visit with each enabled button that a person sees, and its
// message.
func (b *botProcess) buttons(p *sandbox.Person, visit func(message, id, label string)) {
	for _, m := range p.Messages(b.channel) {
		var walk func([]api.Component)
		walk = func(all []api.Component) {
			for _, c := range all {
				if c.Type == api.ComponentButton && !c.Disabled {
					visit(m.ID, c.CustomID, c.Label)
				}
				walk(c.Components)
			}
		}
		walk(m.Components)
	}
}

// press presses the newest button with a label.
func (b *botProcess) press(p *sandbox.Person, label string) {
	b.t.Helper()
	var message, id string
	b.await("the button "+label, func() bool {
		b.buttons(p, func(m, i, l string) {
			if strings.Contains(l, label) {
				message, id = m, i
			}
		})
		return id != ""
	})
	b.seconds.Add(2) // a board is pressed when it has been seen
	b.awaitAnswer(p.Click(b.channel, message, id))
}

func (b *botProcess) move(p *sandbox.Person, turn string) {
	b.t.Helper()
	b.awaitAnswer(p.Command(b.channel, "move", sandbox.Opt("turn", turn)))
	if b.asks(p) { // about a turn that has a risk
		b.press(p, "Play it")
	}
}

// asks reports whether a person is asked to confirm a turn.
func (b *botProcess) asks(p *sandbox.Person) (asked bool) {
	b.buttons(p, func(_, _, label string) { asked = asked || label == "Play it" })
	return asked
}

// shows reports whether the channel contains a text.
func (b *botProcess) shows(part string) bool {
	return slices.ContainsFunc(b.anna.Messages(b.channel), func(m api.Message) bool {
		data, err := json.Marshal(m)
		return err == nil && strings.Contains(string(data), part)
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, data string) {
	t.Helper()
	must(t, os.WriteFile(file, []byte(data), 0o600))
}
