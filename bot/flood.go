package bot

import (
	queue "container/list"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Flood is how much a person, and everybody in a channel, can ask of one
// process of the bot. It keeps a loop of clicks from eating the time of
// everybody else; what is worth counting exactly is counted in the database
// (host.Limits). Of each number 0 means the default.
//
// Leaving something has its own account: who has used up theirs can still
// resign, claim, decline and withdraw. So have suggestions, which are asked
// for with every letter and refused without a word.
type Flood struct {
	Burst        int     // requests of a person at once; 30 where 0, no guard at all below 0
	Rate         float64 // and then a second; 2 where 0
	ChannelBurst int     // requests in a channel at once; 150 where 0
	ChannelRate  float64 // and then a second; 15 where 0
	Most         int     // accounts that are kept at most, the longest unused go first; 20,000 where 0
}

// DefaultFlood is what holds where Flood says nothing.
func DefaultFlood() Flood { return Flood{}.complete() }

func (f Flood) complete() Flood {
	standard := Flood{Burst: 30, Rate: 2, ChannelBurst: 150, ChannelRate: 15, Most: 20_000}
	if f.Burst == 0 {
		f.Burst = standard.Burst
	}
	if f.Rate <= 0 {
		f.Rate = standard.Rate
	}
	if f.ChannelBurst <= 0 {
		f.ChannelBurst = standard.ChannelBurst
	}
	if f.ChannelRate <= 0 {
		f.ChannelRate = standard.ChannelRate
	}
	if f.Most <= 0 {
		f.Most = standard.Most
	}
	return f
}

// suggesting is how many times as much a person can ask for suggestions.
const suggesting = 5

// floodError says that too much was asked for at once.
type floodError struct {
	channel bool      // by everybody in the channel, and not by the person
	again   time.Time // when to try again, a whole second
}

func (e *floodError) Error() string { return "too many requests at once" }

// guard counts requests. It is safe for concurrent use.
type guard struct {
	flood Flood

	mu       sync.Mutex
	accounts map[account]*queue.Element // of *counted
	used     *queue.List                // the last used at the front
}

// account is whose requests are counted, and which of them.
type account struct {
	whose string // a person's or a channel's identifier
	what  purse
}

type purse int

const (
	ofPerson purse = iota
	ofPersonLeaving
	ofPersonSuggesting
	ofChannel
)

type counted struct {
	account account
	limiter *rate.Limiter
}

func newGuard(f Flood) *guard {
	return &guard{flood: f.complete(), accounts: map[account]*queue.Element{}, used: queue.New()}
}

// admit counts a request, or fails with a *floodError. A refused one does not
// make the person wait longer.
func (g *guard) admit(r *Request, now time.Time) error {
	if g.flood.Burst < 0 {
		return nil
	}
	f := g.flood
	switch {
	case r.kind == onSuggest:
		return g.take(account{r.Person.ID, ofPersonSuggesting}, f.Rate*suggesting, f.Burst*suggesting, now)
	case leaving(r):
		return g.take(account{r.Person.ID, ofPersonLeaving}, f.Rate, f.Burst, now)
	}
	if err := g.take(account{r.Person.ID, ofPerson}, f.Rate, f.Burst, now); err != nil {
		return err
	}
	return g.take(account{r.Place.Channel, ofChannel}, f.ChannelRate, f.ChannelBurst, now)
}

// leaving reports whether a request gives something up, or ends it.
func leaving(r *Request) bool {
	switch r.path[strings.LastIndexByte(r.path, '/')+1:] {
	case "resign", "stay", "claim", "claimed", "wait", "cancel", "decline", "leave":
		return true
	}
	return false
}

func (g *guard) take(a account, perSecond float64, burst int, now time.Time) error {
	limiter := g.limiter(a, perSecond, burst)
	reservation := limiter.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	again := now.Add(wait).Truncate(time.Second).Add(time.Second)
	return &floodError{channel: a.what == ofChannel, again: again}
}

// limiter is the counter of an account. A new one may take the place of the
// one that has been unused for longest, which has most likely filled up again.
func (g *guard) limiter(a account, perSecond float64, burst int) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e, ok := g.accounts[a]; ok {
		g.used.MoveToFront(e)
		return e.Value.(*counted).limiter
	}
	if g.used.Len() >= g.flood.Most {
		oldest := g.used.Back()
		delete(g.accounts, oldest.Value.(*counted).account)
		g.used.Remove(oldest)
	}
	c := &counted{a, rate.NewLimiter(rate.Limit(perSecond), burst)}
	g.accounts[a] = g.used.PushFront(c)
	return c.limiter
}
