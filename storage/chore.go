package storage

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Chore is work of one kind. It may run in two processes at a time, and again
// after a failure, and must do no harm then.
type Chore struct {
	Name string
	// Every is the time between two runs. If it is 0, the chore runs when it is
	// started.
	Every time.Duration
	// Run does the work, and returns a line about what it has done, or "" if there
	// is nothing to tell.
	Run func(context.Context) (string, error)
}

// ChoreRunner runs chores.
type ChoreRunner interface {
	// Run runs the chores until the context is done. Those that are due
	// regularly run at the start, too. A run that fails is repeated after a while.
	Run(context.Context) error
	// Start has a chore run as soon as possible, even if it has begun a run already.
	// It fails with ErrUnknownChore.
	Start(ctx context.Context, name string) error
}

// ErrUnknownChore reports that there is no chore of a name.
var ErrUnknownChore = errors.New("there is no such chore")

// Do runs a chore once. A panic is an error.
func (c Chore) Do(ctx context.Context) (result string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Run(ctx)
}
