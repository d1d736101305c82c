package trails

import "math/bits"

// Moves is a set of directions as geometry.gather leaves them: bit 0 is right,
// then down, left and up.
type Moves uint8

var bitOf = [4]Moves{Up: 8, Down: 2, Left: 4, Right: 1}

// at lists the members of every set.
var at = func() (t [16][4]Direction) {
	order := [4]Direction{Right, Down, Left, Up}
	for set := range t {
		n := 0
		for i, d := range order {
			if set>>i&1 != 0 {
				t[set][n] = d
				n++
			}
		}
	}
	return t
}()

// Len is the number of directions in the set.
func (m Moves) Len() int { return bits.OnesCount8(uint8(m & 15)) }

// At is the direction number k of the set, from 0, for k below Len.
func (m Moves) At(k int) Direction { return at[m&15][k&3] }

// Has reports whether the direction is in the set.
func (m Moves) Has(d Direction) bool { return m&bitOf[d&3] != 0 }
