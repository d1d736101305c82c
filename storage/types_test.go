package storage

import (
	"testing"
	"time"
)

func TestQuietUntil(t *testing.T) {
	for _, tt := range []struct {
		zone      string
		from, to  int
		now, want string // want is empty outside of the quiet hours
	}{
		{"", 0, 0, "2026-05-01T03:00:00Z", ""},
		{"", 22, 7, "2026-05-01T21:59:59Z", ""},
		{"", 22, 7, "2026-05-01T22:00:00Z", "2026-05-02T07:00:00Z"},
		{"", 22, 7, "2026-05-01T06:59:59.5Z", "2026-05-01T07:00:00Z"},
		{"", 22, 7, "2026-05-01T07:00:00Z", ""},
		{"", 9, 17, "2026-05-01T12:34:56Z", "2026-05-01T17:00:00Z"},
		{"Europe/Berlin", 22, 7, "2026-07-01T20:00:00Z", "2026-07-02T05:00:00Z"}, // in summer
		{"Europe/Berlin", 22, 7, "2026-01-01T20:30:00Z", ""},
		{"Asia/Kolkata", 22, 7, "2026-05-01T16:30:00Z", "2026-05-02T01:30:00Z"},
		// The nights in which the clock is put forward and back.
		{"Europe/Berlin", 22, 7, "2026-03-28T21:00:00Z", "2026-03-29T05:00:00Z"},
		{"Europe/Berlin", 22, 2, "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", 22, 7, "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"},
		{"No/Where", 22, 7, "2026-05-01T23:00:00Z", "2026-05-02T07:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if end := (Preferences{Zone: tt.zone, QuietFrom: tt.from, QuietTo: tt.to}).QuietUntil(now); !end.IsZero() {
			got = end.UTC().Format(time.RFC3339)
		}
		if got != tt.want {
			t.Errorf("%s %d-%d at %s: quiet until %q, want %q", tt.zone, tt.from, tt.to, tt.now, got, tt.want)
		}
	}
}
