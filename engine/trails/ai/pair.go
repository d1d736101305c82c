package ai

import (
	"math/bits"

	"castellan/engine/trails"
)

// maxNarrowSize is the largest board whose squares fit into a pair.
const maxNarrowSize = 11

// pair is a board of at most 128 cells, kept in registers.
type pair struct{ lo, hi uint64 }

func pairOf(b *board) pair { return pair{b[0], b[1]} }

func (p pair) and(q pair) pair     { return pair{p.lo & q.lo, p.hi & q.hi} }
func (p pair) or(q pair) pair      { return pair{p.lo | q.lo, p.hi | q.hi} }
func (p pair) without(q pair) pair { return pair{p.lo &^ q.lo, p.hi &^ q.hi} }
func (p pair) empty() bool         { return p.lo|p.hi == 0 }
func (p pair) count() int          { return bits.OnesCount64(p.lo) + bits.OnesCount64(p.hi) }
func (p pair) has(c cell) bool {
	if c < 64 {
		return p.lo>>(c&63)&1 != 0
	}
	return p.hi>>(c&63)&1 != 0
}

// up and down shift by n cells, from 1 to 127.
func (p pair) up(n uint) pair {
	if n >= 64 {
		return pair{0, p.lo << (n & 63)}
	}
	return pair{p.lo << n, p.hi<<n | p.lo>>(64-n)}
}

func (p pair) down(n uint) pair {
	if n >= 64 {
		return pair{p.hi >> (n & 63), 0}
	}
	return pair{p.lo>>n | p.hi<<(64-n), p.hi >> n}
}

func cellPair(c cell) pair {
	if c < 64 {
		return pair{1 << (c & 63), 0}
	}
	return pair{0, 1 << (c & 63)}
}

// shift moves every cell a number of steps in a direction. None may cross an
// edge.
func (p pair) shift(d, steps, size int) pair {
	switch trails.Direction(d) {
	case trails.Up:
		return p.up(uint(steps * size))
	case trails.Down:
		return p.down(uint(steps * size))
	case trails.Left:
		return p.down(uint(steps))
	}
	return p.up(uint(steps))
}
