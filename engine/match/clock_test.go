package match_test

import (
	"errors"
	"fmt"
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

// Setting the machine's clock back takes no time from any seat.
func TestClockSetBack(t *testing.T) {
	m := timed(t, 2, "", "1d")
	m = after(t, m)(m.Act(1, "a1 end", match.Cause{At: epoch.Add(-time.Hour)}))
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
		// A live clock charges neither three minutes of the first turn of each seat nor
		// three seconds of the others.
		live := rapid.Bool().Draw(rt, "live")
		text, bank, free := "2h+3m/122m", 2*time.Hour, []time.Duration{0, 0}
		if live {
			text, bank, free = "10m+3m/12m", 10*time.Minute, []time.Duration{3 * time.Minute, 3 * time.Minute}
		}
		m := timed(t, 2, "counters=20", text)
		second := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }
		// Fractions of a second do not count.
		fraction := func() time.Duration {
			return time.Duration(rapid.IntRange(0, 999).Draw(rt, "fraction")) * time.Millisecond
		}
		begin := epoch.Add(fraction())
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
		now, left := 0, []time.Duration{bank, bank}
		for i := range rapid.IntRange(0, 6).Draw(rt, "turns") {
			seat := m.Seat()
			took := -free[seat-1]
			for range rapid.IntRange(0, 250).Draw(rt, "took") {
				if runs(seat, now) {
					took += time.Second
				}
				now++
			}
			left[seat-1] = min(left[seat-1]-max(took, 0)+3*time.Minute, bank+2*time.Minute)
			if live {
				free[seat-1] = 3 * time.Second
			}
			m = after(t, m)(m.Act(seat, "a1 end", match.Cause{At: second(now).Add(fraction())}))
			if got := m.TimeLeft(begin, spans); !slices.Equal(got, left) {
				rt.Fatalf("after turn %d the seats have %s, want %s", i+1, got, left)
			}
		}
		until, seat := now, m.Seat()
		for l := left[seat-1] + free[seat-1]; l > 0; until++ {
			if runs(seat, until) {
				l -= time.Second
			}
		}
		if got := m.Deadline(begin, spans); !got.Equal(second(until)) {
			rt.Fatalf("the deadline is %s, want %s", got, second(until))
		}
		for i := range spans {
			fewer := slices.Delete(slices.Clone(spans), i, i+1)
			if m.Deadline(begin, fewer).After(m.Deadline(begin, spans)) {
				rt.Fatalf("%v takes time away", spans[i])
			}
		}
	})
}

// On a live clock a turn ends when its player pressed, as the identifier of the
// interaction says, if that is believable.
func TestPressed(t *testing.T) {
	snowflake := func(at time.Time) string { return fmt.Sprint((at.UnixMilli() - 1420070400000) << 22) }
	at := epoch.Add(10 * time.Minute)
	for _, tt := range []struct {
		interaction string
		lag         time.Duration
	}{
		{snowflake(at.Add(-7 * time.Second)), 7 * time.Second},
		{snowflake(at.Add(-15 * time.Second)), 15 * time.Second},
		{snowflake(at.Add(-time.Hour)), 15 * time.Second},
		{snowflake(at.Add(time.Second)), 0},
		{"", 0}, {"prepared-3", 0}, {"former-12", 0}, {"clock-1-2", 0}, {"-1", 0}, {"99999999999999999999", 0},
	} {
		if got := at.Sub(match.Pressed(tt.interaction, at)); got != tt.lag {
			t.Errorf("%q: %s before its arrival, want %s", tt.interaction, got, tt.lag)
		}
		for clock, charged := range map[string]time.Duration{"10m+0s/10m": 7*time.Minute - tt.lag, "2h+0s/2h": 10 * time.Minute} {
			m := timed(t, 2, "counters=20", clock)
			bank := m.TimeLeft(epoch, nil)[0]
			m = after(t, m)(m.Act(1, "a1 end", match.Cause{At: at, Interaction: tt.interaction}))
			if got := bank - m.TimeLeft(epoch, nil)[0]; got != charged {
				t.Errorf("%q, %s: the turn costs %s, want %s", tt.interaction, clock, got, charged)
			}
		}
	}
}

