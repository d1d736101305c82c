package chores

import (
	"context"
	"fmt"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// Ratings is the name of the chore that computes all ratings again.
const Ratings = "ratings"

// Of returns the chores of a host.
func Of(h *host.Host) []storage.Chore {
	return []storage.Chore{
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

// Backoff returns how long to wait after a number of failures in a row, at least 1.
func Backoff(failures int) time.Duration { return host.Backoff(failures - 1) }
