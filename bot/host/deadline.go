package host

import (
	"context"
	"fmt"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// ClaimAfter is how long the player to move may take, in a match without a
// clock, before the match can be claimed.
const ClaimAfter = 7 * 24 * time.Hour

// LeaveGrace is how long a player who has left the guild of a match may take before it
// can be claimed.
const LeaveGrace = 24 * time.Hour

// AbandonAfter is how long a person may take in a match in which all other
// players are computers. Then the match is resigned for them, because computers
// claim nothing.
const AbandonAfter = 30 * 24 * time.Hour

// ExpireAfter is how long a match without a clock, or one in which the player to move
// cannot be reached, waits for its next turn. Then it ends without a result.
const ExpireAfter = 60 * 24 * time.Hour

// ChallengeLifetime is how long a challenge can be answered. A day is
// enough for people who look in once a day.
const ChallengeLifetime = 24 * time.Hour

// LiveChallengeLifetime is how long a challenge to a match with a live clock can be
// answered: as long as the challenger will be there.
const LiveChallengeLifetime = 15 * time.Minute

// EarlyError reports that a match cannot be claimed yet.
type EarlyError struct{ At time.Time } // when it can be, in whole seconds

func (e *EarlyError) Error() string {
	return fmt.Sprintf("the match can be claimed from %s on", e.At.Format(time.DateTime))
}

// ClaimableAt returns the time from which the match can be claimed, in whole
// seconds. It returns the zero time if the match is over or has a clock, if a
// computer is to move, or if only one person is playing. Only completed turns
// count: neither actions of an open turn nor those of other players extend the
// time. A vacation of the player to move does. If they have left the guild, LeaveGrace
// is enough.
func (v *View) ClaimableAt() time.Time {
	if _, computer := v.ComputerToMove(); computer || v.Timed() || v.Match.Seat() == engine.Nobody || v.activePeople() < 2 {
		return time.Time{}
	}
	at, seat := match.Deadline(v.Since(), ClaimAfter, v.Match.Seat(), v.spans), v.Match.Seat()
	if left := v.LeftAt(seat); !left.IsZero() {
		from := v.Since()
		if from.Before(left) {
			from = left
		}
		if early := match.Deadline(from, LeaveGrace, seat, v.spans); early.Before(at) {
			return early
		}
	}
	return at
}

// AbandonAt returns when the match is resigned for the person to move, in whole
// seconds. It returns the zero time if somebody else can claim it, if it has a
// clock, or if a computer is to move.
func (v *View) AbandonAt() time.Time {
	if _, computer := v.ComputerToMove(); computer || v.Timed() || v.activePeople() != 1 {
		return time.Time{}
	}
	return match.Deadline(v.Since(), AbandonAfter, v.Match.Seat(), v.spans)
}

// ExpireAt returns when the match ends without a result, in whole seconds. It returns
// the zero time if a computer is to move, or if the match ends otherwise before.
func (v *View) ExpireAt() time.Time {
	_, computer := v.ComputerToMove()
	switch {
	case computer || v.Match.Seat() == engine.Nobody:
		return time.Time{}
	case !v.Record.PausedAt.IsZero():
		return v.Record.PausedAt.Truncate(time.Second).Add(ExpireAfter)
	case v.Timed() || v.activePeople() < 2:
		return time.Time{}
	}
	return match.Deadline(v.Since(), ExpireAfter, v.Match.Seat(), v.spans)
}

// deadline returns when the player to move has missed their turn, or the zero
// time.
func (v *View) deadline() time.Time {
	if at := v.AbandonAt(); !at.IsZero() {
		return at
	}
	if v.Timed() {
		return v.TimeoutAt()
	}
	return v.ClaimableAt()
}

// Claimable reports whether the match could be claimed when the view was made.
func (v *View) Claimable() bool {
	at := v.ClaimableAt()
	return !at.IsZero() && !v.ReadAt.Before(at)
}

// CheckClaim returns why a person could not claim the match when the view was
// made: ErrNotSeated, match.ErrOver, match.ErrNotPlaying, ErrTimed,
// match.ErrOwnTurn, ErrComputerTurn or an *EarlyError. It returns nil if they
// could.
func (v *View) CheckClaim(person string) error {
	seat := v.SeatOf(person)
	_, computer := v.ComputerToMove()
	switch err := v.CheckPlaying(seat); {
	case err != nil:
		return err
	case v.Timed():
		return ErrTimed
	case v.Match.Seat() == seat:
		return match.ErrOwnTurn
	case computer:
		return ErrComputerTurn
	case !v.Claimable():
		return &EarlyError{v.ClaimableAt()}
	}
	return nil
}

// Claim ends a match because the player to move is overdue. Of two players the
// other wins; but the match is aborted if not both have completed a turn. With
// three or more players the overdue player retires and the others play on; any
// of them may claim. seq is the public sequence number when the person asked,
// or AnySeq. Claim fails with ErrNoMatch, with ErrStale if a turn was played
// since, or with an error of View.CheckClaim.
func (h *Host) Claim(ctx context.Context, a Actor, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, a, id, AnySeq, func(d decision) ([]match.Entry, error) {
		if seq != AnySeq && d.view.Match.PublicSeq() > seq {
			return nil, ErrStale
		}
		if err := d.view.CheckClaim(a.Person.ID); err != nil {
			return nil, err
		}
		if d.view.WouldAbort() {
			return d.view.Match.Abort(d.seat, d.cause)
		}
		return d.view.Match.Claim(d.seat, d.cause)
	})
}

