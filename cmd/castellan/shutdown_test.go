package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"castellan/bot/interaction"
	"castellan/bot/sandbox"
	"castellan/storage/sqlite"
)

// The tests below run the bot as a process of its own: this test binary, which
// is told by its environment to be the bot and not to test.
const (
	childAPI   = "CASTELLAN_TEST_API" // base address of the chat
	childToken = "CASTELLAN_TEST_TOKEN"
	childDB    = "CASTELLAN_TEST_DB"

	// The configuration of a castellan run, in place of the three.
	childConfig = "CASTELLAN_TEST_CONFIG"

	// That this is the program itself, with the command line that it was given.
	childSelf = "CASTELLAN_TEST_SELF"
)

func TestMain(m *testing.M) {
	if os.Getenv(childSelf) != "" {
		os.Exit(untilStopped(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
	}
	if config := os.Getenv(childConfig); config != "" {
		os.Exit(untilStopped(func(ctx context.Context) int {
			return run(ctx, []string{"run", "--config", config}, os.Stdout, os.Stderr)
		}))
	}
	if os.Getenv(childAPI) == "" {
		os.Exit(m.Run())
	}
	os.Exit(untilStopped(func(ctx context.Context) int {
		if err := child(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "castellan:", err)
			return exitError
		}
		return exitOK
	}))
}

// child is the bot.
func child(ctx context.Context) error {
	store, err := sqlite.Open(ctx, os.Getenv(childDB))
	if err != nil {
		return err
	}
	defer store.Close()
	k, err := newKeeper(keeperConfig{
		token: os.Getenv(childToken), api: os.Getenv(childAPI), store: store, flood: interaction.Flood{Burst: -1},
		logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		return err
	}
	return k.bot.Run(ctx)
}

// posting is the route on which pictures go out.
const posting = "POST /channels/{channel_id}/messages"

// town is a chat with the bot in it, as a process.
type town struct {
	t       *testing.T
	chat    *sandbox.Sandbox
	db      string
	channel string
	anna    *sandbox.Person
	ben     *sandbox.Person
	benID   string

	mu   sync.Mutex
	hold map[string]chan struct{} // answers that are held, by method and route

	process *exec.Cmd
	errs    *bytes.Buffer
	ended   chan error
}

func newTown(t *testing.T) *town {
	t.Helper()
	w := &town{t: t, db: filepath.Join(t.TempDir(), "a.db"), hold: map[string]chan struct{}{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	world := sandbox.DefaultWorld()
	w.chat, err = sandbox.New(sandbox.Options{Base: "http://" + listener.Addr().String(), World: world, Observe: w.observe, Now: still, AfterFunc: never})
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- w.chat.Serve(listener) }()
	t.Cleanup(func() {
		w.kill()
		must(t, w.chat.Close())
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	w.channel = world.Channels[0].ID
	w.anna, w.ben, w.benID = w.chat.As(world.Users[0].ID), w.chat.As(world.Users[1].ID), world.Users[1].ID
	w.start()
	return w
}

// start starts the bot's process and waits until it can be spoken to.
func (w *town) start() {
	w.t.Helper()
	binary, err := os.Executable()
	must(w.t, err)
	w.errs = &bytes.Buffer{}
	w.process = exec.Command(binary)
	w.process.Env = append(os.Environ(), childAPI+"="+w.chat.Base(), childToken+"="+w.chat.Token(), childDB+"="+w.db)
	w.process.Stderr = w.errs
	must(w.t, w.process.Start())
	w.ended = make(chan error, 1)
	go func(p *exec.Cmd, ended chan<- error) { ended <- p.Wait() }(w.process, w.ended)
	w.wait("the bot", func() bool { return w.chat.Online() && w.registered() })
}

// registered reports whether a command can be given.
func (w *town) registered() bool { return len(w.anna.Commands()) > 0 }

// kill ends the process whatever it does.
func (w *town) kill() {
	if w.process.ProcessState == nil {
		_ = w.process.Process.Kill()
		<-w.ended
	}
}

func (w *town) signal(s os.Signal) {
	w.t.Helper()
	must(w.t, w.process.Process.Signal(s))
}

// over waits for the end of the process.
func (w *town) over() *os.ProcessState {
	w.t.Helper()
	select {
	case <-w.ended:
		w.ended <- nil
		return w.process.ProcessState
	case <-time.After(patience):
		w.t.Fatal("the process does not end")
		panic("not reached")
	}
}

func (w *town) observe(x sandbox.Exchange) {
	w.mu.Lock()
	held := w.hold[x.Method+" "+x.Route]
	w.mu.Unlock()
	if held != nil {
		<-held
	}
}

// gate holds the answers to a route until open is called.
func (w *town) gate(route string) (open func()) {
	c := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hold[route] = c
	return sync.OnceFunc(func() {
		w.mu.Lock()
		delete(w.hold, route)
		w.mu.Unlock()
		close(c)
	})
}

func (w *town) wait(what string, cond func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.chat.Wait(ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

func (w *town) is(id string, states ...string) func() bool {
	return func() bool { i, _ := w.chat.Interaction(id); return slices.Contains(states, i.State) }
}

// match has Anna and Ben begin a match, Anna first.
func (w *town) match() {
	w.t.Helper()
	i, err := w.anna.Command(w.channel, "challenge", sandbox.Sub("trails",
		sandbox.Opt("opponent", w.benID), sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"), sandbox.Opt("thread", false)))
	must(w.t, err)
	w.wait("the challenge", w.is(i.ID, sandbox.StateAnswered))
	m := w.ben.Messages(w.channel)
	i, err = w.ben.Click(w.channel, m[len(m)-1].ID, buttonOf(w.t, m[len(m)-1], "Accept"))
	must(w.t, err)
	w.wait("the match", w.is(i.ID, sandbox.StateAnswered))
}

func buttonOf(t *testing.T, m sandbox.Message, label string) (id string) {
	t.Helper()
	var walk func([]sandbox.Component)
	walk = func(all []sandbox.Component) {
		for _, c := range all {
			if c.Type == sandbox.ComponentButton && strings.Contains(c.Label, label) {
				id = c.CustomID
			}
			walk(c.Components)
		}
	}
	walk(m.Components)
	if id == "" {
		t.Fatalf("no button %s", label)
	}
	return id
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// SIGTERM in the middle of a move whose board Discord holds back: the bot goes
// offline, and finishes what it has begun.
func TestSIGTERMFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	for _, s := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			w := newTown(t)
			w.match()
			before := w.ben.Mentions(w.channel)
			open := w.gate(posting)
			defer open()
			i, err := w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right"))
			must(t, err)
			w.wait("the board to be posted", func() bool { return w.ben.Mentions(w.channel) == before+1 })
			w.signal(s)
			w.wait("the bot to go offline", func() bool { return !w.chat.Online() })
			if w.is(i.ID, sandbox.StateAnswered)() {
				t.Error("the move is answered although its board is held back")
			}
			open()
			state := w.over()
			if code := state.ExitCode(); code != exitOK {
				t.Errorf("exit code %d\n%s", code, w.errs)
			}
			if strings.Contains(w.errs.String(), "level=WARN") {
				t.Errorf("it complains\n%s", w.errs)
			}
			if !w.is(i.ID, sandbox.StateAnswered)() {
				t.Errorf("the move was not answered\n%s", w.errs)
			}
			// And it stands, with nothing to make good for.
			w.start()
			i, err = w.ben.Command(w.channel, "move", sandbox.Opt("turn", "left"))
			must(t, err)
			w.wait("Ben's move", w.is(i.ID, sandbox.StateAnswered))
			if got := w.ben.Mentions(w.channel); got != before+1 {
				t.Errorf("Ben was notified %d times of one move", got-before)
			}
			w.signal(s)
			if code := w.over().ExitCode(); code != exitOK {
				t.Errorf("exit code %d\n%s", code, w.errs)
			}
		})
	}
}

// A second signal waits for nothing.
func TestSecondSIGTERMStopsAtOnce(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.match()
	before := w.ben.Mentions(w.channel)
	open := w.gate(posting)
	defer open()
	i, err := w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right"))
	must(t, err)
	w.wait("the board to be posted", func() bool { return w.ben.Mentions(w.channel) == before+1 })
	w.signal(syscall.SIGTERM)
	w.wait("the bot to go offline", func() bool { return !w.chat.Online() })
	w.signal(syscall.SIGTERM)
	status, ok := w.over().Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v, not by the signal\n%s", status, w.errs)
	}
	if w.is(i.ID, sandbox.StateAnswered)() {
		t.Error("the move was answered although its board is held back")
	}
	open()
	// What was acknowledged to nobody may stand or not; here it was stored
	// before it was posted. It counts once, and the match goes on.
	w.start()
	i, err = w.ben.Command(w.channel, "move", sandbox.Opt("turn", "left"))
	must(t, err)
	w.wait("Ben's move", w.is(i.ID, sandbox.StateAnswered))
}
