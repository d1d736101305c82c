package gateway

import (
	"math/rand/v2"
	"time"
)

const (
	// minBackoff and maxBackoff bound the wait before a new attempt. The first
	// loss after a steady connection is followed by an attempt at once; then
	// the wait doubles.
	minBackoff = time.Second
	maxBackoff = time.Minute

	// steadyAfter is how long a connection must have lasted for its loss to
	// count as the first.
	steadyAfter = 30 * time.Second
)

// backoff returns the wait before the next attempt: 0 after no failures, else a
// random time between half of a delay and the whole. The delay doubles with each
// failure. The randomness keeps bots that lost their connections together from
// reconnecting together.
func backoff(failures int) time.Duration {
	if failures <= 0 {
		return 0
	}
	d := maxBackoff
	if failures <= 6 { // 1 s shifted by 6 exceeds the maximum
		d = min(minBackoff<<(failures-1), maxBackoff)
	}
	return between(d/2, d)
}

// invalidSessionDelay returns the random wait of one to five seconds that
// Discord demands after opcode 9 ("Gateway", Resuming).
func invalidSessionDelay() time.Duration { return between(time.Second, 5*time.Second) }

func between(least, most time.Duration) time.Duration { return least + rand.N(most-least+1) }
