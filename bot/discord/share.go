package discord

import (
	"castellan/storage"
	"context"
	"fmt"
	"net/http"
	"time"
)

const (
	// growInterval is the least time between two questions for more slots while the
	// answers are more slots. Otherwise it is globalWindow.
	growInterval = 250 * time.Millisecond
	// shareTimeout is how long a request waits for an answer at most.
	shareTimeout = time.Second
	// leastShare is the part of all slots that a process wants for few requests.
	leastShare = 5
)

// share is this process's share of the global limit. The limiter's mu guards it.
type share struct {
	peers   storage.Peers
	slots   int
	until   time.Time     // when the slots end
	asked   time.Time     // when it last asked for slots
	asking  bool          // an answer is on its way
	grown   bool          // the last answer was more slots, or it asked for none
	wanting bool          // all slots have been in use since asked
	changed chan struct{} // closed when an answer comes

	invalid   int  // not reported yet
	paused    bool // the pause of the limiter is not reported yet
	processes int  // as last known
}

// Share has a client share the limits of its token with the other processes on a
// database. Their signals go to Invalidate. Call it before the first request.
func (c *Client) Share(p storage.Peers) {
	c.limits.share = &share{peers: p, changed: make(chan struct{}), processes: 1, grown: true}
	c.limits.heard = c.budget.setOthers
	c.budget.report = c.limits.reportInvalid
	c.access.report = func(channel string, code int, permissions int64) {
		p.Notify(storage.Signal{Kind: storage.ChannelRefused, ID: fmt.Sprint(channel, " ", code), N: permissions})
	}
}

// Invalidate follows what another process has heard of Discord: that it wants no requests
// for a while, that it has refused one, or that permissions may have changed.
func (c *Client) Invalidate(s storage.Signal) {
	switch s.Kind {
	case storage.RequestsPaused:
		c.limits.pause(time.UnixMilli(s.N).Sub(c.access.now()))
	case storage.ChannelRefused:
		var channel string
		refused := &Error{Status: http.StatusForbidden, Message: "Discord has refused that to another process"}
		if _, err := fmt.Sscan(s.ID, &channel, &refused.Code); err == nil {
			c.access.mu.Lock()
			defer c.access.mu.Unlock()
			c.access.channel(channel).refuse(refused, s.N, c.access.now())
		}
	case storage.PostsDue:
		if s.ID != "" {
			c.ForgetPermissions(s.ID)
		}
	case storage.SignalsLost:
		c.access.forget(func(*channelAccess) bool { return true })
	}
}

// globalFree returns when the global limit allows the next request. changed is nil
// unless that can change before; with the zero time, only changed tells.
func (l *limiter) globalFree(now time.Time) (free time.Time, changed <-chan struct{}) {
	s := l.share
	if s == nil {
		return l.sent[l.oldest].Add(globalWindow), nil
	}
	slots := s.slots
	if !now.Before(s.until) {
		slots = 0
	}
	if slots > 0 {
		free = l.sent[(l.oldest+len(l.sent)-slots)%len(l.sent)].Add(globalWindow)
	}
	used := slots > 0 && now.Before(free)
	s.wanting = s.wanting || used
	again := s.asked.Add(globalWindow)
	if s.grown && used && slots < len(l.sent) {
		again = s.asked.Add(growInterval)
	}
	switch {
	case s.asking:
	case !now.Before(again):
		l.ask(now, true)
	case slots == 0 || used && again.Before(free):
		free = again
	}
	if slots == 0 || used {
		changed = s.changed
	}
	return free, changed
}

func (l *limiter) recent(now time.Time) (n int) {
	for _, at := range l.sent {
		if now.Before(at.Add(globalWindow)) {
			n++
		}
	}
	return n
}

// ask asks for slots, if any are wanted, and reports what the other processes have to
// know.
func (l *limiter) ask(now time.Time, want bool) {
	s, limit := l.share, len(l.sent)
	u := storage.RequestUse{Limit: limit, Window: globalWindow, Invalid: s.invalid}
	switch recent := l.recent(now); {
	case s.wanting:
		u.Wanted = limit
	case want || recent > 0:
		u.Wanted = min(max(2*recent, (limit+leastShare-1)/leastShare), limit)
	}
	if s.paused {
		u.Paused = l.globalReset.Sub(now)
	}
	s.asking, s.asked, s.wanting, s.invalid, s.paused = true, now, false, 0, false
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), shareTimeout)
		defer cancel()
		answer, err := s.peers.ShareRequests(ctx, u)
		l.mu.Lock()
		defer l.mu.Unlock()
		s.asking = false
		if err != nil { // a fair share, until it answers
			s.slots, s.until = max(1, limit/s.processes), time.Now().Add(globalWindow)
			s.invalid += u.Invalid
		} else {
			s.grown = answer.Slots > s.slots || u.Wanted == 0
			s.slots, s.until, s.processes = min(answer.Slots, limit), now.Add(answer.For), max(1, answer.Processes)
			l.globalReset = latest(l.globalReset, time.Now().Add(min(answer.Paused, maxRetryAfter)))
			l.heard(answer.Invalid)
		}
		close(s.changed)
		s.changed = make(chan struct{})
		if s.paused {
			l.ask(time.Now(), false)
		}
	}()
}

// reportInvalid has other processes know of an invalid request, at the latest a window
// later.
func (l *limiter) reportInvalid() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.share
	if s.invalid++; s.invalid > 1 {
		return
	}
	time.AfterFunc(globalWindow, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if s.invalid > 0 && !s.asking {
			l.ask(time.Now(), false)
		}
	})
}

// reportPause has other processes know that Discord wants no requests.
func (l *limiter) reportPause() {
	if s := l.share; s != nil {
		if s.paused = true; !s.asking {
			l.ask(time.Now(), false)
		}
	}
}
