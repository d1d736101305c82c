package stonetowers

import "castellan/engine/grid"

// Square is a square of the board.
type Square = grid.Square

// Cell numbers a square, file by file: a1, a2 and so on. A border of cells around
// the board belongs to no square, so that steps over an edge need no check.
type Cell uint16

// MaxCells is room for the largest board: 18 files of 17 cells.
const MaxCells = 320

// Board holds what depends only on the size of the board. It never changes and is
// shared by all positions of a match.
type Board struct {
	Stride        Cell   // from a cell to its right neighbour
	Cells         []Cell // all squares, by file, then rank
	width, height int
}

func newBoard(width, height int) *Board {
	b := &Board{Stride: Cell(height + 1), width: width, height: height}
	for x := range width {
		for y := range height {
			b.Cells = append(b.Cells, b.cell(Square{X: x, Y: y}))
		}
	}
	return b
}

func (b *Board) cell(s Square) Cell { return Cell(s.X+1)*b.Stride + Cell(s.Y) }

func (b *Board) Square(c Cell) Square {
	return Square{X: int(c/b.Stride) - 1, Y: int(c % b.Stride)}
}

func (b *Board) contains(s Square) bool {
	return s.X >= 0 && s.X < b.width && s.Y >= 0 && s.Y < b.height
}

func (b *Board) placeOf(s Square) Place {
	at := Inside
	if s.X == 0 || s.X == b.width-1 {
		at++
	}
	if s.Y == 0 || s.Y == b.height-1 {
		at++
	}
	return at
}

// Content packs into 11 bits what is known of a cell, so that it can index tables:
// its place on the board, its owner, the level of its castle, and Red's influence
// minus Blue's.
//
//	bits 0 to 4   lead + 16, from 1 to 31
//	bits 5 and 6  level
//	bits 7 and 8  owner
//	bits 9 and 10 place
type Content uint16

const (
	levelShift = 5
	ownerShift = 7
	placeShift = 9

	even Content = 16 // the lead when neither has influence

	// Contents is the number of contents. As a power of two it serves as a mask
	// of indices, which then need no check.
	Contents = 1 << 11
)

// Owner is the owner of a cell.
type Owner uint8

const (
	Free    Owner = iota
	Red           // player 0
	Blue          // player 1
	Outside       // the edge of the board
)

// Place classifies squares by the number of edges they touch.
type Place uint8

const (
	Inside Place = iota
	Side
	Corner
	Places
)

// Lead returns Red's influence minus Blue's, from -15 to 15.
func (q Content) Lead() int { return int(q&31) - int(even) }

// Level returns the level of the castle, or 0 for none.
func (q Content) Level() int { return int(q>>levelShift) & 3 }

func (q Content) Owner() Owner { return Owner(q>>ownerShift) & 3 }

// Place returns the place, which may be Places if no square has the content.
func (q Content) Place() Place { return Place(q >> placeShift) }

// OwnerAndLevel returns the part that the rules tell apart, in four bits.
func (q Content) OwnerAndLevel() uint64 { return uint64(q>>levelShift) & 15 }

func (q Content) With(o Owner, level int) Content {
	return q&^(15<<levelShift) | Content(o)<<ownerShift | Content(level)<<levelShift
}

// raised returns the content after the player has built or fortified, without the
// influence of that.
func (q Content) raised(player int) Content {
	if q.Owner() == Free {
		return q.With(OwnerOf(player), 1)
	}
	return q + 1<<levelShift
}

// Strengthen returns the content after the player's influence has risen by one, the
// square not having changed hands yet; ok is false if no more influence is possible.
func (q Content) Strengthen(player int) (next Content, ok bool) {
	if lead := q.Lead() * Sign(player); lead < -15 || lead >= 15 {
		return q, false
	}
	return q + Content(Sign(player)), true
}

func OwnerOf(player int) Owner { return Owner(player + 1) }

// Sign returns the sign of a player's influence in a lead.
func Sign(player int) int { return 1 - 2*player }

// FlipsTo reports whether the square goes to the player because they lead on it.
func (q Content) FlipsTo(player int) bool {
	o := q.Owner()
	return o != OwnerOf(player) && o != Outside && q.Lead()*Sign(player) > 0
}

// Playable returns which contents the player may build or fortify on.
func Playable(player int) *[Contents]bool { return &playable[player] }

// flips tabulates FlipsTo by player, and playable the squares of Playable.
var flips, playable = func() (f, p [2][Contents]bool) {
	for player := range f {
		for q := range Content(Contents) {
			f[player][q] = q.FlipsTo(player)
			o := q.Owner()
			p[player][q] = o == Free || o == OwnerOf(player) && q.Level() < maxLevel
		}
	}
	return f, p
}()

// step is what becomes of a content, in the lower half, when the player's influence
// rises by one, and above it whether they win the square, whether the opponent loses
// it, and the level of the castle that falls. Four steps can be added up.
type step uint32

const (
	stepWon  step = 1 << 16
	stepLost step = 1 << 20
	stepFell step = 1 << 24
)

// steps tabulates the steps of each player.
var steps = func() (t [2][Contents]step) {
	for player := range t {
		for q := range Content(Contents) {
			next := q + Content(Sign(player))
			if q.Owner() == Outside {
				next = q
			}
			won := step(0)
			if next.FlipsTo(player) {
				won = stepWon
				if q.Owner() != Free {
					won += stepLost
				}
				won += stepFell * step(q.Level())
				next = next.With(OwnerOf(player), 0)
			}
			t[player][q] = won + step(next)
		}
	}
	return t
}()
