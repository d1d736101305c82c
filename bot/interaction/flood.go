package interaction

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Flood limits the rate of requests of a person, and of all people in a channel
// together. A person who clicks in a loop then does not slow down everybody else.
// Limits that must be exact are counted in the database (host.Limits). A zero
// field means the default.
type Flood struct {
	Burst        int     // requests of a person at once; default 30, negative for no limits at all
	Rate         float64 // requests of a person per second after that; default 2
	ChannelBurst int     // requests in a channel at once; default 150
	ChannelRate  float64 // requests in a channel per second after that; default 15
	MaxBudgets   int     // budgets kept at a time, least recently used dropped first; default 20,000
}

// DefaultFlood returns the default limits.
func DefaultFlood() Flood { return Flood{}.withDefaults() }

func (f Flood) withDefaults() Flood {
	if f.Burst == 0 {
		f.Burst = 30
	}
	if f.Rate <= 0 {
		f.Rate = 2
	}
	if f.ChannelBurst <= 0 {
		f.ChannelBurst = 150
	}
	if f.ChannelRate <= 0 {
		f.ChannelRate = 15
	}
	if f.MaxBudgets <= 0 {
		f.MaxBudgets = 20_000
	}
	return f
}

// typingFactor multiplies a person's budget for autocomplete requests.
const typingFactor = 5

// FloodError reports too many requests at once.
type FloodError struct {
	Channel bool      // everybody in the channel together, not this person alone
	Again   time.Time // when to try again, in whole seconds
}

func (e *FloodError) Error() string { return "too many requests at once" }

// floodGuard counts requests. It is safe for concurrent use.
type floodGuard struct {
	flood Flood

	mu      sync.Mutex
	budgets map[budgetKey]*list.Element // of *budget
	recent  *list.List                  // the most recently used budget at the front
}

// budgetKey names a budget: a person's for one class of requests, or a
// channel's.
type budgetKey struct {
	id      string
	class   Class
	channel bool
}

type budget struct {
	key     budgetKey
	limiter *rate.Limiter
}

func newFloodGuard(f Flood) *floodGuard {
	return &floodGuard{flood: f.withDefaults(), budgets: map[budgetKey]*list.Element{}, recent: list.New()}
}

// admit counts a request, or fails with a *FloodError. A refused request does
// not make the person wait longer.
func (g *floodGuard) admit(person, channel string, c Class, now time.Time) error {
	f := g.flood
	if f.Burst < 0 {
		return nil
	}
	if c == Reading {
		c = Ordinary
	}
	key := budgetKey{id: person, class: c}
	if c == Typing {
		return g.take(key, f.Rate*typingFactor, f.Burst*typingFactor, now)
	}
	if err := g.take(key, f.Rate, f.Burst, now); err != nil || c == Leaving {
		return err
	}
	return g.take(budgetKey{id: channel, channel: true}, f.ChannelRate, f.ChannelBurst, now)
}

func (g *floodGuard) take(k budgetKey, perSecond float64, burst int, now time.Time) error {
	reservation := g.limiter(k, perSecond, burst).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	return &FloodError{Channel: k.channel, Again: now.Add(wait).Truncate(time.Second).Add(time.Second)}
}

// limiter returns the limiter of a budget. A new budget may replace the least
// recently used one, which has most likely filled up again.
func (g *floodGuard) limiter(k budgetKey, perSecond float64, burst int) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e, ok := g.budgets[k]; ok {
		g.recent.MoveToFront(e)
		return e.Value.(*budget).limiter
	}
	if g.recent.Len() >= g.flood.MaxBudgets {
		oldest := g.recent.Back()
		delete(g.budgets, oldest.Value.(*budget).key)
		g.recent.Remove(oldest)
	}
	b := &budget{k, rate.NewLimiter(rate.Limit(perSecond), burst)}
	g.budgets[k] = g.recent.PushFront(b)
	return b.limiter
}
