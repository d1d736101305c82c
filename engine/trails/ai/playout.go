package ai

import "math/rand/v2"

// pick maps a set of directions and a number from 0 to 11, which every possible
// size divides, to a uniformly chosen member.
var pick = func() (t [16][12]uint8) {
	for set := range t {
		var members []uint8
		for d := range uint8(directions) {
			if set>>d&1 != 0 {
				members = append(members, d)
			}
		}
		for n := range t[set] {
			if len(members) > 0 {
				t[set][n] = members[n%len(members)]
			}
		}
	}
	return t
}()

// Playout plays random moves to the end of the game on a copy.
func (s *State) Playout(random *rand.PCG, values []float64) {
	if s.winner < 0 {
		c := *s
		var draw uint64
		for left := 0; c.winner < 0; left-- {
			if left == 0 { // one number is good for many moves
				draw, left = random.Uint64(), 8
			}
			n := draw >> 32 * 12 >> 32
			draw = draw<<7 | draw>>57
			c.play(pick[c.legal&15][n])
		}
		c.Payoffs(values)
		return
	}
	s.Payoffs(values)
}
