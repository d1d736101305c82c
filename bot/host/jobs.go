package host

import (
	"context"
	"fmt"
	"time"

	"castellan/storage"
)

// Jobs returns the work that belongs to no match: what is due every hour, and what an
// operator starts.
func (h *Host) Jobs() []storage.Job {
	return []storage.Job{
		{Name: "interactions", Every: time.Hour, Run: func(ctx context.Context) (string, error) {
			n, err := h.PruneInteractions(ctx)
			if n == 0 {
				return "", err
			}
			return fmt.Sprintf("%d old records of interactions removed", n), err
		}},
		{Name: "provisional", Every: time.Hour, Run: func(ctx context.Context) (string, error) { return "", h.ExpireRatings(ctx) }},
		{Name: "ratings", Run: h.correctRatings},
	}
}

// correctRatings compares all ratings with the logs, and corrects them if they differ.
func (h *Host) correctRatings(ctx context.Context) (string, error) {
	report, err := h.RebuildRatings(ctx, nil)
	verdict := "nothing differs"
	if n := len(report.Differences); n > 0 {
		verdict = fmt.Sprintf("%d differences corrected, the first one: %s", n, report.Differences[0])
	}
	return fmt.Sprintf("%d matches ended, %d of them rated, %d ratings; %s", report.Matches, report.Rated, report.Ratings, verdict), err
}
