package match_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
)

func TestParseClock(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]match.Clock{
		"":            {},
		"1d":          {day, day, day},
		"90m":         {90 * time.Minute, 90 * time.Minute, 90 * time.Minute},
		"2d+1h/4d":    {2 * day, time.Hour, 4 * day},
		"2d+0s/2d":    {2 * day, 0, 2 * day},
		"10m+30s/10m": {10 * time.Minute, 30 * time.Second, 10 * time.Minute},
	} {
		if c, err := match.ParseClock(text); err != nil || c != want || c.String() != text {
			t.Errorf("%q is %+v (%v), written %q", text, c, err, c)
		}
	}
	for _, text := range []string{"1", "d", "24h", "60s", "0s", "0d", "-1d", "1d+1h", "1d/1h", "1d+1d/1d", "2d+1h/1d", "1h+2d/1d", "2d+1h/4d ", "1001d", "9999999d", "99999999s", "1w"} {
		if c, err := match.ParseClock(text); err == nil {
			t.Errorf("%q is accepted: %+v", text, c)
		}
	}
	s := settings(t, sample.Game{}, 2, "")
	s.Clock = match.Clock{Bank: time.Hour, Cap: time.Minute}
	if _, err := match.Start(sample.Game{}, s); err == nil {
		t.Error("a match has a bank above its cap")
	}
}

// timed starts a match of the sample game with a clock.
func timed(t *testing.T, seats int, options, clock string) *match.Match {
	t.Helper()
	s := settings(t, sample.Game{}, seats, options)
	var err error
	if s.Clock, err = match.ParseClock(clock); err != nil {
		t.Fatal(err)
	}
	m, err := match.Start(sample.Game{}, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// turnTimes are thirty turns with a bank of two days, an increment of one hour
// and a cap of two and a half days: how long each took, and the hand-computed
// time that its seat had left afterwards, with the increment.
var turnTimes = []struct{ took, left string }{
	{"0s", "49h"}, {"0s", "49h"},
	{"5h", "45h"}, {"0s", "50h"},
	{"30m", "45h30m"}, {"30m", "50h30m"},
	{"12h", "34h30m"}, {"0s", "51h30m"},
	{"1h", "34h30m"}, {"0s", "52h30m"},
	{"10h30m", "25h"}, {"0s", "53h30m"},
	{"15m", "25h45m"}, {"0s", "54h30m"},
	{"20h", "6h45m"}, {"10m", "55h20m"},
	{"6h44m59s", "1h0m1s"}, {"0s", "56h20m"}, // one second was left
	{"1h", "1h0m1s"}, {"0s", "57h20m"},
	{"59m", "1h1m1s"}, {"0s", "58h20m"},
	{"1s", "2h1m"}, {"0s", "59h20m"},
	{"2h", "1h1m"}, {"0s", "60h"}, // 60h20m without the cap
	{"30m", "1h31m"}, {"1s", "60h"},
	{"1h1m", "1h30m"}, {"45h", "16h"},
}

func TestClock(t *testing.T) {
	duration := func(s string) time.Duration {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	// An outage lies within a turn, or lasts into the next one.
	for name, outage := range map[string]func(turn int) time.Duration{
		"without outages":     func(int) time.Duration { return 0 },
		"outage in each turn": func(int) time.Duration { return 7 * time.Hour },
		"one long outage":     func(turn int) time.Duration { return time.Duration(turn/13%2) * 100 * 24 * time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			m := timed(t, 2, "counters=20", "2d+1h/60h")
			start := epoch.Add(300 * time.Millisecond)
			now, left := start, []time.Duration{48 * time.Hour, 48 * time.Hour}
			var spans []match.Span
			for i, turn := range turnTimes {
				seat := m.Seat()
				if want := now.Truncate(time.Second).Add(left[seat-1]); !m.Deadline(start, spans).Equal(want) {
					t.Fatalf("turn %d: the deadline is %s, want %s", i+1, m.Deadline(start, spans), want)
				}
				took, away := duration(turn.took), outage(i)
				half := now.Add((took / 2).Truncate(time.Second))
				before := m.Deadline(start, spans)
				if away > 0 {
					spans = append(spans, match.Span{From: half, To: half.Add(away)})
				}
				if got := m.Deadline(start, spans); !got.Equal(before.Add(away)) {
					t.Fatalf("turn %d: an outage of %s puts the deadline off by %s", i+1, away, got.Sub(before))
				}
				now = now.Add(took + away)
				m = after(t, m)(m.Act(seat, []string{"a1 end", "b1 end"}[i/20], match.Moment{At: now}))
				left[seat-1] = duration(turn.left)
				if got := m.TimeLeft(start, spans); !slices.Equal(got, left) {
					t.Fatalf("after turn %d the seats have %s, want %s", i+1, got, left)
				}
			}
			if len(m.Turns()) != 30 {
				t.Fatalf("%d turns", len(m.Turns()))
			}
		})
	}
}

// Setting the machine's clock back takes no time from any seat.
func TestClockSetBack(t *testing.T) {
	m := timed(t, 2, "", "1d")
	m = after(t, m)(m.Act(1, "a1 end", match.Moment{At: epoch.Add(-time.Hour)}))
	if got := m.TimeLeft(epoch, nil); got[0] != 24*time.Hour {
		t.Errorf("the first seat has %s", got[0])
	}
	if got := m.Deadline(epoch, nil); !got.Equal(epoch.Add(23 * time.Hour)) {
		t.Errorf("the second seat has until %s", got)
	}
	// An outage that the machine's clock has not reached yet stops the clock.
	ahead := []match.Span{{From: epoch.Add(-2 * time.Hour), To: epoch.Add(24 * time.Hour)}}
	if got := m.Deadline(epoch, ahead); !got.Equal(epoch.Add(48 * time.Hour)) {
		t.Errorf("with a clock that was ahead, the second seat has until %s", got)
	}
}

// A span stops the clock of its seat, or of every seat, and where spans overlap
// only once. So a span never takes time from anybody.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := timed(t, 2, "counters=20", "10m+30s/15m")
		second := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }
		var spans []match.Span
		from := 0
		for range rapid.IntRange(0, 6).Draw(rt, "spans") {
			from += rapid.IntRange(0, 40).Draw(rt, "gap")
			to := second(from + rapid.IntRange(1, 90).Draw(rt, "length"))
			spans = append(spans, match.Span{From: second(from), To: to, Seat: engine.Seat(rapid.IntRange(0, 2).Draw(rt, "seat"))})
		}
		runs := func(seat engine.Seat, n int) bool { // in the second from n
			return !slices.ContainsFunc(spans, func(s match.Span) bool {
				return (s.Seat == engine.Nobody || s.Seat == seat) && !second(n).Before(s.From) && second(n).Before(s.To)
			})
		}
		now, left := 0, []time.Duration{10 * time.Minute, 10 * time.Minute}
		for i := range rapid.IntRange(0, 6).Draw(rt, "turns") {
			seat := m.Seat()
			for range rapid.IntRange(0, 60).Draw(rt, "took") {
				if runs(seat, now) {
					left[seat-1] -= time.Second
				}
				now++
			}
			left[seat-1] = min(left[seat-1]+30*time.Second, 15*time.Minute)
			m = after(t, m)(m.Act(seat, "a1 end", match.Moment{At: second(now)}))
			if got := m.TimeLeft(epoch, spans); !slices.Equal(got, left) {
				rt.Fatalf("after turn %d the seats have %s, want %s", i+1, got, left)
			}
		}
		until, seat := now, m.Seat()
		for l := left[seat-1]; l > 0; until++ {
			if runs(seat, until) {
				l -= time.Second
			}
		}
		if got := m.Deadline(epoch, spans); !got.Equal(second(until)) {
			rt.Fatalf("the deadline is %s, want %s", got, second(until))
		}
		for i := range spans {
			fewer := slices.Delete(slices.Clone(spans), i, i+1)
			if m.Deadline(epoch, fewer).After(m.Deadline(epoch, spans)) {
				rt.Fatalf("%v takes time away", spans[i])
			}
		}
	})
}

