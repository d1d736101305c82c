package storagetest

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/storage"
)

var matchTests = []test{
	{"NoSuchMatch", func(t *testing.T, s storage.Store) {
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.Match(1); return err })
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.Match(-1); return err })
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.EndMatch(1, "rules", minute(1)) })
	}},
	{"AMatchComesBackAsItWas", func(t *testing.T, s storage.Store) {
		challenge := insert(t, s, func(tx storage.Tx) (storage.ChallengeID, error) { return tx.InsertChallenge(newChallenge()) })
		east := time.FixedZone("east", 5*3600+45*60)
		for _, m := range []storage.Match{
			newMatch("c", 0, alice, bob),
			{Game: "g", CreatedAt: minute(1)},
			{
				Challenge:    challenge,
				Place:        storage.Place{Guild: "", Channel: "18446744073709551615"},
				Game:         "another-game",
				RulesVersion: 7,
				Options:      "size=9 set=a+b",
				Seed:         math.MaxUint64,
				Seats:        []storage.Person{carol, alice, bob, alice},
				CreatedAt:    time.Date(2026, 7, 8, 9, 10, 11, 123456789, east),
			},
			{Game: "g", Seed: 1 << 63, CreatedAt: time.Date(1800, 1, 1, 0, 0, 0, 1, time.UTC)},
			{Game: "g", Seed: 1<<63 - 1, CreatedAt: time.Date(2200, 12, 31, 23, 59, 59, 999999999, time.UTC)},
			{Game: "g", CreatedAt: time.Unix(0, 0)},
			{Game: "g", CreatedAt: time.Unix(-1, 0)},
		} {
			id := insertMatch(t, s, m)
			want := m
			want.ID, want.ShownSeq, want.CreatedAt = id, -1, m.CreatedAt.UTC()
			if got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }); !reflect.DeepEqual(got, want) {
				t.Errorf("match\n%+v is read as\n%+v", want, got)
			}
		}
	}},
	{"WhatTheStoreSetsIsNotTakenFromTheCaller", func(t *testing.T, s storage.Store) {
		m := newMatch("c", 0, alice, bob)
		m.ID, m.Seq, m.ShownSeq, m.Ending, m.EndedAt = 77, 5, 4, "rules", minute(9)
		id := insertMatch(t, s, m)
		want := newMatch("c", 0, alice, bob)
		want.ID, want.ShownSeq = id, -1
		if got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }); !reflect.DeepEqual(got, want) {
			t.Errorf("the match is %+v, want %+v", got, want)
		}
	}},
	{"NamesAreTextOfAnyKind", func(t *testing.T, s storage.Store) {
		for _, name := range awkward {
			m := newMatch(name, 0, storage.Person{ID: name, Name: name}, bob)
			m.Options = name
			id := insertMatch(t, s, m)
			got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
			if got.Seats[0].Name != name || got.Seats[0].ID != name || got.Place.Channel != name || got.Options != name {
				t.Errorf("%q is read as %+v", name, got)
			}
			mine := view(t, s, func(r storage.Reader) ([]storage.Match, error) { return r.RunningMatches(name, name) })
			if !slices.Equal(ids(mine), []storage.MatchID{id}) {
				t.Errorf("the matches of %q are %v, want %d", name, ids(mine), id)
			}
		}
	}},
	{"IdentifiersArePositiveAndNew", func(t *testing.T, s storage.Store) {
		seen := map[storage.MatchID]bool{}
		for range 50 {
			id := insertMatch(t, s, newMatch("c", 0, alice, bob))
			if id <= 0 || seen[id] {
				t.Errorf("identifier %d is not positive or not new", id)
			}
			seen[id] = true
		}
	}},
	{"AMatchEndsOnce", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		appendTo(t, s, id, 0, 2, 1)
		update(t, s, func(tx storage.Tx) error { return tx.EndMatch(id, "resignation", minute(5)) })
		wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error { return tx.EndMatch(id, "abort", minute(6)) })
		m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
		if m.Ending != "resignation" || !m.EndedAt.Equal(minute(5)) || m.EndedAt.Location() != time.UTC || m.Seq != 2 {
			t.Errorf("the match is %+v", m)
		}
	}},
	{"RunningMatchesOfAPersonAndAChannel", func(t *testing.T, s storage.Store) {
		ab := insertMatch(t, s, newMatch("x", 0, alice, bob))
		ba := insertMatch(t, s, newMatch("y", 1, bob, alice))
		bc := insertMatch(t, s, newMatch("x", 2, bob, carol))
		self := insertMatch(t, s, newMatch("x", 3, alice, alice))
		ended := insertMatch(t, s, newMatch("x", 4, alice, bob))
		for i, id := range []storage.MatchID{ab, ba, bc, self, ended} {
			appendTo(t, s, id, 0, 1, 10+i)
		}
		update(t, s, func(tx storage.Tx) error { return tx.EndMatch(ended, "rules", minute(20)) })
		check := func(name string, want []storage.MatchID, read func(r storage.Reader) ([]storage.Match, error)) {
			t.Helper()
			all := view(t, s, read)
			if !slices.Equal(ids(all), want) {
				t.Errorf("%s: %v, want %v", name, ids(all), want)
			}
			for _, m := range all {
				if len(m.Seats) != 2 {
					t.Errorf("%s: match %d has the seats %v", name, m.ID, m.Seats)
				}
			}
		}
		running := func(person, channel string) func(storage.Reader) ([]storage.Match, error) {
			return func(r storage.Reader) ([]storage.Match, error) { return r.RunningMatches(person, channel) }
		}
		check("Alice in x", []storage.MatchID{self, ab}, running(alice.ID, "x"))
		check("Alice everywhere", []storage.MatchID{self, ba, ab}, running(alice.ID, ""))
		check("Carol in y", []storage.MatchID{}, running(carol.ID, "y"))
		check("nobody", []storage.MatchID{}, running("", ""))
		check("Alice by name", []storage.MatchID{}, running(alice.Name, ""))
		in := func(r storage.Reader) ([]storage.Match, error) { return r.RunningInChannel("x") }
		check("channel x", []storage.MatchID{self, bc, ab}, in)
		check("all", []storage.MatchID{ab, ba, bc, self}, storage.Reader.AllRunning)

		// A new entry brings its match to the top, and leaves the age alone.
		appendTo(t, s, ab, 1, 1, 30)
		check("channel x after an entry", []storage.MatchID{ab, self, bc}, in)
		check("Alice after an entry", []storage.MatchID{ab, self, ba}, running(alice.ID, ""))
		check("all after an entry", []storage.MatchID{ab, ba, bc, self}, storage.Reader.AllRunning)
	}},
	{"SeatsKeepTheirOrder", func(t *testing.T, s storage.Store) {
		want := []storage.Person{bob, alice, carol, {ID: "9"}, {ID: "10"}, {ID: "1"}}
		insertMatch(t, s, newMatch("x", 0, want...))
		insertMatch(t, s, newMatch("x", 1, alice))
		all := view(t, s, storage.Reader.AllRunning)
		if len(all) != 2 || !slices.Equal(all[0].Seats, want) || !slices.Equal(all[1].Seats, []storage.Person{alice}) {
			t.Errorf("the matches are %+v", all)
		}
	}},
}

