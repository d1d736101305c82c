package storagetest

import (
	"testing"

	"castellan/storage"
)

var threadTests = []test{
	{"WhatIsSetReplacesWhatWas", func(t *testing.T, s storage.Store) {
		id, other := insertChallenge(t, s, newChallenge()), insertChallenge(t, s, newChallenge())
		for _, want := range []storage.ThreadState{
			storage.ThreadNone, storage.ThreadWanted, storage.ThreadCreated, storage.ThreadRefused, storage.ThreadWanted, storage.ThreadNone,
		} {
			update(t, s, func(tx storage.Tx) error { return tx.SetThread(id, want) })
			if got := threadOf(t, s, id); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if got := threadOf(t, s, other); got != storage.ThreadNone {
				t.Errorf("another challenge became %q", got)
			}
		}
	}},
	{"ADueBoardMoves", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		to := storage.Place{Guild: "g", Channel: "thread"}
		place := func() storage.Place {
			t.Helper()
			all := view(t, s, func(r storage.Reader) ([]storage.Board, error) { return r.Boards(match) })
			return all[len(all)-1].Place
		}
		move := func() { update(t, s, func(tx storage.Tx) error { return tx.MoveDueBoard(match, to) }) }
		move() // there is none
		from := storage.Place{Guild: "g", Channel: "c"}
		due := func() storage.BoardID {
			return insert(t, s, func(tx storage.Tx) (storage.BoardID, error) {
				return tx.InsertBoard(storage.Board{Match: match, Place: from})
			})
		}
		due()
		move()
		if got := place(); got != to {
			t.Errorf("it is at %v", got)
		}
		board := due()
		update(t, s, func(tx storage.Tx) error { return tx.MarkBoardPosted(board, "m") })
		move()
		if got := place(); got != from {
			t.Errorf("one that stands there went to %v", got)
		}
	}},
	{"AnAnsweredChallengeIsRevised", func(t *testing.T, s storage.Store) {
		id := insertChallenge(t, s, newChallenge())
		update(t, s, func(tx storage.Tx) error {
			if err := tx.ResolveChallenge(id, storage.ChallengeDeclined, 0, minute(1)); err != nil {
				return err
			}
			if err := tx.PostponeChallenge(id, minute(9)); err != nil {
				return err
			}
			return tx.ReviseChallenge(id)
		})
		if got := challengeOf(t, s, id); got.Revision != 2 || got.State != storage.ChallengeDeclined || got.Attempts != 0 || !got.NextAttempt.IsZero() {
			t.Errorf("%+v", got)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.ReviseChallenge(99) })
	}},
}

func threadOf(t *testing.T, s storage.Store, id storage.ChallengeID) storage.ThreadState {
	t.Helper()
	return view(t, s, func(r storage.Reader) (storage.ThreadState, error) { return r.Thread(id) })
}
