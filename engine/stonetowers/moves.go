package stonetowers

import (
	"castellan/engine/grid"
	"math/bits"
)

// Move is an action inside a State: the number of a cell. A square never offers
// both building and fortifying. The zero Move, a cell without a square, is the
// pass.
type Move = cell

const pass Move = 0

// Moves is a set of moves in the order of Position.Legal.
type Moves struct {
	set   board
	count int
}

// Len returns the number of moves in the set.
func (m *Moves) Len() int { return m.count }

// Has reports whether the move is in the set.
func (m *Moves) Has(c Move) bool { return m.set.has(c) }

// At returns move number k of the set, from 0 to Len-1.
func (m *Moves) At(k int) Move {
	i := 0
	for ; i < words-1; i++ {
		n := bits.OnesCount64(m.set[i])
		if k < n {
			break
		}
		k -= n
	}
	return Move(i*64 + grid.NthBit(m.set[i], k))
}
