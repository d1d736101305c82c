package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord"
	"castellan/storage"
)

// pool divides slots among clients in the test's process as a server would.
type pool struct {
	mu      sync.Mutex
	members []*member
}

// member is one client's part in a pool.
type member struct {
	storage.Peers
	*pool
	client  *discord.Client
	away    bool // the pool does not answer
	asked   int
	slots   int
	until   time.Time
	before  int // slots until they were reduced
	reduced time.Time
	wanted  int
	invalid int
	paused  time.Time
}

// held returns how many slots other members cannot have.
func (m *member) held(now time.Time, window time.Duration) int {
	switch {
	case !now.Before(m.until.Add(window)):
		return 0
	case now.Before(m.reduced.Add(window)):
		return max(m.slots, m.before)
	}
	return m.slots
}

const roundTrip = 2 * time.Millisecond

// join adds a client, as a process of its own, to a pool.
func (p *pool) join(t *testing.T, transport http.RoundTripper) (*discord.Client, *member) {
	t.Helper()
	m := &member{pool: p}
	p.members = append(p.members, m)
	c := newClient(t, "http://discord.test", transport)
	c.Share(m)
	m.client = c
	return c, m
}

func (m *member) ShareRequests(_ context.Context, u storage.RequestUse) (s storage.RequestShare, err error) {
	time.Sleep(roundTrip)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	if m.away {
		return s, errors.New("the connection is lost")
	}
	now := time.Now()
	s = storage.RequestShare{For: 2 * u.Window, Processes: len(m.members)}
	m.wanted, m.invalid, m.paused = u.Wanted, m.invalid+u.Invalid, now.Add(u.Paused)
	free, wanted, active := u.Limit, 0, 0
	for _, o := range m.members {
		if o != m {
			free -= o.held(now, u.Window)
		}
		if o == m || now.Before(o.until) {
			wanted, active = wanted+o.wanted, active+1
		}
		if o != m {
			s.Invalid += o.invalid
		}
		s.Paused = max(s.Paused, o.paused.Sub(now))
	}
	s.Slots = max(0, min(u.Wanted, free))
	if wanted > u.Limit {
		s.Slots = min(s.Slots, u.Limit/active)
	}
	if s.Slots < m.slots {
		m.before, m.reduced = m.held(now, u.Window), now
	}
	m.slots, m.until = s.Slots, now.Add(s.For)
	return s, nil
}

// times returns how often the member has asked for slots.
func (m *member) times() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

func (m *member) Notify(s storage.Signal) {
	for _, o := range m.members {
		if o != m {
			o.client.Invalidate(s)
		}
	}
}

func shared(t *testing.T, answer func(int, *http.Request) reply, do func(t *testing.T, p *pool, s *server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		do(t, &pool{}, newServer(answer))
		time.Sleep(time.Minute) // until the last answer
	})
}

var accept = replies(answer(200, posted))

// flood posts in many channels and returns when all posts are sent.
func flood(t *testing.T, c *discord.Client, n int) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { post(t, c, fmt.Sprint(i)) })
	}
	all.Wait()
}

// The first request after a while waits for one round trip to the database, a steady
// trickle for none, and a process asks about once a second.
func TestShareOfFewRequests(t *testing.T) {
	shared(t, accept, func(t *testing.T, p *pool, s *server) {
		c, m := p.join(t, s)
		post(t, c, "1")
		if got := s.times(); got != "2ms" {
			t.Errorf("the first request is sent at %s", got)
		}
		time.Sleep(time.Hour)
		began := time.Now()
		post(t, c, "1")
		if took := time.Since(began); took != roundTrip {
			t.Errorf("the first request in an hour waits for %v", took)
		}
		asked, waited := m.times(), time.Duration(0)
		const seconds = 60
		for range seconds * 4 {
			time.Sleep(250 * time.Millisecond)
			began := time.Now()
			post(t, c, "1")
			waited += time.Since(began)
		}
		if asked = m.times() - asked; waited > 0 || asked > seconds {
			t.Errorf("a trickle of %d s waits for %v and asks %d times", seconds, waited, asked)
		}
	})
}

// busiest returns the largest number of requests within a second, and how long all took.
func busiest(s *server) (most int, took time.Duration) {
	for i, first := range s.got {
		n := 0
		for j := i; j < len(s.got) && s.got[j].at < first.at+time.Second; j++ {
			n++
		}
		most, took = max(most, n), first.at
	}
	return most, took
}

