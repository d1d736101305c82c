package load

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

	"castellan/bot/discord"
	"castellan/bot/metrics"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// bed is a sandbox with a crowd, and a bot in a process of its own.
type bed struct {
	chat   *sandbox.Sandbox
	crowd  *crowd
	errs   io.Writer
	served chan error

	mu         sync.Mutex
	registered []byte // the commands that the bot has registered

	address string // of the bot's metrics
	bot     *exec.Cmd
	log     *firstLines
	ended   chan error
}

const (
	// pressButton is the custom id of the button for the bot that posts no
	// boards.
	pressButton = "press"
	// TokenVariable is where the bots look for their token.
	TokenVariable = "CASTELLAN_TOKEN"
	// processTimeout bounds the start and the end of the bot.
	processTimeout = 30 * time.Second
)

// newBed starts a sandbox that keeps some messages of each channel.
func newBed(tables, keep int, errs io.Writer) (*bed, error) {
	b := &bed{crowd: newCrowd(tables), errs: errs, served: make(chan error, 1)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	b.chat, err = sandbox.New(sandbox.Options{
		Base: "http://" + listener.Addr().String(), World: b.crowd.world, Keep: keep, Observe: b.observe,
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	b.crowd.join(b.chat)
	go func() { b.served <- b.chat.Serve(listener) }()
	return b, nil
}

// observe records the registered commands, and forwards to the crowd.
func (b *bed) observe(x api.Exchange) {
	if x.Method == http.MethodPut && x.Status == http.StatusOK {
		b.mu.Lock()
		b.registered = x.RequestJSON
		b.mu.Unlock()
	}
	b.crowd.observe(x)
}

// freeAddress returns an address on which nothing listens at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// startCastellan starts castellan run, with limits that no crowd reaches. It gets
// its interactions over the gateway or by HTTP.
func (b *bed) startCastellan(ctx context.Context, program, folder string, byHTTP bool) (err error) {
	if b.address, err = freeAddress(); err != nil {
		return err
	}
	name := "gateway"
	if byHTTP {
		name = "http"
	}
	text := fmt.Sprintf(`[discord]
api = %q
threads = false
requests_per_second = 10000
[database]
path = '%s'
[log]
level = "warn"
[http]
listen = %q
[limits]
challenge_window = "1s"
requests_per_person_and_second = 10000
requests_per_channel_and_second = 10000
`, b.chat.Base(), filepath.Join(folder, name+".db"), b.address)
	for _, key := range []string{"challenges_per_person", "challenges_per_server", "open_challenges_per_person", "open_challenges_per_server",
		"matches_per_person", "requests_per_person", "requests_per_channel"} {
		text += key + " = 1_000_000\n"
	}
	interactions := ""
	if byHTTP {
		if interactions, err = freeAddress(); err != nil {
			return err
		}
		text += fmt.Sprintf("[interactions]\naddress = %q\npublic_key = %q\ngateway = false\n", interactions, b.chat.PublicKey())
	}
	file := filepath.Join(folder, name+".toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if err := b.start(program, "run", "--config", file); err != nil {
		return err
	}
	err = b.wait(ctx, "castellan run to be connected", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.registered != nil && (byHTTP || b.chat.Gateway.Online())
	})
	if err != nil || !byHTTP {
		return err
	}
	return b.chat.SetInteractionsEndpoint(ctx, "http://"+interactions+discord.EndpointPath)
}

// startAcknowledger starts the bot that only acknowledges, with commands and a button
// in every channel.
func (b *bed) startAcknowledger(ctx context.Context, program string, commands []byte) error {
	if err := b.send(ctx, http.MethodPut, "/applications/"+b.chat.ApplicationID()+"/commands", commands); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"content": "Press.", "components": []any{map[string]any{"type": 1, "components": []any{
		map[string]any{"type": 2, "style": 1, "label": "Press", "custom_id": pressButton},
	}}}})
	if err != nil {
		return err
	}
	for _, ch := range b.crowd.world.Channels {
		if err := b.send(ctx, http.MethodPost, "/channels/"+ch.ID+"/messages", body); err != nil {
			return err
		}
	}
	if err := b.start(program, "acknowledge", b.chat.Base()); err != nil {
		return err
	}
	return b.wait(ctx, "the bot to be connected", b.chat.Gateway.Online)
}

func (b *bed) send(ctx context.Context, method, path string, body []byte) error {
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

// start starts a program as the bot. The first lines of its log are shown.
func (b *bed) start(program string, args ...string) error {
	b.log = &firstLines{to: b.errs}
	b.bot = exec.Command(program, args...)
	b.bot.Env = append(os.Environ(), TokenVariable+"="+b.chat.Token())
	b.bot.Stderr = b.log
	if err := b.bot.Start(); err != nil {
		return fmt.Errorf("start the bot: %w", err)
	}
	b.ended = make(chan error, 1)
	go func() { b.ended <- b.bot.Wait() }()
	return nil
}

// maxLogLines is how many lines of the bot's log are shown.
const maxLogLines = 10

// firstLines writes the first lines of a log, and counts the others.
type firstLines struct {
	to    io.Writer
	lines int
}

func (w *firstLines) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if w.lines < maxLogLines {
			if _, err := w.to.Write(line); err != nil {
				return 0, err
			}
		}
		w.lines += bytes.Count(line, []byte("\n")) // the last one may go on in the next call
	}
	return len(p), nil
}

// sharedWriter lets several goroutines write to a writer.
type sharedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *sharedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// wait waits for a condition, or fails when the bot ends.
func (b *bed) wait(ctx context.Context, what string, cond func() bool) error {
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
func (b *bed) metrics(ctx context.Context) (map[string]float64, error) {
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

// memory returns the resident memory of the bot's process and its heap after the
// latest collection.
func (b *bed) memory(ctx context.Context) (Memory, error) {
	f, err := b.metrics(ctx)
	m := Memory{Resident: int64(f["process_resident_memory_bytes"]), Heap: int64(f["go_gc_heap_live_bytes"])}
	if err == nil && m.Heap == 0 {
		err = errors.New("the bot's metrics lack its memory")
	}
	return m, err
}

// outcomes returns the bot's counts of interactions by outcome, once it has
// finished all.
func (b *bed) outcomes(ctx context.Context) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	f, err := b.metrics(ctx)
	for ; err == nil && f["castellan_interactions_in_progress"] > 0; f, err = b.metrics(ctx) {
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

// thoughts returns how many turns the computer has computed, and in how many
// seconds.
func (b *bed) thoughts(ctx context.Context) (Thoughts, error) {
	f, err := b.metrics(ctx)
	const name = "castellan_search_seconds_"
	return Thoughts{Turns: int(f[name+`count{kind="turn"}`]), Seconds: f[name+`sum{kind="turn"}`]}, err
}

// close stops the bot and the sandbox.
func (b *bed) close() (err error) {
	if b.ended != nil {
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
		if more := b.log.lines - maxLogLines; more > 0 {
			fmt.Fprintf(b.errs, "lines of the bot's log not shown: %d\n", more)
		}
	}
	err = errors.Join(err, b.chat.Close())
	if served := <-b.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
