package search

import "math/bits"

// bound says what the value of an entry is of the true one.
type bound uint8

const (
	noBound bound = iota // an empty entry
	exact                // it is
	atLeast              // it is that or less than
	atMost               // it is that or more than
)

// entry is what is known of a position: 16 bytes.
type entry struct {
	key   uint64
	move  Move
	value int16
	depth uint8
	bound bound
}

const entrySize = 16

// table remembers positions by their hash. Each place has room for two: one of
// the deepest search, and one of the last.
type table struct {
	entries []entry
	mask    uint64
}

// newTable is an empty table of at most that many bytes, and no larger than a
// search of that many nodes can use (0: any number).
func newTable(memory, nodes int64) table {
	if memory <= 0 {
		memory = DefaultMemory
	}
	room := uint64(memory) / entrySize
	if nodes > 0 {
		room = min(room, 4*uint64(nodes))
	}
	room = max(room, 2)
	room = 1 << (bits.Len64(room) - 1) // a power of two, not above
	return table{make([]entry, room), room - 2}
}

// find is the entry of a position, or nil.
func (t *table) find(key uint64) *entry {
	at := key & t.mask
	for i := range uint64(2) {
		if e := &t.entries[at+i]; e.key == key && e.bound != noBound {
			return e
		}
	}
	return nil
}

// keep remembers what was found out about a position.
func (t *table) keep(key uint64, depth int, value int, b bound, move Move) {
	at := key & t.mask
	e := &t.entries[at]
	if e.key != key && e.bound != noBound && int(e.depth) > depth {
		e = &t.entries[at+1]
	} else if e.key != key {
		t.entries[at+1] = *e
	}
	if move == NoMove && e.key == key {
		move = e.move
	}
	*e = entry{key, move, int16(value), uint8(depth), b}
}

// toTable makes a win so many moves from the root one so many from here.
func toTable(v, at int) int {
	switch {
	case v >= decided:
		return v + at
	case v <= -decided:
		return v - at
	}
	return v
}

func fromTable(v, at int) int {
	switch {
	case v >= decided:
		return v - at
	case v <= -decided:
		return v + at
	}
	return v
}
