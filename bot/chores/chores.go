package chores

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"castellan/bot/host"
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

// Runner runs chores.
type Runner interface {
	// Run runs the chores until the context is done. Those that are due
	// regularly run at the start, too. A run that fails is repeated after a while.
	Run(context.Context) error
	// Start has a chore run as soon as possible, even if it has begun a run already.
	// It fails with ErrUnknown.
	Start(ctx context.Context, name string) error
}

// ErrUnknown reports that there is no chore of a name.
var ErrUnknown = errors.New("there is no such chore")

// Ratings is the name of the chore that computes all ratings again.
const Ratings = "ratings"

// Of returns the chores of a host.
func Of(h *host.Host) []Chore {
	return []Chore{
		{Name: "interactions", Every: time.Hour, Run: func(ctx context.Context) (string, error) {
			n, err := h.PruneInteractions(ctx)
			if n == 0 {
				return "", err
			}
			return fmt.Sprintf("%d old records of interactions removed", n), err
		}},
		{Name: "provisional", Every: time.Hour, Run: func(ctx context.Context) (string, error) {
			return "", h.ExpireRatings(ctx)
		}},
		{Name: Ratings, Run: func(ctx context.Context) (string, error) { return rebuildRatings(ctx, h) }},
	}
}

// rebuildRatings compares all ratings with the logs while people play, and corrects
// them if they differ. Only the correction holds up others.
func rebuildRatings(ctx context.Context, h *host.Host) (string, error) {
	report, err := h.CheckRatings(ctx, nil)
	verdict := "nothing differs"
	if err == nil && len(report.Differences) > 0 {
		report, err = h.RebuildRatings(ctx, nil)
		verdict = fmt.Sprintf("%d differences corrected, the first one: %s", len(report.Differences), append(report.Differences, "none")[0])
	}
	return fmt.Sprintf("%d matches ended, %d of them rated, %d ratings; %s", report.Matches, report.Rated, report.Ratings, verdict), err
}

// Do runs a chore once. A panic is an error.
func (c Chore) Do(ctx context.Context) (result string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Run(ctx)
}

// Backoff returns how long to wait after a number of failures in a row, at least 1.
func Backoff(failures int) time.Duration { return host.Backoff(failures - 1) }
