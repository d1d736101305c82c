package ai

import (
	"math/bits"
	"sync"

	"castellan/engine/rings"
)

// cells is a set of cells, one bit each. Every circle of a board has a cell. So
// have the points: a point of an even column has the cell of the circle of
// which it is the left point, one of an odd column the cell of the circle of
// which it is the right point, as if circles went on beyond the edge. Two sets
// of cells hold all points.
//
// With v the column of a circle and u half the sum of its column and row, both
// of which differ by one between neighbours, the cell is across*v + down*u
// modulo 128. No two circles of a board share a cell, nor two left points, nor
// two right points. A neighbour in one direction is the same number of bits
// away for all cells, so a rotation of all bits answers a question about all
// circles at once.
type cells struct{ lo, hi uint64 }

// With these constants, of many that would do, all rotations are short.
const across, down = 5, 7

// rotate lowers every cell by k, from 1 to 63.
func (c cells) rotate(k uint) cells {
	return cells{c.lo>>k | c.hi<<(64-k), c.hi>>k | c.lo<<(64-k)}
}

func (c cells) and(d cells) cells     { return cells{c.lo & d.lo, c.hi & d.hi} }
func (c cells) or(d cells) cells      { return cells{c.lo | d.lo, c.hi | d.hi} }
func (c cells) xor(d cells) cells     { return cells{c.lo ^ d.lo, c.hi ^ d.hi} }
func (c cells) without(d cells) cells { return cells{c.lo &^ d.lo, c.hi &^ d.hi} }
func (c cells) not() cells            { return cells{^c.lo, ^c.hi} }

func (c cells) empty() bool { return c.lo|c.hi == 0 }
func (c cells) len() int    { return bits.OnesCount64(c.lo) + bits.OnesCount64(c.hi) }

// nth returns member number k, from 0, of a set with more than k members.
func (c cells) nth(k int) int {
	w, base := c.lo, 0
	if n := bits.OnesCount64(w); k >= n {
		w, base, k = c.hi, 64, k-n
	}
	for ; k > 0; k-- {
		w &= w - 1
	}
	return base + bits.TrailingZeros64(w)
}

// pop removes and returns the first member of a non-empty set.
func (c *cells) pop() int {
	if c.lo != 0 {
		n := bits.TrailingZeros64(c.lo)
		c.lo &= c.lo - 1
		return n
	}
	n := bits.TrailingZeros64(c.hi)
	c.hi &= c.hi - 1
	return 64 + n
}

// digits holds a number from 0 to 7 for every cell, as bit planes of ones, twos
// and fours.
type digits [3]cells

// sum counts for each of 64 cells how many of six sets have it as a member.
func sum(a, b, c, d, e, f uint64) (ones, twos, fours uint64) {
	ab, de := a^b, d^e
	x, y := ab^c, de^f
	abc, def := a&b|ab&c, d&e|de&f
	xy := x & y
	carry := abc ^ def
	return x ^ y, carry ^ xy, abc&def | carry&xy
}

// add increments the number of every member.
func (d *digits) add(c cells) {
	twos := d[0].and(c)
	d[0] = d[0].xor(c)
	fours := d[1].and(twos)
	d[1] = d[1].xor(twos)
	d[2] = d[2].xor(fours)
}

// atLeast returns the cells whose number is at least the other's.
func (d *digits) atLeast(e *digits) cells {
	return cells{
		atLeast(d[0].lo, d[1].lo, d[2].lo, e[0].lo, e[1].lo, e[2].lo),
		atLeast(d[0].hi, d[1].hi, d[2].hi, e[0].hi, e[1].hi, e[2].hi),
	}
}

// atLeast compares the numbers of 64 cells.
func atLeast(ones, twos, fours, ones2, twos2, fours2 uint64) uint64 {
	below := ones2 &^ ones
	below = twos2&^twos | below&^(twos^twos2)
	below = fours2&^fours | below&^(fours^fours2)
	return ^below
}

// dots is a set of points: two words of those that are the left point of a
// cell, and two of those that are a right point. Right points are stored at the
// cell of the circle whose upper left point they are, so that both rotate
// alike. A dot is a left point by its cell, and a right point by that plus 128.
type dots [4]uint64

// perCircle counts the members among the points of every circle.
func (d *dots) perCircle() (n digits) {
	n[0].lo, n[1].lo, n[2].lo = halfPerCircle(d[0], d[1], d[2], d[3])
	n[0].hi, n[1].hi, n[2].hi = halfPerCircle(d[1], d[0], d[3], d[2])
	return n
}

// halfPerCircle is perCircle for the cells of one word. The arguments are that
// word and the other one of left points, and of right points.
func halfPerCircle(l, m, r, s uint64) (ones, twos, fours uint64) {
	const both = across + down
	return sum(
		l, l>>across|m<<(64-across), l>>both|m<<(64-both),
		r, r>>down|s<<(64-down), r>>both|s<<(64-both))
}

// touching returns the circles with a point in the set.
func (d *dots) touching() cells {
	any := cells{d[0] | d[2], d[1] | d[3]}
	return any.or(any.rotate(across + down)).
		or(cells{d[0], d[1]}.rotate(across)).
		or(cells{d[2], d[3]}.rotate(down))
}

func (d *dots) set(dot uint8) { d[dot>>6] |= 1 << (dot & 63) }

// add adds the members of another set.
func (d *dots) add(e *dots) {
	d[0], d[1], d[2], d[3] = d[0]|e[0], d[1]|e[1], d[2]|e[2], d[3]|e[3]
}

// drop removes the members of another set.
func (d *dots) drop(e *dots) {
	d[0], d[1], d[2], d[3] = d[0]&^e[0], d[1]&^e[1], d[2]&^e[2], d[3]&^e[3]
}

// layout maps the circles and points of a board to cells and dots.
type layout struct {
	onBoard    cells          // the circles of the board
	cellOf     [circles]uint8 // by the number of the circle
	dotOf      [points]uint8  // by the index of the point
	pointsOf   [128]dots      // the points of a cell's circle
	neighbours [128]cells     // of a cell, also those without a circle
}

// layouts computes the layout of each board size on first use.
var layouts = func() (all [7]func() *layout) {
	for side := range all {
		all[side] = sync.OnceValue(func() *layout { return newLayout(side) })
	}
	return all
}()

func newLayout(side int) *layout {
	l := &layout{}
	index := map[rings.Point]int{}
	for i, p := range rings.Points(side) {
		index[p] = i
	}
	for i, c := range rings.Circles(side) {
		// The sum is even for all circles of a board or odd for all.
		cell := (across*c.Column + down*((c.Row+c.Column)/2)) & 127
		l.cellOf[i] = uint8(cell)
		l.onBoard = l.onBoard.or(one(cell))
		for _, to := range [3]int{across, down, across + down} {
			l.neighbours[cell] = l.neighbours[cell].or(one((cell + to) & 127)).or(one((cell - to) & 127))
		}
		for k, at := range [6]int{0, 0, across, across + down, across + down, down} { // clockwise from the left
			dot := uint8((cell+at)&127 + k&1<<7)
			l.dotOf[index[c.Points()[k]]] = dot
			l.pointsOf[cell].set(dot)
		}
	}
	return l
}

func one(cell int) (c cells) {
	if cell < 64 {
		c.lo = 1 << cell
	} else {
		c.hi = 1 << (cell - 64)
	}
	return c
}