func TestTakebackRestoresClock(t *testing.T) {
	m := timed(t, 2, "", "2d+1h/4d")
	before := m.Deadline(epoch, nil)
	m = after(t, m)(m.Act(1, "a1 end", match.Moment{At: epoch.Add(time.Hour), Interaction: "i"}))
	m = after(t, m)(m.Takeback(1, match.Moment{At: epoch.Add(2 * time.Hour)}))
	if got := m.Deadline(epoch, nil); !got.Equal(before) {
		t.Errorf("the deadline is %s, want %s", got, before)
	}
}

func TestTimeout(t *testing.T) {
	m := timed(t, 3, "", "1d")
	if _, err := m.Timeout(2, moment(1)); !errors.As(err, new(*match.TurnError)) {
		t.Errorf("a seat that waits runs out of time: %v", err)
	}
	if _, err := counters(t, 2, "").Timeout(1, moment(1)); err == nil {
		t.Error("a seat without a clock runs out of time")
	}
	// The first of three retires, and the next turn begins then.
	m = act(t, m, "1: a1")
	m = after(t, m)(m.Timeout(1, moment(9)))
	if m.Seat() != 2 || m.Playing(1) || !m.TimedOut(1) || !m.Deadline(epoch, nil).Equal(moment(9).At.Add(24*time.Hour)) {
		t.Fatalf("seat %d until %s", m.Seat(), m.Deadline(epoch, nil))
	}
	// Of two the other wins, if both have completed a turn.
	early := after(t, m)(m.Timeout(2, moment(10)))
	if out, _ := early.Over(); out.Ending != match.ByAbort || out.TimedOut != 2 || out.By != engine.Nobody || !early.Deadline(epoch, nil).IsZero() {
		t.Errorf("before everybody has moved: %+v", out)
	}
	m = act(t, m, "2: a1 end", "3: a1 end", "2: b1 end")
	m = after(t, m)(m.Timeout(3, moment(20)))
	if out, _ := m.Over(); out.Ending != match.ByTimeout || out.TimedOut != 3 || out.By != engine.Nobody || !slices.Equal(out.Result.Ranks, []int{3, 1, 2}) {
		t.Errorf("the outcome is %+v", out)
	}
}
