package match_test

import (
	"slices"
	"testing"

	"castellan/engine/match"
)

// The expected orders come from a second implementation, in Python.
func TestOrderIsTheSameForEver(t *testing.T) {
	tests := []struct {
		seats int
		seed  uint64
		want  []int
	}{
		{0, 5, []int{}},
		{1, 5, []int{0}},
		{2, 0, []int{0, 1}},
		{2, 3, []int{1, 0}},
		{3, 7, []int{2, 0, 1}},
		{6, 0, []int{1, 3, 4, 0, 2, 5}},
		{6, 42, []int{2, 5, 3, 1, 0, 4}},
		{6, 1<<64 - 1, []int{3, 2, 1, 0, 4, 5}},
	}
	for _, tt := range tests {
		if got := match.Shuffle(tt.seats, tt.seed); !slices.Equal(got, tt.want) {
			t.Errorf("Order(%d, %#x) = %v, want %v", tt.seats, tt.seed, got, tt.want)
		}
	}
}

// Over many seeds every order of four comes about as often as any other. The
// bound is the 0.999 quantile of chi-square with 23 degrees of freedom, and
// the seeds are fixed.
func TestOrderIsEven(t *testing.T) {
	const runs = 24_000
	seen := map[[4]int]int{}
	for seed := range uint64(runs) {
		seen[[4]int(match.Shuffle(4, seed))]++
	}
	if len(seen) != 24 {
		t.Fatalf("%d orders of four occur, want 24", len(seen))
	}
	chi := 0.0
	for _, n := range seen {
		d := float64(n) - runs/24
		chi += d * d / (runs / 24)
	}
	if chi > 49.73 {
		t.Errorf("chi-square is %.1f: the orders are not even: %v", chi, seen)
	}
}
