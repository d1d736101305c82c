package ai

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

var evaluations = map[string]func(engine.Position) (search.State, error){"squares": newSearchState, "learned": newLearnedState}

func evaluator(t *testing.T, state func(engine.Position) (search.State, error), p engine.Position) search.Evaluator {
	t.Helper()
	s, err := state(p)
	if err != nil {
		t.Fatal(err)
	}
	return s.(search.Evaluator)
}

// afterMove returns the payoff of the seat that makes a move, given that of the opponent
// after it.
func afterMove(s search.State, m search.Move, reply func() float64) float64 {
	seat := s.Seat()
	s.Make(m)
	defer s.Unmake()
	if s.Seat() < 0 {
		var shares [2]float64
		s.Payoffs(shares[:])
		return shares[seat]
	}
	return 1 - reply()
}

// minimax returns the payoff of the seat to move, searching everything to a
// depth, and the last move of the game in any case where the search does.
func minimax(s search.Evaluator, depth int) float64 {
	if f, ok := s.(search.Finisher); depth == 0 && (!ok || f.MovesLeft() > 1) {
		return search.ExpectedPayoff(s.Evaluate())
	}
	best := 0.0
	for _, m := range s.Moves(nil) {
		best = max(best, afterMove(s, m, func() float64 { return minimax(s, max(depth-1, 0)) }))
	}
	return best
}

// Full-width alpha-beta finds what minimax finds.
func TestFullWidthIsMinimax(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	for range 25 {
		p := playRandomly(t, start(t, "width=5 height=4 turns=8"), random.IntN(14), random)
		seat := int(p.Seat()) - 1
		for depth := 1; depth <= 3; depth++ {
			for name, state := range evaluations {
				decision := searchtest.Think(t, search.FixedDepth(state)(depth), p, search.Limits{Memory: 1 << 14})
				if want := minimax(evaluator(t, state, p), depth); math.Abs(decision.Values[seat]-want) > 1e-9 {
					t.Errorf("%s, %d turns ahead: %v, not %v", name, depth, decision.Values[seat], want)
				}
			}
		}
	}
}

// The last turns are exact even with pruning.
func TestEndgameExact(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	for range 25 {
		p := playRandomly(t, start(t, "width=4 height=4 turns=9"), 14, random)
		seat := int(p.Seat()) - 1
		for name, state := range evaluations {
			player := search.AlphaBeta{State: state, FutilityMargin: learnedMargin, LateMoves: lateMoves}
			decision := searchtest.Think(t, player, p, search.Limits{Memory: 1 << 16})
			if want := minimax(evaluator(t, state, p), 4); decision.Values[seat] != want {
				t.Errorf("%s, four turns before the end: %v, not %v", name, decision.Values[seat], want)
			}
		}
	}
}

// solve returns the payoff of the seat to move with best play of all turns left. Known
// has the results so far, by hash.
func solve(s search.State, known map[uint64]float64) float64 {
	key := s.Hash()
	if v, ok := known[key]; ok {
		return v
	}
	best := 0.0
	for _, m := range s.Moves(nil) {
		if best = max(best, afterMove(s, m, func() float64 { return solve(s, known) })); best == 1 {
			break
		}
	}
	known[key] = best
	return best
}

// What a search with pruning calls proven is true: it is certain of a win or a loss only
// if all turns have been looked at.
func TestNoFalseProofs(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 36))
	proofs := 0
	for i := range 1000 {
		left := 5 + random.IntN(3)
		p := playRandomly(t, start(t, "width=6 height=5 turns=12"), 24-left, random)
		// Those where searches have been wrong, and some others.
		if !slices.Contains([]int{52, 307, 472}, i) && i >= enginetest.Sample(15, 1000) {
			continue
		}
		seat := int(p.Seat()) - 1
		want := solve(evaluator(t, newSearchState, p), map[uint64]float64{})
		for _, nodes := range []int64{300, 850, 3_000, 100_000} {
			player := search.AlphaBeta{State: newLearnedState, FutilityMargin: learnedMargin, LateMoves: lateMoves}
			d := searchtest.Think(t, player, p, search.Limits{Memory: 1 << 16, Nodes: nodes})
			if got := d.Values[seat]; got == 0 || got == 1 {
				proofs++
				if got != want {
					t.Errorf("position %d, %d turns before the end, %d nodes, depth %d: %v, not %v", i, left, nodes, d.Depth, got, want)
				}
			}
		}
	}
	if t.Logf("%d proofs", proofs); proofs < 10 {
		t.Error("hardly any is tested")
	}
}
