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

type alarm struct{ ring func() }

// after sets a timer. Its time is the test's to judge.
func (a *alarms) after(_ time.Duration, ring func()) (stop func() bool) {
	one := &alarm{ring}
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

// ring has every timer go off that is set, and says how many.
func (a *alarms) ring() int {
	a.mu.Lock()
	all := a.all
	a.all = nil
	a.mu.Unlock()
	for one := range all {
		one.ring()
	}
	return len(all)
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
func (w *world) timeOut() { w.waiting.ring() }

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
