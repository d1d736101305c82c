// Package testbed starts Castellan, or a bot to compare it with, against a sandbox
// with a crowd.
package testbed

import (
	"bufio"
	"bytes"
	"cmp"
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

	"castellan/bot"
	"castellan/bot/discord/endpoint"
	"castellan/bot/load"
	"castellan/bot/metrics"
	"castellan/bot/sandbox"
)

// Testbed is a sandbox with a crowd, and a bot in a process of its own.
type Testbed struct {
	chat   *sandbox.Sandbox
	Crowd  *load.Crowd
	world  sandbox.World
	errs   io.Writer
	served chan error

	mu         sync.Mutex
	registered []byte // the commands that the bot has registered
	address    string // of the bot's metrics
	endpoint   string // of its interactions by HTTP

	bot    *exec.Cmd
	ended  chan error
	closed bool
}

const (
	// KeptMessages is how many messages of a channel the sandbox keeps. People
	// press the latest boards only.
	KeptMessages = 50
	// PressButton is the custom id of the button for the bot that posts no
	// boards.
	PressButton = "press"
	// servingMetrics is the line of the log with the address of the metrics.
	servingMetrics = "serving metrics and health"
	// tokenVariable is where the bots look for their token.
	tokenVariable = "CASTELLAN_TOKEN"
	// maxCount and maxRate are the largest limits that a configuration may have.
	maxCount = 1_000_000
	maxRate  = 10_000
	// processTimeout bounds the start and the end of the bot.
	processTimeout = 30 * time.Second
)

// New starts a sandbox that keeps some messages of each channel.
func New(tables, keep int, errs io.Writer) (*Testbed, error) {
	world, err := load.World(tables)
	if err != nil {
		return nil, err
	}
	b := &Testbed{world: world, Crowd: load.New(world), errs: errs, served: make(chan error, 1)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	b.chat, err = sandbox.New(sandbox.Options{
		Base: "http://" + listener.Addr().String(), World: world, Keep: keep, Observe: b.observe,
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	b.Crowd.Join(b.chat)
	go func() { b.served <- b.chat.Serve(listener) }()
	return b, nil
}

// observe records the registered commands, and forwards to the crowd.
func (b *Testbed) observe(x sandbox.Exchange) {
	if x.Method == http.MethodPut && x.Status == http.StatusOK {
		b.mu.Lock()
		b.registered = x.RequestJSON
		b.mu.Unlock()
	}
	b.Crowd.Observe(x)
}

// StartCastellan starts castellan run, with limits that no crowd reaches. It gets
// its interactions over the gateway or by HTTP.
func (b *Testbed) StartCastellan(ctx context.Context, folder string, byHTTP bool) error {
	database := "castellan.db"
	if byHTTP {
		database = "http.db"
	}
	name := filepath.Join(folder, "castellan.toml")
	text := fmt.Sprintf(`[discord]
api = %q
threads = false
requests_per_second = 10000
[database]
path = '%s'
[log]
format = "json"
[http]
listen = "127.0.0.1:0"
[limits]
challenge_window = "1s"
`, b.chat.Base(), filepath.Join(folder, database))
	for _, key := range []string{"challenges_per_person", "challenges_per_channel", "open_challenges_per_person", "open_challenges_per_channel",
		"matches_per_person", "requests_per_person", "requests_per_channel"} {
		text += key + " = " + strconv.Itoa(maxCount) + "\n"
	}
	text += fmt.Sprintf("requests_per_person_and_second = %d\nrequests_per_channel_and_second = %d\n", maxRate, maxRate)
	if byHTTP {
		text += fmt.Sprintf("[interactions]\naddress = \"127.0.0.1:0\"\npublic_key = %q\ngateway = false\n", b.chat.PublicKey())
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if err := b.start(ctx, "run", "--config", name); err != nil {
		return err
	}
	err := b.wait(ctx, "castellan run to be connected", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.registered != nil && b.address != "" && (byHTTP && b.endpoint != "" || b.chat.Online())
	})
	if err != nil || !byHTTP {
		return err
	}
	return b.chat.SetInteractionsEndpoint(ctx, "http://"+b.endpoint+endpoint.Path)
}

// StartAcknowledger starts the bot that only acknowledges, with the commands of
// another testbed and a button in every channel.
func (b *Testbed) StartAcknowledger(ctx context.Context, other *Testbed) error {
	if err := b.send(ctx, http.MethodPut, "/applications/"+b.chat.ApplicationID()+"/commands", other.registered); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"content": "Press.", "components": []any{map[string]any{"type": 1, "components": []any{
		map[string]any{"type": 2, "style": 1, "label": "Press", "custom_id": PressButton},
	}}}})
	if err != nil {
		return err
	}
	for _, ch := range b.world.Channels {
		if err := b.send(ctx, http.MethodPost, "/channels/"+ch.ID+"/messages", body); err != nil {
			return err
		}
	}
	if err := b.start(ctx, "acknowledge", b.chat.Base()); err != nil {
		return err
	}
	return b.wait(ctx, "the bot to be connected", b.chat.Online)
}

// send sends a request as the bot.
func (b *Testbed) send(ctx context.Context, method, path string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, b.chat.Base()+"/api/v10"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("prepare the sandbox: %w", err)
	}
	req.Header.Set("Authorization", "Bot "+b.chat.Token())
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("prepare the sandbox: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 300)) // an incomplete text will do
		return fmt.Errorf("prepare the sandbox: %s: %s", res.Status, text)
	}
	return nil
}

