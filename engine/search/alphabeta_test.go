package search_test

import (
	"math"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

// hashState is a state with a pseudo-random evaluation.
type hashState struct{ *search.PositionState }

func (s hashState) Evaluate() int { return int(s.Hash()>>7%2001) - 1000 }

func newHashState(p engine.Position) hashState {
	return hashState{search.NewPositionState(p, 2)}
}

// coarseState is a hashState with few different evaluations, so that many bounds
// are equal to values.
type coarseState struct{ hashState }

func (s coarseState) Evaluate() int { return s.hashState.Evaluate() / 300 * 10 }

// win exceeds every evaluation; a win is worth less the more moves it takes.
const win = 1_000_000

func minimax(s search.Evaluator, depth, ply int) int {
	if s.Seat() < 0 {
		payoffs := make([]float64, 2)
		s.Payoffs(payoffs)
		return int(math.Round(2*payoffs[0]-1)) * (win - ply)
	}
	if depth == 0 {
		v := s.Evaluate()
		if s.Seat() == 1 {
			v = -v
		}
		return v
	}
	best, seat, moves := 0, s.Seat(), s.Moves(nil)
	if len(moves) == 1 && ply > 0 {
		depth++ // single reply extension
	}
	for i, m := range moves {
		s.Make(m)
		v := minimax(s, depth-1, ply+1)
		s.Unmake()
		if i == 0 || seat == 0 && v > best || seat == 1 && v < best {
			best = v
		}
	}
	return best
}

// positions returns positions of random games on small boards.
func positions(t testing.TB, n int) (all []engine.Position) {
	t.Helper()
	for game := uint64(0); len(all) < n; game++ {
		p := start(t, 5+int(game%2)*2)
		for step := uint64(0); p.Seat() != engine.Nobody; step++ {
			if step%3 == 2 {
				all = append(all, p)
			}
			p = apply(t, p, searchtest.Think(t, search.Random{}, p, search.Limits{Seed: game<<16 | step}).Actions[0])
		}
	}
	return all[:n]
}

// Full-width alpha-beta finds the value of minimax, and plays a move with it.
func TestAlphaBetaIsMinimax(t *testing.T) {
	player := search.AlphaBeta{State: func(p engine.Position) (search.State, error) { return newHashState(p), nil }, FullWidth: true}
	for i, p := range positions(t, 100) {
		if len(p.Legal()) == 1 {
			continue
		}
		for _, depth := range []int{1, 2, 3, 4} {
			d := searchtest.Think(t, player, p, search.Limits{Depth: depth})
			best := minimax(newHashState(p), depth, 0)
			if got := minimax(newHashState(apply(t, p, d.Actions[0])), depth-1, 1); got != best {
				t.Errorf("position %d, depth %d: %v has the value %d, the best %d", i, depth, d.Actions, got, best)
			}
			want := search.ExpectedPayoff(best)
			if best > win/2 {
				want = 1
			} else if best < -win/2 {
				want = 0
			}
			if math.Abs(d.Values[0]-want) > 1e-12 {
				t.Errorf("position %d, depth %d: values %v, not %g", i, depth, d.Values, want)
			}
		}
	}
}

// A move whose bound is just as low as the softmax may choose can be far worse.
func TestSoftmaxChoosesByValue(t *testing.T) {
	coarse := func(p engine.Position) coarseState { return coarseState{newHashState(p)} }
	const most = 10
	player := search.AlphaBeta{
		State: func(p engine.Position) (search.State, error) { return coarse(p), nil }, FullWidth: true,
		Softmax: search.Softmax{MaxLoss: most, Temperature: 1000},
	}
	for i, p := range positions(t, 100) {
		sign := 1
		if p.Seat() == 2 {
			sign = -1
		}
		best := sign * minimax(coarse(p), 3, 0)
		if len(p.Legal()) == 1 || best > win/2 || best < -win/2 {
			continue
		}
		for seed := range uint64(10) {
			d := searchtest.Think(t, player, p, search.Limits{Depth: 3, Seed: seed})
			if got := sign * minimax(coarse(apply(t, p, d.Actions[0])), 2, 1); got < best-most {
				t.Errorf("position %d: %v has the value %d, the best %d", i, d.Actions, got, best)
			}
		}
	}
}

// Moves are chosen a third as often for every Temperature below the best, and
// none below MaxLoss; blunders are uniform; proven results are exact.
func TestSoftmax(t *testing.T) {
	const n = 30_000
	count := func(s search.Softmax, values ...int) []float64 {
		taken := make([]float64, len(values))
		for seed := range uint64(n) {
			taken[s.Choose(values, seed)]++
		}
		return taken
	}
	soft := search.Softmax{MaxLoss: 100, Temperature: 30}
	taken := count(soft, 50, 20, -10, -51)
	for i, want := range []float64{1, 1.0 / 3, 1.0 / 9, 0} {
		if got := taken[i] / taken[0]; math.Abs(got-want) > 0.03 {
			t.Errorf("move %d is chosen %g times as often as the best, not %g", i, got, want)
		}
	}
	taken = count(search.Softmax{BlunderRate: 0.2}, 50, -1000)
	if got := taken[1] / n; math.Abs(got-0.1) > 0.01 {
		t.Errorf("a blunder rate of 0.2 chooses the worse of two moves at %g", got)
	}
	for _, c := range []struct {
		softmax search.Softmax
		values  []int
	}{
		{search.Softmax{}, []int{50, 50}},
		{soft, []int{search.WinValue - 1, search.WinValue - 3}},
		{soft, []int{4 - search.WinValue, 2 - search.WinValue}},
	} {
		if taken := count(c.softmax, c.values...); taken[1] != 0 {
			t.Errorf("%+v chooses among %v: %v", c.softmax, c.values, taken)
		}
	}
}
