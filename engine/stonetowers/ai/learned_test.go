package ai

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/search/fit"
	"castellan/engine/search/searchtest"
)

// The sum of the patterns follows moves and their taking back, and is the sum of the
// weights of the features.
func TestLearnedIncremental(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	weights := make([]int16, phases*features)
	for i := range weights {
		weights[i] = int16(random.IntN(200) - 100)
	}
	p := newPatterns(weights)
	for range enginetest.Sample(5, 20) {
		l := newLearned(newState(drawStart(random), fittedTables), p)
		for l.Seat() >= 0 {
			moves, was := l.Moves(nil), l.sum
			for _, m := range moves {
				l.Make(m)
				fresh := newLearned(&state{State: l.State, tables: fittedTables}, p)
				if fresh.sum != l.sum || fresh.code != l.code {
					t.Fatalf("after %v the sum is %v, not %v", m, l.sum, fresh.sum)
				}
				l.Unmake()
				if l.sum != was {
					t.Fatalf("with %v taken back the sum is %v, not %v", m, l.sum, was)
				}
			}
			var want [phases]int
			for _, f := range l.patternsOf(nil) {
				for i := range want {
					want[i] += int(weights[phases*int(f)+i])
				}
			}
			sum := l.sum[l.Player()] + p.tempo[l.Player()]
			if got := [phases]int{sum.Opening(), sum.Middle(), sum.End()}; got != want {
				t.Fatalf("the patterns add up to %v, the features to %v", got, want)
			}
			l.Make(moves[random.IntN(len(moves))])
		}
	}
}

// The weights in the program were made with the settings of today's model, and fit
// its features.
func TestLearnedWeights(t *testing.T) {
	m := Model()
	weights, how, err := fit.Decode(learnedWeights, m.Game)
	if err != nil || how != m.Settings || len(weights) != len(m.Weights) || len(weights) != phases*features {
		t.Fatalf("%d weights of %+v, %v; the model has %d and %+v", len(weights), how, err, len(m.Weights), m.Settings)
	}
	if p := learnedPatterns(); p.tempo[1].End() != int(weights[len(weights)-1]) {
		t.Errorf("the last weight is %d, not %d", p.tempo[1].End(), weights[len(weights)-1])
	}
	if len(learnedWeights) > 300_000 || !slices.Equal(fit.Encode(m, weights), learnedWeights) {
		t.Errorf("the file has %d bytes, and written again %d", len(learnedWeights), len(fit.Encode(m, weights)))
	}
}

// The model's player with the weights in use plays as the master, and with the weights
// at the start of training otherwise.
func TestPlayerOfModel(t *testing.T) {
	m := Model()
	weights, _, err := fit.Decode(m.InUse, m.Game)
	if err != nil {
		t.Fatal(err)
	}
	master := Engine().Strongest().Player
	same, other := m.Player(weights), m.Player(fit.New(m).Weights())
	p, differs := start(t, ""), false
	for p.Turns() < 37 {
		limits := search.Limits{Nodes: 300, Memory: 1 << 20, Seed: uint64(p.Turns())}
		want := searchtest.Think(t, master, p, limits)
		if got := searchtest.Think(t, same, p, limits); !reflect.DeepEqual(got, want) {
			t.Fatalf("turn %d: %+v; the master thinks %+v", p.Turns(), got, want)
		}
		differs = differs || !slices.Equal(searchtest.Think(t, other, p, limits).Actions, want.Actions)
		for _, a := range want.Actions {
			p = apply(t, p, a)
		}
	}
	if !differs {
		t.Error("with other weights it plays the same")
	}
}

var _ search.Finisher = (*learned)(nil)

// Finish finds what trying all last moves finds, and leaves the state as it was.
func TestFinish(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	counts := map[float64]int{}
	for i := range 400 {
		turns := 5 + i%8
		p := playRandomly(t, start(t, fmt.Sprintf("width=%d height=6 turns=%d", 4+i%3, turns)), 2*turns-1, random)
		l := newLearned(stateOf(t, p), learnedPatterns())
		want, after := 0.0, map[search.Move]float64{}
		for _, m := range l.Moves(nil) {
			var shares [2]float64
			l.Make(m)
			l.Payoffs(shares[:])
			l.Unmake()
			after[m], want = shares[1], max(want, shares[1])
		}
		was := l.At
		payoff, best := l.Finish()
		if payoff != want || after[best] != want || l.At != was || l.Left != 1 {
			t.Fatalf("position %d: %v by %v, which gives %v; the best is %v", i, payoff, best, after[best], want)
		}
		counts[want]++
	}
	for _, payoff := range []float64{0, 0.5, 1} {
		if counts[payoff] < 20 {
			t.Errorf("too few positions with each payoff: %v", counts)
		}
	}
}
