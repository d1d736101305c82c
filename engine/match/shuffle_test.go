package match

import (
	"slices"
	"testing"
)

// The expected permutations come from a second implementation, in Python.
func TestShuffleIsStable(t *testing.T) {
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
		if got := Shuffle(tt.seats, tt.seed); !slices.Equal(got, tt.want) {
			t.Errorf("Shuffle(%d, %#x) = %v, want %v", tt.seats, tt.seed, got, tt.want)
		}
	}
}

// Every permutation of four is equally frequent. The bound is the 0.999 quantile
// of chi-square with 23 degrees of freedom.
func TestShuffleIsUniform(t *testing.T) {
	const runs = 24_000
	seen := map[[4]int]int{}
	for seed := range uint64(runs) {
		seen[[4]int(Shuffle(4, seed))]++
	}
	if len(seen) != 24 {
		t.Fatalf("%d permutations of four occur, want 24", len(seen))
	}
	chi := 0.0
	for _, n := range seen {
		d := float64(n) - runs/24
		chi += d * d / (runs / 24)
	}
	if chi > 49.73 {
		t.Errorf("chi-square is %.1f: the permutations are not uniform: %v", chi, seen)
	}
}

// The first outputs for the seed 1234567, as published by other implementations.
func TestSplitMix64(t *testing.T) {
	random := splitMix64(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := random.next(); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}
