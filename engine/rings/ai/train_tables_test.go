package ai

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/fit"
)

// TestTableInUse checks that the table in use, read back from the weights of the model,
// is the same and plays the same.
func TestTableInUse(t *testing.T) {
	t.Parallel()
	m := TwoSeatTable()
	weights, _, err := fit.Decode(m.InUse, m.Game)
	if err != nil {
		t.Fatal(err)
	}
	if tables := newTables(weights); tables.table != twoSeatTable || tables.gains != twoSeatGains {
		t.Error("the table or its gains differ")
	}
	var p engine.Position = start(t, 4, 2)
	for p.Turns() < 25 {
		limits := search.Limits{Nodes: 40, Seed: uint64(p.Turns())}
		want, err := TreeSearch{}.Think(t.Context(), p, limits)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Player(weights).Think(t.Context(), p, limits); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("turn %d: %+v, %v; not %+v", p.Turns(), got, err, want)
		}
		p = apply(t, p, want.Actions...)
	}
}

// TestTableFeatures compares the forecast of each seat with the sum of the weights of
// the features, in random games with a random table.
func TestTableFeatures(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	m := TwoSeatTable()
	weights := make([]int16, len(m.Weights))
	for i := range weights {
		weights[i] = int16(r.IntN(1001))
	}
	starts := m.SeatStarts(weights)
	for range 20 {
		p := starts(r).(tableTrainee)
		got := make([]float64, p.seats)
		for p.Seat() >= 0 {
			p.Scores(got)
			for seat := range got {
				want := 0.0
				for _, f := range p.SeatFeatures(seat, nil) {
					want += float64(weights[fit.Phases*int(f)])
				}
				if got[seat] != want {
					t.Fatalf("seat %d expects %g, the features add up to %g", seat, got[seat], want)
				}
			}
			moves := p.State.Moves(nil)
			p.Make(moves[r.IntN(len(moves))])
		}
	}
}

// TestTrainTable checks that a short training does not depend on threads, and changes the
// first table.
func TestTrainTable(t *testing.T) {
	t.Parallel()
	m := TwoSeatTable()
	m.Settings.Batch = 16
	m.Settings.Games = 2 * m.Settings.Batch
	var both [2]*fit.Training
	for i := range both {
		for both[i] = fit.New(m); !both[i].Done(); {
			both[i].Learn(i + 1)
		}
	}
	if a, b := both[0].Weights(), both[1].Weights(); !slices.Equal(a, b) || slices.Equal(a, fit.New(m).Weights()) {
		t.Error("the weights depend on the threads, or are still the first ones")
	}
}
