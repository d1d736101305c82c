package api

import (
	"cmp"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// DiscordEpoch is the first second of 2015 in Unix milliseconds. The upper 42
// bits of an id count milliseconds from it ("Snowflakes" on the page "API
// Reference").
const DiscordEpoch = 1420070400000

// Snowflakes generates unique, increasing ids. They follow the clock, so that
// they do not repeat after a restart. A random start within the millisecond
// keeps two sandboxes apart whose clocks stand still at the same time, as in
// tests.
type Snowflakes struct {
	now   func() time.Time
	start uint64 // below 1<<21
	last  uint64
}

// NewSnowflakes returns a generator that uses a clock.
func NewSnowflakes(now func() time.Time) *Snowflakes {
	return &Snowflakes{now: now, start: rand.Uint64N(1 << 21)}
}

// Next returns a new id. The caller holds the sandbox's lock.
func (s *Snowflakes) Next() string {
	id := s.start
	if ms := s.now().UnixMilli() - DiscordEpoch; ms > 0 {
		id |= uint64(ms) << 22
	}
	s.last = max(id, s.last+1)
	return strconv.FormatUint(s.last, 10)
}

// IsSnowflake reports whether s is a decimal number that fits an id.
func IsSnowflake(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// CompareIDs orders ids by their age, the oldest first.
func CompareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
