package e2e_test

import (
	"slices"
	"sync"
	"time"
)

// manualTimers holds timers that fire only when a test says so, however busy the
// machine is. The zero value is ready to use.
type manualTimers struct {
	mu   sync.Mutex
	all  map[*manualTimer]bool
	last time.Duration // duration of the newest timer
	news chan struct{} // closed when another timer has been set
}

type manualTimer struct {
	after time.Duration
	ring  func()
}

// after sets a timer.
func (a *manualTimers) after(d time.Duration, ring func()) (stop func() bool) {
	one := &manualTimer{d, ring}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[*manualTimer]bool{}
	}
	a.all[one], a.last = true, d
	if a.news != nil {
		close(a.news)
		a.news = nil
	}
	return func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		was := a.all[one]
		delete(a.all, one)
		return was
	}
}

// fire fires the timers that are set for one of the given durations, or all timers
// if none is given, and returns their number.
func (a *manualTimers) fire(times ...time.Duration) (n int) {
	a.mu.Lock()
	var due []*manualTimer
	for one := range a.all {
		if len(times) == 0 || slices.Contains(times, one.after) {
			due = append(due, one)
			delete(a.all, one)
		}
	}
	a.mu.Unlock()
	for _, one := range due {
		one.ring()
	}
	return len(due)
}

// changed returns a channel that is closed when another timer is set.
func (a *manualTimers) changed() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.news == nil {
		a.news = make(chan struct{})
	}
	return a.news
}

// expireInteractions lets the three seconds pass of every unanswered
// interaction.
func (w *world) expireInteractions() { w.interactionTimers.fire() }

// newest returns the duration of the timer that was set last.
func (a *manualTimers) newest() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// The times in which the first heartbeat must be acknowledged, and another after
// an acknowledgement, at the sandbox's interval.
const (
	firstAck = 41250 * time.Millisecond / 4
	nextAck  = 41250 * time.Millisecond * 5 / 4
)

// opening is the time in which a connection to the gateway must open.
const opening = 20 * time.Second

// expireHandshake lets that time pass for a silent connection.
func (w *world) expireHandshake() { w.gatewayTimers.fire(opening) }

// expireHeartbeats lets two heartbeats pass without an acknowledgement, until
// the bot reconnects. An acknowledgement in flight starts them anew.
func (w *world) expireHeartbeats() {
	w.t.Helper()
	for {
		set := w.gatewayTimers.changed()
		w.gatewayTimers.fire(firstAck, nextAck)
		select {
		case <-set:
			if w.gatewayTimers.newest() == opening {
				return
			}
		case <-time.After(patience):
			w.t.Fatal("a silent connection is not replaced")
		}
	}
}

// gatewayTimer is the timer of the gateway connection. Delays before a
// reconnect pass at once; timeouts fire when the test says so.
func (w *world) gatewayTimer(d time.Duration) (c <-chan time.Time, release func()) {
	at := make(chan time.Time, 1)
	if d <= time.Minute && d != opening && d != firstAck && d != nextAck {
		at <- w.now()
		return at, func() {}
	}
	stop := w.gatewayTimers.after(d, func() { at <- w.now() })
	return at, func() { stop() }
}
