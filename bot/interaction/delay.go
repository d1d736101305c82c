package interaction

import (
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// delay measures how long interactions took from the person to the bot, by the
// times in their IDs. It compares them with the fastest of the last minute or
// two, so that the clocks need not agree. The zero value is ready.
type delay struct {
	mu               sync.Mutex
	first            time.Time // of the first interaction
	since            time.Time // when least began to be measured
	least, leastThen time.Duration
}

const (
	delayWindow = time.Minute
	// maxDelay is above what can be a delay; a clock is wrong then, or an ID is
	// none of Discord's.
	maxDelay = time.Minute
)

// of returns the delay of an interaction that has arrived now, 0 if unknown.
func (d *delay) of(id string, now time.Time) time.Duration {
	created, err := discordgo.SnowflakeTimestamp(id)
	if err != nil || now.Sub(created).Abs() > maxDelay {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.first.IsZero() {
		d.first, d.leastThen = now, 1<<63-1
	}
	// Not the difference of two clocks, of which one may be set: a monotonic time.
	took := now.Sub(d.first) - time.Duration(created.UnixNano())
	if d.since.IsZero() || now.Sub(d.since) > delayWindow {
		if !d.since.IsZero() {
			d.leastThen = d.least
		}
		d.since, d.least = now, took
	}
	d.least = min(d.least, took)
	return took - min(d.least, d.leastThen)
}
