package postgres

import (
	"testing"
	"time"
)

// The clock follows the server's, and goes back only if it was wrong by more than
// seconds.
func TestCorrections(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name       string
		correction time.Duration
		want       []time.Duration // after the correction, and 2 s later
	}{
		{"none", 0, []time.Duration{0, 2 * time.Second}},
		{"forward", 3 * time.Second, []time.Duration{3 * time.Second, 5 * time.Second}},
		{"back a little", -time.Second, []time.Duration{0, time.Second}},
		{"back by four seconds", -4 * time.Second, []time.Duration{0, 0}},
		{"far back", -time.Hour, []time.Duration{-time.Hour, 2*time.Second - time.Hour}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			own := noon.Add(5 * time.Minute) // five minutes fast
			c := clock{own: func() time.Time { return own }}
			server := noon
			ask := func() (time.Time, error) { return server, nil }
			if err := c.measure(ask); err != nil {
				t.Fatal(err)
			}
			if got := c.now(); !got.Equal(noon) {
				t.Fatalf("%v, want %v", got, noon)
			}
			server = server.Add(tt.correction)
			if err := c.measure(ask); err != nil {
				t.Fatal(err)
			}
			for i, want := range tt.want {
				if got := c.now().Sub(noon); got != want {
					t.Errorf("after %d s: %v, want %v", 2*i, got, want)
				}
				own = own.Add(2 * time.Second)
			}
		})
	}
}

// The answer that took the shortest time counts, and was true in the middle of it.
func TestMeasure(t *testing.T) {
	own := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := clock{own: func() time.Time { return own }}
	trips := []struct{ there, back time.Duration }{{900, 100}, {10, 10}, {100, 700}}
	err := c.measure(func() (time.Time, error) {
		trip := trips[0]
		trips = trips[1:]
		own = own.Add(trip.there)
		server := own.Add(-5 * time.Minute)
		own = own.Add(trip.back)
		return server, nil
	})
	if off := c.now().Sub(own.Add(-5 * time.Minute)); err != nil || off != 0 {
		t.Errorf("off by %v, %v", off, err)
	}
}
