package stonetowers

// cell is the number of a square in a board of bits. Cells go up the files, a1,
// a2 and so on, each file one cell longer than it has squares: that cell, a
// whole file before the first and one after the last belong to no square. They
// are nobody's to win, so that a step over any edge needs no check.
type cell uint16

const (
	// cells is room for the largest board: (16+2) files of 17 cells.
	cells = 320
	words = 6 // one more than they fill, for windows that begin in the last
)

// board is a set of cells.
type board [words]uint64

func (b *board) has(c cell) bool { return b[c>>6]>>(c&63)&1 != 0 }
func (b *board) set(c cell)      { b[c>>6] |= 1 << (c & 63) }

// A cell c and its neighbours lie within 2*stride+1 cells, at most 35, so a
// window of 64 cells that begins at c-stride holds them all.

// window is the 64 cells from c.
func (b *board) window(c cell) uint64 {
	return b[c>>6]>>(c&63) | b[c>>6+1]<<1<<(^c&63)
}

// add joins the cells of a window that begins at c to the set.
func (b *board) add(c cell, window uint64) {
	b[c>>6] |= window << (c & 63)
	b[c>>6+1] |= window >> 1 >> (^c & 63)
}

// remove takes the cells of a window that begins at c out of the set.
func (b *board) remove(c cell, window uint64) {
	b[c>>6] &^= window << (c & 63)
	b[c>>6+1] &^= window >> 1 >> (^c & 63)
}

// geometry is what depends on the size of the board alone. It never changes
// once made and is shared by all positions of a match.
type geometry struct {
	width, height int
	stride        cell  // from a cell to the one at its right
	squares       board // the cells that are squares
	cells         [256]cell
	usedWords          int // words of a board that hold squares
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

// holds reports whether the square is on the board.
func (g *geometry) contains(s Square) bool {
	return s.X >= 0 && s.X < g.width && s.Y >= 0 && s.Y < g.height
}
