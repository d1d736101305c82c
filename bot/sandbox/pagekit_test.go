package sandbox_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"

	"github.com/chromedp/chromedp"
)

// pageRig is a sandbox with the example bot behind a server that can fail.
type pageRig struct {
	browser  context.Context
	box      *sandbox.Sandbox
	bot      *exampleBot
	server   *httptest.Server
	down     atomic.Bool  // the server answers 503
	pictures sync.RWMutex // while locked, no picture is served
	streams  atomic.Int32 // open streams of events
	timers   pageTimers
	world    sandbox.World
}

// pageTimers are the sandbox's timers. They fire when a test calls fire.
type pageTimers struct {
	mu  sync.Mutex
	all []func()
}

func (p *pageTimers) after(_ time.Duration, f func()) func() bool {
	var over atomic.Bool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, func() {
		if over.CompareAndSwap(false, true) {
			f()
		}
	})
	return func() (stopped bool) { return over.CompareAndSwap(false, true) }
}

func (p *pageTimers) fire() {
	p.mu.Lock()
	all := p.all
	p.all = nil
	p.mu.Unlock()
	for _, f := range all {
		f()
	}
}

func newPageRig(t *testing.T, chrome context.Context, world sandbox.World) *pageRig {
	t.Helper()
	rig := &pageRig{browser: chrome, world: world}
	if len(world.Users) == 0 {
		rig.world = sandbox.DefaultWorld()
	}
	rig.world.Application.Name = "Painter"
	var err error
	rig.box, err = sandbox.New(sandbox.Options{World: rig.world, Clock: sandbox.NewClock(time.Now), AfterFunc: rig.timers.after})
	if err != nil {
		t.Fatal(err)
	}
	rig.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rig.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/attachments/") {
			rig.pictures.RLock()
			defer rig.pictures.RUnlock()
		}
		if r.URL.Path == "/sandbox/events" {
			rig.streams.Add(1)
			defer rig.streams.Add(-1)
		}
		rig.box.ServeHTTP(w, r)
	}))
	rig.bot = startBot(t, rig.server.URL, rig.box)
	t.Cleanup(func() {
		_ = rig.bot.Close() // a test may have closed it
		if err := rig.box.Close(); err != nil {
			t.Error(err)
		}
		rig.server.Close()
	})
	return rig
}

func (r *pageRig) user(n int) string    { return r.world.Users[n].ID }
func (r *pageRig) channel(n int) string { return r.world.Channels[n].ID }

// paint uses /paint in the first channel and waits for the picture.
func (r *pageRig) paint(t *testing.T, user int, colour string) {
	t.Helper()
	i, err := r.box.As(r.user(user)).Command(r.channel(0), "paint", sandbox.Opt("colour", colour))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pageLimit)
	defer cancel()
	err = r.box.Wait(ctx, func() bool {
		now, _ := r.box.Interaction(i.ID)
		return now.State == sandbox.StateAnswered
	})
	if err != nil {
		t.Fatalf("no picture in %s: %v", colour, err)
	}
}

// pageLimit bounds every single wait; only failing tests reach it.
const pageLimit = 15 * time.Second

func (r *pageRig) open(t *testing.T, user string, s browser.Screen) *browser.Tab {
	t.Helper()
	return r.openIn(t, user, "", s)
}

// openIn opens the page as a user in a channel; for "" the page chooses.
func (r *pageRig) openIn(t *testing.T, user, channel string, s browser.Screen) *browser.Tab {
	t.Helper()
	return browser.Open(t, r.browser, r.server.URL, user, channel, s)
}

// recordRequests records the requests of the page in its variable `sent`.
func recordRequests(p *browser.Tab) {
	p.Do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const fetch = window.fetch;
		window.sent = [];
		window.fetch = (path, options) => {
			if (options?.body) sent.push([path, JSON.parse(options.body)]);
			return fetch(path, options);
		};
	})()`))
}

// write has the bot write a message in the first channel, or edit it, and returns its
// id.
func (r *pageRig) write(t *testing.T, id, message string) string {
	t.Helper()
	method, path := http.MethodPost, r.server.URL+"/api/v10/channels/"+r.channel(0)+"/messages"
	if id != "" {
		method, path = http.MethodPatch, path+"/"+id
	}
	req := must(http.NewRequest(method, path, strings.NewReader(message)))
	req.Header.Set("Authorization", "Bot "+r.box.Token())
	req.Header.Set("Content-Type", "application/json")
	res := must(http.DefaultClient.Do(req))
	defer res.Body.Close()
	var written struct{ ID string }
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d", method, message, res.StatusCode)
	}
	check(t, json.NewDecoder(res.Body).Decode(&written))
	return written.ID
}
