package ai

import (
	"math/rand/v2"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// boards is options of every kind of board: the smallest, the default, the
// widest that fits into a pair of words and those that do not.
var boards = []string{
	"size=5 towers=1", "size=5 towers=3", "size=7 towers=4 distance=0", "size=9 towers=2 distance=3",
	"", "size=11 towers=9 distance=0", "size=13 towers=5", "size=21 towers=9",
}

// position is the start with options such as "size=5 towers=1".
func position(t testing.TB, options string) *trails.Position {
	t.Helper()
	o, err := trails.Game{}.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := trails.Game{}.New(o, 2)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*trails.Position)
}

// apply plays a move that must be legal.
func apply(t testing.TB, p engine.Position, a engine.Action) *trails.Position {
	t.Helper()
	next, err := p.Apply(a)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return next.(*trails.Position)
}

// later is the position after so many random moves from the start, or the last
// before the game would be over.
func later(t testing.TB, options string, moves int, r *rand.Rand) *trails.Position {
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

func of(t testing.TB, p engine.Position) *State {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// same compares everything but what was made.
func same(a, b *State) bool {
	return a.free == b.free && a.tower == b.tower && a.sides == b.sides && a.filled == b.filled &&
		a.legal == b.legal && (a.mover == b.mover || a.winner >= 0) && a.need == b.need && a.winner == b.winner
}

// agrees compares a state with the position that it stands for.
func agrees(t *testing.T, s *State, p *trails.Position) {
	t.Helper()
	if got, want := s.Seat(), int(p.Seat())-1; got != want {
		t.Fatalf("seat %d, the rules have %d", got, want)
	}
	if fresh := of(t, p); !same(s, fresh) || s.filled != s.scratch() {
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
		s.Share(share)
		r, _ := p.Result()
		search.Share(r, want)
		if share[0] != want[0] || share[1] != want[1] {
			t.Fatalf("shares %v of %v", share, r)
		}
	}
}

// The moves of random games are those of the rules, and so is their end.
func TestStateFollowsTheRules(t *testing.T) {
	for _, options := range boards {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 1))
			p := position(t, options)
			s := of(t, p)
			for {
				agrees(t, s, p)
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

// What was made can be taken back, to the last bit.
func TestUnmakeRestoresEverything(t *testing.T) {
	for _, options := range boards {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 2))
			s := of(t, position(t, options))
			var before []State
			var hashes []uint64
			for s.Seat() >= 0 {
				before, hashes = append(before, *s), append(hashes, s.Hash())
				moves := s.Moves(nil)
				s.Make(moves[r.IntN(len(moves))])
			}
			for i := len(before) - 1; i >= 0; i-- {
				s.Unmake()
				if !same(s, &before[i]) || s.mover != before[i].mover || s.Hash() != hashes[i] {
					t.Fatalf("%s: move %d of seed %d was not taken back", options, i, seed)
				}
			}
		}
	}
}

// Whose move it is counts, and a run that a player could still go on with; one
// that can never be gone on with does not.
func TestHashIsOfWhatStillMatters(t *testing.T) {
	after := func() *State {
		var p engine.Position = position(t, "")
		for _, d := range []trails.Direction{trails.Right, trails.Up} {
			p = apply(t, p, d)
		}
		return of(t, p)
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

// Another game's position is refused, and both games are named.
func TestOtherGamesAreRefused(t *testing.T) {
	g := rings.Game{}
	o, err := g.Options().Parse("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Brain().Levels {
		_, err := l.Player.Think(t.Context(), p, search.Limits{Nodes: 10})
		if err == nil || !strings.Contains(err.Error(), "rings") || !strings.Contains(err.Error(), "trails") {
			t.Errorf("%s: %v", l.Key, err)
		}
	}
}
