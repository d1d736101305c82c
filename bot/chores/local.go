package chores

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"castellan/storage"
)

// Local runs chores in the process, one at a time. Use NewLocal.
type Local struct {
	chores  []storage.Chore
	log     *slog.Logger
	backoff func(failures int) time.Duration
	running sync.Mutex
	start   map[string]chan struct{}
}

// NewLocal returns a runner. backoff is Backoff if nil.
func NewLocal(all []storage.Chore, log *slog.Logger, backoff func(failures int) time.Duration) *Local {
	l := &Local{chores: all, log: log, backoff: backoff, start: map[string]chan struct{}{}}
	if backoff == nil {
		l.backoff = Backoff
	}
	for _, c := range all {
		l.start[c.Name] = make(chan struct{}, 1)
	}
	return l
}

// Start implements storage.ChoreRunner. A chore that was started and has not run is forgotten
// when the process ends.
func (l *Local) Start(_ context.Context, name string) error {
	start, ok := l.start[name]
	if !ok {
		return fmt.Errorf("%w: %s", storage.ErrUnknownChore, name)
	}
	select {
	case start <- struct{}{}:
	default: // it runs again already
	}
	return nil
}

// Run implements storage.ChoreRunner. It returns nil.
func (l *Local) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, c := range l.chores {
		all.Go(func() { l.repeat(ctx, c) })
	}
	all.Wait()
	return nil
}

func (l *Local) repeat(ctx context.Context, c storage.Chore) {
	failures, wait := 0, time.Duration(0) // until the next run, negative if there is none
	if c.Every == 0 {
		wait = -1
	}
	for {
		var due <-chan time.Time
		if wait >= 0 {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-due:
		case <-l.start[c.Name]:
		}
		if wait = c.Every; wait == 0 {
			wait = -1
		}
		if l.do(ctx, c) != nil {
			failures++
			wait = l.backoff(failures)
		} else {
			failures = 0
		}
	}
}

// do runs a chore when no other one runs.
func (l *Local) do(ctx context.Context, c storage.Chore) error {
	l.running.Lock()
	defer l.running.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	result, err := c.Do(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		l.log.Error("a chore has failed and is repeated", "chore", c.Name, "error", err)
	case err == nil && result != "":
		l.log.Info("a chore is done", "chore", c.Name, "result", result)
	}
	return err
}
