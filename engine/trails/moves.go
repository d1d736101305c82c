package trails

import "math/bits"

// Moves is a set of directions: bit 0 is right, then down, left and up.
type Moves uint8

// The set of each direction alone.
const (
	toRight Moves = 1 << iota
	toDown
	toLeft
	toUp
)

var bitOf = [4]Moves{Up: toUp, Down: toDown, Left: toLeft, Right: toRight}

// at lists the members of every set.
var members = func() (t [16][4]Direction) {
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
func (m Moves) At(k int) Direction { return members[m&15][k&3] }

// Pick is a member of the set, each as likely as the others when n is drawn
// evenly from 0 to 11: 12 is divisible by every number of members. What n is
// does not depend on the set, so that a playout need not wait for it.
func (m Moves) Pick(n int) Direction { return picks[m&15][n&15] }

// pick repeats the members of every set.
var picks = func() (t [16][16]Direction) {
	for set := range t {
		for n := range 12 {
			if count := Moves(set).Len(); count > 0 {
				t[set][n] = members[set][n%count]
			}
		}
	}
	return t
}()

// Has reports whether the direction is in the set.
func (m Moves) Has(d Direction) bool { return m&bitOf[d&3] != 0 }
