package gateway

import (
	"math/rand/v2"
	"time"
)

const (
	// firstDelay and longestDelay bound the wait before a new attempt. The
	// first loss after a steady connection is followed by an attempt at once;
	// then the wait doubles from the one to the other.
	firstDelay   = time.Second
	longestDelay = time.Minute

	// steadyAfter is how long a connection must have lasted for its loss to
	// be the first one.
	steadyAfter = 30 * time.Second

	// identifyEvery is the least time between two identifies: max_concurrency
	// of them, which is at least one, are allowed in five seconds ("Gateway",
	// Rate Limiting).
	identifyEvery = 5 * time.Second

	// Discord wants a random wait of one to five seconds before the identify
	// that follows opcode 9 ("Gateway", Resuming).
	invalidAtLeast = time.Second
	invalidAtMost  = 5 * time.Second
)

// delay is the wait before the attempt that follows a number of failures: none
// for the first, then between half and all of a time that doubles.
func delay(failures int, random *rand.Rand) time.Duration {
	if failures <= 0 {
		return 0
	}
	d := longestDelay
	if failures <= 6 { // 64 times a second is more than a minute
		d = min(firstDelay<<(failures-1), longestDelay)
	}
	return d/2 + time.Duration(random.Int64N(int64(d/2)+1))
}

// invalidDelay is the wait after opcode 9.
func invalidDelay(random *rand.Rand) time.Duration {
	return invalidAtLeast + time.Duration(random.Int64N(int64(invalidAtMost-invalidAtLeast)+1))
}
