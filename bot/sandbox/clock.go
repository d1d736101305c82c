package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Clock is a clock that people move forward, so that they need not wait for a
// deadline. A bot that shares it sees the same time.
type Clock struct {
	base  func() time.Time
	ahead atomic.Int64
}

// NewClock returns a clock that shows the time of base until it is moved.
func NewClock(base func() time.Time) *Clock { return &Clock{base: base} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time { return c.base().Add(time.Duration(c.ahead.Load())) }

// Move moves the clock forward.
func (c *Clock) Move(d time.Duration) { c.ahead.Add(int64(d)) }

// Timekeeper is a bot that shares the sandbox's clock.
type Timekeeper struct {
	// Next returns when something is due next; the zero time means never.
	Next func(context.Context) (time.Time, error)
	// Move prepares the bot for a time to which the clock is about to be moved, and
	// returns a function to be called afterwards.
	Move func(ctx context.Context, to time.Time) (moved func(), err error)
}

// Share has a bot take part when the clock is moved.
func (s *Sandbox) Share(k Timekeeper) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keeper = &k
}

// maxMove is how far the clock is moved at once.
const maxMove = 366 * 24 * time.Hour

// MoveClock moves the clock forward by d, or to the next time at which something is
// due for the bot if d is 0. It fails if the sandbox has no clock of its own.
func (s *Sandbox) MoveClock(ctx context.Context, d time.Duration) error {
	s.moving.Lock()
	defer s.moving.Unlock()
	s.mu.Lock()
	keeper := s.keeper
	s.mu.Unlock()
	switch {
	case s.o.Clock == nil:
		return errors.New("this sandbox has no clock that can be moved")
	case d == 0 && keeper == nil:
		return errors.New("this bot does not say when something is due")
	case d == 0:
		next, err := keeper.Next(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("ask the bot when something is due: %w", err)
		case next.IsZero():
			return errors.New("nothing is due: no match has a clock, and no challenge is open")
		}
		d = max(next.Sub(s.o.Clock.Now()), 0) + time.Second
	}
	if d < 0 || d > maxMove {
		return fmt.Errorf("the clock cannot be moved by %v: want 0 to %v", d, maxMove)
	}
	moved := func() {}
	if keeper != nil {
		var err error
		if moved, err = keeper.Move(ctx, s.o.Clock.Now().Add(d)); err != nil {
			return fmt.Errorf("prepare the bot: %w", err)
		}
	}
	s.mu.Lock()
	s.o.Clock.Move(d)
	s.archiveIdle()
	s.emitAll(map[string]any{"type": "time", "now": s.o.Now().UnixMilli()})
	s.wake()
	s.mu.Unlock()
	moved()
	return nil
}
