package storagetest

import (
	"reflect"
	"testing"
	"time"

	"castellan/storage"
)

// boardsOf is the boards of a match.
func boardsOf(t fataler, s storage.Store, id storage.MatchID) []storage.Board {
	t.Helper()
	return view(t, s, func(r storage.Reader) ([]storage.Board, error) { return r.Boards(id) })
}

func boardOf(t fataler, s storage.Store, id storage.BoardID) storage.Board {
	t.Helper()
	return view(t, s, func(r storage.Reader) (storage.Board, error) { return r.Board(id) })
}

func insertBoard(t fataler, s storage.Store, b storage.Board) storage.BoardID {
	t.Helper()
	return insert(t, s, func(tx storage.Tx) (storage.BoardID, error) { return tx.InsertBoard(b) })
}

func posted(t fataler, s storage.Store, id storage.BoardID, message string) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error { return tx.MarkBoardPosted(id, message) })
}

// inState is a board in a state, on a match of its own.
func inState(t fataler, s storage.Store, state storage.BoardState) storage.BoardID {
	t.Helper()
	match := insertMatch(t, s, newMatch("c", 0, alice, bob))
	id := insertBoard(t, s, storage.Board{Match: match, Seq: 3})
	if state != storage.BoardDue && state != storage.BoardSkipped {
		posted(t, s, id, "first")
	}
	if state != storage.BoardDue && state != storage.BoardPosted {
		insertBoard(t, s, storage.Board{Match: match, Seq: 4})
	}
	if state == storage.BoardCollapsed {
		update(t, s, func(tx storage.Tx) error { return tx.MarkBoardCollapsed(id) })
	}
	if got := boardOf(t, s, id).State; got != state {
		t.Fatalf("the board is %s, want %s", got, state)
	}
	return id
}

var boardStates = []storage.BoardState{
	storage.BoardDue, storage.BoardPosted, storage.BoardStale, storage.BoardCollapsed, storage.BoardSkipped,
}

