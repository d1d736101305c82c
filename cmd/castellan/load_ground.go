package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"castellan/bot/load"
	"castellan/bot/metrics"
	"castellan/bot/sandbox"
)

// ground is a sandbox with a crowd, and a bot in it that is a process of its
// own.
type ground struct {
	chat   *sandbox.Sandbox
	crowd  *load.Crowd
	world  sandbox.World
	errs   io.Writer
	served chan error

	mu         sync.Mutex
	registered []byte // the commands, as the bot has sent them
	address    string // where the bot serves its figures

	bot    *exec.Cmd
	ended  chan error
	closed bool
}

const (
	// groundKeeps is how many messages of a channel the sandbox keeps: the
	// board that people press is always among the last few.
	groundKeeps = 50
	// groundButton is the id of the button that is pressed where the bot
	// answers nothing that could be.
	groundButton = "press"
	// groundStart is for how long a bot is waited for, when it starts and when
	// it stops.
	groundStart = 30 * time.Second
)

// newGround keeps so many messages of each channel.
func newGround(tables, keep int, errs io.Writer) (*ground, error) {
	world, err := load.World(tables)
	if err != nil {
		return nil, err
	}
	g := &ground{world: world, crowd: load.New(world), errs: errs, served: make(chan error, 1)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening the sandbox: %w", err)
	}
	g.chat, err = sandbox.New(sandbox.Options{
		Base: "http://" + listener.Addr().String(), World: world, Keep: keep, Observe: g.observe,
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	g.crowd.Join(g.chat)
	go func() { g.served <- g.chat.Serve(listener) }()
	return g, nil
}

// observe notes the commands that are registered, and lets the crowd see the
// rest.
func (g *ground) observe(x sandbox.Exchange) {
	if x.Method == http.MethodPut && x.Status == http.StatusOK {
		g.mu.Lock()
		g.registered = x.RequestJSON
		g.mu.Unlock()
	}
	g.crowd.Observe(x)
}

// castellan starts castellan run with limits that no crowd meets.
func (g *ground) castellan(ctx context.Context, folder string) error {
	name := filepath.Join(folder, "castellan.toml")
	text := fmt.Sprintf(`[discord]
api = %q
threads = false
[database]
path = '%s'
[log]
format = "json"
[http]
listen = "127.0.0.1:0"
[limits]
challenge_window = "1s"
`, g.chat.Base(), filepath.Join(folder, "castellan.db"))
	for _, key := range []string{"challenges_per_person", "challenges_per_channel", "open_challenges_per_person", "open_challenges_per_channel",
		"matches_per_person", "requests_per_person", "requests_per_channel"} {
		text += key + " = " + strconv.Itoa(maxCount) + "\n"
	}
	text += fmt.Sprintf("requests_per_person_and_second = %d\nrequests_per_channel_and_second = %d\n", maxRate, maxRate)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	if err := g.start(ctx, "run", "--config", name); err != nil {
		return err
	}
	return g.wait(ctx, "castellan run to be connected", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.registered != nil && g.address != "" && g.chat.Online()
	})
}

// acknowledger starts the bot that only acknowledges, with the commands of
// another and a button in every channel.
func (g *ground) acknowledger(ctx context.Context, like *ground) error {
	if err := g.send(ctx, http.MethodPut, "/applications/"+g.chat.ApplicationID()+"/commands", like.registered); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"content": "Press.", "components": []any{map[string]any{"type": 1, "components": []any{
		map[string]any{"type": 2, "style": 1, "label": "Press", "custom_id": groundButton},
	}}}})
	if err != nil {
		return err
	}
	for _, ch := range g.world.Channels {
		if err := g.send(ctx, http.MethodPost, "/channels/"+ch.ID+"/messages", body); err != nil {
			return err
		}
	}
	if err := g.start(ctx, "acknowledge", g.chat.Base()); err != nil {
		return err
	}
	return g.wait(ctx, "the bot to be connected", g.chat.Online)
}

// send makes a request as the bot.
func (g *ground) send(ctx context.Context, method, path string, body []byte) error {
	q, err := http.NewRequestWithContext(ctx, method, g.chat.Base()+"/api/v10"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("preparing the sandbox: %w", err)
	}
	q.Header.Set("Authorization", "Bot "+g.chat.Token())
	q.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return fmt.Errorf("preparing the sandbox: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 300)) // it is wrong either way
		return fmt.Errorf("preparing the sandbox: %s: %s", answer.Status, text)
	}
	return nil
}

// start starts this program once more, as a bot.
func (g *ground) start(ctx context.Context, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	g.bot = exec.Command(self, args...)
	g.bot.Env = append(os.Environ(), tokenVariable+"="+g.chat.Token())
	log, err := g.bot.StderrPipe()
	if err != nil {
		return fmt.Errorf("starting the bot: %w", err)
	}
	if err := g.bot.Start(); err != nil {
		return fmt.Errorf("starting the bot: %w", err)
	}
	g.ended = make(chan error, 1)
	go func() {
		g.read(log)
		g.ended <- g.bot.Wait()
	}()
	return nil
}

