package storagetest

import (
	"reflect"
	"slices"
	"testing"

	"castellan/storage"
)

var allMatchesTests = []test{
	{"ThereAreNone", func(t *testing.T, s storage.Store) {
		for _, after := range []storage.MatchID{-1, 0, 7} {
			if got := matchesAfter(t, s, after, 10); len(got) != 0 {
				t.Errorf("after %d: %+v", after, got)
			}
		}
	}},
	{"PagesGoThroughAll", func(t *testing.T, s storage.Store) {
		var all []storage.Match
		for i, seats := range [][]storage.Person{{alice, bob}, {bob}, {carol, alice, bob}, nil, {alice, carol}} {
			// The newer ones were made earlier: the order is that of the
			// identifiers.
			id := insertMatch(t, s, newMatch("c", 10-i, seats...))
			appendTo(t, s, id, 0, i, 20)
			if i%2 == 1 {
				update(t, s, func(tx storage.Tx) error { return tx.EndMatch(id, "rules", minute(30)) })
			}
			all = append(all, view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }))
		}
		for limit := 1; limit <= 6; limit++ {
			var got []storage.Match
			for last := storage.MatchID(0); ; last = got[len(got)-1].ID {
				page := matchesAfter(t, s, last, limit)
				if len(page) == 0 {
					break
				}
				if len(page) > limit {
					t.Fatalf("%d matches, at most %d were wanted", len(page), limit)
				}
				got = append(got, page...)
			}
			if !reflect.DeepEqual(got, all) {
				t.Errorf("by %d:\n%+v\nwant\n%+v", limit, got, all)
			}
		}
		if got := ids(matchesAfter(t, s, all[2].ID, 10)); !slices.Equal(got, ids(all[3:])) {
			t.Errorf("after the third: %v", got)
		}
		for _, limit := range []int{0, -1} {
			if got := matchesAfter(t, s, 0, limit); len(got) != 0 {
				t.Errorf("limit %d: %+v", limit, got)
			}
		}
	}},
}

func matchesAfter(t *testing.T, s storage.Store, after storage.MatchID, limit int) []storage.Match {
	t.Helper()
	return view(t, s, func(r storage.Reader) ([]storage.Match, error) { return r.MatchesAfter(after, limit) })
}
