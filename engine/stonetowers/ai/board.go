package ai

import "castellan/engine/stonetowers"

// cell numbers a square, file by file: a1, a2 and so on. A border of cells
// around the board belongs to nobody, so that steps over the edge need no
// check.
type cell uint16

// maxCells suffices for the largest board: 18 files of 17 cells.
const maxCells = 320

// pass is the move that stands for no square.
const pass cell = 0

// square packs into 11 bits what is known of a cell, so that it can index
// tables: its place on the board, its owner, the castle's level, and Red's
// influence minus Blue's.
//
//	bits 0 to 4   lead + 16, from 1 to 31
//	bits 5 and 6  level
//	bits 7 and 8  owner
//	bits 9 and 10 place
type square uint16

const (
	even       square = 16 // the lead when neither has influence
	levelShift        = 5
	ownerShift        = 7
	placeShift        = 9
	squares           = 1 << 11 // how many there may be
)

// owner is the owner of a cell.
type owner uint8

const (
	free    owner = iota
	red           // player 0
	blue          // player 1
	outside       // the edge of the board
)

// place classifies squares by the number of edges they touch.
type place uint8

const (
	inside place = iota
	side
	corner
	places
)

func (q square) lead() int    { return int(q&31) - int(even) }
func (q square) level() int   { return int(q>>levelShift) & 3 }
func (q square) owner() owner { return owner(q>>ownerShift) & 3 }
func (q square) place() place { return place(q >> placeShift) }

// with returns the square with another owner and level.
func (q square) with(o owner, level int) square {
	return q&^(15<<levelShift) | square(o)<<ownerShift | square(level)<<levelShift
}

// ownerOf returns a player as an owner.
func ownerOf(player int) owner { return owner(player + 1) }

// sign returns the sign of a player's influence in a lead.
func sign(player int) int { return 1 - 2*player }

// flipsTo reports whether the square goes to the player because they lead on
// it.
func (q square) flipsTo(player int) bool {
	o := q.owner()
	return o != ownerOf(player) && o != outside && q.lead()*sign(player) > 0
}

// playable reports whether the player may build or fortify there.
func (q square) playable(player int) bool {
	o := q.owner()
	return o == free || o == ownerOf(player) && q.level() < 3
}

// rules tabulates flipsTo and playable by player and square.
var rules = func() (r [2]struct{ goes, open [squares]bool }) {
	for player := range r {
		for q := range square(squares) {
			r[player].goes[q] = q.flipsTo(player)
			r[player].open[q] = q.playable(player)
		}
	}
	return r
}()

// geometry holds what depends only on the size of the board.
type geometry struct {
	stride cell   // from a cell to its right neighbour
	cells  []cell // all squares of the board
}

func newGeometry(width, height int) *geometry {
	g := &geometry{stride: cell(height + 1)}
	for x := range width {
		for y := range height {
			g.cells = append(g.cells, g.cell(stonetowers.Square{X: x, Y: y}))
		}
	}
	return g
}

func (g *geometry) cell(s stonetowers.Square) cell { return cell(s.X+1)*g.stride + cell(s.Y) }

func (g *geometry) square(c cell) stonetowers.Square {
	return stonetowers.Square{X: int(c/g.stride) - 1, Y: int(c % g.stride)}
}
