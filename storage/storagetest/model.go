package storagetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"castellan/storage"
)

// boardModel runs random work on the boards of one match against the store and
// against a plain model of the contract.
func boardModel(t *testing.T, s storage.Store) {
	if raceEnabled {
		t.Skip("thousands of steps in one goroutine: nothing for the race detector")
	}
	rapid.Check(t, func(t *rapid.T) {
		m := &model{store: s, shown: -1}
		m.match = insertMatch(t, s, newMatch("c", 0, alice, bob))
		t.Repeat(rapid.StateMachineActions(m))
	})
}

// model is the boards of a match as the contract says, in a slice.
type model struct {
	store  storage.Store
	match  storage.MatchID
	shown  int
	boards []storage.Board
}

// do runs some changes in one update, which is sometimes rolled back; then the
// model forgets them, too.
func (m *model) do(t *rapid.T, changes ...func(tx storage.Tx) error) {
	shown, boards := m.shown, slices.Clone(m.boards)
	fails := rapid.IntRange(0, 5).Draw(t, "rollback") == 0
	undone := errors.New("undone")
	err := m.store.Update(context.Background(), func(tx storage.Tx) error {
		for _, change := range changes {
			if err := change(tx); err != nil {
				return err
			}
		}
		if fails {
			return undone
		}
		return nil
	})
	if fails {
		m.shown, m.boards = shown, boards
		if err != undone {
			t.Fatalf("update: %v, want it undone", err)
		}
	} else if err != nil {
		t.Fatalf("update: %v", err)
	}
}

// pick is the place of some board.
func (m *model) pick(t *rapid.T) int {
	if len(m.boards) == 0 {
		t.Skip("no boards")
	}
	return rapid.IntRange(0, len(m.boards)-1).Draw(t, "board")
}

func (m *model) insert(t *rapid.T) func(tx storage.Tx) error {
	b := storage.Board{
		Match:       m.match,
		Seq:         rapid.IntRange(0, 3).Draw(t, "seq"),
		Place:       storage.Place{Guild: "g", Channel: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "channel")},
		Notify:      rapid.Bool().Draw(t, "notify"),
		NextAttempt: aTime(t),
	}
	return func(tx storage.Tx) error {
		id, err := tx.InsertBoard(b)
		if err != nil {
			return err
		}
		b := b
		b.ID, b.State = id, storage.BoardDue
		for i := range m.boards {
			switch old := &m.boards[i]; old.State {
			case storage.BoardDue:
				b.Notify = b.Notify || old.Notify && old.Seq == b.Seq
				old.State, old.Attempts, old.NextAttempt = storage.BoardSkipped, 0, b.NextAttempt
			case storage.BoardPosted:
				old.State, old.Attempts, old.NextAttempt = storage.BoardStale, 0, b.NextAttempt
			}
		}
		m.boards = append(m.boards, b)
		return nil
	}
}

func (m *model) posted(t *rapid.T, i int) func(tx storage.Tx) error {
	message := fmt.Sprint(rapid.IntRange(1, 99).Draw(t, "message"))
	return func(tx storage.Tx) error {
		b := &m.boards[i]
		switch b.State {
		case storage.BoardDue:
			b.State, b.Message, b.Attempts, b.NextAttempt = storage.BoardPosted, message, 0, time.Time{}
		case storage.BoardSkipped:
			b.State, b.Message, b.Attempts, b.NextAttempt = storage.BoardStale, message, 0, time.Time{}
		}
		m.shown = max(m.shown, b.Seq)
		return tx.MarkBoardPosted(b.ID, message)
	}
}

func aTime(t *rapid.T) time.Time {
	n := rapid.IntRange(-1, 5).Draw(t, "minute")
	if n < 0 {
		return time.Time{}
	}
	return minute(n)
}

func (m *model) Insert(t *rapid.T) { m.do(t, m.insert(t)) }

// InsertTwice is one transaction with two boards.
func (m *model) InsertTwice(t *rapid.T) { m.do(t, m.insert(t), m.insert(t)) }

func (m *model) Posted(t *rapid.T) { m.do(t, m.posted(t, m.pick(t))) }

func (m *model) PostedNewest(t *rapid.T) {
	m.pick(t)
	m.do(t, m.posted(t, len(m.boards)-1))
}

func (m *model) Collapsed(t *rapid.T) {
	i := m.pick(t)
	m.do(t, func(tx storage.Tx) error {
		b := &m.boards[i]
		switch b.State {
		case storage.BoardStale:
			b.State, b.Attempts, b.NextAttempt = storage.BoardCollapsed, 0, time.Time{}
		case storage.BoardSkipped:
			b.Attempts, b.NextAttempt = 0, time.Time{}
		}
		return tx.MarkBoardCollapsed(b.ID)
	})
}

func (m *model) Failed(t *rapid.T) {
	i, next := m.pick(t), aTime(t)
	m.do(t, func(tx storage.Tx) error {
		b := &m.boards[i]
		b.Attempts, b.NextAttempt = b.Attempts+1, next
		return tx.PostponeBoard(b.ID, next)
	})
}

// Check compares the store with the model.
func (m *model) Check(t *rapid.T) {
	all := boardsOf(t, m.store, m.match)
	if len(all)+len(m.boards) > 0 && !reflect.DeepEqual(all, m.boards) {
		t.Fatalf("the boards are\n%+v\nwant\n%+v", all, m.boards)
	}
	match := view(t, m.store, func(r storage.Reader) (storage.Match, error) { return r.Match(m.match) })
	if match.ShownSeq != m.shown {
		t.Fatalf("the match is shown up to %d, want %d", match.ShownSeq, m.shown)
	}
	current := 0
	for _, b := range all {
		if b.State == storage.BoardDue || b.State == storage.BoardPosted {
			current++
		}
	}
	if current > 1 {
		t.Fatalf("%d boards are due or posted", current)
	}

	now := minute(2)
	want := []storage.Board{}
	for _, b := range m.boards {
		behind := b.State == storage.BoardDue || b.State == storage.BoardStale || b.State == storage.BoardSkipped && !b.NextAttempt.IsZero()
		if behind && !b.NextAttempt.After(now) {
			want = append(want, b)
		}
	}
	slices.SortStableFunc(want, func(a, b storage.Board) int { return a.NextAttempt.Compare(b.NextAttempt) })
	work := view(t, m.store, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(now, 1<<20) })
	mine := slices.DeleteFunc(work.Boards, func(b storage.Board) bool { return b.Match != m.match })
	if len(mine)+len(want) > 0 && !reflect.DeepEqual(mine, want) {
		t.Fatalf("the work is\n%+v\nwant\n%+v", mine, want)
	}
}
