package interaction

import (
	"cmp"
	"container/list"
	"fmt"
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
	return Flood{cmp.Or(f.Burst, 30), cmp.Or(f.Rate, 2), cmp.Or(f.ChannelBurst, 150), cmp.Or(f.ChannelRate, 15), cmp.Or(f.MaxBudgets, 20_000)}
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
	spent func(budget string, n int)

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

	// What was taken here and the other processes do not know, see reportedPart.
	// floodGuard.mu guards it.
	unreported float64
	since      time.Time
}

// String returns the text by which other processes know a budget.
func (k budgetKey) String() string { return fmt.Sprintf("%d %t %s", k.class, k.channel, k.id) }

// reportedPart is the part of a budget that is reported to the other processes when it
// has been taken here, faster than that part of the rate refills. So most people are
// never reported, and each further process adds such a part to what somebody who floods
// them all can do.
const reportedPart = 4

// newFloodGuard returns a guard. spent, which can be nil, reports what was taken from
// a budget to the other processes.
func newFloodGuard(f Flood, spent func(budget string, n int)) *floodGuard {
	return &floodGuard{flood: f.withDefaults(), spent: spent, budgets: map[budgetKey]*list.Element{}, recent: list.New()}
}

// admit counts a request against the person's budget and, if it is ordinary, the
// channel's. It fails with a *FloodError if either is used up, and then takes nothing
// from the other.
func (g *floodGuard) admit(person, channel string, c Class, now time.Time) error {
	f := g.flood
	if f.Burst < 0 {
		return nil
	}
	if c == Reading {
		c = Ordinary
	}
	budgets := []*budget{g.budget(budgetKey{id: person, class: c})}
	if c == Ordinary {
		budgets = append(budgets, g.budget(budgetKey{id: channel, channel: true}))
	}
	var reservations []*rate.Reservation
	for _, b := range budgets {
		reservation := b.limiter.ReserveN(now, 1)
		reservations = append(reservations, reservation)
		if wait := reservation.DelayFrom(now); wait > 0 {
			for _, r := range reservations {
				r.CancelAt(now)
			}
			return &FloodError{Channel: b.key.channel, Again: now.Add(wait).Truncate(time.Second).Add(time.Second)}
		}
	}
	for _, b := range budgets {
		g.report(b, now)
	}
	return nil
}

// rate returns how fast a budget refills, and its size.
func (f Flood) rate(k budgetKey) (perSecond float64, burst int) {
	switch {
	case k.channel:
		return f.ChannelRate, f.ChannelBurst
	case k.class == Typing:
		return f.Rate * typingFactor, f.Burst * typingFactor
	}
	return f.Rate, f.Burst
}

func (g *floodGuard) report(b *budget, now time.Time) {
	if g.spent == nil {
		return
	}
	perSecond, burst := g.flood.rate(b.key)
	part := max(burst/reportedPart, 1)
	g.mu.Lock()
	b.unreported = max(0, b.unreported-now.Sub(b.since).Seconds()*perSecond/reportedPart) + 1
	b.since = now
	full := b.unreported >= float64(part)
	if full {
		b.unreported = 0
	}
	g.mu.Unlock()
	if full {
		g.spent(b.key.String(), part)
	}
}

// spend takes what another process reports, and has the person wait for what is
// missing.
func (g *floodGuard) spend(budget string, n int, now time.Time) {
	var k budgetKey
	if _, err := fmt.Sscanf(budget, "%d %t %s", &k.class, &k.channel, &k.id); err == nil && g.flood.Burst >= 0 {
		_, burst := g.flood.rate(k)
		g.budget(k).limiter.ReserveN(now, min(n, burst))
	}
}

// budget returns a budget. A new one may replace the least recently used one, which
// has most likely filled up again.
func (g *floodGuard) budget(k budgetKey) *budget {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e, ok := g.budgets[k]; ok {
		g.recent.MoveToFront(e)
		return e.Value.(*budget)
	}
	if g.recent.Len() >= g.flood.MaxBudgets {
		oldest := g.recent.Back()
		delete(g.budgets, oldest.Value.(*budget).key)
		g.recent.Remove(oldest)
	}
	perSecond, burst := g.flood.rate(k)
	b := &budget{key: k, limiter: rate.NewLimiter(rate.Limit(perSecond), burst)}
	g.budgets[k] = g.recent.PushFront(b)
	return b
}