// Processes that all want to send much stay within the limit together and each get
// their part.
func TestShareOfManyRequests(t *testing.T) {
	for _, processes := range []int{1, 2, 3, 7} {
		shared(t, accept, func(t *testing.T, p *pool, s *server) {
			const each = 200
			var clients []*discord.Client
			for range processes {
				c, _ := p.join(t, s)
				clients = append(clients, c)
			}
			var all sync.WaitGroup
			for _, c := range clients {
				all.Go(func() { flood(t, c, each) })
			}
			all.Wait()
			most, took := busiest(s)
			fastest := time.Duration(processes*each/discord.DefaultGlobalLimit) * 1100 * time.Millisecond
			asked := 0
			for _, m := range p.members {
				asked = max(asked, m.times())
			}
			if most > discord.DefaultGlobalLimit || took > fastest*3/2+5*time.Second || time.Duration(asked) > took/time.Second+8 {
				t.Errorf("%d processes: %d requests in a second, %v for all instead of %v, %d questions", processes, most, took, fastest, asked)
			}
		})
	}
}

// A process without the database sends at its fair share.
func TestShareWithoutDatabase(t *testing.T) {
	shared(t, accept, func(t *testing.T, p *pool, s *server) {
		a, am := p.join(t, s)
		b, bm := p.join(t, s)
		post(t, a, "1")
		post(t, b, "1")
		time.Sleep(time.Minute)
		p.mu.Lock()
		am.away, bm.away = true, true
		p.mu.Unlock()
		var all sync.WaitGroup
		all.Go(func() { flood(t, a, 200) })
		all.Go(func() { flood(t, b, 200) })
		began := time.Now()
		all.Wait()
		if most, _ := busiest(s); most > discord.DefaultGlobalLimit || time.Since(began) > 15*time.Second {
			t.Errorf("%d requests in a second, %v for all", most, time.Since(began))
		}
	})
}

// What Discord says to one process about all requests holds for the others.
func TestSharedRefusals(t *testing.T) {
	limit := answer(429, `{"message":"slow down","retry_after":30,"global":true}`)
	shared(t, replies(limit, answer(200, posted)), func(t *testing.T, p *pool, s *server) {
		a, _ := p.join(t, s)
		b, _ := p.join(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := a.CreateMessage(ctx, "1", "n", hello); !discord.RateLimited(err) {
			t.Errorf("the first request: %v", err)
		}
		synctest.Wait()
		time.Sleep(5 * time.Millisecond)
		began := time.Now()
		post(t, b, "1")
		if held := time.Since(began).Round(100 * time.Millisecond); held != 30*time.Second {
			t.Errorf("the other process sends after %v", held)
		}
		if got := b.InvalidRequests(); got != 1 {
			t.Errorf("%d invalid requests are known to the other process", got)
		}
		b.Invalidate(storage.Signal{Kind: storage.RequestsPaused, N: time.Now().Add(time.Minute).UnixMilli()})
		ctx, cancel = context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, err := b.CreateMessage(ctx, "1", "n", hello); !discord.RateLimited(err) {
			t.Errorf("after a pause was heard of: %v", err)
		}
	})
}

// A channel that refuses one process is known to the others, and to each again if it
// refuses after the pause.
func TestSharedChannels(t *testing.T) {
	shared(t, replies(refusal), func(t *testing.T, p *pool, s *server) {
		a, _ := p.join(t, s)
		b, _ := p.join(t, s)
		for i, c := range []*discord.Client{a, b, a, b} {
			_, err := c.CreateMessage(t.Context(), "1", "n", hello)
			if !discord.HasCode(err, discord.CodeMissingPermissions) || discord.Paused(err) != (i > 0) {
				t.Errorf("request %d: %v", i+1, err)
			}
		}
		if err := b.CheckPost("2"); err != nil {
			t.Errorf("another channel: %v", err)
		}
		time.Sleep(time.Minute)
		_, _ = b.CreateMessage(t.Context(), "1", "n", hello)
		time.Sleep(time.Minute) // two refusals have doubled the pause
		_, _ = a.CreateMessage(t.Context(), "1", "n", hello)
		if len(s.got) != 2 {
			t.Errorf("sent at %s", s.times())
		}
	})
}
