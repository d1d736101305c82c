package storagetest

import (
	"testing"

	"castellan/storage"
)

var rematchTests = []test{
	{"TheLastOfAPersonInAChannel", func(t *testing.T, s storage.Store) {
		last := func(person storage.Person, channel string) storage.MatchID {
			t.Helper()
			return view(t, s, func(r storage.Reader) (storage.Match, error) { return r.LastEnded(person.ID, channel) }).ID
		}
		end := func(id storage.MatchID, at int) {
			t.Helper()
			update(t, s, func(tx storage.Tx) error { return tx.EndMatch(id, "rules", minute(at)) })
		}
		first := insertMatch(t, s, newMatch("c", 0, alice, bob))
		second := insertMatch(t, s, newMatch("c", 0, bob, alice, carol))
		running := insertMatch(t, s, newMatch("c", 9, alice, bob))
		elsewhere := insertMatch(t, s, newMatch("d", 0, alice, bob))
		for _, channel := range []string{"c", "d", ""} {
			wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.LastEnded(alice.ID, channel); return err })
		}
		end(second, 5)
		end(first, 6)
		end(elsewhere, 7)
		if a, c, d := last(alice, "c"), last(carol, "c"), last(alice, "d"); a != first || c != second || d != elsewhere {
			t.Errorf("matches %d, %d and %d, want %d, %d and %d", a, c, d, first, second, elsewhere)
		}
		if got := last(alice, ""); got != elsewhere {
			t.Errorf("anywhere: match %d, want %d", got, elsewhere)
		}
		end(running, 6) // at the same time as the first, which is older
		if got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.LastEnded(bob.ID, "c") }); got.ID != running || len(got.Seats) != 2 {
			t.Errorf("%+v, want match %d", got, running)
		}
	}},
	{"TheNewestThatAsksForAnother", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		other := insertMatch(t, s, newMatch("c", 0, alice, bob))
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.RematchFor(match); return err })
		plain := insertChallenge(t, s, newChallenge())
		var newest storage.ChallengeID
		for range 2 {
			newest = insertChallenge(t, s, newChallenge())
			update(t, s, func(tx storage.Tx) error { return tx.RecordRematch(newest, match) })
		}
		if got := view(t, s, func(r storage.Reader) (storage.ChallengeID, error) { return r.RematchFor(match) }); got != newest {
			t.Errorf("challenge %d, want %d", got, newest)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.RematchFor(other); return err })
		for challenge, want := range map[storage.ChallengeID]storage.MatchID{newest: match, plain: 0, 99: 0} {
			if got := view(t, s, func(r storage.Reader) (storage.MatchID, error) { return r.RematchOf(challenge) }); got != want {
				t.Errorf("challenge %d follows match %d, want %d", challenge, got, want)
			}
		}
	}},
}