// Time that is given counts for the turn in which it is given, changes no position
// and outdates nothing. What exceeds the cap is lost after the turn.
func TestGiveTime(t *testing.T) {
	const day = 24 * time.Hour
	m := timed(t, 2, "counters=20", "2d+1h/3d")
	m = act(t, m, "1: a1")
	given := after(t, m)(m.GiveTime(2, day, moment(7)))
	given = after(t, given)(given.GiveTime(2, 30*time.Minute, moment(8)))
	if want := epoch.Add(3*day + 30*time.Minute); !given.Deadline(epoch, nil).Equal(want) || given.TimeLeft(epoch, nil)[0] != want.Sub(epoch) {
		t.Errorf("the deadline is %s, want %s", given.Deadline(epoch, nil), want)
	}
	if given.PublicSeq() != m.PublicSeq() || !given.IsCurrent(m.Seq()) || given.IsCurrent(m.Seq()-1) || given.Open().String() != "a1" {
		t.Errorf("after entry %d: %+v", given.Seq(), given.Open())
	}
	// The turn takes two days and an hour: 23 h 30 m are left, and the increment.
	ended := after(t, given)(given.Act(1, "end", match.Cause{At: epoch.Add(2*day + time.Hour), Interaction: "end"}))
	if left := ended.TimeLeft(epoch, nil); left[0] != 24*time.Hour+30*time.Minute || left[1] != 2*day {
		t.Errorf("left are %s", left)
	}
	// The cap applies after the turn.
	quick := after(t, given)(given.Act(1, "end", match.Cause{At: epoch, Interaction: "end"}))
	if left := quick.TimeLeft(epoch, nil); left[0] != 3*day {
		t.Errorf("left are %s", left)
	}
	// A takeback restores the turn with what it was given; what the other seat has
	// been given since is gone.
	both := after(t, ended)(ended.GiveTime(1, day, moment(9)))
	back := after(t, both)(both.Takeback(1, moment(10)))
	if !back.Deadline(epoch, nil).Equal(given.Deadline(epoch, nil)) || back.Open().String() != "a1" {
		t.Errorf("after a takeback: %s, %+v", back.Deadline(epoch, nil), back.Open())
	}
	// An agreed takeback begins the turn again.
	agreed := after(t, both)(both.AgreeTakeback(1, match.Cause{At: epoch.Add(9 * day)}))
	if want := epoch.Add(9*day + 3*day + 30*time.Minute); !agreed.Deadline(epoch, nil).Equal(want) {
		t.Errorf("after an agreed takeback: %s, want %s", agreed.Deadline(epoch, nil), want)
	}
	for _, tt := range []struct {
		match *match.Match
		seat  engine.Seat
		give  time.Duration
		want  error
	}{
		{m, 1, day, match.ErrOwnTurn},
		{m, 2, 1000 * day, nil},
		{given, 2, 1000 * day, match.ErrTooMuchTime},
		{counters(t, 2, ""), 2, day, match.ErrNoClock},
	} {
		if _, err := tt.match.GiveTime(tt.seat, tt.give, moment(9)); !errors.Is(err, tt.want) {
			t.Errorf("seat %d gives %s: %v, want %v", tt.seat, tt.give, err, tt.want)
		}
	}
	for _, text := range []string{"", "0s", "24h", "1d+1h/2d", "-1d", "soon"} {
		e := match.Entry{Seq: m.Seq() + 1, Kind: match.KindTime, Seat: 2, Text: text, At: epoch}
		if _, err := m.With(e); err == nil {
			t.Errorf("%q is given", text)
		}
	}
}