var boardTests = []test{
	{"NoSuchBoard", func(t *testing.T, s storage.Store) {
		for _, do := range []func(tx storage.Tx) error{
			func(tx storage.Tx) error { _, err := tx.Board(9); return err },
			func(tx storage.Tx) error { return tx.MarkBoardPosted(9, "m") },
			func(tx storage.Tx) error { return tx.MarkBoardCollapsed(9) },
			func(tx storage.Tx) error { return tx.PostponeBoard(9, minute(1)) },
		} {
			wantError(t, s, storage.ErrNotFound, do)
		}
		if all := boardsOf(t, s, 9); len(all) != 0 {
			t.Errorf("the boards of no match are %v", all)
		}
	}},
	{"ANewBoardIsDue", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		b := storage.Board{
			ID: 99, Match: match, Seq: 2, Place: storage.Place{Guild: "g", Channel: "elsewhere"}, Message: "m",
			Notify: true, State: storage.BoardCollapsed, Attempts: 4, NextAttempt: time.Date(2026, 5, 6, 7, 8, 9, 10, time.FixedZone("", 3600)),
		}
		id := insertBoard(t, s, b)
		want := b
		want.ID, want.Message, want.State, want.Attempts, want.NextAttempt = id, "", storage.BoardDue, 0, b.NextAttempt.UTC()
		if got := boardOf(t, s, id); got != want {
			t.Errorf("the board is\n%+v, want\n%+v", got, want)
		}
		if all := boardsOf(t, s, match); len(all) != 1 || all[0] != want {
			t.Errorf("the boards are %+v", all)
		}
		if m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(match) }); m.ShownSeq != -1 {
			t.Errorf("a board that is due is taken for shown: %d", m.ShownSeq)
		}
	}},
	{"ANewBoardRetiresTheOneBefore", func(t *testing.T, s storage.Store) {
		want := map[storage.BoardState]storage.BoardState{
			storage.BoardDue:       storage.BoardSkipped,
			storage.BoardPosted:    storage.BoardStale,
			storage.BoardStale:     storage.BoardStale,
			storage.BoardCollapsed: storage.BoardCollapsed,
			storage.BoardSkipped:   storage.BoardSkipped,
		}
		for _, state := range boardStates {
			id := inState(t, s, state)
			update(t, s, func(tx storage.Tx) error { return tx.PostponeBoard(id, minute(9)) })
			before := boardOf(t, s, id)
			newer := insertBoard(t, s, storage.Board{Match: before.Match, Seq: 5})
			after := before
			after.State = want[state]
			if state == storage.BoardDue || state == storage.BoardPosted {
				after.Attempts, after.NextAttempt = 0, time.Time{}
			}
			if got := boardOf(t, s, id); got != after {
				t.Errorf("a %s board becomes\n%+v, want\n%+v", state, got, after)
			}
			all := boardsOf(t, s, before.Match)
			if last := all[len(all)-1]; last.ID != newer || last.State != storage.BoardDue || last.ID <= all[0].ID {
				t.Errorf("the boards are not oldest first: %+v", all)
			}
		}
	}},
	{"ANewBoardLeavesOtherMatchesAlone", func(t *testing.T, s storage.Store) {
		one := insertMatch(t, s, newMatch("c", 0, alice, bob))
		two := insertMatch(t, s, newMatch("c", 0, alice, bob))
		first := insertBoard(t, s, storage.Board{Match: one, Seq: 1, Notify: true})
		second := insertBoard(t, s, storage.Board{Match: two, Seq: 1})
		if got := boardOf(t, s, first); got.State != storage.BoardDue {
			t.Errorf("the board of the other match is %s", got.State)
		}
		if boardOf(t, s, second).Notify {
			t.Error("it notifies for the board of the other match")
		}
	}},
	{"ANewBoardOwesTheNoticeOfTheSkippedOne", func(t *testing.T, s storage.Store) {
		tests := []struct {
			name         string
			post         bool // the older one was posted
			older, newer storage.Board
			want         bool
		}{
			{"of the same entry", false, storage.Board{Seq: 2, Notify: true}, storage.Board{Seq: 2}, true},
			{"of another entry", false, storage.Board{Seq: 2, Notify: true}, storage.Board{Seq: 3}, false},
			{"that was not to notify", false, storage.Board{Seq: 2}, storage.Board{Seq: 2}, false},
			{"that has notified", true, storage.Board{Seq: 2, Notify: true}, storage.Board{Seq: 2}, false},
			{"on its own", false, storage.Board{Seq: 2}, storage.Board{Seq: 2, Notify: true}, true},
		}
		for _, tt := range tests {
			match := insertMatch(t, s, newMatch("c", 0, alice, bob))
			tt.older.Match, tt.newer.Match = match, match
			older := insertBoard(t, s, tt.older)
			if tt.post {
				posted(t, s, older, "m")
			}
			newer := insertBoard(t, s, tt.newer)
			if got := boardOf(t, s, newer).Notify; got != tt.want {
				t.Errorf("%s: notify is %t, want %t", tt.name, got, tt.want)
			}
			// And it is handed on.
			third := insertBoard(t, s, tt.newer)
			if got := boardOf(t, s, third).Notify; got != tt.want {
				t.Errorf("%s: a third: notify is %t, want %t", tt.name, got, tt.want)
			}
		}
	}},
	{"PostingABoard", func(t *testing.T, s storage.Store) {
		want := map[storage.BoardState]storage.BoardState{
			storage.BoardDue:       storage.BoardPosted,
			storage.BoardPosted:    storage.BoardPosted,
			storage.BoardStale:     storage.BoardStale,
			storage.BoardCollapsed: storage.BoardCollapsed,
			storage.BoardSkipped:   storage.BoardStale,
		}
		for _, state := range boardStates {
			id := inState(t, s, state)
			update(t, s, func(tx storage.Tx) error { return tx.PostponeBoard(id, minute(9)) })
			after := boardOf(t, s, id)
			if state == storage.BoardDue || state == storage.BoardSkipped {
				after.Message, after.Attempts, after.NextAttempt = "second", 0, time.Time{}
			}
			after.State = want[state]
			posted(t, s, id, "second")
			if got := boardOf(t, s, id); got != after {
				t.Errorf("a %s board becomes\n%+v, want\n%+v", state, got, after)
			}
			m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(after.Match) })
			if m.ShownSeq != 3 {
				t.Errorf("after posting a %s board the match is shown up to %d, want 3", state, m.ShownSeq)
			}
		}
	}},
	{"ShownNeverGoesBack", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		early := insertBoard(t, s, storage.Board{Match: match, Seq: 0})
		late := insertBoard(t, s, storage.Board{Match: match, Seq: 4})
		shown := func() int {
			return view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(match) }).ShownSeq
		}
		posted(t, s, late, "late")
		posted(t, s, early, "early") // its post was on the way when it was skipped
		if shown() != 4 {
			t.Errorf("the match is shown up to %d, want 4", shown())
		}
		again := insertBoard(t, s, storage.Board{Match: match, Seq: 4})
		posted(t, s, again, "again")
		if shown() != 4 {
			t.Errorf("the match is shown up to %d, want 4", shown())
		}
		if got := boardOf(t, s, early); got.State != storage.BoardStale || got.Message != "early" {
			t.Errorf("the skipped board that was posted is %+v", got)
		}
	}},
	{"TheFirstBoardShowsTheStart", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		posted(t, s, insertBoard(t, s, storage.Board{Match: match}), "m")
		if m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(match) }); m.ShownSeq != 0 {
			t.Errorf("the match is shown up to %d, want 0", m.ShownSeq)
		}
	}},
	{"CollapsingABoard", func(t *testing.T, s storage.Store) {
		for _, state := range boardStates {
			id := inState(t, s, state)
			update(t, s, func(tx storage.Tx) error { return tx.PostponeBoard(id, minute(9)) })
			after := boardOf(t, s, id)
			if state == storage.BoardStale {
				after.State = storage.BoardCollapsed
			}
			if state == storage.BoardStale || state == storage.BoardSkipped {
				after.Attempts, after.NextAttempt = 0, time.Time{}
			}
			update(t, s, func(tx storage.Tx) error { return tx.MarkBoardCollapsed(id) })
			if got := boardOf(t, s, id); got != after {
				t.Errorf("a %s board becomes\n%+v, want\n%+v", state, got, after)
			}
		}
	}},
	{"FailuresAreCounted", func(t *testing.T, s storage.Store) {
		for _, state := range boardStates {
			id := inState(t, s, state)
			want := boardOf(t, s, id)
			for n := range 3 {
				update(t, s, func(tx storage.Tx) error { return tx.PostponeBoard(id, minute(n)) })
				want.Attempts, want.NextAttempt = n+1, minute(n)
				if got := boardOf(t, s, id); !reflect.DeepEqual(got, want) {
					t.Errorf("after failure %d a %s board is\n%+v, want\n%+v", n+1, state, got, want)
				}
			}
		}
	}},
	{"ABoardComesWithItsEntries", func(t *testing.T, s storage.Store) {
		// One transaction of a turn: the entries, the board, the interaction.
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		update(t, s, func(tx storage.Tx) error {
			if err := tx.Append(id, 0, entries(0, 1, 0)); err != nil {
				return err
			}
			board, err := tx.InsertBoard(storage.Board{Match: id, Seq: 1, Notify: true})
			if err != nil {
				return err
			}
			if err := tx.MarkBoardPosted(board, "m"); err != nil {
				return err
			}
			m, err := tx.Match(id)
			if err != nil || m.Seq != 1 || m.ShownSeq != 1 {
				t.Errorf("within the transaction the match is %+v (%v)", m, err)
			}
			return nil
		})
	}},
	{"Model", boardModel},
}
