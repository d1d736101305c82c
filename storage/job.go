package storage

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// Job is work that belongs to no match, such as removing old records. It may run in two
// processes at a time, and again after a failure, and must do no harm then.
type Job struct {
	Name string
	// Every is the time between two runs. If it is 0, the job runs when it is
	// started.
	Every time.Duration
	// Run does the work, and returns a line about what it has done, or "" if there
	// is nothing to tell.
	Run func(context.Context) (string, error)
}

// JobRunner runs jobs.
type JobRunner interface {
	// Run runs the jobs until the context is done. Those that are due
	// regularly run at the start, too. A run that fails is repeated after a while.
	Run(context.Context) error
}

// Do runs a job once. A panic is an error.
func (j Job) Do(ctx context.Context) (result string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return j.Run(ctx)
}