// Overdue returns the challenges for Expire and the matches for ProcessDeadline.
func (h *Host) Overdue(ctx context.Context, limit int) (storage.Overdue, error) {
	return Read(ctx, h, func(r storage.Reader) (storage.Overdue, error) { return r.Overdue(h.Now(), limit) })
}

// overdue reports whether the match had to be checked when the view was made.
func (v *View) overdue() bool {
	return !v.Record.CheckAt.IsZero() && !v.ReadAt.Before(v.Record.CheckAt)
}

// ProcessDeadline does what is due in a match of Overdue: it ends the match or
// reminds the player to move, or sets CheckAt again if nothing is due yet. If it is not
// time to check, because another process has done so since, it does nothing. If the
// match cannot be replayed, it clears CheckAt.
//
// It returns the view of a match whose player to move wants to be reminded directly
// (see BeginReminder), and otherwise nil.
func (h *Host) ProcessDeadline(ctx context.Context, id storage.MatchID) (direct *View, err error) {
	err = h.Write(ctx, func(tx storage.Tx) error {
		direct = nil // of an earlier run
		v, err := h.view(tx, id)
		if isBroken(err) {
			return tx.SetCheckAt(id, time.Time{})
		}
		if err != nil || !v.overdue() {
			return err
		}
		defer h.committed(v)
		switch at := v.AbandonAt(); {
		case v.expired():
			return h.expireMatch(tx, v)
		case !v.Record.PausedAt.IsZero():
			return tx.SetCheckAt(id, v.checkAt())
		case v.Timed():
			direct, err = h.processClock(tx, v)
			return err
		case !at.IsZero() && !v.ReadAt.Before(at):
			return h.resignAbandoned(tx, v)
		}
		return h.remindClaimable(tx, v)
	})
	return direct, err
}

// remindClaimable makes a new board due in a match that can be claimed. The board
// notifies the player to move and offers the claim to the others. In the quiet hours
// of the player to move, it waits until they end.
func (h *Host) remindClaimable(tx storage.Tx, v *View) error {
	quiet := v.QuietUntil(v.Match.Seat())
	switch {
	case v.Record.Reminded || !v.Claimable():
		return tx.SetCheckAt(v.Record.ID, v.checkAt())
	case !quiet.IsZero():
		return tx.SetCheckAt(v.Record.ID, quiet)
	}
	if err := h.insertBoard(tx, v, storage.Board{Notify: true}); err != nil {
		return err
	}
	return tx.MarkReminded(v.Record.ID, v.ExpireAt())
}

// expired reports whether the match had to end without a result when the view was
// made.
func (v *View) expired() bool {
	at := v.ExpireAt()
	return !at.IsZero() && !v.ReadAt.Before(at)
}

// expireMatch ends a match without a result, because nobody plays.
func (h *Host) expireMatch(tx storage.Tx, v *View) error {
	cause, _ := h.cause(Actor{Interaction: fmt.Sprintf("silence-%d-%d", v.Record.ID, v.Match.Seq())}, v)
	entries, err := v.Match.Expire(cause)
	if err == nil {
		_, err = h.appendEntries(tx, v, entries, cause, nil)
	}
	return err
}

// resignAbandoned resigns a match for the player to move, or aborts it if their
// resignation would (see View.WouldAbort).
func (h *Host) resignAbandoned(tx storage.Tx, v *View) error {
	cause, _ := h.cause(Actor{Interaction: fmt.Sprintf("silence-%d-%d", v.Record.ID, v.Match.Seq())}, v)
	entries, err := v.resign(v.Match.Seat(), cause)
	if err != nil {
		return err
	}
	_, err = h.appendEntries(tx, v, entries, cause, nil)
	return err
}

// expiry returns when a challenge made now expires, in whole seconds, as people
// are told.
func expiry(now time.Time, clock string) time.Time {
	if c, err := match.ParseClock(clock); err == nil && c.Live() {
		return now.Add(LiveChallengeLifetime).Truncate(time.Second)
	}
	return now.Add(ChallengeLifetime).Truncate(time.Second)
}

// expired reports whether a challenge has expired, even if Expire has not
// recorded it yet.
func expired(ch storage.Challenge, now time.Time) bool {
	return ch.State == storage.ChallengeExpired ||
		ch.State == storage.ChallengeOpen && !ch.ExpiresAt.IsZero() && !now.Before(ch.ExpiresAt)
}

// Expire records that a challenge has expired, so that its message says so. It
// does nothing if the challenge has been answered or has not expired.
func (h *Host) Expire(ctx context.Context, id storage.ChallengeID) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		ch, err := challenge(tx, id)
		if err != nil {
			return err
		}
		if ch.State != storage.ChallengeOpen || !expired(ch, h.Now()) {
			return nil
		}
		return tx.ResolveChallenge(id, storage.ChallengeExpired, 0, ch.ExpiresAt)
	})
}
