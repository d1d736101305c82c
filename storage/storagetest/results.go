package storagetest

import (
	"reflect"
	"slices"
	"testing"

	"castellan/storage"
)

// end ends a match at a minute, with results in the order of its seats; none
// where it was called off.
func end(t fataler, s storage.Store, id storage.MatchID, at int, results ...storage.SeatResult) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error {
		if err := tx.EndMatch(id, "rules", minute(at)); err != nil {
			return err
		}
		return tx.RecordResults(id, results)
	})
}

var (
	won  = storage.SeatResult{Place: 1, Result: storage.Won}
	lost = storage.SeatResult{Place: 2, Result: storage.Lost}
	drew = storage.SeatResult{Place: 1, Result: storage.Drawn}
)

// ended is a match that has ended: made and ended at a minute.
func ended(t fataler, s storage.Store, m storage.Match, at int, results ...storage.SeatResult) storage.MatchID {
	t.Helper()
	id := insertMatch(t, s, m)
	end(t, s, id, at, results...)
	return id
}

var resultTests = []test{
	{"matches end in an order, whatever the clock says", func(t *testing.T, s storage.Store) {
		var all []storage.MatchID
		for range 4 {
			all = append(all, insertMatch(t, s, newMatch("c", 0, alice, bob)))
		}
		for i, n := range []int{2, 0, 3} {
			end(t, s, all[n], 10-i, won, lost)
		}
		list := func(after, limit int) []storage.MatchID {
			return ids(view(t, s, func(r storage.Reader) ([]storage.Match, error) { return r.EndedAfter(after, limit) }))
		}
		want := []storage.MatchID{all[2], all[0], all[3]}
		for _, c := range []struct {
			after, limit int
			want         []storage.MatchID
		}{
			{0, 10, want},
			{0, 2, want[:2]},
			{1, 10, want[1:]},
			{2, 1, want[2:]},
			{3, 10, nil},
			{0, 0, nil},
			{0, -1, nil},
		} {
			if got := list(c.after, c.limit); !slices.Equal(got, c.want) {
				t.Errorf("%d after %d: %v, want %v", c.limit, c.after, got, c.want)
			}
		}
		if m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(all[1]) }); m.EndNumber != 0 {
			t.Errorf("a match that goes on has number %d", m.EndNumber)
		}
	}},
	{"results are of a match that has ended, one for each seat", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob, carol))
		results := []storage.SeatResult{{Place: 1, Result: storage.Shared}, {Place: 3, Result: storage.Lost}, {Place: 1, Result: storage.Shared}}
		wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error { return tx.RecordResults(id, results) })
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.RecordResults(id+1, results) })
		update(t, s, func(tx storage.Tx) error { return tx.EndMatch(id, "rules", minute(1)) })
		get := func() []storage.SeatResult {
			return view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }).Results
		}
		if got := get(); got != nil {
			t.Errorf("before they are recorded: %+v", got)
		}
		for _, want := range [][]storage.SeatResult{results, {won, lost, lost}, nil} {
			update(t, s, func(tx storage.Tx) error { return tx.RecordResults(id, want) })
			if got := get(); !reflect.DeepEqual(got, want) {
				t.Errorf("results %+v, want %+v", got, want)
			}
		}
		if err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.RecordResults(id, results[:2]) }); err == nil {
			t.Error("two results for three seats are taken")
		}
		if err := s.Update(t.Context(), func(tx storage.Tx) error {
			return tx.RecordResults(id, []storage.SeatResult{{Place: 0, Result: storage.Won}, lost, lost})
		}); err == nil {
			t.Error("place 0 is taken")
		}
	}},
	{"whether a match is rated is kept", func(t *testing.T, s storage.Store) {
		for _, unrated := range []bool{false, true} {
			m := newMatch("c", 0, alice, bob)
			m.Unrated = unrated
			id := insertMatch(t, s, m)
			c := newChallenge()
			c.Unrated = unrated
			ch := insertChallenge(t, s, c)
			if got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }); got.Unrated != unrated {
				t.Errorf("the match is unrated: %t", got.Unrated)
			}
			if got := view(t, s, func(r storage.Reader) (storage.Challenge, error) { return r.Challenge(ch) }); got.Unrated != unrated {
				t.Errorf("the challenge is unrated: %t", got.Unrated)
			}
		}
	}},
	{"the scores of a person are those with a result, in the order of the ends", func(t *testing.T, s storage.Store) {
		second := ended(t, s, newMatch("c", 0, bob, alice), 9, won, lost)
		insertMatch(t, s, newMatch("c", 0, alice, bob))
		ended(t, s, newMatch("c", 0, alice, bob), 5) // called off
		other := newMatch("c", 0, alice, carol)
		other.Game = "b-game"
		third := ended(t, s, other, 7, drew, drew)
		want := []storage.MatchResult{
			{Match: second, Game: "a-game", List: storage.PeopleList, At: minute(9), SeatResult: lost},
			{Match: third, Game: "b-game", List: storage.PeopleList, At: minute(7), SeatResult: drew},
		}
		if got := view(t, s, func(r storage.Reader) ([]storage.MatchResult, error) { return r.Results(alice.ID) }); !reflect.DeepEqual(got, want) {
			t.Errorf("scores\n%+v, want\n%+v", got, want)
		}
		if got := view(t, s, func(r storage.Reader) ([]storage.MatchResult, error) { return r.Results("nobody") }); len(got) != 0 {
			t.Errorf("scores of nobody %+v", got)
		}
	}},
	{"encounters are the matches of both with a result", func(t *testing.T, s storage.Store) {
		first := ended(t, s, newMatch("c", 0, alice, bob), 1, won, lost)
		ended(t, s, newMatch("c", 0, alice, carol), 2, won, lost)
		ended(t, s, newMatch("c", 0, alice, bob), 3)
		three := ended(t, s, newMatch("c", 0, carol, bob, alice), 4,
			won, storage.SeatResult{Place: 2, Result: storage.Lost}, storage.SeatResult{Place: 3, Result: storage.Lost})
		want := []storage.Encounter{
			{Match: first, Game: "a-game", At: minute(1), Place: 1, OpponentPlace: 2},
			{Match: three, Game: "a-game", At: minute(4), Place: 3, OpponentPlace: 2},
		}
		met := func(a, b string) []storage.Encounter {
			return view(t, s, func(r storage.Reader) ([]storage.Encounter, error) { return r.Encounters(a, b) })
		}
		if got := met(alice.ID, bob.ID); !reflect.DeepEqual(got, want) {
			t.Errorf("encounters\n%+v, want\n%+v", got, want)
		}
		back := met(bob.ID, alice.ID)
		for i, e := range back {
			if e.Place != want[i].OpponentPlace || e.OpponentPlace != want[i].Place {
				t.Errorf("seen by the other: %+v", e)
			}
		}
		if got := met(alice.ID, alice.ID); len(got) != 0 {
			t.Errorf("with oneself: %+v", got)
		}
	}},
	{"finished matches come newest first, in parts, and only those that concern the viewer", func(t *testing.T, s storage.Store) {
		in := func(guild string, seats ...storage.Person) storage.Match {
			m := newMatch("c", 0, seats...)
			m.Place.Guild = guild
			return m
		}
		insertMatch(t, s, in("g", alice, bob))
		a := ended(t, s, in("g", alice, bob), 1, won, lost)
		b := ended(t, s, in("h", alice, bob), 2) // called off
		c := ended(t, s, in("h", carol, alice), 3, won, lost)
		d := ended(t, s, in("", alice, bob), 4, drew, drew)
		ended(t, s, in("g", carol, bob), 5, won, lost)
		for _, want := range []struct {
			q     storage.EndedQuery
			part  []storage.MatchID
			total int
		}{
			{storage.EndedQuery{Person: alice.ID, Limit: 10}, []storage.MatchID{d, c, b, a}, 4},
			{storage.EndedQuery{Person: alice.ID, Limit: 2, Offset: 1}, []storage.MatchID{c, b}, 4},
			{storage.EndedQuery{Person: alice.ID, Limit: 2, Offset: 9}, nil, 4},
			{storage.EndedQuery{Person: alice.ID, Limit: -1, Offset: -1}, nil, 4},
			{storage.EndedQuery{Person: alice.ID, Viewer: alice.ID, Limit: 10}, []storage.MatchID{d, c, b, a}, 4},
			{storage.EndedQuery{Person: alice.ID, Viewer: carol.ID, Limit: 10}, []storage.MatchID{c}, 1},
			{storage.EndedQuery{Person: alice.ID, Viewer: carol.ID, Guild: "g", Limit: 10}, []storage.MatchID{c, a}, 2},
			{storage.EndedQuery{Person: alice.ID, Viewer: "stranger", Limit: 10}, nil, 0},
			{storage.EndedQuery{Person: "nobody", Limit: 10}, nil, 0},
		} {
			total := 0
			part := view(t, s, func(r storage.Reader) (part []storage.Match, err error) {
				part, total, err = r.EndedMatches(want.q)
				return part, err
			})
			if !slices.Equal(ids(part), want.part) || total != want.total {
				t.Errorf("%+v: %v of %d, want %v of %d", want.q, ids(part), total, want.part, want.total)
			}
			for _, m := range part {
				if len(m.Seats) != 2 || (m.ID == b) != (m.Results == nil) {
					t.Errorf("match %d has seats %v and results %v", m.ID, m.Seats, m.Results)
				}
			}
		}
	}},
}
