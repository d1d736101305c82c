// Package boards tells which boards of a match are in the channel, how they change
// when another is due, and whom a new one notifies.
package boards

import (
	"cmp"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// IsLive reports whether a board is due, or has or may have an uncollapsed message
// in a channel.
func IsLive(b storage.Board) bool {
	switch b.State {
	case storage.BoardDue, storage.BoardPosted, storage.BoardStale:
		return true
	case storage.BoardSkipped: // a message of it may be in the channel
		return !b.NextAttempt.IsZero()
	case storage.BoardCollapsed:
	}
	return false
}

// Current returns the board that is due or posted, or the zero value.
func Current(live []storage.Board) (current storage.Board) {
	if i := slices.IndexFunc(live, isCurrent); i >= 0 {
		current = live[i]
	}
	return current
}

func isCurrent(b storage.Board) bool {
	return b.State == storage.BoardDue || b.State == storage.BoardPosted
}

// Add returns the live boards of a match after storage.Tx.InsertBoard has inserted
// b as id.
func Add(live []storage.Board, b storage.Board, id storage.BoardID) []storage.Board {
	b.ID, b.State = id, storage.BoardDue
	if old := Current(live); old.State == storage.BoardDue && old.Seq == b.Seq {
		b.Notify, b.Offer = b.Notify || old.Notify, cmp.Or(b.Offer, old.Offer)
	}
	live = slices.Clone(live)
	for i := range live {
		if old := &live[i]; isCurrent(*old) {
			old.Attempts, old.NextAttempt, old.Outdated = 0, b.NextAttempt, false
			if old.State == storage.BoardDue {
				old.State = storage.BoardSkipped
			} else {
				old.State = storage.BoardStale
			}
		}
	}
	return append(live, b)
}

// MarkPosted changes a board as storage.Tx.MarkBoardPosted does. It reports whether
// the board was waiting for that.
func MarkPosted(b *storage.Board, message string) bool {
	switch b.State {
	case storage.BoardDue:
		b.State = storage.BoardPosted
	case storage.BoardSkipped:
		b.State = storage.BoardStale
	default:
		return false
	}
	b.Message, b.Attempts, b.NextAttempt = message, 0, time.Time{}
	return true
}

// MarkCollapsed changes a board as storage.Tx.MarkBoardCollapsed does.
func MarkCollapsed(b *storage.Board) {
	if b.Outdated {
		b.Outdated, b.Attempts, b.NextAttempt = false, 0, time.Time{}
	}
	switch b.State {
	case storage.BoardStale:
		b.State = storage.BoardCollapsed
	case storage.BoardSkipped:
		b.Attempts, b.NextAttempt = 0, time.Time{}
	default:
	}
}

// IsNewTurn reports whether the turn has changed, or the match has ended. A
// seat that retires out of turn does not change it: the player to move has
// been notified already.
func IsNewTurn(before, after *match.Match) bool {
	return after.Seat() != before.Seat() || after.Open().Number != before.Open().Number
}

// ShouldNotify reports whether a new board has a person to notify: the player to
// move, or at the end of the match any player but the one who ended it. The end
// by the clock is for everybody.
func ShouldNotify(rec storage.Match, m *match.Match) bool {
	isPerson := func(seat engine.Seat) bool { return rec.Seats[seat-1].Level == "" }
	if seat := m.Seat(); seat != engine.Nobody {
		return isPerson(seat)
	}
	out, _ := m.Over()
	by := out.By
	if last, ok := m.Last(); ok && by == engine.Nobody && out.TimedOut == engine.Nobody && !last.Prepared {
		by = last.Seat
	}
	for i := range rec.Seats {
		if seat := engine.Seat(i + 1); seat != by && isPerson(seat) {
			return true
		}
	}
	return false
}

// Find returns the newest board that satisfies a condition, or the zero value.
func Find(all []storage.Board, is func(storage.Board) bool) (found storage.Board) {
	for _, b := range all {
		if is(b) {
			found = b
		}
	}
	return found
}

// EndsSilently reports whether a turn was completed and its last action is not
// an explicit end.
func EndsSilently(before, after *match.Match) bool {
	completed := after.Turns()
	if len(completed) == len(before.Turns()) {
		return false
	}
	actions := completed[len(before.Turns())].Actions
	return len(actions) == 0 || actions[len(actions)-1].String() != engine.End
}
