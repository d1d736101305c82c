package trails

// cell is the number of a square in a board of bits. Rows are size+1 cells
// long: the last cell of each row belongs to no square, and so do a whole row
// below and one above the board. These cells are never free, so that a step
// over any edge ends on a cell that is not free and needs no other check.
type cell uint16

const (
	// cells is room for the largest board: (21+2) rows of 22 cells.
	cells = 512
	words = cells / 64
)

// board is a set of cells.
type board [words]uint64

func (b *board) has(c cell) bool { return b[c>>6&(words-1)]>>(c&63)&1 != 0 }
func (b *board) set(c cell)      { b[c>>6&(words-1)] |= 1 << (c & 63) }
func (b *board) clear(c cell)    { b[c>>6&(words-1)] &^= 1 << (c & 63) }

// geometry is what depends on the size of the board alone. It never changes
// once made and is shared by all positions of a match.
type geometry struct {
	size   int
	stride cell           // from a cell to the one above it
	delta  [4]cell        // one step, modulo 2^16
	room   [4][cells]byte // squares between a cell and the edge

	// The neighbours of a cell c lie within 2*stride+1 cells, so one word that
	// begins at c-stride holds all four: around masks them. Multiplying by
	// gather brings them together in the topmost four bits, in the order of
	// Moves. TestGather tries every size and every set.
	around, gather uint64
}

func newGeometry(size int) *geometry {
	s := size + 1
	g := &geometry{
		size:   size,
		stride: cell(s),
		delta:  [4]cell{Up: cell(s), Down: -cell(s), Left: ^cell(0), Right: 1},
		around: 1 | 1<<(s-1) | 1<<(s+1) | 1<<(2*s),
		gather: 1<<61 | 1<<(62-(s-1)) | 1<<(60-(s+1)) | 1<<(63-2*s),
	}
	for y := range size {
		for x := range size {
			c := g.cell(Square{x, y})
			g.room[Up][c] = byte(size - 1 - y)
			g.room[Down][c] = byte(y)
			g.room[Left][c] = byte(x)
			g.room[Right][c] = byte(size - 1 - x)
		}
	}
	return g
}

func (g *geometry) cell(s Square) cell { return cell(s.Y+1)*g.stride + cell(s.X) }

func (g *geometry) square(c cell) Square {
	return Square{X: int(c % g.stride), Y: int(c/g.stride) - 1}
}

// holds reports whether the square is on the board.
func (g *geometry) holds(s Square) bool {
	return s.X >= 0 && s.X < g.size && s.Y >= 0 && s.Y < g.size
}
