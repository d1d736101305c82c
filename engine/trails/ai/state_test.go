package ai

import (
	"math/rand/v2"
	"os"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// boards is options of every kind of board: the smallest, the default, the
// widest that fits into a pair of words and those that do not.
var boards = []string{
	"size=5 towers=1", "size=5 towers=3", "size=7 towers=4 distance=0", "size=9 towers=2 distance=3",
	"", "size=11 towers=9 distance=0", "size=13 towers=5", "size=21 towers=9",
}

// full runs the tests on more games and positions.
var full = os.Getenv("CASTELLAN_FULL") != ""

// scaled returns n with full, and a part of it otherwise.
func scaled(n int) int {
	if full {
		return n
	}
	return max(n/4, 1)
}

// position returns the first position with options such as "size=5 towers=1".
func position(t testing.TB, options string) *trails.Position {
	return enginetest.Start[*trails.Position](t, trails.Game{}, options, 2)
}

// apply plays a legal move.
func apply(t testing.TB, p engine.Position, a engine.Action) *trails.Position {
	return enginetest.Apply(t, p, a).(*trails.Position)
}

// randomPosition returns the position after so many random moves, or the last
// before the game would be over.
func randomPosition(t testing.TB, options string, moves int, r *rand.Rand) *trails.Position {
	t.Helper()
	p := position(t, options)
	for range moves {
		legal := p.Legal()
		q := apply(t, p, legal[r.IntN(len(legal))])
		if q.Seat() == engine.Nobody {
			break
		}
		p = q
	}
	return p
}

func stateOf(t testing.TB, p engine.Position) *State {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// equalStates compares everything but the undo stack.
func equalStates(a, b *State) bool {
	return a.free == b.free && a.tower == b.tower && a.sides == b.sides && a.filled == b.filled &&
		a.legal == b.legal && (a.mover == b.mover || a.winner >= 0) && a.need == b.need && a.winner == b.winner
}

// checkState compares a state with its position.
func checkState(t *testing.T, s *State, p *trails.Position) {
	t.Helper()
	if got, want := s.Seat(), int(p.Seat())-1; got != want {
		t.Fatalf("seat %d, the rules have %d", got, want)
	}
	if fresh := stateOf(t, p); !equalStates(s, fresh) || s.filled != s.hashBoard() {
		t.Fatalf("%v differs from %v made of the position", s, fresh)
	}
	legal := map[engine.Action]bool{}
	for _, a := range p.Legal() {
		legal[a] = true
	}
	var moves []search.Move
	if s.Seat() >= 0 {
		moves = s.Moves(nil)
	}
	if len(moves) != len(legal) {
		t.Fatalf("%d moves, the rules have %d", len(moves), len(legal))
	}
	for _, m := range moves {
		a := s.Actions(m)
		if len(a) != 1 || !legal[a[0]] {
			t.Fatalf("move %d is %v, which is not legal", m, a)
		}
		if to, _ := p.Target(a[0].(trails.Direction)); s.geo.cell(to) != cell(m>>2) {
			t.Fatalf("%v ends on %v, the rules have %v", a[0], m>>2, to)
		}
		delete(legal, a[0])
	}
	if s.Seat() < 0 {
		share, want := make([]float64, 2), make([]float64, 2)
		s.Payoffs(share)
		r, _ := p.Result()
		search.Payoffs(r, want)
		if share[0] != want[0] || share[1] != want[1] {
			t.Fatalf("shares %v of %v", share, r)
		}
	}
}

// In random games the state has the moves and the results of the rules.
func TestStateFollowsRules(t *testing.T) {
	for _, options := range boards {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 1))
			p := position(t, options)
			s := stateOf(t, p)
			for {
				checkState(t, s, p)
				if p.Seat() == engine.Nobody {
					break
				}
				moves := s.Moves(nil)
				m := moves[r.IntN(len(moves))]
				p = apply(t, p, s.Actions(m)[0])
				s.Make(m)
			}
		}
	}
}

// Unmake restores everything.
func TestUnmake(t *testing.T) {
	for _, options := range boards {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 2))
			s := stateOf(t, position(t, options))
			var before []State
			var hashes []uint64
			for s.Seat() >= 0 {
				before, hashes = append(before, *s), append(hashes, s.Hash())
				moves := s.Moves(nil)
				s.Make(moves[r.IntN(len(moves))])
			}
			for i := len(before) - 1; i >= 0; i-- {
				s.Unmake()
				if !equalStates(s, &before[i]) || s.mover != before[i].mover || s.Hash() != hashes[i] {
					t.Fatalf("%s: move %d of seed %d was not taken back", options, i, seed)
				}
			}
		}
	}
}

// The hash covers the side to move and runs that can still continue, but no
// others.
func TestHash(t *testing.T) {
	after := func() *State {
		var p engine.Position = position(t, "")
		for _, d := range []trails.Direction{trails.Right, trails.Up} {
			p = apply(t, p, d)
		}
		return stateOf(t, p)
	}
	a, b := after(), after()
	if a.Hash() != b.Hash() {
		t.Fatal("a position differs from itself")
	}
	b.mover ^= 1
	if a.Hash() == b.Hash() {
		t.Error("whose move it is does not count")
	}
	b = after()
	b.sides[0].dir = none
	if a.Hash() == b.Hash() {
		t.Error("a run that can be gone on with is like none")
	}
	b = after()
	p := a.sides[0]
	to, _ := a.geo.target(p.dir, p.head, p.boost)
	for _, s := range []*State{a, b} {
		s.free.drop(to)
		s.free.drop(s.geo.next[p.head][p.dir])
	}
	b.sides[0].dir = none
	if a.Hash() != b.Hash() {
		t.Error("a run that can never be gone on with is not like none")
	}
}
