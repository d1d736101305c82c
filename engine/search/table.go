package search

import (
	"cmp"
	"math/bits"
)

// Bound tells how a stored value relates to the true one.
type Bound uint8

// The bounds. Zero marks an empty entry.
const (
	Exact Bound = iota + 1
	LowerBound
	UpperBound
)

// Entry holds the stored search result of a position, in 16 bytes.
type Entry struct {
	key   uint64
	Move  Move  // the best move or NoMove; callers may store any 32 bits
	value int16 // win distances count from the position, not from the root
	Depth uint8 // search depth in moves
	Bound Bound
}

const entrySize = 16

// Value returns the stored value as seen from the root, ply moves away.
func (e *Entry) Value(ply int) int {
	switch v := int(e.value); {
	case v >= ProvenWin:
		return v - ply
	case v <= -ProvenWin:
		return v + ply
	default:
		return v
	}
}

// Cutoff returns the stored value if it makes a search of the window to the depth
// superfluous. An exact value does so only in a null window: elsewhere the
// search must find the principal variation.
func (e *Entry) Cutoff(depth, alpha, beta, ply int) (value int, ok bool) {
	if int(e.Depth) < depth {
		return 0, false
	}
	v := e.Value(ply)
	return v, e.Bound == Exact && beta-alpha == 1 ||
		e.Bound == LowerBound && v >= beta ||
		e.Bound == UpperBound && v <= alpha
}

// Table is a transposition table. Every bucket has two entries: that of the
// deepest search and the latest.
type Table struct {
	entries []Entry
	mask    uint64
}

// NewTable returns an empty table of at most memory bytes (0 for DefaultMemory)
// and at most that many entries (0 for any number), but at least two entries.
func NewTable(memory, entries int64) Table {
	n := uint64(cmp.Or(memory, DefaultMemory)) / entrySize
	if entries > 0 {
		n = min(n, uint64(entries))
	}
	n = max(n, 2)
	n = 1 << (bits.Len64(n) - 1) // round down to a power of two
	buffer, dirty := tablePool.get(int(n), entrySize)
	t := Table{buffer, n - 2}
	if dirty {
		t.Clear()
	}
	return t
}

var tablePool pool[Entry]

func (t *Table) Clear() { clear(t.entries) }

// Release returns the memory for reuse. The table must not be used afterwards.
func (t *Table) Release() {
	tablePool.put(t.entries, entrySize)
	t.entries = nil
}

// Probe returns the entry of a position, or nil.
func (t *Table) Probe(key uint64) *Entry {
	bucket := key & t.mask
	for i := range uint64(2) {
		if e := &t.entries[bucket+i]; e.key == key && e.Bound != 0 {
			return e
		}
	}
	return nil
}

// Store stores the result for a position ply moves from the root. With NoMove it
// keeps the move that is stored already.
func (t *Table) Store(key uint64, ply, depth, value int, b Bound, move Move) {
	bucket := key & t.mask
	e := &t.entries[bucket]
	if e.key != key && e.Bound != 0 && int(e.Depth) > depth {
		e = &t.entries[bucket+1]
	} else if e.key != key {
		t.entries[bucket+1] = *e
	}
	if move == NoMove && e.key == key {
		move = e.Move
	}
	switch { // count win distances from here
	case value >= ProvenWin:
		value += ply
	case value <= -ProvenWin:
		value -= ply
	}
	*e = Entry{key, move, int16(value), uint8(depth), b}
}
