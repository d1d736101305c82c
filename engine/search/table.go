package search

import "math/bits"

// Bound says what the value of an entry is of the true one.
type Bound uint8

// The bounds; 0 is that of an empty entry.
const (
	Exact      Bound = iota + 1 // it is the true one
	LowerBound                  // it is that or less than
	UpperBound                  // it is that or more than
)

// Entry is what is known of a position: 16 bytes.
type Entry struct {
	key   uint64
	Move  Move  // the best, or NoMove; 32 bits of the caller's where a turn is many moves
	value int16 // with a win as far as it is from the position
	Depth uint8 // moves ahead that were looked at
	Bound Bound
}

const entrySize = 16

// Value is the value that was kept, as it is so many moves from the root: a win
// is that much further off.
func (e *Entry) Value(at int) int {
	switch v := int(e.value); {
	case v >= decided:
		return v - at
	case v <= -decided:
		return v + at
	default:
		return v
	}
}

// Table remembers positions by their hash (a transposition table). Each place
// has room for two: one of the deepest search, and one of the last.
type Table struct {
	entries []Entry
	mask    uint64
}

// NewTable is an empty table of at most that many bytes (0: DefaultMemory) and
// that many entries, such as a search can use (0: any number). It has two
// entries at least.
func NewTable(memory, entries int64) Table {
	if memory <= 0 {
		memory = DefaultMemory
	}
	room := uint64(memory) / entrySize
	if entries > 0 {
		room = min(room, uint64(entries))
	}
	room = max(room, 2)
	room = 1 << (bits.Len64(room) - 1) // a power of two, not above
	piece, used := tables.take(int(room), entrySize)
	t := Table{piece, room - 2}
	if used {
		t.Clear()
	}
	return t
}

var tables pool[Entry]

// Free gives the table's memory to the next one. It must not be used any more.
func (t *Table) Release() {
	tables.give(t.entries, entrySize)
	t.entries = nil
}

// Find is the entry of a position, or nil.
func (t *Table) Probe(key uint64) *Entry {
	at := key & t.mask
	for i := range uint64(2) {
		if e := &t.entries[at+i]; e.key == key && e.Bound != 0 {
			return e
		}
	}
	return nil
}

// Keep remembers what was found out about a position that is so many moves from
// the root: its value from there, and the best move, or NoMove to keep the one
// that is known.
func (t *Table) Store(key uint64, at, depth, value int, b Bound, move Move) {
	place := key & t.mask
	e := &t.entries[place]
	if e.key != key && e.Bound != 0 && int(e.Depth) > depth {
		e = &t.entries[place+1]
	} else if e.key != key {
		t.entries[place+1] = *e
	}
	if move == NoMove && e.key == key {
		move = e.Move
	}
	switch { // a win so many moves from the root is one so many from here
	case value >= decided:
		value += at
	case value <= -decided:
		value -= at
	}
	*e = Entry{key, move, int16(value), uint8(depth), b}
}

// Clear forgets everything.
func (t *Table) Clear() { clear(t.entries) }
