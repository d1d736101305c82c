package board

import "math/bits"

const MaxSize = 10

// Cell is the number of a square on a board of 128 cells. Rows are Stride cells
// long on boards of every size, so that a move means the same on all of them.
// Cells without a square are walls: they lie at the end of each row, above the
// last row and, because steps are taken modulo 128, below the first.
type Cell uint8

const (
	Stride  = MaxSize + 1
	Cells   = 128
	Nowhere = Cell(Cells - 1) // a wall on every board
)

// Steps are one step right, up, left and down, modulo 128.
var Steps = [4]Cell{1, Stride, Cells - 1, Cells - Stride}

func (c Cell) Next(step Cell) Cell { return (c + step) & (Cells - 1) }

// Set is a set of cells.
type Set struct{ Lo, Hi uint64 }

func Only(c Cell) Set {
	bit := uint64(1) << (c & 63)
	high := -uint64(c >> 6 & 1) // all bits, or none
	return Set{bit &^ high, bit & high}
}

func (s Set) Has(c Cell) bool {
	w := s.Lo
	if c >= 64 { // a conditional move: no branch that is hard to predict
		w = s.Hi
	}
	return w>>(c&63)&1 != 0
}

func (s *Set) Add(c Cell)    { *s = s.Or(Only(c)) }
func (s *Set) Remove(c Cell) { *s = s.Without(Only(c)) }

func (s Set) Or(t Set) Set      { return Set{s.Lo | t.Lo, s.Hi | t.Hi} }
func (s Set) And(t Set) Set     { return Set{s.Lo & t.Lo, s.Hi & t.Hi} }
func (s Set) Without(t Set) Set { return Set{s.Lo &^ t.Lo, s.Hi &^ t.Hi} }
func (s Set) Empty() bool       { return s.Lo|s.Hi == 0 }
func (s Set) Count() int        { return bits.OnesCount64(s.Lo) + bits.OnesCount64(s.Hi) }

// First returns a cell of a non-empty set.
func (s Set) First() Cell {
	if s.Lo != 0 {
		return Cell(bits.TrailingZeros64(s.Lo))
	}
	return Cell(64 + bits.TrailingZeros64(s.Hi))
}

// Around returns every cell one step from a cell of the set. It may include
// walls and cells of the set.
func (s Set) Around() Set {
	return Set{
		s.Lo<<1 | s.Lo>>1 | s.Hi<<63 | s.Lo<<Stride | s.Lo>>Stride | s.Hi<<(64-Stride),
		s.Hi<<1 | s.Lo>>63 | s.Hi>>1 | s.Hi<<Stride | s.Lo>>(64-Stride) | s.Hi>>Stride,
	}
}

// neighbours returns the members of the set that are neighbours of c, a square
// of the board: bit i stands for the cell c+i-Stride, and only the four
// neighbours can be set.
func (s Set) neighbours(c Cell) uint32 {
	// Shift the set up by a row, so that no neighbour is below 0. Shifting by 64
	// or more gives 0, and so does a negative number, as it is unsigned.
	low, high := s.Lo<<Stride, s.Hi<<Stride|s.Lo>>(64-Stride)
	n := uint(c)
	near := low>>n | high<<(64-n) | high>>(n-64)
	return uint32(near) & (1 | 1<<(Stride-1) | 1<<(Stride+1) | 1<<(2*Stride))
}

// walls returns the cells that are not squares of a board of that size.
func walls(size int) (w Set) {
	for c := range Cell(Cells) {
		if int(c%Stride) >= size || int(c/Stride) >= size {
			w.Add(c)
		}
	}
	return w
}
