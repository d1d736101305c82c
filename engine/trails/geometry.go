package trails

import (
	"castellan/engine"
	"castellan/engine/grid"
)

// Square is a square of the board.
type Square = grid.Square

// Tower is a tower and the seat that has taken it, or Nobody.
type Tower struct {
	Square Square
	Owner  engine.Seat
}

// offsets returns the positions of the towers on the rising diagonal, in
// squares from the centre, from the lower left: "Setup" of the rules page.
func offsets(towers, distance int) []int {
	apart := distance + 1
	var out []int
	for i := range towers {
		k := i - towers/2 // towers to the right of the centre, from 0 if their number is even
		switch {
		case towers%2 == 1:
			out = append(out, k*apart)
		case k < 0:
			out = append(out, (k+1)*apart-distance/2-1)
		default:
			out = append(out, k*apart+distance/2+1)
		}
	}
	return out
}

func fits(size, towers, distance int) bool {
	o := offsets(towers, distance)
	return o[len(o)-1] <= size/2
}

// cell is the number of a square. Rows are one cell longer than the largest
// board is wide, whatever the size of the board. The extra cells of each row,
// the row below the board and the row above it belong to no square and are
// never free, so that a step over an edge ends on a cell that is not free and
// needs no check.
type cell uint32

const (
	stride cell = maxSize + 1 // from a cell to the one above it

	// cells is room for the largest board, (21+2) rows of 22 cells, rounded up
	// to a power of two.
	cells = 512
	words = cells / 64
)

type board [words]uint64

func (b *board) has(c cell) bool { return b[c>>6&(words-1)]>>(c&63)&1 != 0 }
func (b *board) set(c cell)      { b[c>>6&(words-1)] |= 1 << (c & 63) }

// geometry holds what depends only on the size of the board. It never changes
// and is shared by all positions of a match.
type geometry struct {
	size int
	room [4][cells]byte // squares between a cell and the edge
	// afterTurn has the straight move that follows a change of direction, by the
	// direction and the cell where the change ended. Most moves change direction
	// and then need no arithmetic.
	afterTurn [4][cells]straightMove
}

// delta is one step in each direction, modulo 2^32.
var delta = [4]cell{Up: stride, Down: ^stride + 1, Left: ^cell(0), Right: 1}

func newGeometry(size int) *geometry {
	g := &geometry{size: size}
	for y := range size {
		for x := range size {
			c := g.cell(Square{X: x, Y: y})
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

// straightMove is the target of a move in the same direction as before and the
// bit that the target must have set: freeBit where the edge cuts the move
// short, because it can then take no tower, else openBit.
type straightMove struct {
	to  cell
	bit uint8
}

// straightAfter returns the next move in the same direction, after a move that
// ended on c with a boost.
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

func (g *geometry) contains(s Square) bool {
	return s.X >= 0 && s.X < g.size && s.Y >= 0 && s.Y < g.size
}

// field holds the content of every cell. A free cell has all bits of free, a
// free tower has openBit alone, every other cell has none.
type field [cells + 2*stride]uint8

const (
	// A free cell can be reached from each of its neighbours, so it has the bits
	// of all Moves and these two.
	openBit = 4 // free or a tower: a move with a boost can end here
	freeBit = 5

	tower = 1 << openBit
	free  = 1<<freeBit | tower | uint8(toUp|toDown|toLeft|toRight)
)

func (f *field) free(c cell) bool  { return f[c&(cells-1)] == free }
func (f *field) tower(c cell) bool { return f[c&(cells-1)] == tower }

func (f *field) setFree(c cell)  { f[c&(cells-1)] = free }
func (f *field) setTower(c cell) { f[c&(cells-1)] = tower }
func (f *field) occupy(c cell)   { f[c&(cells-1)] = 0 }

// occupyFree occupies a free cell and leaves a tower as it is.
func (f *field) occupyFree(c cell) {
	v := f[c&(cells-1)]
	f[c&(cells-1)] = v & tower &^ (v >> (freeBit - openBit))
}

func (f *field) freeNeighbours(c cell) Moves {
	near := (*[2*stride + 1]uint8)(f[(c-stride)&(cells-1):])
	return Moves(near[0])&toDown | Moves(near[stride-1])&toLeft |
		Moves(near[stride+1])&toRight | Moves(near[2*stride])&toUp
}
