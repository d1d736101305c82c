package search_test

import (
	"testing"

	"castellan/engine/search"
)

// Who chooses softly takes no move that is much worse, sees a win, and takes
// the worse of two the more seldom the worse it is.
func TestSoftChoosesWhatIsAlmostAsGood(t *testing.T) {
	s := search.Softmax{MaxLoss: 50, Temperature: 20}
	var taken [4]int
	for seed := range uint64(2000) {
		taken[s.Choose([]int{100, 80, 60, 40}, seed)]++
	}
	if taken[0] <= taken[1] || taken[1] <= taken[2] || taken[2] == 0 || taken[3] != 0 {
		t.Errorf("taken %v", taken)
	}
	for seed := range uint64(200) {
		if s.Choose([]int{search.WinValue - 1, search.WinValue - 3}, seed) != 0 {
			t.Fatal("a win that was seen is not taken")
		}
		if s.Choose([]int{4 - search.WinValue, 2 - search.WinValue}, seed) != 0 {
			t.Fatal("a loss that is near is chosen before one that is far")
		}
		if (search.Softmax{}).Choose([]int{5, 5}, seed) != 0 {
			t.Fatal("the zero value takes another than the first")
		}
	}
}
