package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// measureEvery is the time between measurements of the server's clock.
	measureEvery = time.Minute
	// measurements is how often the clock is asked at a time. The answer that took the
	// shortest time counts.
	measurements = 3
	// maxHold is how far the clock goes back at a correction. By less, it stands
	// still until the time has come.
	maxHold = 5 * time.Second
)

// clock is the server's clock: what it showed when it was last asked, and the time
// that has passed since, as the process measures durations. The process's own time of
// day has no part in it.
type clock struct {
	own func() time.Time // of the process, to measure how much time has passed

	mu    sync.Mutex
	asked time.Time // on the process's clock
	shown time.Time // then, on the server's
	last  time.Time // what now last returned
}

// now returns the time of the server. It does not go back, except by more than
// maxHold.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.shown.Add(c.own().Sub(c.asked))
	if t.Before(c.last) && c.last.Sub(t) < maxHold {
		return c.last
	}
	c.last = t
	return t
}

// measure asks the server for its time. The answer was true in the middle of the
// round trip.
func (c *clock) measure(ask func() (time.Time, error)) error {
	var asked, shown time.Time
	var shortest time.Duration
	for n := range measurements {
		began := c.own()
		t, err := ask()
		if err != nil {
			return err
		}
		if took := c.own().Sub(began); n == 0 || took < shortest {
			shortest, asked, shown = took, began.Add(took/2), t
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.shown = asked, shown
	return nil
}

// Now implements storage.Peers. It is right within half a round trip, and the
// deviation of the process's clock within a minute.
func (s *Store) Now() time.Time { return s.clock.now() }

func (s *Store) measureClock(ctx context.Context) error {
	conn, err := s.reports.Conn(ctx)
	if err != nil {
		return fmt.Errorf("postgres: clock: %w", classify(err))
	}
	defer conn.Close()
	err = s.clock.measure(func() (t time.Time, err error) {
		err = conn.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&t)
		return t.UTC(), err
	})
	if err != nil {
		return fmt.Errorf("postgres: clock: %w", classify(err))
	}
	return nil
}

// keepClock measures the clock every minute until the store closes.
func (s *Store) keepClock() {
	t := time.NewTicker(measureEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = s.measureClock(s.stopping) // or the next time
		case <-s.stopping.Done():
			return
		}
	}
}
