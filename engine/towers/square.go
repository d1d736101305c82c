package towers

import "strconv"

// Square is a square of the board: X counts files from 0 (a), Y counts ranks
// from 0 (rank 1, the bottom).
type Square struct{ X, Y int }

// String returns the name of the square, "a1".
func (s Square) String() string {
	return string(rune('a'+s.X)) + strconv.Itoa(s.Y+1)
}

// cell is the number of a square on a board of 128 cells. Rows are stride cells
// long on boards of every size, so that an action means the same on all of
// them. Cells without a square are walls: they lie at the end of each row,
// above the last row and, because steps are taken modulo 128, below the first.
type cell uint8

const (
	stride  = maxSize + 1
	cells   = 128
	nowhere = cell(cells - 1) // a wall on every board
)

// steps are one step right, up, left and down, modulo 128.
var steps = [4]cell{1, stride, cells - 1, cells - stride}

// next returns the cell one step away.
func (c cell) next(step cell) cell { return (c + step) & (cells - 1) }

func (s Square) cell() cell { return cell(s.Y*stride + s.X) }

func (c cell) square() Square { return Square{X: int(c % stride), Y: int(c / stride)} }

// direction returns the distance between two cells in a straight line and the
// step from one to the other; straight is false if the cells are equal or share
// neither row nor file.
func direction(from, to cell) (distance int, step cell, straight bool) {
	a, b := from.square(), to.square()
	switch {
	case a == b || a.X != b.X && a.Y != b.Y:
		return 0, 0, false
	case b.X > a.X:
		return b.X - a.X, steps[0], true
	case b.Y > a.Y:
		return b.Y - a.Y, steps[1], true
	case b.X < a.X:
		return a.X - b.X, steps[2], true
	}
	return a.Y - b.Y, steps[3], true
}

// set is a set of cells.
type set [cells / 64]uint64

func (s *set) has(c cell) bool { return s[c>>6&1]>>(c&63)&1 != 0 }
func (s *set) add(c cell)      { s[c>>6&1] |= 1 << (c & 63) }
func (s *set) remove(c cell)   { s[c>>6&1] &^= 1 << (c & 63) }

// neighbours returns the members of the set that are neighbours of c, a square
// of the board: bit i stands for the cell c+i-stride, and only the four
// neighbours can be set.
func (s *set) neighbours(c cell) uint32 {
	// Shift the set up by a row, so that no neighbour is below 0. Shifting by 64
	// or more gives 0, and so does a negative number, as it is unsigned.
	low, high := s[0]<<stride, s[1]<<stride|s[0]>>(64-stride)
	n := uint(c)
	near := low>>n | high<<(64-n) | high>>(n-64)
	return uint32(near) & (1 | 1<<(stride-1) | 1<<(stride+1) | 1<<(2*stride))
}

// walls returns the cells that are not squares of a board of that size.
func walls(size int) (w set) {
	for c := range cell(cells) {
		if s := c.square(); s.X >= size || s.Y >= size {
			w.add(c)
		}
	}
	return w
}
