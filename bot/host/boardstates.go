package host

import (
	"cmp"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// isLive reports whether a board is due, or has or may have an uncollapsed message
// in a channel.
func isLive(b storage.Board) bool {
	switch b.State {
	case storage.BoardDue, storage.BoardPosted, storage.BoardSuperseded:
		return true
	case storage.BoardSkipped: // a message of it may be in the channel
		return !b.NextAttempt.IsZero()
	case storage.BoardCollapsed:
	}
	return false
}

// currentBoard returns the board that is due or posted, or the zero value.
func currentBoard(live []storage.Board) (current storage.Board) {
	if i := slices.IndexFunc(live, isCurrent); i >= 0 {
		current = live[i]
	}
	return current
}

func isCurrent(b storage.Board) bool {
	return b.State == storage.BoardDue || b.State == storage.BoardPosted
}

// addBoard returns the live boards of a match after storage.Tx.InsertBoard has inserted
// b as id.
func addBoard(live []storage.Board, b storage.Board, id storage.BoardID) []storage.Board {
	b.ID, b.State = id, storage.BoardDue
	if old := currentBoard(live); old.State == storage.BoardDue && old.Seq == b.Seq {
		b.Notify, b.Offer = b.Notify || old.Notify, cmp.Or(b.Offer, old.Offer)
	}
	live = slices.Clone(live)
	for i := range live {
		if old := &live[i]; isCurrent(*old) {
			old.Attempts, old.NextAttempt, old.NeedsRedraw = 0, b.NextAttempt, false
			if old.State == storage.BoardDue {
				old.State = storage.BoardSkipped
			} else {
				old.State = storage.BoardSuperseded
			}
		}
	}
	return append(live, b)
}

// markPosted changes a board as storage.Tx.MarkBoardPosted does. It reports whether
// the board was waiting for that.
func markPosted(b *storage.Board, message string) bool {
	switch b.State {
	case storage.BoardDue:
		b.State = storage.BoardPosted
	case storage.BoardSkipped:
		b.State = storage.BoardSuperseded
	default:
		return false
	}
	b.Message, b.Attempts, b.NextAttempt = message, 0, time.Time{}
	return true
}

// markCollapsed changes a board as storage.Tx.MarkBoardCollapsed does.
func markCollapsed(b *storage.Board) {
	if b.NeedsRedraw {
		b.NeedsRedraw, b.Attempts, b.NextAttempt = false, 0, time.Time{}
	}
	switch b.State {
	case storage.BoardSuperseded:
		b.State = storage.BoardCollapsed
	case storage.BoardSkipped:
		b.Attempts, b.NextAttempt = 0, time.Time{}
	default:
	}
}

// isNewTurn reports whether the turn has changed, or the match has ended. A
// seat that retires out of turn does not change it: the player to move has
// been notified already.
func isNewTurn(before, after *match.Match) bool {
	return after.Seat() != before.Seat() || after.Open().Number != before.Open().Number
}

// BeginsTable reports whether m is the beginning of a match of three or more, of whom
// several are people: they hear that the match has begun, for which they have waited.
func BeginsTable(rec storage.Match, m *match.Match) bool {
	people := 0
	for _, p := range rec.Seats {
		if !IsComputer(p) {
			people++
		}
	}
	return len(rec.Seats) > 2 && people > 1 && m.PublicSeq() == 0 && m.Seat() != engine.Nobody && !rec.Reminded
}

// shouldNotify reports whether a new board has a person to notify: the player to
// move, at the beginning of a table anybody, or at the end of the match any player but the one who ended it. The end
// by the clock or by an organiser is for everybody.
func shouldNotify(rec storage.Match, m *match.Match) bool {
	isPerson := func(seat engine.Seat) bool { return !IsComputer(rec.Seats[seat-1]) }
	switch seat := m.Seat(); {
	case BeginsTable(rec, m):
		return true
	case seat != engine.Nobody:
		return isPerson(seat)
	}
	out, _ := m.Over()
	by := out.By
	if last, ok := m.Last(); ok && out.Ending == match.ByRules && !last.Prepared {
		by = last.Seat
	}
	for i := range rec.Seats {
		if seat := engine.Seat(i + 1); seat != by && isPerson(seat) {
			return true
		}
	}
	return false
}

// findBoard returns the newest board that satisfies a condition, or the zero value.
func findBoard(all []storage.Board, is func(storage.Board) bool) (found storage.Board) {
	for _, b := range all {
		if is(b) {
			found = b
		}
	}
	return found
}

// endsSilently reports whether a turn was completed and its last action is not
// an explicit end.
func endsSilently(before, after *match.Match) bool {
	completed := after.Turns()
	if len(completed) == len(before.Turns()) {
		return false
	}
	actions := completed[len(before.Turns())].Actions
	return len(actions) == 0 || actions[len(actions)-1].String() != engine.End
}
