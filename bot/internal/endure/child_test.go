package endure_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/imaging"
	ringspainter "castellan/imaging/rings"
	stonetowerspainter "castellan/imaging/stonetowers"
	towerspainter "castellan/imaging/towers"
	trailspainter "castellan/imaging/trails"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// beTheBot is the environment variable that makes the test binary run the bot:
// a spec as JSON.
const beTheBot = "CASTELLAN_ENDURE_BOT"

// spec is the configuration of a bot.
type spec struct {
	Database string
	API      string
	Token    string
	Clock    time.Time // the bot's time at its start
	Quiet    bool      // the bot was running, and in contact with Discord, up to then
	Seed     uint64
}

func TestMain(m *testing.M) {
	if text := os.Getenv(beTheBot); text != "" {
		if err := run(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// games returns the games that the bot hosts.
func games() (*engine.Registry, error) {
	return engine.NewRegistry(stonetowers.Game{}, towers.Game{}, rings.Game{}, trails.Game{})
}

// run runs the bot. It prints "ready", and stops when its standard input ends,
// as it does when the test dies.
func run(text string) error {
	var s spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	store, err := sqlite.Open(ctx, s.Database)
	if err != nil {
		return err
	}
	if s.Quiet {
		if err := store.Update(ctx, func(tx storage.Tx) error { return tx.RecordContact(s.Clock) }); err != nil {
			return err
		}
	}
	all, err := games()
	if err != nil {
		return err
	}
	texts, err := catalogue.New(all.Games()...)
	if err != nil {
		return err
	}
	pictures, err := imaging.New(stonetowerspainter.Painter(), towerspainter.Painter(), ringspainter.Painter(), trailspainter.Painter())
	if err != nil {
		return err
	}
	api, err := url.Parse(s.API)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	dice := &randomness{r: rand.New(rand.NewPCG(s.Seed, 1))}
	began := time.Now()
	// The reconciler runs often, so that the test need not wait for it.
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	b, err := bot.New(bot.Config{
		Token: s.Token, API: api, Games: all, Renderer: pictures, Catalogue: texts, Logger: log, Ticks: ticks.C, Timer: dice.timer,
		// The test acts faster than people.
		Flood: interaction.Flood{Burst: -1}, BoardSettles: -1, NoThreads: true,
		Host: host.New(host.Config{
			Store: store, Games: all, Seed: dice.next, Logger: log,
			Limits: host.Limits{MadeByPerson: -1, MadeInChannel: -1, OpenByPerson: -1, OpenInChannel: -1, Running: -1},
			Now:    func() time.Time { return s.Clock.Add(time.Since(began)) },
		}),
	})
	if err != nil {
		return err
	}
	go func() {
		<-b.Ready()
		fmt.Println("ready")
	}()
	if err := b.Run(ctx); err != nil {
		return err
	}
	return store.Close()
}

// randomness is the randomness of a bot.
type randomness struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (d *randomness) next() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.Uint64()
}

// timer does the same as time.NewTimer, but a short timer, which defers a reply,
// sometimes fires at once, so that some kills hit deferred replies.
func (d *randomness) timer(after time.Duration) (<-chan time.Time, func()) {
	if after <= 2*time.Second && d.next()%6 == 0 {
		c := make(chan time.Time, 1)
		c <- time.Now()
		return c, func() {}
	}
	t := time.NewTimer(after)
	return t.C, func() { t.Stop() }
}

// process is a running bot.
type process struct {
	cmd   *exec.Cmd
	in    io.Closer
	log   bytes.Buffer // complete when done is closed
	ready chan struct{}
	done  chan struct{}
	err   error // of the exit, when done is closed
}

func startProcess(s spec) (*process, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self), ready: make(chan struct{}), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), beTheBot+"="+string(text))
	p.cmd.Stderr = &p.log
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == "ready" {
				close(p.ready)
			}
		}
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// kill sends SIGKILL and waits for the end of the process.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // SIGKILL; it may have ended by itself
	<-p.done
}

// stop lets the process finish its work.
func (p *process) stop() error {
	_ = p.in.Close()
	<-p.done
	return p.err
}
