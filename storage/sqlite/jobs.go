package sqlite

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"castellan/storage"
)

// Jobs runs jobs in the process, the only one that uses the file, one at a time. Those
// that somebody has to start are not run: with a file, commands do their work.
type Jobs struct {
	Jobs    []storage.Job
	Logger  *slog.Logger
	Backoff func(before int) time.Duration // after a failure with so many before it

	running sync.Mutex
}

var _ storage.JobRunner = (*Jobs)(nil)

// Run implements storage.JobRunner. It returns nil.
func (r *Jobs) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, j := range r.Jobs {
		if j.Every > 0 {
			all.Go(func() { r.repeat(ctx, j) })
		}
	}
	all.Wait()
	return nil
}

func (r *Jobs) repeat(ctx context.Context, j storage.Job) {
	failures := 0
	for ctx.Err() == nil {
		wait := j.Every
		if r.do(ctx, j) == nil {
			failures = 0
		} else {
			wait = r.Backoff(failures)
			failures++
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// do runs a job when no other one runs.
func (r *Jobs) do(ctx context.Context, j storage.Job) error {
	r.running.Lock()
	defer r.running.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	result, err := j.Do(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		r.Logger.Error("a job has failed and is repeated", "job", j.Name, "error", err)
	case err == nil && result != "":
		r.Logger.Info("a job is done", "job", j.Name, "result", result)
	}
	return err
}
