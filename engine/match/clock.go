package match

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"castellan/engine"
)

// Clock limits the time of each seat, in whole seconds. The zero value sets no
// limit.
type Clock struct {
	Bank      time.Duration // at the start
	Increment time.Duration // added after each turn of the seat
	Cap       time.Duration // the most that a seat has when its turn begins
}

// PerTurn reports whether each turn has the same time, whatever earlier turns
// took: a bank that every increment fills.
func (c Clock) PerTurn() bool { return c.Bank == c.Increment && c.Bank == c.Cap }

// Live reports whether the clock is for players who are there at the same time: it
// has less than an hour at the start. Such a clock charges nothing for the way through
// Discord, see TimeLeft.
func (c Clock) Live() bool { return 0 < c.Bank && c.Bank < time.Hour }

// What a live clock does not charge.
const (
	firstTurnFree = 3 * time.Minute  // of the first turn of a seat, whose player has to find the match
	turnFree      = 3 * time.Second  // of each other turn: its board has to reach the player
	maxLag        = 15 * time.Second // of the way of a press to the bot
)

// free returns how much of a turn costs nothing.
func (c Clock) free(first bool) time.Duration {
	switch {
	case !c.Live():
		return 0
	case first:
		return firstTurnFree
	}
	return turnFree
}

// Pressed returns when a player did at Discord what reached the bot at a time: the time
// in the identifier of the interaction, but not more than maxLag before and not after
// arrived. Interactions that do not come from Discord count from their arrival.
func Pressed(interaction string, arrived time.Time) time.Time {
	const epoch = 1420070400000 // of Discord's identifiers, in milliseconds since 1970
	id, err := strconv.ParseUint(interaction, 10, 63)
	at := time.UnixMilli(int64(id>>22) + epoch)
	if err != nil || at.After(arrived) {
		return arrived
	}
	return later(at, arrived.Add(-maxLag))
}

// String returns the clock as ParseClock reads it: "1d" for a day per turn,
// "2d+1h/4d" for a bank of two days with an increment of one hour and a cap of
// four days, "" for no limit.
func (c Clock) String() string {
	switch {
	case c == Clock{}:
		return ""
	case c.PerTurn():
		return clockTime(c.Bank)
	}
	return clockTime(c.Bank) + "+" + clockTime(c.Increment) + "/" + clockTime(c.Cap)
}

// clockUnits lists the units of a time of a clock, the longest first.
var clockUnits = []struct {
	name string
	time.Duration
}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}

func clockTime(d time.Duration) string {
	for _, u := range clockUnits {
		if d%u.Duration == 0 && (d != 0 || u.Duration == time.Second) {
			return fmt.Sprint(int64(d/u.Duration), u.name)
		}
	}
	return d.String()
}

// maxClockTime keeps sums of times far from overflow.
const maxClockTime = 1000 * 24 * time.Hour

var (
	clockPattern = regexp.MustCompile(`^([0-9]{1,7}[dhms])(?:\+([0-9]{1,7}[dhms])/([0-9]{1,7}[dhms]))?$`)
	errClock     = errors.New(`a clock is written like "1d" or "2d+1h/4d"`)
)

// ParseClock parses what Clock.String returns.
func ParseClock(text string) (Clock, error) {
	if text == "" {
		return Clock{}, nil
	}
	parts := clockPattern.FindStringSubmatch(text)
	if parts == nil {
		return Clock{}, errClock
	}
	var times [3]time.Duration
	for i, part := range parts[1:] {
		if part == "" {
			times[i] = times[0]
			continue
		}
		n, _ := strconv.Atoi(part[:len(part)-1]) // at most seven digits
		for _, u := range clockUnits {
			if strings.HasSuffix(part, u.name) {
				times[i] = time.Duration(n) * u.Duration
			}
		}
	}
	c := Clock{times[0], times[1], times[2]}
	if c.Bank == 0 || c.Cap < c.Bank || c.Cap > maxClockTime || c.Increment > c.Cap || c.String() != text {
		return Clock{}, errClock
	}
	return c, nil
}

// Span is a time during which the clock of a seat stood still, or of every seat if
// Seat is Nobody.
type Span struct {
	From, To time.Time
	Seat     engine.Seat
}

// within returns the time of the span between from and to that a seat's clock
// stood still, in whole seconds. It is empty if end is not after begin.
func (s Span) within(seat engine.Seat, from, to time.Time) (begin, end time.Time) {
	if s.Seat != engine.Nobody && s.Seat != seat {
		return from, from
	}
	return later(s.From.Truncate(time.Second), from), earlier(s.To.Truncate(time.Second), to)
}

// TimeLeft returns the time that each seat had when the open turn began, with what
// it has been given for that turn, or when the match ended. A turn takes the whole
// seconds from its beginning to its end, without the spans, which must be in order
// of From and may overlap; those of Stood belong to them. The first turn began at start. On a live clock a turn ends
// when its player pressed, and its first seconds are free, as are three minutes of the
// first turn of a seat.
func (m *Match) TimeLeft(start time.Time, spans []Span) []time.Duration {
	c := m.settings.Clock
	left := make([]time.Duration, m.settings.Seats)
	for i := range left {
		left[i] = c.Bank
	}
	var moved seats
	for _, t := range m.turns {
		l := &left[t.Seat-1]
		took := t.took(start, spans)
		if c.Live() {
			took = max(took-t.lag.Truncate(time.Second)-c.free(!moved.contains(t.Seat)), 0)
		}
		moved = moved.with(t.Seat)
		*l = min(max(*l+t.Given-took, 0)+c.Increment, c.Cap)
	}
	if m.open.Seat != engine.Nobody {
		left[m.open.Seat-1] += m.open.Given
	}
	return left
}

// Deadline returns when the seat to act runs out of time, in whole seconds. It
// returns the zero time if the match has no clock or is over. See TimeLeft.
func (m *Match) Deadline(start time.Time, spans []Span) time.Time {
	seat := m.Seat()
	if seat == engine.Nobody || m.settings.Clock == (Clock{}) {
		return time.Time{}
	}
	left := m.TimeLeft(start, spans)[seat-1] + m.settings.Clock.free(!m.moved.contains(seat))
	return Deadline(m.open.beganAt(start), left, seat, spans)
}

// Deadline returns when a time is over that begins at began and of which a seat
// loses nothing in the spans, see TimeLeft. It is in whole seconds.
func Deadline(began time.Time, d time.Duration, seat engine.Seat, spans []Span) time.Time {
	counted := began.Truncate(time.Second) // up to here
	deadline := counted.Add(d)
	for _, s := range spans {
		if from, to := s.within(seat, counted, s.To); from.Before(deadline) && to.After(from) {
			deadline, counted = deadline.Add(to.Sub(from)), to
		}
	}
	return deadline
}

func (t Turn) beganAt(start time.Time) time.Time {
	if t.BeganAt.IsZero() {
		return start
	}
	return t.BeganAt
}

// took returns how long a turn took in a match that began at start, without the
// spans.
func (t Turn) took(start time.Time, spans []Span) time.Duration {
	from, ended := t.beganAt(start).Truncate(time.Second), t.EndedAt.Truncate(time.Second)
	d, counted := ended.Sub(from), from
	for _, s := range spans {
		if from, to := s.within(t.Seat, counted, ended); to.After(from) {
			d, counted = d-to.Sub(from), to
		}
	}
	return max(d, 0) // the clock may have been set back
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
