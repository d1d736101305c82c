package host

import (
	"castellan/engine/match"
	"castellan/storage"
	"errors"
	"fmt"
)

// LeaveAll resigns the matches of a person and gives up their open challenges and
// seats at tables, within a transaction. Matches that cannot be rebuilt go on.
func (h *Host) LeaveAll(tx storage.Tx, a Actor) error {
	running, err := tx.RunningMatches(a.Person.ID, "")
	if err != nil {
		return err
	}
	for _, rec := range running {
		v, err := h.view(tx, rec.ID)
		if isBroken(err) {
			continue
		}
		if err == nil {
			err = h.leaveMatch(tx, a, v)
		}
		if err != nil {
			return fmt.Errorf("leaving match %d: %w", rec.ID, err)
		}
	}
	return h.LeaveChallenges(tx, a.Person)
}

// LeaveChallenges gives up the open challenges of a person and their seats at tables,
// within a transaction.
func (h *Host) LeaveChallenges(tx storage.Tx, p storage.Person) error {
	open, err := tx.OpenChallenges(p.ID)
	for _, ch := range open {
		if err == nil {
			err = h.leaveChallenge(tx, p, ch)
		}
	}
	return err
}

// leaveMatch resigns a match for a person who still plays, after the loss of an
// opponent whose time is up.
func (h *Host) leaveMatch(tx storage.Tx, a Actor, v *View) error {
	defer h.committed(v)
	err := h.checkTime(tx, a, v)
	cause, _ := h.cause(a, v)
	seat, m := v.SeatOf(a.Person.ID), v.Match
	var entries, more []match.Entry
	if late := m.Seat(); errors.Is(err, ErrTimeUp) && late != seat {
		if entries, err = m.Timeout(late, cause); err == nil {
			m, err = m.With(entries...)
		}
	}
	if err != nil && !errors.Is(err, ErrTimeUp) || !m.Playing(seat) && len(entries) == 0 {
		return err
	}
	if m.Playing(seat) {
		if more, err = (&View{Record: v.Record, Match: m}).resign(seat, cause); err != nil {
			return err
		}
	}
	_, err = h.appendEntries(tx, v, append(entries, more...), cause, nil)
	return err
}

// leaveChallenge withdraws an open challenge of a person, or frees their seat.
func (h *Host) leaveChallenge(tx storage.ChallengeStore, p storage.Person, ch storage.Challenge) error {
	switch {
	case ch.Challenger.ID == p.ID:
		return tx.ResolveChallenge(ch.ID, storage.ChallengeCancelled, 0, h.Now())
	case contains(ch.Invited, p) && !IsLobby(ch):
		return tx.ResolveChallenge(ch.ID, storage.ChallengeDeclined, 0, h.Now())
	case contains(ch.Invited, p), contains(ch.Joined, p):
		return tx.SetChallengePlayers(ch.ID, ch.Revision, without(ch.Joined, p), without(ch.Invited, p))
	}
	return nil
}
