package storagetest

import (
	"reflect"
	"testing"
	"time"

	"castellan/storage"
)

var censusTests = []test{
	{"OfNothing", func(t *testing.T, s storage.Store) {
		if got := censusOf(t, s, minute(0)); !reflect.DeepEqual(got, storage.Counts{Matches: map[storage.GameEnding]int{}}) {
			t.Errorf("%+v", got)
		}
	}},
	{"CountsByGameAndEnding", func(t *testing.T, s storage.Store) {
		for i, m := range []struct{ game, ending string }{
			{"a", ""}, {"a", "rules"}, {"a", "rules"}, {"a", "resignation"}, {"b", ""}, {"b", ""},
		} {
			match := newMatch("c", i, alice, bob)
			match.Game = m.game
			id := insertMatch(t, s, match)
			if m.ending != "" {
				update(t, s, func(tx storage.Tx) error { return tx.EndMatch(id, m.ending, minute(30)) })
			}
		}
		want := map[storage.GameEnding]int{{Game: "a"}: 1, {Game: "a", Ending: "rules"}: 2, {Game: "a", Ending: "resignation"}: 1, {Game: "b"}: 2}
		if got := censusOf(t, s, minute(0)); !reflect.DeepEqual(got.Matches, want) {
			t.Errorf("%v, want %v", got.Matches, want)
		}
	}},
	{"CountsWhatWaitsForAComputer", func(t *testing.T, s storage.Store) {
		for _, since := range []time.Time{{}, minute(1), minute(2)} {
			m := newMatch("c", 0, alice, casual)
			m.ComputerTurnSince = since
			insertMatch(t, s, m)
		}
		if got := censusOf(t, s, minute(0)).ComputerTurns; got != 2 {
			t.Errorf("%d, want 2", got)
		}
	}},
	// Whatever Work would do next, and nothing else, is behind.
	{"WhatIsBehindIsTheWork", func(t *testing.T, s storage.Store) {
		for _, state := range boardStates {
			id := inState(t, s, state)
			update(t, s, func(tx storage.Tx) error { return tx.PostponeBoard(id, minute(5)) })
		}
		shown := insertChallenge(t, s, newChallenge())
		update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(shown, "m", 0) })
		insertChallenge(t, s, newChallenge())
		late := insertChallenge(t, s, newChallenge())
		update(t, s, func(tx storage.Tx) error {
			if err := tx.PostponeChallenge(late, minute(5)); err != nil {
				return err
			}
			return tx.ResolveChallenge(shown, storage.ChallengeDeclined, 0, minute(1))
		})
		for _, now := range []time.Time{minute(4), minute(5)} {
			w := view(t, s, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(now, 100) })
			got := censusOf(t, s, now)
			if got.PendingBoards != len(w.Boards) || got.PendingChallenges != len(w.Challenges) || got.OpenChallenges != 2 || len(w.Boards) == 0 || len(w.Challenges) == 0 {
				t.Errorf("%+v, and the work is %d boards, %d challenges", got, len(w.Boards), len(w.Challenges))
			}
		}
	}},
	{"ATimeThatIsMissing", func(t *testing.T, s storage.Store) {
		err := s.View(t.Context(), func(r storage.Reader) error {
			_, err := r.Counts(time.Time{})
			return err
		})
		if err == nil {
			t.Error("no time is taken for a time")
		}
	}},
}

func censusOf(t *testing.T, s storage.Store, now time.Time) storage.Counts {
	t.Helper()
	return view(t, s, func(r storage.Reader) (storage.Counts, error) { return r.Counts(now) })
}
