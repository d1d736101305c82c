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
		p := Preferences{Zone: tt.zone, QuietFrom: tt.from, QuietTo: tt.to}
		end := p.QuietUntil(now)
		if !end.IsZero() {
			got = end.UTC().Format(time.RFC3339)
		}
		begin := p.QuietSince(now)
		if begin.IsZero() != end.IsZero() || begin.After(now) || !begin.IsZero() && (!p.QuietUntil(begin).Equal(end) || !p.QuietUntil(begin.Add(-1)).IsZero()) {
			t.Errorf("%s %d-%d at %s: quiet since %v", tt.zone, tt.from, tt.to, tt.now, begin)
		}
		if got != tt.want {
			t.Errorf("%s %d-%d at %s: quiet until %q, want %q", tt.zone, tt.from, tt.to, tt.now, got, tt.want)
		}
	}
}

// A daily message comes at the same time of day where its person lives, also after
// the clock is put forward or back, and after days on which the bot did not run.
func TestDailyMessageNext(t *testing.T) {
	for _, tt := range []struct{ zone, due, now, want string }{
		{"", "2026-05-01T08:00:00Z", "2026-05-01T08:00:00Z", "2026-05-02T08:00:00Z"},
		{"", "2026-05-01T08:00:00Z", "2026-05-02T07:59:59Z", "2026-05-02T08:00:00Z"},
		{"", "2026-05-01T08:00:00Z", "2026-05-02T08:00:00Z", "2026-05-03T08:00:00Z"},
		{"", "2026-05-01T08:00:00Z", "2026-04-30T08:00:00Z", "2026-05-01T08:00:00Z"}, // the clock was ahead
		{"Europe/Berlin", "2027-03-27T07:00:00Z", "2027-03-27T07:01:00Z", "2027-03-28T06:00:00Z"},
		{"Europe/Berlin", "2027-03-27T07:00:00Z", "2027-03-28T06:30:00Z", "2027-03-29T06:00:00Z"},
		{"Europe/Berlin", "2027-03-27T07:00:00Z", "2027-04-10T06:00:00Z", "2027-04-11T06:00:00Z"},
		{"Europe/Berlin", "2027-10-30T06:00:00Z", "2027-10-30T06:01:00Z", "2027-10-31T07:00:00Z"},
		{"Europe/Berlin", "2027-10-30T06:00:00Z", "2027-10-31T06:30:00Z", "2027-10-31T07:00:00Z"},
	} {
		due, err := time.Parse(time.RFC3339, tt.due)
		now, err2 := time.Parse(time.RFC3339, tt.now)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		next := DailyMessage{DueAt: due}.Next(now, Preferences{Zone: tt.zone}.Location())
		if got := next.DueAt.Format(time.RFC3339); got != tt.want || next.IsDue(now) {
			t.Errorf("%q, due at %s, at %s: then due at %s, want %s", tt.zone, tt.due, tt.now, got, tt.want)
		}
	}
}
