package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/rings"
	"castellan/engine/search/fit"
)

// TestLearnedWeights reads the file of weights that the program contains.
func TestLearnedWeights(t *testing.T) {
	t.Parallel()
	weights, made, err := fit.Decode(learnedWeights, rings.Key)
	if err != nil {
		t.Fatal(err)
	}
	if m := Model(); len(weights) != len(m.Weights) || made != m.Settings {
		t.Errorf("%d weights made with %+v, want %d and %+v", len(weights), made, len(m.Weights), m.Settings)
	}
	for i, w := range weights {
		if w < -mostWeight || w > mostWeight {
			t.Errorf("weight %d is %d, at most %d fits", i, w, mostWeight)
		}
	}
}

// TestCorrection compares the correction with the sum of the weights of the features,
// in random games on boards of all sizes, and checks that no circle lacks a kind.
func TestCorrection(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	weights := make([]int16, fit.Phases*features)
	for i := range weights {
		weights[i] = int16(r.IntN(2*mostWeight+1) - mostWeight)
	}
	start := Model().Starts(weights)
	seen := map[int32]bool{}
	for range 30 {
		p := start(r).(trainee)
		for p.Seat() >= 0 {
			want := 0.0
			for _, f := range p.Features(nil) {
				seen[f] = true
				for phase, share := range p.Stage() {
					want += share * float64(weights[fit.Phases*int(f)+phase])
				}
			}
			var v view
			v.look(&p.top().board, p.Seat())
			for c := range p.top().board.CircleCount() {
				if v.kind[c] == 0 && p.top().board.Tally(c)&(7<<3|7<<13) != 0 {
					t.Fatalf("circle %d has the kind of an empty one: %x", c, p.top().board.Tally(c))
				}
			}
			got := p.patterns.correction(&p.top().board, p.origin.Side())
			if d := float64(got) - want; d < -1 || d > 1 {
				t.Fatalf("the correction is %d, the sum of the features %.1f", got, want)
			}
			moves := p.State.Moves(nil)
			p.Make(moves[r.IntN(len(moves))])
		}
	}
	if len(seen) < features/2 {
		t.Errorf("the games have only %d of %d features", len(seen), features)
	}
}

// TestKinds checks that as many kinds of circles are numbered as there is room for.
func TestKinds(t *testing.T) {
	t.Parallel()
	most := uint8(0)
	for _, by := range kindOf {
		for _, n := range by {
			most = max(most, n)
		}
	}
	if most != kinds-1 {
		t.Errorf("the last kind is %d, want %d", most, kinds-1)
	}
}

// BenchmarkLearnedLeaf measures an evaluation with patterns against one without.
func BenchmarkLearnedLeaf(b *testing.B) {
	p := Model().Starts(make([]int16, fit.Phases*features))(rand.New(rand.NewPCG(1, 1))).(trainee)
	for range 60 {
		p.Make(p.State.Moves(nil)[0])
	}
	values := make([]float64, 2)
	for _, learned := range []bool{false, true} {
		name, s := "forecast", *p.State
		if learned {
			name = "patterns"
		} else {
			s.patterns = nil
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Estimate(values)
			}
		})
	}
}