// start starts this program as a bot, with arguments.
func (b *Testbed) start(ctx context.Context, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	b.bot = exec.Command(self, args...)
	b.bot.Env = append(os.Environ(), tokenVariable+"="+b.chat.Token())
	log, err := b.bot.StderrPipe()
	if err != nil {
		return fmt.Errorf("start the bot: %w", err)
	}
	if err := b.bot.Start(); err != nil {
		return fmt.Errorf("start the bot: %w", err)
	}
	b.ended = make(chan error, 1)
	go func() {
		b.readLog(log)
		b.ended <- b.bot.Wait()
	}()
	return nil
}

// maxLogLines is how many lines of the bot's log are shown.
const maxLogLines = 10

// readLog reads the bot's log. It shows the first warnings and errors and counts
// the others.
func (b *Testbed) readLog(log io.Reader) {
	warned := 0
	defer func() {
		if more := warned - maxLogLines; more > 0 {
			fmt.Fprintf(b.errs, "bot: lines of the log not shown: %d\n", more)
		}
	}()
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var entry struct{ Level, Msg, Address string }
		err := json.Unmarshal(lines.Bytes(), &entry)
		b.mu.Lock()
		switch entry.Msg {
		case servingMetrics:
			b.address = entry.Address
		case bot.ReceivingHTTP:
			b.endpoint = entry.Address
		}
		b.mu.Unlock()
		if err == nil && (entry.Level == "INFO" || entry.Level == "DEBUG") {
			continue
		}
		if warned++; warned <= maxLogLines {
			fmt.Fprintf(b.errs, "bot: %s\n", lines.Text())
		}
	}
	_, _ = io.Copy(io.Discard, log) // the scanner stops at a line that is too long
}

// wait waits for a condition, or fails when the bot ends.
func (b *Testbed) wait(ctx context.Context, what string, cond func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, processTimeout, errors.New("timeout"))
	defer cancel()
	reached := make(chan error, 1)
	go func() { reached <- b.chat.Wait(ctx, cond) }()
	select {
	case err := <-reached:
		if err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		return nil
	case err := <-b.ended:
		b.ended <- err
		return fmt.Errorf("wait for %s: the bot ended: %w", what, cmp.Or(err, errors.New("exit code 0")))
	}
}

// metrics returns the bot's metrics by name and labels.
func (b *Testbed) metrics(ctx context.Context) (map[string]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.address+metrics.PathMetrics, nil)
	if err != nil {
		return nil, fmt.Errorf("read the bot's metrics: %w", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read the bot's metrics: %w", err)
	}
	defer res.Body.Close()
	all := map[string]float64{}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if i := strings.LastIndexByte(lines.Text(), ' '); i > 0 {
			if n, err := strconv.ParseFloat(lines.Text()[i+1:], 64); err == nil {
				all[lines.Text()[:i]] = n
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the bot's metrics: %w", err)
	}
	return all, nil
}

// Memory returns the resident memory of the bot's process and its heap after the
// latest collection, in bytes.
func (b *Testbed) Memory(ctx context.Context) (resident, heap int64, err error) {
	f, err := b.metrics(ctx)
	if err != nil {
		return 0, 0, err
	}
	if resident, heap = int64(f["process_resident_memory_bytes"]), int64(f["go_gc_heap_live_bytes"]); heap == 0 {
		err = errors.New("the bot's metrics lack its memory")
	}
	return resident, heap, err
}

// Outcomes returns the bot's counts of interactions by outcome, once it has
// finished all.
func (b *Testbed) Outcomes(ctx context.Context) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	f, err := b.metrics(ctx)
	for ; err == nil && f["castellan_interactions_under_way"] > 0; f, err = b.metrics(ctx) {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the bot to finish: %w", ctx.Err())
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

// Thoughts returns how many turns the computer has computed, and in how many
// seconds.
func (b *Testbed) Thoughts(ctx context.Context) (turns int, seconds float64, err error) {
	f, err := b.metrics(ctx)
	const name = "castellan_thought_seconds_"
	return int(f[name+`count{kind="turn"}`]), f[name+`sum{kind="turn"}`], err
}

// Close stops the bot and the sandbox. A second call does nothing.
func (b *Testbed) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	var err error
	if b.bot != nil && b.ended != nil {
		_ = b.bot.Process.Signal(syscall.SIGTERM) // the bot may have ended
		timer := time.NewTimer(processTimeout)
		defer timer.Stop()
		select {
		case err = <-b.ended:
		case <-timer.C:
			_ = b.bot.Process.Kill()
			err = errors.Join(errors.New("it ignored SIGTERM"), <-b.ended)
		}
		if err != nil {
			err = fmt.Errorf("stop the bot: %w", err)
		}
	}
	err = errors.Join(err, b.chat.Close())
	if served := <-b.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
