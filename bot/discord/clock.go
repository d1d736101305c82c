package discord

import (
	"context"
	"fmt"
	"time"
)

// Clock tells the time and waits. Tests over a real network, which synctest cannot
// hold still, skip waits with it. The zero value is real time.
type Clock struct {
	Now func() time.Time // time.Now if nil
	// Timer returns a channel that receives after a duration, and a function that stops
	// the timer; time.NewTimer if nil.
	Timer func(time.Duration) (c <-chan time.Time, stop func())
}

// Complete returns the clock with the real time for the fields that are nil.
func (c Clock) Complete() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timer == nil {
		c.Timer = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	return c
}

// Sleep waits for a duration, or until the context is done. Then it returns its error.
func (c Clock) Sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		expired, stop := c.Timer(d)
		defer stop()
		select {
		case <-expired:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// TimeoutError is the cause of a context that WithTimeout has cancelled.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("no answer within %v", e.After) }

// WithTimeout derives a context that is cancelled with a *TimeoutError as its cause
// after a duration.
func (c Clock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	expired, stop := c.Timer(d)
	go func() {
		defer stop()
		select {
		case <-expired:
			cancel(&TimeoutError{d})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
