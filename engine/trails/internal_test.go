package trails

import "testing"

// Pick returns each member of a set equally often.
func TestPickIsEven(t *testing.T) {
	for m := Moves(1); m < 16; m++ {
		count := map[Direction]int{}
		for n := range 12 {
			count[m.Pick(n)]++
		}
		for _, d := range directions {
			if want := 12 / m.Len(); m.Has(d) && count[d] != want || !m.Has(d) && count[d] != 0 {
				t.Errorf("of %04b, %v comes up %d times in 12", m, d, count[d])
			}
		}
	}
}
