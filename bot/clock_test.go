package bot_test

import (
	"sync"
	"time"
)

// alarms is timers that go off when a test says so, and never by themselves:
// a machine that is busy changes nothing. The zero value is ready.
type alarms struct {
	mu   sync.Mutex
	all  map[*alarm]bool
	news chan struct{} // closed when another has been set
}

type alarm struct {
	after time.Duration
	ring  func()
}

// after sets a timer. Its time is the test's to judge.
func (a *alarms) after(d time.Duration, ring func()) (stop func() bool) {
	one := &alarm{d, ring}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[*alarm]bool{}
	}
	a.all[one] = true
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

// ring has every timer go off that is set for at least some time, and says how
// many.
func (a *alarms) ring(least time.Duration) (n int) {
	a.mu.Lock()
	var due []*alarm
	for one := range a.all {
		if one.after >= least {
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

// next is closed when a timer is set after this call.
func (a *alarms) next() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.news == nil {
		a.news = make(chan struct{})
	}
	return a.news
}

// timeOut lets the three seconds pass of every interaction that nobody has
// answered.
func (w *world) timeOut() { w.waiting.ring(0) }

// hang lets the time pass that the bot gives its connection to say something:
// the 20 seconds in which one must open, or the two heartbeats in which one that
// is open must be heard.
func (w *world) hang(open bool) {
	w.t.Helper()
	least := 20 * time.Second
	if open {
		least = time.Minute
	}
	for {
		set := w.guards.next()
		if w.guards.ring(least) > 0 {
			return
		}
		select {
		case <-set:
		case <-time.After(patience):
			w.t.Fatal("nothing guards the connection")
		}
	}
}

// guard is the timer of the connection to the gateway. Waits before a new
// connection pass at once; those that guard a connection go off when the world
// says that it hangs.
func (w *world) guard(d time.Duration) (c <-chan time.Time, release func()) {
	at := make(chan time.Time, 1)
	if d <= 10*time.Second {
		at <- w.now()
		return at, func() {}
	}
	stop := w.guards.after(d, func() { at <- w.now() })
	return at, func() { stop() }
}
