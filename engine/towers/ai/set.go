package ai

import (
	"math/bits"

	"castellan/engine/towers"
)

// cell numbers a square. Rows are stride cells long on boards of all sizes, so
// that a move has the same number on all. All other cells are walls: the last
// of each row, so that sideways steps never wrap around, and those beyond the
// last rank.
type cell uint8

const (
	stride  = 11
	cells   = 128
	nowhere = cell(cells - 1) // a wall on every board
)

func (c cell) square() towers.Square { return towers.Square{X: int(c % stride), Y: int(c / stride)} }

// steps are one step right, up, left and down, modulo 128.
var steps = [4]cell{1, stride, cells - 1, cells - stride}

// next returns the neighbour in the direction of a step.
func (c cell) next(step cell) cell { return (c + step) & (cells - 1) }

// set is a set of cells.
type set struct{ lo, hi uint64 }

// only returns the set of one cell.
func only(c cell) set {
	if c < 64 {
		return set{lo: 1 << c}
	}
	return set{hi: 1 << (c - 64)}
}

func (s set) has(c cell) bool {
	if c < 64 {
		return s.lo>>c&1 != 0
	}
	return s.hi>>(c-64)&1 != 0
}

func (s *set) add(c cell)    { *s = s.or(only(c)) }
func (s *set) remove(c cell) { *s = s.without(only(c)) }

func (s set) or(t set) set      { return set{s.lo | t.lo, s.hi | t.hi} }
func (s set) and(t set) set     { return set{s.lo & t.lo, s.hi & t.hi} }
func (s set) without(t set) set { return set{s.lo &^ t.lo, s.hi &^ t.hi} }
func (s set) empty() bool       { return s.lo|s.hi == 0 }
func (s set) count() int        { return bits.OnesCount64(s.lo) + bits.OnesCount64(s.hi) }

// first returns a cell of a non-empty set.
func (s set) first() cell {
	if s.lo != 0 {
		return cell(bits.TrailingZeros64(s.lo))
	}
	return cell(64 + bits.TrailingZeros64(s.hi))
}

// around returns every cell one step from a cell of the set. It may include
// walls and cells of the set.
func (s set) around() set {
	return set{
		s.lo<<1 | s.lo>>1 | s.hi<<63 | s.lo<<stride | s.lo>>stride | s.hi<<(64-stride),
		s.hi<<1 | s.lo>>63 | s.hi>>1 | s.hi<<stride | s.lo>>(64-stride) | s.hi>>stride,
	}
}

// wallsOf returns the cells that are not squares of a board of that size.
func wallsOf(size int) (w set) {
	for c := range cell(cells) {
		if s := c.square(); s.X >= size || s.Y >= size {
			w.add(c)
		}
	}
	return w
}
