package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/storage"
)

const (
	// leaseTime is the time after which a lease ends that is not renewed.
	leaseTime = 15 * time.Second
	// renewInterval is the time between two renewals.
	renewInterval = 5 * time.Second
	// safety is the time before the end of a lease in which its holder no longer
	// relies on it.
	safety = 2 * time.Second
	// retryInterval is the time between two attempts to acquire or renew a lease.
	retryInterval = time.Second
)

// Config configures a Cluster. Store, Process and Logger are required.
type Config struct {
	Store storage.Store
	// Process names this process. No other one has ever had the same name.
	Process string
	Logger  *slog.Logger

	// Poll is the time between two looks at the leases; 250 ms if it is 0.
	Poll          time.Duration
	discord.Clock // of which only differences are used
}

// Cluster is a process's part in the bot. Use New.
type Cluster struct {
	config Config
	log    *slog.Logger

	mu     sync.Mutex
	warned map[string]time.Time // when each problem that lasts was last logged
}

// New returns a Cluster.
func New(c Config) *Cluster {
	c.Poll = cmp.Or(c.Poll, 250*time.Millisecond)
	c.Clock = c.Complete()
	return &Cluster{config: c, log: c.Logger, warned: map[string]time.Time{}}
}

// report logs a problem when it begins, then once a minute, and when it is over, that
// is, when err is nil.
func (c *Cluster) report(ctx context.Context, problem string, err error, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, lasts := c.warned[problem]
	switch now := c.config.Now(); {
	case err == nil && lasts:
		delete(c.warned, problem)
		c.log.Info("this problem is over: "+problem, args...)
	case err != nil && ctx.Err() == nil && (!lasts || now.Sub(last) >= time.Minute):
		c.warned[problem] = now
		c.log.Warn(problem, append(args, "error", err)...)
	}
}

// Process returns the name of this process, "" on nil.
func (c *Cluster) Process() string {
	if c == nil {
		return ""
	}
	return c.config.Process
}

// Leases gives out the leases of the database. It returns nil on nil.
func (c *Cluster) Leases() storage.Leaser {
	if c == nil {
		return nil
	}
	return c.config.Store
}

// ErrLost is the cause of a context that ended because a lease was lost, or could not
// be renewed in time. Another process goes on.
var ErrLost = fmt.Errorf("the lease was lost or could not be renewed: %w", gateway.ErrHandOver)

// Alone calls fn when no other process of the cluster is in a call of Alone with the
// same name. The context of fn ends when that may no longer be so.
func (c *Cluster) Alone(ctx context.Context, name string, fn func(context.Context) error) error {
	for {
		h, err := c.acquire(ctx, name)
		if err == nil {
			held, stop := c.keep(ctx, h)
			err = fn(held)
			stop()
			h.release(ctx, "")
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, storage.ErrHeld) {
			c.log.Warn("cannot acquire a lease", "lease", name, "error", err)
		}
		if err := c.config.Sleep(ctx, retryInterval); err != nil {
			return err
		}
	}
}

// lease is a lease that this process has acquired.
type lease struct {
	c *Cluster

	mu     sync.Mutex
	record storage.Lease
	until  time.Time // when this process stops using it
	note   func() string
}

func (c *Cluster) acquire(ctx context.Context, name string) (*lease, error) {
	ctx, cancel := c.config.WithTimeout(ctx, leaseTime-safety)
	defer cancel()
	asked := c.config.Now()
	record, err := c.config.Store.AcquireLease(ctx, name, c.config.Process, "", leaseTime)
	if err != nil {
		return nil, err
	}
	return &lease{c: c, record: record, until: asked.Add(leaseTime - safety)}, nil
}

func (l *lease) valid() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.c.config.Now().Before(l.until)
}

func (l *lease) setNote(note func() string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note = note
}

// left returns how long this process may use the lease.
func (l *lease) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until.Sub(l.c.config.Now())
}

// keep renews a lease until stop is called. The context ends with the cause ErrLost
// before the lease does.
func (c *Cluster) keep(ctx context.Context, l *lease) (held context.Context, stop func()) {
	held, cancel := context.WithCancelCause(ctx)
	renewing, end := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		wait := renewInterval
		for c.config.Sleep(renewing, min(wait, l.left())) == nil {
			if !l.valid() {
				cancel(ErrLost)
				return
			}
			err := l.renew(renewing)
			switch wait = renewInterval; {
			case errors.Is(err, storage.ErrFenced):
				c.log.Warn("a lease was lost to another process", "lease", l.record.Name)
				cancel(ErrLost)
				return
			case err != nil && renewing.Err() == nil:
				wait = retryInterval
				c.log.Warn("cannot renew a lease", "lease", l.record.Name, "error", err, "left", l.left())
			}
		}
	})
	return held, func() { end(); done.Wait(); cancel(nil) }
}

func (l *lease) renew(ctx context.Context) error {
	ctx, cancel := l.c.config.WithTimeout(ctx, l.left())
	defer cancel()
	l.mu.Lock()
	record, note := l.record, l.note
	l.mu.Unlock()
	if note != nil {
		record.Note = note()
	}
	asked := l.c.config.Now()
	record, err := l.c.config.Store.RenewLease(ctx, record, leaseTime)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record, l.until = record, asked.Add(leaseTime-safety)
	return nil
}

// release ends the lease. Without success it runs out.
func (l *lease) release(ctx context.Context, note string) {
	ctx, cancel := l.c.config.WithTimeout(context.WithoutCancel(ctx), safety)
	defer cancel()
	l.mu.Lock()
	l.until = time.Time{}
	record := l.record
	l.mu.Unlock()
	record.Note = note
	if err := l.c.config.Store.ReleaseLease(ctx, record); err != nil {
		l.c.log.Warn("cannot release a lease; it runs out", "lease", record.Name, "error", err)
	}
}
