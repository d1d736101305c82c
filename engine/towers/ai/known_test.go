package ai

import (
	"slices"
	"testing"

	"castellan/engine/search"
	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// IsLegal agrees with the generator about every action in a row or column.
func TestIsLegal(t *testing.T) {
	randomGames(t, gameCount(4), func(p *towers.Position, s *State) {
		if s.Ending != board.Ongoing {
			return
		}
		legal := s.Moves(nil)
		check := func(m board.Move) {
			if got := s.IsLegal(m); got != slices.Contains(legal, search.Move(m)) {
				t.Fatalf("%v is legal: %t, in\n%s", towers.ActionOf(m), got, p.Text())
			}
		}
		for n := range board.Cell(s.Points + 2) {
			if n > 0 {
				check(board.NewMove(board.Import, 0, n))
			}
		}
		for from := range board.Cell(board.Cells) {
			for to := range board.Cell(board.Cells) {
				same := from%board.Stride == to%board.Stride || from/board.Stride == to/board.Stride
				if from != to && same && !s.Walls.Has(from) && !s.Walls.Has(to) {
					check(board.NewMove(board.Walk, from, to))
					check(board.NewMove(board.Out, from, to))
				}
			}
		}
	})
}

// quiet positions have no strike and few enough points for all turns to be
// searched.
func quietPositions(t *testing.T, points uint8, each func(p *towers.Position, s *State)) {
	t.Helper()
	asked := 0
	randomGames(t, gameCount(4), func(p *towers.Position, s *State) {
		if s.Ending == board.Ongoing && !s.Acted() && s.Points <= points && s.Reserve[s.Mover^1] <= points && s.strikeNow() == never {
			asked++
			each(p, s)
		}
	})
	if asked == 0 {
		t.Error("no position was asked about")
	}
}

// allTurns is wide enough for every turn.
var allTurns = beams{
	last: beam{thoroughWidth, thoroughLimit}, inner: beam{thoroughWidth, thoroughLimit},
	turns: thoroughLimit, fullDepth: thoroughLimit,
}

// Looking for strikes only where they can matter changes no value above alpha.
func TestBestAbove(t *testing.T) {
	above := 0
	quietPositions(t, 3, func(p *towers.Position, s *State) {
		w := &searcher{state: s, beams: &allTurns, noise: 6, seed: 1}
		l := &w.plies[0].list
		l.keySets = &w.sets
		all, _, _, _ := w.bestOfAll(l, search.WinValue, 0)
		for _, alpha := range []int{-search.WinValue, all - 100, all - 1, all, all + 100} {
			got, node, end, _ := w.bestAbove(l, alpha, search.WinValue, 0)
			if want := max(alpha, all); got != want {
				t.Fatalf("%d above %d, want %d, in\n%s", got, alpha, want, p.Text())
			}
			if got <= alpha || end == search.NoMove {
				continue
			}
			above++
			made := l.makePath(s, node)
			if key := search.Move(s.EndKey()); key != end {
				t.Fatalf("key %d, want %d, in\n%s", key, end, p.Text())
			}
			unmake(s, made)
		}
	})
	if above == 0 {
		t.Error("no value was above alpha")
	}
}

// If every turn is searched, it does not matter which are tried first.
func TestKnownTurnsKeepTheValue(t *testing.T) {
	asked, known := 0, 0
	quietPositions(t, 2, func(p *towers.Position, s *State) {
		asked++
		if asked%4 != 0 || s.Passed || s.Repeated { // draws depend on the way to a position
			return
		}
		value := func(quick bool) (v int) {
			w := &searcher{state: s, beams: &allTurns, table: search.NewTable(1<<16, 0), quick: quick, best: newBestLines(0, 1<<16)}
			for depth := 1; depth <= 3; depth++ {
				v = w.negamax(depth, -search.WinValue, search.WinValue, 0)
			}
			for i := range w.plies {
				if w.plies[i].killers != (killers{}) {
					known++
				}
			}
			return v
		}
		if got, want := value(true), value(false); got != want {
			t.Errorf("value %d with known turns, %d without, in\n%s", got, want, p.Text())
		}
	})
	if known == 0 {
		t.Error("no turn was known")
	}
}

// A set keeps its keys and numbers when it grows, and forgets them when cleared.
func TestKeySet(t *testing.T) {
	var s keySet
	for round := range 2 {
		s.clear()
		for i := range int32(10 * keySetRoom) {
			if _, isNew := s.insert(search.Mix(uint64(i)), i); !isNew {
				t.Fatalf("round %d: key %d is there already", round, i)
			}
		}
		for i := range int32(10 * keySetRoom) {
			if was, isNew := s.insert(search.Mix(uint64(i)), -1); isNew || was != i {
				t.Fatalf("round %d: key %d has number %d, new: %t", round, i, was, isNew)
			}
		}
	}
}
