package trails

// cell is the number of a square. Rows are one cell longer than the largest
// board is wide, whatever the size: at least the last cell of each row belongs
// to no square, and neither does the row below the board nor the one above.
// These cells are never free, so that a step over any edge ends on a cell that
// is not free and needs no other check.
type cell uint32

const (
	stride cell = maxSize + 1 // from a cell to the one above it

	// cells is room for the largest board, (21+2) rows of 22 cells, rounded up
	// to a power of two.
	cells = 512
	words = cells / 64
)

// board is a set of cells.
type board [words]uint64

func (b *board) has(c cell) bool { return b[c>>6&(words-1)]>>(c&63)&1 != 0 }
func (b *board) set(c cell)      { b[c>>6&(words-1)] |= 1 << (c & 63) }

// geometry is what depends on the size of the board alone. It never changes
// once made and is shared by all positions of a match.
type geometry struct {
	size int
	room [4][cells]byte // squares between a cell and the edge
	// turned is what a player's next move the same way meets after one that
	// changed direction, by that direction and where it ended: most moves are
	// so, and need no arithmetic.
	afterTurn [4][cells]straightMove
}

// delta is one step, modulo 2^32.
var delta = [4]cell{Up: stride, Down: ^stride + 1, Left: ^cell(0), Right: 1}

func newGeometry(size int) *geometry {
	g := &geometry{size: size}
	for y := range size {
		for x := range size {
			c := g.cell(Square{x, y})
			g.room[Up][c] = byte(size - 1 - y)
			g.room[Down][c] = byte(y)
			g.room[Left][c] = byte(x)
			g.room[Right][c] = byte(size - 1 - x)
		}
	}
	for d := range delta {
		for c := range cell(cells) {
			g.afterTurn[d][c] = g.straightAfter(Direction(d), c, 0)
		}
	}
	return g
}

// ahead is where a move leads and the bit that must be set there: freeBit where
// the edge cuts it short, for then no tower can be taken, else openBit.
type straightMove struct {
	to  cell
	bit uint8
}

// after is what the next move in the same direction meets, after a move that
// ended on a cell with a boost.
func (g *geometry) straightAfter(d Direction, c cell, boost uint8) straightMove {
	room := g.room[d&3][c&(cells-1)]
	if next := boost + 2; next <= room {
		return straightMove{c + cell(next)*delta[d&3], openBit}
	}
	return straightMove{c + cell(room)*delta[d&3], freeBit}
}

func (g *geometry) cell(s Square) cell { return cell(s.Y+1)*stride + cell(s.X) }

func (g *geometry) square(c cell) Square {
	return Square{X: int(c % stride), Y: int(c/stride) - 1}
}

// holds reports whether the square is on the board.
func (g *geometry) contains(s Square) bool {
	return s.X >= 0 && s.X < g.size && s.Y >= 0 && s.Y < g.size
}
