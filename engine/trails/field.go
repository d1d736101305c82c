package trails

// field is what every cell of the board is. A free cell has all bits of free, a
// tower that is not taken the bit openBit alone, everything else none.
type field [cells + 2*stride]uint8

const (
	// A free cell is a move from each of its neighbours, so it has the bits of
	// all Moves besides these two.
	openBit = 4 // free, or a tower: a move with a boost can end here
	freeBit = 5

	tower = 1 << openBit
	free  = 1<<freeBit | tower | uint8(toUp|toDown|toLeft|toRight)
)

func (f *field) free(c cell) bool  { return f[c&(cells-1)] == free }
func (f *field) tower(c cell) bool { return f[c&(cells-1)] == tower }

// release makes a cell free, raise makes it a tower, cover neither.
func (f *field) setFree(c cell) { f[c&(cells-1)] = free }
func (f *field) setTower(c cell)   { f[c&(cells-1)] = tower }
func (f *field) occupy(c cell)   { f[c&(cells-1)] = 0 }

// pass covers a cell that is free, and leaves a tower as it is.
func (f *field) occupyFree(c cell) {
	v := f[c&(cells-1)]
	f[c&(cells-1)] = v & tower &^ (v >> (freeBit - openBit))
}

// around is the free neighbours of a cell.
func (f *field) freeNeighbours(c cell) Moves {
	near := (*[2*stride + 1]uint8)(f[(c-stride)&(cells-1):])
	return Moves(near[0])&toDown | Moves(near[stride-1])&toLeft |
		Moves(near[stride+1])&toRight | Moves(near[2*stride])&toUp
}
