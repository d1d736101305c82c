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
