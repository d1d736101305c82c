package rings

import (
	"math/bits"
	"slices"
	"strconv"
)

// Point is a place for a stone: Column counts from 0 (A) at the left, Row from
// 1 at the top. Only every second row of a column has a point.
type Point struct{ Column, Row int }

// String returns the name of the point, "M11".
func (p Point) String() string {
	return columnName(p.Column) + strconv.Itoa(p.Row)
}

// columnName returns the letter of a column: A for 0.
func columnName(column int) string {
	if column < 0 || column > 'Z'-'A' {
		return "?"
	}
	return string(rune('A' + column))
}

// Circle is a full circle: Number counts from 1, Column counts the columns of
// circles from 0 at the left, Row is the row of its centre, counted like the
// rows of points.
type Circle struct{ Number, Column, Row int }

// Points returns the six points of the circle, clockwise from the left one.
func (c Circle) Points() [6]Point {
	x, y := 2*c.Column, c.Row
	return [6]Point{{x, y}, {x + 1, y - 1}, {x + 2, y - 1}, {x + 3, y}, {x + 2, y + 1}, {x + 1, y + 1}}
}

// Circles returns the full circles of a board in the order of their numbers.
func Circles(side int) []Circle {
	var out []Circle
	for column := range 2*side - 1 {
		circles := 2*side - 1 - max(column-(side-1), side-1-column)
		for i := range circles {
			out = append(out, Circle{Column: column, Row: 2*side - (circles - 1) + 2*i})
		}
	}
	slices.SortFunc(out, func(a, b Circle) int {
		if a.Row != b.Row {
			return a.Row - b.Row
		}
		return a.Column - b.Column
	})
	for i := range out {
		out[i].Number = i + 1
	}
	return out
}

// Points returns all points of a board, by column, then row.
func Points(side int) []Point {
	var out []Point
	for _, c := range Circles(side) {
		points := c.Points()
		out = append(out, points[:]...)
	}
	slices.SortFunc(out, func(a, b Point) int {
		if a.Column != b.Column {
			return a.Column - b.Column
		}
		return a.Row - b.Row
	})
	return slices.Compact(out)
}

// Capacities for the largest board, side 6, rounded up to powers of two so that
// masking an index is enough of a bounds check.
const (
	pointRoom   = 256 // 216 points
	circleRoom  = 128 // 91 circles
	pointWords  = pointRoom / 64
	circleWords = circleRoom / 64
)

// pointSet and circleSet are sets of indices. Points count by column, then row;
// a circle's index is its number less one.
type (
	pointSet  [pointWords]uint64
	circleSet [circleWords]uint64
)

func (s *pointSet) has(p uint8) bool { return s[p>>6]>>(p&63)&1 != 0 }
func (s *pointSet) set(p uint8)      { s[p>>6] |= 1 << (p & 63) }
func (s *pointSet) clear(p uint8)    { s[p>>6] &^= 1 << (p & 63) }

func (s *circleSet) has(c uint8) bool { return s[c>>6&(circleWords-1)]>>(c&63)&1 != 0 }
func (s *circleSet) set(c uint8)      { s[c>>6&(circleWords-1)] |= 1 << (c & 63) }
func (s *circleSet) clear(c uint8)    { s[c>>6&(circleWords-1)] &^= 1 << (c & 63) }
func (s *circleSet) empty() bool      { return s[0]|s[1] == 0 }

func (s *circleSet) add(t *circleSet) {
	s[0] |= t[0]
	s[1] |= t[1]
}

func (s *circleSet) len() int { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// pop removes the first member from a set that is not empty.
func (s *circleSet) pop() uint8 {
	i := 0
	if s[0] == 0 {
		i = 1
	}
	c := bits.TrailingZeros64(s[i])
	s[i] &= s[i] - 1
	return uint8(64*i + c)
}

// geometry holds what depends only on the size of the board. It never changes
// and is shared by all positions of a match.
type geometry struct {
	side    int
	points  []Point
	circles []Circle
	index   map[Point]uint8

	circlesAt      [pointRoom]incidence
	neighbourhoods [circleRoom]neighbourhood
}

// incidence lists the n full circles on which a point lies.
type incidence struct {
	circles [3]uint8
	n       uint8
}

// neighbourhood holds the points of a circle and a list of n circles: the
// circle itself, then its neighbours.
type neighbourhood struct {
	points [6]uint8
	list   [7]uint8
	n      uint8
	set    circleSet // the same as list
}

// neighbours returns the circles that share two points with this one.
func (a *neighbourhood) neighbours() []uint8 { return a.list[1:min(a.n, 7)] }

func newGeometry(side int) *geometry {
	g := &geometry{side: side, circles: Circles(side), points: Points(side), index: map[Point]uint8{}}
	for i, p := range g.points {
		g.index[p] = uint8(i)
	}
	for i, c := range g.circles {
		for j, at := range c.Points() {
			p := g.index[at]
			g.neighbourhoods[i].points[j] = p
			on := &g.circlesAt[p]
			on.circles[on.n] = uint8(i)
			on.n++
		}
	}
	// Circles that share a point share two, so they are neighbours.
	for i := range g.circles {
		a := &g.neighbourhoods[i]
		a.set.set(uint8(i))
		a.list[0], a.n = uint8(i), 1
		for _, p := range a.points {
			on := &g.circlesAt[p]
			for _, c := range on.circles[:on.n] {
				if !a.set.has(c) {
					a.set.set(c)
					a.list[a.n] = c
					a.n++
				}
			}
		}
	}
	return g
}

// rows returns the first and the last row of a column that have points; ok is
// false if the board has no such column.
func (g *geometry) rows(column int) (first, last int, ok bool) {
	for _, p := range g.points {
		if p.Column != column {
			continue
		}
		if !ok {
			first, ok = p.Row, true
		}
		last = p.Row
	}
	return first, last, ok
}
