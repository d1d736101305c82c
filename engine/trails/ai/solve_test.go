package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
)

// plainWinner finds the winner by the rules alone, visiting every position
// once.
func plainWinner(t testing.TB, p *trails.Position, known map[uint64]engine.Seat) engine.Seat {
	if r, ok := p.Result(); ok {
		return r.Winners[0]
	}
	if w, ok := known[p.Hash()]; ok {
		return w
	}
	winner := 3 - p.Seat()
	for _, a := range p.Legal() {
		if plainWinner(t, apply(t, p, a), known) == p.Seat() {
			winner = p.Seat()
			break
		}
	}
	known[p.Hash()] = winner
	return winner
}

// The solver agrees with exhaustive search, with a large table and with one
// that forgets nearly everything.
func TestSolver(t *testing.T) {
	large, tiny := NewSolver(1<<22), NewSolver(1<<16)
	solved := 0
	for seed := range uint64(90) {
		r := rand.New(rand.NewPCG(seed, 4))
		options := []string{"size=5 towers=1", "size=5 towers=3", "size=5 towers=4 distance=0", "size=7", "size=7 towers=1", "size=9"}[seed%6]
		moves := []int{8, 6, 7, 24, 20, 36}[seed%6]
		p := randomPosition(t, options, moves, r)
		want := int(plainWinner(t, p, map[uint64]engine.Seat{})) - 1
		for _, v := range []*Solver{large, tiny} {
			if got := v.Solve(t.Context(), stateOf(t, p), 0).Winner; got != want {
				t.Fatalf("%s seed %d: seat %d wins, the solver says %d", options, seed, want+1, got+1)
			}
		}
		solved++
	}
	if solved == 0 {
		t.Error("nothing was solved")
	}
}
