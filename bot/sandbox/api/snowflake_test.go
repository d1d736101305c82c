package api

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestSnowflakesIncrease checks that ids are unique and increasing, even if the
// clock goes back.
func TestSnowflakesIncrease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		ids := NewSnowflakes(func() time.Time { return now })
		last := "0"
		for range rapid.IntRange(1, 200).Draw(t, "count") {
			now = now.Add(time.Duration(rapid.Int64Range(-3, 5).Draw(t, "milliseconds")) * time.Millisecond)
			id := ids.Next()
			if !IsSnowflake(id) || CompareIDs(last, id) >= 0 {
				t.Fatalf("%s after %s", id, last)
			}
			last = id
		}
	})
}

func TestSnowflakesDiffer(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	seen := map[string]bool{}
	for range 50 {
		ids := NewSnowflakes(now)
		seen[ids.Next()] = true
	}
	if len(seen) < 49 { // of 2^21 starts two of fifty meet once in 1,700 runs
		t.Errorf("%d different ids of 50", len(seen))
	}
}