// groundLines is how many lines of the bot's log are passed on.
const groundLines = 10

// read takes the bot's log: the first lines that are no chatter are passed on,
// and the others counted.
func (g *ground) read(log io.Reader) {
	warned := 0
	defer func() {
		if more := warned - groundLines; more > 0 {
			fmt.Fprintf(g.errs, "bot: %s of the log\n", count(more, "more line", "more lines"))
		}
	}()
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var entry struct{ Level, Msg, Address string }
		err := json.Unmarshal(lines.Bytes(), &entry)
		if entry.Address != "" {
			g.mu.Lock()
			g.address = entry.Address
			g.mu.Unlock()
		}
		if err == nil && (entry.Level == "INFO" || entry.Level == "DEBUG") {
			continue
		}
		if warned++; warned <= groundLines {
			fmt.Fprintf(g.errs, "bot: %s\n", lines.Text())
		}
	}
	_, _ = io.Copy(io.Discard, log) // after a line that was too long
}

// wait waits for something of the bot, unless it ends.
func (g *ground) wait(ctx context.Context, what string, cond func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, groundStart, errors.New("it takes too long"))
	defer cancel()
	reached := make(chan error, 1)
	go func() { reached <- g.chat.Wait(ctx, cond) }()
	select {
	case err := <-reached:
		if err != nil {
			return fmt.Errorf("waiting for %s: %w", what, err)
		}
		return nil
	case err := <-g.ended:
		g.ended <- err
		return fmt.Errorf("waiting for %s: it ended: %w", what, endOf(err))
	}
}

// endOf is how a process ended, also where it did so without an error.
func endOf(err error) error {
	if err == nil {
		return errors.New("exit code 0")
	}
	return err
}

// figures is what the bot says of itself: each line of its figures by name and
// labels.
func (g *ground) figures(ctx context.Context) (map[string]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, groundStart)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+g.address+metrics.PathMetrics, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the bot's figures: %w", err)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, fmt.Errorf("reading the bot's figures: %w", err)
	}
	defer answer.Body.Close()
	all := map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if i := strings.LastIndexByte(lines.Text(), ' '); i > 0 {
			if n, err := strconv.ParseFloat(lines.Text()[i+1:], 64); err == nil {
				all[lines.Text()[:i]] = n
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the bot's figures: %w", err)
	}
	return all, nil
}

// memory is what the bot's process uses.
func (g *ground) memory(ctx context.Context, interactions int) (loadMemory, error) {
	f, err := g.figures(ctx)
	if err != nil {
		return loadMemory{}, err
	}
	m := loadMemory{interactions, int64(f["process_resident_memory_bytes"]), int64(f["go_gc_heap_live_bytes"])}
	if m.Heap == 0 {
		return m, errors.New("reading the memory: the bot does not tell it")
	}
	return m, nil
}

// outcomes is what became of the interactions, by the bot's own account, once
// it has done with all.
func (g *ground) outcomes(ctx context.Context) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, groundStart)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	f, err := g.figures(ctx)
	for ; err == nil && f["castellan_interactions_under_way"] > 0; f, err = g.figures(ctx) {
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the bot to have done: %w", ctx.Err())
		}
	}
	if err != nil {
		return nil, err
	}
	all := map[string]int{}
	for name, n := range f {
		if rest, ok := strings.CutPrefix(name, "castellan_interactions_total{"); ok && n > 0 {
			_, rest, _ = strings.Cut(rest, `outcome="`)
			outcome, _, _ := strings.Cut(rest, `"`)
			all[outcome] += int(n)
		}
	}
	return all, nil
}

// thoughts is what the computer has thought.
func (g *ground) thoughts(ctx context.Context) (loadThoughts, error) {
	f, err := g.figures(ctx)
	const name = "castellan_thought_seconds_"
	return loadThoughts{int(f[name+`count{kind="turn"}`]), f[name+`sum{kind="turn"}`]}, err
}

// close stops the bot, and then the sandbox. A second one does nothing.
func (g *ground) close() error {
	if g.closed {
		return nil
	}
	g.closed = true
	var err error
	if g.bot != nil && g.ended != nil {
		_ = g.bot.Process.Signal(syscall.SIGTERM) // it may have ended
		timer := time.NewTimer(groundStart)
		defer timer.Stop()
		select {
		case err = <-g.ended:
		case <-timer.C:
			_ = g.bot.Process.Kill()
			err = errors.Join(errors.New("it did not stop when asked to"), <-g.ended)
		}
		if err != nil {
			err = fmt.Errorf("stopping the bot: %w", err)
		}
	}
	return errors.Join(err, g.chat.Close(), ignoreClosed(<-g.served))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
