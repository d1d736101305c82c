package ai

import (
	"castellan/engine/search"
	"castellan/engine/towers/internal/board"
)

// Generating the turns of a position costs hundreds of nodes, trying one costs
// few. So the best turn that an earlier search found in a position, and turns
// that refuted others as many turns ahead (killers), are tried before any are
// generated.

// line holds the actions of a turn, without the end.
type line struct {
	length uint8
	moves  [maxLine]uint16
}

// maxLine is the greatest length of a turn that is remembered.
const maxLine = 11

// lineOf returns the line of actions, and whether it is short enough.
func lineOf(moves []search.Move) (l line, ok bool) {
	if len(moves) > maxLine {
		return l, false
	}
	for i, m := range moves {
		l.moves[i] = uint16(m)
	}
	l.length = uint8(len(moves))
	return l, true
}

func (l *line) appendTo(to []search.Move) []search.Move {
	for _, m := range l.moves[:l.length] {
		to = append(to, search.Move(m))
	}
	return to
}

// makeLine makes the actions of a line. If they are not all legal, or one takes
// the master, it makes none and returns false.
func (s *State) makeLine(l *line) bool {
	for i, m := range l.moves[:l.length] {
		if !s.IsLegal(board.Move(m)) {
			unmake(s, i)
			return false
		}
		s.Make(search.Move(m))
		if s.Ending != board.Ongoing {
			unmake(s, i+1)
			return false
		}
	}
	return true
}

// bestLines remembers the best turns of positions. The latest replaces others.
type bestLines []bestLine

type bestLine struct {
	key  uint64 // of the position
	line line
}

// A search has one entry for so many nodes, and at most mostBestLines, 1 MB.
const (
	bestLineNodes = 16
	mostBestLines = 1 << 15
	bestLineSize  = 32
)

// newBestLines returns room for a search with so many nodes (0 for any number)
// in so many bytes.
func newBestLines(nodes, memory int64) bestLines {
	n := min(int64(mostBestLines), max(memory/bestLineSize, 1))
	if nodes > 0 {
		n = min(n, nodes/bestLineNodes+1)
	}
	return make(bestLines, n)
}

func (b bestLines) find(key uint64) (line, bool) {
	if e := &b[key%uint64(len(b))]; e.key == key {
		return e.line, true
	}
	return line{}, false
}

func (b bestLines) store(key uint64, l line) { b[key%uint64(len(b))] = bestLine{key, l} }

// killers are the last two turns that refuted others.
type killers [2]line

func (k *killers) add(l line) {
	if l != k[0] {
		k[1], k[0] = k[0], l
	}
}

// searchKnown searches the turns that are known. It reports whether the search of
// the position is finished.
func (s *searcher) searchKnown(n *inner) (finished bool) {
	st := s.state
	var lines [1 + len(killers{})]line // a copy: the search changes the killers
	all := lines[:0]
	if l, ok := s.best.find(n.key); ok {
		all = append(all, l)
	}
	for _, l := range s.plies[n.ply].killers {
		if l.length > 0 {
			all = append(all, l)
		}
	}
	for i := range all {
		l := &all[i]
		if !st.makeLine(l) {
			continue
		}
		key := st.EndKey()
		if n.searchedKnown(key) {
			unmake(st, int(l.length))
			continue
		}
		st.Make(moveEnd)
		v := s.searchTurn(n.knownCount, n.depth, n.alpha, n.beta, n.ply)
		unmake(st, int(l.length)+1)
		n.known[n.knownCount] = key
		n.knownCount++
		var buffer [maxLine]search.Move
		if s.takeResult(n, key, l.appendTo(buffer[:0]), v) {
			return true
		}
	}
	return false
}

// lastKnown looks for a beta cutoff among the killers at the last turn.
func (s *searcher) lastKnown(key uint64, beta, ply int) (value int, cutoff bool) {
	here, st := &s.plies[ply], s.state
	for i := range here.killers {
		l := &here.killers[i]
		if l.length == 0 || !st.makeLine(l) {
			continue
		}
		e := st.turnEnd(st.EndKey(), s.drawValue(ply))
		unmake(st, int(l.length))
		if s.count(1) {
			return 0, true
		}
		if v := int(s.noisy(&e)); !e.lost && v >= beta {
			here.pv = append(l.appendTo(here.pv[:0]), moveEnd)
			s.table.Store(key, ply, 1, v, search.LowerBound, search.Move(e.key))
			return v, true
		}
	}
	return 0, false
}
