package host

import (
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// CallsOff reports whether the match would be called off without a result,
// should one of those who play resign or claim it now: two are playing, and not both have
// completed a turn. Where three or more are playing, whoever leaves leaves
// alone: one person cannot end the match of several others.
func (v *View) CallsOff() bool { return v.Match.CanAbort() && len(v.Playing()) == 2 }

// Playing is the seats that have not retired, in order; none when the match is
// over.
func (v *View) Playing() (seats []engine.Seat) {
	for s := engine.Seat(1); int(s) <= v.Match.Settings().Seats; s++ {
		if v.Match.Playing(s) {
			seats = append(seats, s)
		}
	}
	return seats
}

// newTurn reports whether a match has come to another turn, or to its end: a
// seat that retires out of turn leaves whoever is to move to their turn, of
// which they have been notified.
func newTurn(before, after *match.Match) bool {
	return after.Seat() != before.Seat() || after.Open().Number != before.Open().Number
}

// owesNotice reports whether the current board is to notify and has not
// reached the channel yet: the one that takes its place must do it then.
func owesNotice(v *View) bool { return v.Board.State == storage.BoardDue && v.Board.Notify }

// concerns reports whether a new board of a match tells anybody anything: the
// person who is to move; all who play, where three or more begin; at the end
// everybody but the one who ended it. Computers are told nothing.
func concerns(rec storage.Match, m *match.Match) bool {
	seat := m.Seat()
	if seat != engine.Nobody {
		return !IsComputer(rec.Seats[seat-1]) || rec.ShownSeq < 0 && len(rec.Seats) > 2
	}
	out, _ := m.Over()
	by := out.By
	if last, ok := m.Last(); ok && by == engine.Nobody {
		by = last.Seat
	}
	for i, p := range rec.Seats {
		if engine.Seat(i+1) != by && !IsComputer(p) {
			return true
		}
	}
	return false
}
