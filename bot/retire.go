package bot

import (
	"cmp"
	"slices"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// beginners is whom the first board of a match for three or more tells that it
// begins: all who play. The next player learns of every later turn; of this
// one the others would learn nothing until it is theirs. It is nil where a
// board has been shown before, and in a match for two, which began by the
// answer of one and the turn of the other.
func beginners(v *host.View, m *match.Match) (seats []engine.Seat) {
	if len(v.Record.Seats) <= 2 || v.Record.Shown >= 0 {
		return nil
	}
	for i := range v.Record.Seats {
		if seat := engine.Seat(i + 1); m.Playing(seat) {
			seats = append(seats, seat)
		}
	}
	return seats
}

// orderLine is the order of play at the start, with the mentions that tell
// everybody; empty on later boards.
func orderLine(say *catalogue.Printer, v *host.View, m *match.Match) string {
	var people []string
	for _, seat := range beginners(v, m) {
		people = append(people, marked(v, seat))
	}
	if len(people) == 0 {
		return ""
	}
	return say.T("board.order", "People", strings.Join(people, ", ")) + "\n"
}

// marked is a seat's mark and its person, which no line break parts.
func marked(v *host.View, seat engine.Seat) string {
	return mark(v, seat) + "\u00a0" + address(v.Person(seat))
}

// retired says of each seat that has retired from a match that goes on that it
// has.
func retired(say *catalogue.Printer, v *host.View, m *match.Match) (lines []string) {
	if _, over := m.Over(); over {
		return nil
	}
	for i := range v.Record.Seats {
		if seat := engine.Seat(i + 1); !m.Playing(seat) {
			lines = append(lines, retiredLine(say, v, seat))
		}
	}
	return lines
}

// retiredLine says of a seat that it has left the match, and how.
func retiredLine(say *catalogue.Printer, v *host.View, seat engine.Seat) string {
	args := []any{"Mark", mark(v, seat), "Who", escape(v.Person(seat).Name)}
	if v.Match.TimedOut(seat) {
		return say.T("board.removed", args...)
	}
	return say.T("board.retired", args...)
}

// retiredAfter is the seat by whose retirement a match first changed for all
// after an entry; ok is false where it changed by anything else.
func retiredAfter(m *match.Match, seq int) (seat engine.Seat, ok bool) {
	then, err := m.At(seq)
	for n := seq + 1; err == nil && n <= m.Seq(); n++ {
		var next *match.Match
		if next, err = m.At(n); err != nil || next.PublicSeq() <= then.PublicSeq() {
			continue
		}
		if _, over := next.Over(); over {
			return engine.Nobody, false
		}
		for s := engine.Seat(1); int(s) <= m.Settings().Seats; s++ {
			if then.Playing(s) && !next.Playing(s) {
				return s, true
			}
		}
		return engine.Nobody, false
	}
	return engine.Nobody, false
}

// places is everybody's place in a match of three or more that has ended, the
// best first; empty for two, and where there are none.
func places(say *catalogue.Printer, v *host.View, out match.Outcome) string {
	ranks := out.Result.Ranks
	if len(v.Record.Seats) <= 2 || len(ranks) != len(v.Record.Seats) {
		return ""
	}
	order := make([]engine.Seat, len(ranks))
	for i := range order {
		order[i] = engine.Seat(i + 1)
	}
	slices.SortStableFunc(order, func(a, b engine.Seat) int { return cmp.Compare(ranks[a-1], ranks[b-1]) })
	var all []string
	for _, seat := range order {
		all = append(all, say.T("end.place", "Rank", ranks[seat-1], "Who", marked(v, seat)))
	}
	return "\n" + say.T("end.places", "Places", strings.Join(all, " · "))
}

// playedBy is the matches among a person's that they have not left; all where
// they have left all, so that they can be told so.
func playedBy(views []*host.View, person string) []*host.View {
	var in []*host.View
	for _, v := range views {
		if v.Match.Playing(v.SeatOf(person)) {
			in = append(in, v)
		}
	}
	if len(in) == 0 {
		return views
	}
	return in
}
