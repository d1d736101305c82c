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

// EarlyError says that a match cannot be claimed yet.
type EarlyError struct{ At time.Time } // from when it can be, a whole second

func (e *EarlyError) Error() string {
	return fmt.Sprintf("the match can be claimed from %s on", e.At.Format(time.DateTime))
}

// ClaimAt is from when the match can be claimed from whoever is to move, a
// whole second; the zero time when it is over. What a person tries out in
// their turn and what others do is no answer: only a turn is.
func (v *View) ClaimAt() time.Time {
	if v.Match.Seat() == engine.Nobody {
		return time.Time{}
	}
	return v.Since().Add(ClaimAfter).Truncate(time.Second)
}

// Claimable reports whether the match could be claimed from whoever is to move
// when the view was made.
func (v *View) Claimable() bool {
	at := v.ClaimAt()
	return !at.IsZero() && !v.At.Before(at)
}

// MayClaim says why a person could not claim the match when the view was made:
// ErrNotSeated, match.ErrOver, match.ErrNotPlaying, match.ErrOwnTurn or an
// *EarlyError; nil where they could.
func (v *View) MayClaim(person string) error {
	seat := v.SeatOf(person)
	_, over := v.Match.Over()
	switch {
	case seat == engine.Nobody:
		return ErrNotSeated
	case over:
		return match.ErrOver
	case !v.Match.Playing(seat):
		return match.ErrNotPlaying
	case v.Match.Seat() == seat:
		return match.ErrOwnTurn
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
// waits finds the way to claim on it. Where the time has not come, it is set
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
		if !v.Claimable() {
			return tx.SetDeadline(id, v.ClaimAt())
		}
		if _, err := tx.InsertBoard(storage.Board{Match: id, Seq: v.Match.PublicSeq(), Place: v.Record.Place, Notify: true, Next: h.now()}); err != nil {
			return err
		}
		return tx.SetDeadline(id, time.Time{})
	})
}
