package endure_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/bot/sandbox"
)

// numberHeader numbers the requests to the REST API.
const numberHeader = "X-Endure-Number"

// server serves the sandbox and tracks its open connections.
type server struct {
	chat   *sandbox.Sandbox
	ledger *ledger

	mu      sync.Mutex
	count   int
	conns   map[net.Conn]bool
	changed chan struct{}
}

// ServeHTTP delivers every response of the REST API in one piece: once flushed,
// the bot has all of it.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		s.chat.ServeHTTP(w, r) // the gateway
		return
	}
	s.mu.Lock()
	s.count++
	number := strconv.Itoa(s.count)
	s.mu.Unlock()
	r.Header.Set(numberHeader, number)
	answer := httptest.NewRecorder()
	s.chat.ServeHTTP(answer, r)
	for key, values := range answer.Header() {
		w.Header()[key] = values
	}
	if answer.Code != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // fails if the bot is dead
	_ = http.NewResponseController(w).Flush()
	s.ledger.deliver(number)
}

// follow is the server's ConnState. It tracks open connections except those of
// the gateway.
func (s *server) follow(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(s.conns, c)
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// quiet waits until every request that a killed process has sent is done, and
// its gateway connection is closed.
func (s *server) quiet(ctx context.Context) error {
	for {
		s.mu.Lock()
		open, changed := len(s.conns), s.changed
		s.mu.Unlock()
		if open == 0 {
			return s.chat.Wait(ctx, func() bool { return !s.chat.Online() })
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// clock is the sandbox's clock. It stands still until it is advanced.
type clock struct {
	mu     sync.Mutex
	time   time.Time
	timers map[*timer]bool
}

type timer struct {
	at time.Time
	do func()
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *clock) afterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.time.Add(d), f}
	c.timers[t] = true
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := c.timers[t]
		delete(c.timers, t)
		return was
	}
}

// advance advances the clock and fires its timers.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.time = c.time.Add(d)
	var due []*timer
	for t := range c.timers {
		if !t.at.After(c.time) {
			due = append(due, t)
			delete(c.timers, t)
		}
	}
	c.mu.Unlock()
	for _, t := range due {
		t.do()
	}
}
