package ai

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/search/fit"
	"castellan/engine/search/searchtest"
)

// TestLearnedWeights reads the files of weights that the program contains.
func TestLearnedWeights(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file  []byte
		model fit.Model
	}{"two seats": {learnedWeights, Model()}, "more": {learnedSeatWeights, SeatModel()}} {
		weights, made, err := fit.Decode(c.file, rings.Key)
		if err != nil {
			t.Fatal(err)
		}
		if m := c.model; len(weights) != len(m.Weights) || made != m.Settings {
			t.Errorf("%s: %d weights made with %+v, want %d and %+v", name, len(weights), made, len(m.Weights), m.Settings)
		}
		if n := len(neighbourhoods[6].pairs); n != mostPairs {
			t.Errorf("the largest board has %d pairs, not %d", n, mostPairs)
		}
		for i, w := range weights {
			if w < -mostWeight || w > mostWeight {
				t.Errorf("%s: weight %d is %d, at most %d fits", name, i, w, mostWeight)
			}
		}
	}
}

// TestPlayerOfModel checks that a model's player with the weights in use plays as the
// master, and with no weights otherwise.
func TestPlayerOfModel(t *testing.T) {
	t.Parallel()
	for seats, m := range map[int]fit.Model{2: Model(), 4: SeatModel()} {
		weights, _, err := fit.Decode(m.InUse, m.Game)
		if err != nil {
			t.Fatal(err)
		}
		master := Engine().Strongest().Player
		same, none := m.Player(weights), m.Player(make([]int16, len(weights)))
		var p engine.Position = start(t, 5, seats)
		differs := false
		for p.Turns() < 40 {
			limits := search.Limits{Nodes: 60, Seed: uint64(p.Turns())}
			want := searchtest.Think(t, master, p, limits)
			if got := searchtest.Think(t, same, p, limits); !reflect.DeepEqual(got, want) {
				t.Fatalf("%d seats, turn %d: %+v; the master thinks %+v", seats, p.Turns(), got, want)
			}
			differs = differs || !slices.Equal(searchtest.Think(t, none, p, limits).Values, want.Values)
			p = apply(t, p, want.Actions...)
		}
		if !differs {
			t.Errorf("%d seats: without weights it plays the same", seats)
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
				if v.kind[c] == 0 && !p.top().board.Tally(c).Empty() {
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

// TestSeatCorrection is TestCorrection for more seats, seen from each.
func TestSeatCorrection(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	weights := make([]int16, fit.Phases*seatFeatures)
	for i := range weights {
		weights[i] = int16(r.IntN(2*mostWeight+1) - mostWeight)
	}
	start := SeatModel().SeatStarts(weights)
	seen := map[int32]bool{}
	for range 20 {
		p := start(r).(trainee)
		for p.Seat() >= 0 {
			b := &p.top().board
			var v seatViews
			v.look(b, p.seats)
			got := make([]int32, p.seats)
			p.seatPatterns.correct(b, p.origin.Side(), got)
			for seat := range p.seats {
				want := 0.0
				for _, f := range p.SeatFeatures(seat, nil) {
					seen[f] = true
					for phase, share := range p.Stage() {
						want += share * float64(weights[fit.Phases*int(f)+phase])
					}
				}
				if d := float64(got[seat]) - want; d < -1 || d > 1 {
					t.Fatalf("the correction of seat %d is %d, the sum of the features %.1f", seat, got[seat], want)
				}
				for c := range b.CircleCount() {
					kind := v[seat/wordSeats].kind[c].of(seat % wordSeats)
					if empty := b.Tally(c).Empty(); empty != (kind == 0) {
						t.Fatalf("circle %d has the kind %d: %x", c, kind, b.Tally(c))
					}
				}
			}
			moves := p.State.Moves(nil)
			p.Make(moves[r.IntN(len(moves))])
		}
	}
	if len(seen) < seatFeatures/3 {
		t.Errorf("the games have only %d of %d features", len(seen), seatFeatures)
	}
}

// BenchmarkLearnedLeaf measures an evaluation with patterns against one without.
func BenchmarkLearnedLeaf(b *testing.B) {
	for _, seats := range []int{2, 4, 6} {
		for _, learned := range []bool{false, true} {
			s := state(b, middle(b, seats).(*rings.Position))
			values := make([]float64, seats)
			name := "forecast"
			if learned {
				name = "patterns"
				s.patterns, s.seatPatterns = learnedPatterns(), learnedSeatPatterns()
			}
			b.Run(fmt.Sprintf("%s/seats=%d", name, seats), func(b *testing.B) {
				for b.Loop() {
					s.Estimate(values)
				}
			})
		}
	}
}
