package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/stonetowers"
)

// A position has the same value for Red as the one with colours exchanged has
// for Blue, in the same phase.
func TestEvaluateSymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, size := range sizes {
		s := stateOf(t, playRandomly(t, start(t, size), 15, random))
		other := *s
		other.sum = 0
		for _, c := range s.Cells {
			q := s.At[c]
			o := q.Owner()
			if o != stonetowers.Free {
				o = stonetowers.Red + stonetowers.Blue - o
			}
			other.At[c] = (q&^31 | (32 - q&31)).With(o, q.Level())
			other.sum += other.tables.value[other.At[c]]
		}
		for _, phase := range []int{0, scale / 3, scale} {
			if a, b := s.scoreFor(0).interpolate(phase), other.scoreFor(1).interpolate(phase); a != b || a == 0 {
				t.Errorf("%s: %d to Red, %d to Blue with the colours exchanged", size, a, b)
			}
		}
	}
}
