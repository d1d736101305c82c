package stonetowers

import "strconv"

// Square is a square of the board: X counts files from 0 (a), Y counts ranks
// from 0 (rank 1, the bottom).
type Square struct{ X, Y int }

// String returns the name of the square, "a1".
func (s Square) String() string {
	return string(rune('a'+s.X)) + strconv.Itoa(s.Y+1)
}

// cell is the number of a square in a bit board. Cells go up the files: a1, a2
// and so on. Each file has one extra cell at its top, and there is an empty
// file before the first and after the last. Extra cells belong to no square and
// can never be won, so that a step over an edge needs no check.
type cell uint16

const (
	// cells is room for the largest board: (16+2) files of 17 cells.
	cells = 320
	words = 6 // one more than the cells fill, for windows that begin in the last
)

// board is a set of cells.
type board [words]uint64

func (b *board) has(c cell) bool { return b[c>>6]>>(c&63)&1 != 0 }
func (b *board) set(c cell)      { b[c>>6] |= 1 << (c & 63) }

// A cell c and its neighbours lie within 2*stride+1 cells, at most 35, so a
// window of 64 cells that begins at c-stride holds them all.

// window returns the 64 cells that begin at c.
func (b *board) window(c cell) uint64 {
	return b[c>>6]>>(c&63) | b[c>>6+1]<<1<<(^c&63)
}

// add adds the cells of a window that begins at c to the set.
func (b *board) add(c cell, window uint64) {
	b[c>>6] |= window << (c & 63)
	b[c>>6+1] |= window >> 1 >> (^c & 63)
}

// remove removes the cells of a window that begins at c from the set.
func (b *board) remove(c cell, window uint64) {
	b[c>>6] &^= window << (c & 63)
	b[c>>6+1] &^= window >> 1 >> (^c & 63)
}

// geometry holds what depends only on the size of the board. It never changes
// and is shared by all positions of a match.
type geometry struct {
	width, height int
	stride        cell  // from a cell to the one at its right
	squares       board // the cells that are squares
	cells         [256]cell
	usedWords     int // words of a board that hold squares
}

func newGeometry(width, height int) *geometry {
	g := &geometry{width: width, height: height, stride: cell(height + 1)}
	for x := range width {
		for y := range height {
			c := g.cell(Square{x, y})
			g.squares.set(c)
			g.cells[x*height+y] = c
		}
	}
	g.usedWords = int(g.cell(Square{width - 1, height - 1}))/64 + 1
	return g
}

func (g *geometry) cell(s Square) cell { return cell(s.X+1)*g.stride + cell(s.Y) }

func (g *geometry) square(c cell) Square {
	return Square{X: int(c/g.stride) - 1, Y: int(c % g.stride)}
}

// contains reports whether the square is on the board.
func (g *geometry) contains(s Square) bool {
	return s.X >= 0 && s.X < g.width && s.Y >= 0 && s.Y < g.height
}
