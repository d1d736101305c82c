package ai

import "castellan/engine/stonetowers"

// cell is the number of a square, up the files, a1, a2 and so on, with a rim of
// cells around the board that are nobody's to win: a step over any edge needs no
// check.
type cell uint16

// rooms is enough cells for the largest board: 18 files of 17.
const rooms = 320

// pass is the move that is no square's.
const pass cell = 0

// square is all that is known of a cell in 11 bits, so that tables can be asked
// about it: its place on the board, its owner, the level of the castle and the
// influence of Red less that of Blue.
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

// owner is whose a cell is.
type owner uint8

const (
	free   owner = iota
	red          // player 0
	blue         // player 1
	beyond       // the edge of the board
)

// place is where on the board a square lies.
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

// with is the square with another owner and level.
func (q square) with(o owner, level int) square {
	return q&^(15<<levelShift) | square(o)<<ownerShift | square(level)<<levelShift
}

// of is the owner that a player is.
func of(player int) owner { return owner(player + 1) }

// sign is what a player's influence counts in a lead.
func sign(player int) int { return 1 - 2*player }

// goesTo reports whether the square goes to the player who leads on it.
func (q square) goesTo(player int) bool {
	o := q.owner()
	return o != of(player) && o != beyond && q.lead()*sign(player) > 0
}

// open reports whether the player may build or fortify there.
func (q square) open(player int) bool {
	o := q.owner()
	return o == free || o == of(player) && q.level() < 3
}

// rules is what goesTo and open say of every square, by player.
var rules = func() (r [2]struct{ goes, open [squares]bool }) {
	for player := range r {
		for q := range square(squares) {
			r[player].goes[q] = q.goesTo(player)
			r[player].open[q] = q.open(player)
		}
	}
	return r
}()

// geometry is what depends on the size of the board alone.
type geometry struct {
	stride cell   // from a cell to the one at its right
	cells  []cell // that are squares
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