// awkward is names that people have, or try.
var awkward = []string{
	"Zoë", "日本語の名前", "محمد", "👩‍👩‍👧‍👦", "e\u0301", "a\u200bb", "\u202eevil", "O'Brien", `"quoted"`,
	"'; DROP TABLE matches; --", "**bold** @everyone", "a\nb\tc", "%_$1?:x", " ", strings.Repeat("é", 4000),
}

var entryTests = []test{
	{"NoSuchLog", func(t *testing.T, s storage.Store) {
		log := view(t, s, func(r storage.Reader) ([]storage.Entry, error) { return r.Entries(99) })
		if len(log) != 0 {
			t.Errorf("the log of no match is %v", log)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.Append(99, 0, entries(0, 1, 0)) })
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.Append(99, 0, nil) })
	}},
	{"EntriesComeBackInOrderAsTheyWere", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		other := insertMatch(t, s, newMatch("c", 0, alice, bob))
		west := time.FixedZone("west", -8*3600)
		var want []storage.Entry
		for i, text := range append([]string{"", "a2", "right"}, awkward...) {
			want = append(want, storage.Entry{
				Seq: i + 1, Kind: "kind", Seat: i % 7, Text: text, Interaction: "interaction",
				At: time.Date(2026, 2, 3, 4, 5, 6, 7+i, west),
			})
		}
		update(t, s, func(tx storage.Tx) error { return tx.Append(id, 0, want[:1]) })
		update(t, s, func(tx storage.Tx) error { return tx.Append(other, 0, entries(0, 3, 0)) })
		update(t, s, func(tx storage.Tx) error { return tx.Append(id, 1, want[1:]) })
		for i := range want {
			want[i].At = want[i].At.UTC()
		}
		got := view(t, s, func(r storage.Reader) ([]storage.Entry, error) { return r.Entries(id) })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("entries\n%+v\nare read as\n%+v", want, got)
		}
		m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
		if m.Seq != len(want) {
			t.Errorf("the match is at %d, want %d", m.Seq, len(want))
		}
	}},
	{"OfTwoWritersOneWins", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		appendTo(t, s, id, 0, 2, 0)
		for _, after := range []int{-1, 0, 1, 3, 100} {
			wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error {
				return tx.Append(id, after, entries(after, 2, 5))
			})
			wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error { return tx.Append(id, after, nil) })
		}
		log := view(t, s, func(r storage.Reader) ([]storage.Entry, error) { return r.Entries(id) })
		if !reflect.DeepEqual(log, entries(0, 2, 0)) {
			t.Errorf("the log is %+v", log)
		}
		appendTo(t, s, id, 2, 1, 6)
	}},
	{"AConflictLeavesTheTransactionWhole", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		update(t, s, func(tx storage.Tx) error {
			if err := tx.Append(id, 0, entries(0, 1, 0)); err != nil {
				return err
			}
			_ = tx.Append(id, 0, entries(0, 1, 0))
			return tx.Append(id, 1, entries(1, 1, 1))
		})
		m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
		if m.Seq != 2 {
			t.Errorf("the match is at %d, want 2", m.Seq)
		}
	}},
	{"NoEntriesAreNothing", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		update(t, s, func(tx storage.Tx) error { return tx.Append(id, 0, nil) })
		m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
		if m.Seq != 0 {
			t.Errorf("the match is at %d, want 0", m.Seq)
		}
	}},
}
