package ai

import (
	"castellan/engine/search"
	"castellan/engine/trails"
)

// cell numbers a square, rank by rank from a1 without gaps. The default board
// of 121 squares fits into two words.
type cell uint16

const (
	mostSize  = 21
	mostCells = mostSize * mostSize

	// boosts is the number of boost values on the largest board: there is
	// room for a run of 1 + 2 + … + 5 squares and one more move cut short
	// by the edge.
	boosts = 6

	directions = 4
)

type board [8]uint64

func (b *board) has(c cell) bool { return b[c>>6&7]>>(c&63)&1 != 0 }
func (b *board) set(c cell)      { b[c>>6&7] |= 1 << (c & 63) }
func (b *board) drop(c cell)     { b[c>>6&7] &^= 1 << (c & 63) }

// geometry holds what depends only on the size of the board.
type geometry struct {
	size   int
	cells  int
	words  int // words of a board that are used
	boosts int // number of boost values on this board
	// step is the difference between the numbers of neighbours, modulo 2^16.
	step [directions]cell
	// inner holds the cells with room for at least n steps, ring those with
	// room for exactly n.
	inner, ring [directions][boosts + 2]board
	// fill is the hash of an occupied square, rook that of a free tower.
	fill, rook [mostCells]uint64
}

func newGeometry(size int) *geometry {
	g := &geometry{size: size, cells: size * size, words: (size*size + 63) / 64}
	for run := 0; run < size-1; run += g.boosts {
		g.boosts++
	}
	g.step = [directions]cell{trails.Up: cell(size), trails.Down: -cell(size), trails.Left: ^cell(0), trails.Right: 1}
	for y := range size {
		for x := range size {
			c := cell(y*size + x)
			for d, room := range [directions]int{trails.Up: size - 1 - y, trails.Down: y, trails.Left: x, trails.Right: size - 1 - x} {
				for n := range boosts + 2 {
					if room >= n {
						g.inner[d][n].set(c)
					}
					if room == n {
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
