package host

import (
	"time"

	"castellan/storage"
)

// Failure describes why a post or an edit failed. The zero value is a failure
// that may be gone in a moment.
type Failure struct {
	// Blocked reports that it fails until somebody changes something: the
	// channel is gone, or the bot lacks a permission.
	Blocked bool
	// RetryAfter is how long Discord asked to wait, or 0.
	RetryAfter time.Duration
}

// Bounds of the wait after a failure.
const (
	minBackoff        = 5 * time.Second
	maxBackoff        = 10 * time.Minute
	maxBlockedBackoff = storage.LongestDelay
)

// Backoff returns how long to wait before the next attempt after that many
// earlier failures: 5 s, doubled each time, at most 10 minutes, or 6 hours if
// blocked. It is at least RetryAfter, up to 6 hours.
func (f Failure) Backoff(failures int) time.Duration {
	longest := maxBackoff
	if f.Blocked {
		longest = maxBlockedBackoff
	}
	d := longest
	if failures < 16 { // 5 s doubled 16 times exceeds any bound
		d = min(minBackoff<<max(failures, 0), longest)
	}
	return max(d, min(f.RetryAfter, maxBlockedBackoff))
}

// countedFailures returns the number of failures that count before this one. A zero next
// means that RetryPlace had the last failed attempt repeated, so it counts once.
func countedFailures(attempts int, next time.Time) int {
	if next.IsZero() {
		return max(attempts-1, 0)
	}
	return attempts
}

// oldestPending returns since when the oldest post has been pending, or now.
func oldestPending(w storage.PendingPosts, now time.Time) time.Time {
	oldest := now
	for _, b := range w.Boards {
		if !b.NextAttempt.IsZero() && b.NextAttempt.Before(oldest) {
			oldest = b.NextAttempt
		}
	}
	for _, ch := range w.Challenges {
		if since := dueSince(ch); !since.IsZero() && since.Before(oldest) {
			oldest = since
		}
	}
	return oldest
}

// dueSince returns the time since which the message of a challenge has been
// outdated. It returns the zero time if the record does not contain that time,
// as after a person has joined or left.
func dueSince(ch storage.Challenge) time.Time {
	switch {
	case !ch.NextAttempt.IsZero():
		return ch.NextAttempt
	case ch.Revision == 0:
		return ch.CreatedAt
	}
	return ch.ResolvedAt
}
