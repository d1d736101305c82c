package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// ClaimAfter is how long whoever is to move may be silent in a match without a
// clock before it can be claimed.
const ClaimAfter = 7 * 24 * time.Hour

// AbandonAfter is how long a person may be silent in a match in which nobody
// but computers waits for them, before it is given up for them: computers claim
// nothing.
const AbandonAfter = 30 * 24 * time.Hour

// EarlyError says that a match cannot be claimed yet.
type EarlyError struct{ At time.Time } // from when it can be, a whole second

func (e *EarlyError) Error() string {
	return fmt.Sprintf("the match can be claimed from %s on", e.At.Format(time.DateTime))
}

// ClaimAt is from when the match can be claimed from whoever is to move, a
// whole second; the zero time when it is over, when a computer is to move, and
// when none but computers wait. What a person tries out in their turn and what
// others do is no answer: only a turn is.
func (v *View) ClaimAt() time.Time {
	if _, thinks := v.Computer(); thinks || v.Match.Seat() == engine.Nobody || v.people() < 2 {
		return time.Time{}
	}
	return v.Since().Add(ClaimAfter).Truncate(time.Second)
}

// AbandonedAt is from when the match is given up for the person who is to move,
// a whole second; the zero time where somebody else can claim it, or a computer
// is to move.
func (v *View) AbandonedAt() time.Time {
	if _, thinks := v.Computer(); thinks || v.people() != 1 {
		return time.Time{}
	}
	return v.Since().Add(AbandonAfter).Truncate(time.Second)
}

// deadline is when to look whether whoever is to move has been silent too long;
// zero where that is not needed.
func (v *View) deadline() time.Time {
	if at := v.AbandonedAt(); !at.IsZero() {
		return at
	}
	return v.ClaimAt()
}

// thinking is since when a computer is to move; zero where none is.
func (v *View) thinking() time.Time {
	if _, thinks := v.Computer(); thinks {
		return v.Since()
	}
	return time.Time{}
}

// Claimable reports whether the match could be claimed from whoever is to move
// when the view was made.
func (v *View) Claimable() bool {
	at := v.ClaimAt()
	return !at.IsZero() && !v.At.Before(at)
}

// MayClaim says why a person could not claim the match when the view was made:
// ErrNotSeated, match.ErrOver, match.ErrNotPlaying, match.ErrOwnTurn,
// ErrComputerTurn or an *EarlyError; nil where they could.
func (v *View) MayClaim(person string) error {
	seat := v.SeatOf(person)
	_, over := v.Match.Over()
	_, thinks := v.Computer()
	switch {
	case seat == engine.Nobody:
		return ErrNotSeated
	case over:
		return match.ErrOver
	case !v.Match.Playing(seat):
		return match.ErrNotPlaying
	case v.Match.Seat() == seat:
		return match.ErrOwnTurn
	case thinks:
		return ErrComputerTurn
	case !v.Claimable():
		return &EarlyError{v.ClaimAt()}
	}
	return nil
}

// Claim ends what whoever is to move holds up by their silence. Of two, the
// other wins; but while not both have completed a turn the match is called off
// without a result, for a win is won against somebody who has played. Where
// three or more are playing the silent person is out and the others play on;
// any of them may claim. seq is how far the match had come for everybody when
// the person asked, or Anywhere: a turn that arrives first wins. It is refused
// with ErrNoMatch, ErrStale, or a reason of View.MayClaim.
func (h *Host) Claim(ctx context.Context, c Cause, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, c, id, Anywhere, func(v *View, seat engine.Seat, mo match.Moment) ([]match.Entry, error) {
		if seq != Anywhere && v.Match.PublicSeq() > seq {
			return nil, ErrStale
		}
		if err := v.MayClaim(c.Person.ID); err != nil {
			return nil, err
		}
		if v.CallsOff() {
			return v.Match.Abort(seat, mo)
		}
		return v.Match.Claim(seat, mo)
	})
}

// Remind makes a new board due in a match that can be claimed, once a turn. It
// notifies the one to move, for whom it is the last call, and nobody else; who
// waits finds the way to claim on it. Where only computers wait, the match is
// given up instead for who is to move. Where the time has not come, it is set
// anew; where the match is over, or cannot be rebuilt, it is taken away.
func (h *Host) Remind(ctx context.Context, id storage.MatchID) error {
	return h.store.Update(ctx, func(tx storage.Tx) error {
		v, err := h.view(tx, id)
		if errors.Is(err, ErrCannotReplay) {
			h.log.Error("a match cannot be rebuilt", "match", id, "error", err)
			return tx.SetDeadline(id, time.Time{})
		}
		if err != nil {
			return err
		}
		if at := v.AbandonedAt(); !at.IsZero() && !v.At.Before(at) {
			return h.giveUp(tx, v)
		}
		if !v.Claimable() {
			return tx.SetDeadline(id, v.deadline())
		}
		if _, err := tx.InsertBoard(storage.Board{Match: id, Seq: v.Match.PublicSeq(), Place: v.Record.Place, Notify: true, NextAttempt: h.now()}); err != nil {
			return err
		}
		return tx.SetDeadline(id, time.Time{})
	})
}

// giveUp resigns a match for the person who is to move, or calls it off where
// they could.
func (h *Host) giveUp(tx storage.Tx, v *View) error {
	mo, err := h.moment(tx, Cause{Interaction: fmt.Sprintf("silence-%d-%d", v.Record.ID, v.Match.Seq())}, v)
	if err != nil {
		return err
	}
	entries, err := v.leave(v.Match.Seat(), mo)
	if err != nil {
		return err
	}
	_, err = h.add(tx, v, entries, mo)
	return err
}
