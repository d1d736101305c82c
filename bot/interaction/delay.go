package interaction

import (
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// delay measures how long interactions took from Discord to the bot, from the
// times in their IDs. It compares each with the fastest of the last one to two
// minutes, so that the clocks need not agree. The zero value is ready to use.
type delay struct {
	mu               sync.Mutex
	first            time.Time     // arrival of the first interaction
	since            time.Time     // beginning of the window of least
	least, leastThen time.Duration // shortest time in this window, and in the one before
}

const (
	// delayWindow is the length of a window of least.
	delayWindow = time.Minute
	// maxDelay is longer than any real delay. Beyond it a clock must be wrong, or
	// the ID is not from Discord.
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
	// now.Sub(d.first) is monotonic, so setting the clock does not change it.
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
