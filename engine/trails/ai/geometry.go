package ai

import (
	"castellan/engine/search"
	"castellan/engine/trails"
)

// cell is the number of a square: rank by rank from a1, without gaps, so that
// the default board of 121 squares fits into two words.
type cell uint16

const (
	// off is the number of a square beyond the edge. It is never free.
	off cell = 511

	mostSize  = 21
	mostCells = mostSize * mostSize

	// boosts is how many values a boost has on the largest board: a run of
	// 1 + 2 + … + 5 squares has room there, and one more move cut short by the
	// edge.
	boosts = 6
)

// board is a set of cells.
type board [8]uint64

func (b *board) has(c cell) bool { return b[c>>6&7]>>(c&63)&1 != 0 }
func (b *board) set(c cell)      { b[c>>6&7] |= 1 << (c & 63) }
func (b *board) drop(c cell)     { b[c>>6&7] &^= 1 << (c & 63) }

// directions is how many there are, which is also the number of none.
const (
	directions = 4
	none       = directions
)

// geometry is what depends on the size of the board alone. It never changes
// once made.
type geometry struct {
	size   int
	cells  int
	words  int // of a board that are used
	boosts int // values that a boost has on this board
	// next is the square next to one, or off.
	next [mostCells][directions]cell
	// room is the squares between one and the edge.
	room [directions][mostCells]uint8
	// step is what one step adds to the number of a cell.
	step [directions]int
	// inner is the cells with room for at least so many steps, ring those with
	// room for exactly so many.
	inner, ring [directions][boosts + 2]board
	// fill is the part of the hash of a square that is not free, rook that of
	// a tower that nobody has taken.
	fill, rook [mostCells]uint64
}

func newGeometry(size int) *geometry {
	g := &geometry{size: size, cells: size * size, words: (size*size + 63) / 64}
	for run := 0; run < size-1; run += g.boosts {
		g.boosts++
	}
	g.step = [directions]int{trails.Up: size, trails.Down: -size, trails.Left: -1, trails.Right: 1}
	for y := range size {
		for x := range size {
			c := cell(y*size + x)
			room := [directions]int{trails.Up: size - 1 - y, trails.Down: y, trails.Left: x, trails.Right: size - 1 - x}
			for d, r := range room {
				g.room[d][c] = uint8(r)
				g.next[c][d] = off
				if r > 0 {
					g.next[c][d] = cell(int(c) + g.step[d])
				}
				for n := range boosts + 2 {
					if r >= n {
						g.inner[d][n].set(c)
					}
					if r == n {
						g.ring[d][n].set(c)
					}
				}
			}
			g.fill[c] = search.Mix(uint64(c) + 1)
			g.rook[c] = search.Mix(uint64(c) + 1<<16)
		}
	}
	return g
}

func (g *geometry) cell(s trails.Square) cell { return cell(s.Y*g.size + s.X) }

// target is where a move the same way leads from a cell with a boost, the
// number of steps being one more than the boost after it; cut is whether the
// edge cut it short. It is the cell itself where that lies on the edge.
func (g *geometry) target(d uint8, c cell, boost uint8) (to cell, cut bool) {
	steps, room := int(boost)+2, int(g.room[d&3][c])
	if steps > room {
		steps, cut = room, true
	}
	return cell(int(c) + steps*g.step[d&3]), cut
}
