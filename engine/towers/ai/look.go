package ai

import (
	"math"
	"sync/atomic"

	"castellan/engine/search"
)

// won is the value of taking the master; n turns ahead it is n less.
const won = search.WinValue

// maxDepth is how many turns ahead is looked.
const maxDepth = 30

// walk is one search.
type walk struct {
	state    *State
	table    search.Table
	nodes    int64
	bound    int64
	noise    int
	contempt int // what a draw is worth less than an even game to the seat at the root
	seed     uint64
	stopped  atomic.Bool // from outside
	over     bool        // the search must end
	shape    *beams
	plies    [maxDepth + 1]ply
}

// ply is the room of one turn ahead.
type ply struct {
	list turnList
	line []search.Move // the best play from here, action by action
}

// shape is how wide a search looks.
type beams struct {
	root   beam // of the turn to choose
	inner  beam // of turns ahead
	last   beam // of the last turn that is looked at
	rooted int  // ends at the root that are looked into
	tried  int  // ends of turns ahead that are
	first  int  // of them all, those that are looked into to the whole depth
}

// count notes positions that were visited and reports whether the search must
// end.
func (w *walk) count(n int64) bool {
	w.nodes += n
	if w.bound > 0 && w.nodes >= w.bound || w.stopped.Load() {
		w.over = true
	}
	return w.over
}

// blur is the value of a finish as this player sees it.
func (w *walk) blur(f *turnEnd) {
	if w.noise > 0 && !f.drawn {
		f.value += int32(search.Mix(f.key^w.seed)%uint64(2*w.noise+1)) - int32(w.noise)
		f.order = f.value
	}
}

// look is the value of the position at the start of a turn, that many turns
// from the root, for the seat whose turn it is: exact between alpha and beta as
// far as the search is wide.
func (w *walk) look(depth, alpha, beta, from int) int {
	s := w.state
	here := &w.plies[from]
	here.line = here.line[:0]
	if w.count(1) {
		return 0
	}
	if s.strikeNow() <= int(s.points) {
		return won - from - 1
	}
	if from >= maxDepth || alpha >= won-from-3 {
		return alpha // no better can come
	}
	key := s.turnKey()
	if s.passed {
		key ^= search.Mix(1)
	}
	hint := search.NoMove
	if e := w.table.Probe(key); e != nil {
		hint = e.Move
		if int(e.Depth) >= depth {
			v := e.Value(from)
			switch {
			case e.Bound == search.Exact && (beta-alpha == 1 || depth <= 1),
				e.Bound == search.LowerBound && v >= beta,
				e.Bound == search.UpperBound && v <= alpha:
				return v
			}
		}
	}
	if depth <= 1 {
		return w.last(key, alpha, beta, from)
	}
	l := &here.list
	w.list(l, w.shape.inner, from)
	if w.over {
		return 0
	}
	for i := range l.ends {
		e := &l.ends[i]
		if e.lost {
			e.order -= 4000
		}
		if search.Move(e.key) == hint {
			e.order = math.MaxInt32
		}
	}
	l.sort()
	top, found, best := -won, search.UpperBound, search.NoMove
	for i := range l.ends {
		e := &l.ends[i]
		v := 0
		switch {
		case e.lost:
			v = -won + from + 2
		case i >= w.shape.tried:
			continue
		default:
			made := l.makePath(s, e.node) + 1
			s.Make(moveEnd)
			v = w.after(i, depth, alpha, beta, from)
			unmake(s, made)
		}
		if w.over {
			return 0
		}
		if v <= top {
			continue
		}
		top, best = v, search.Move(e.key)
		if v <= alpha {
			continue
		}
		alpha, found = v, search.Exact
		here.line = append(append(here.line[:0], l.path(e.node)...), moveEnd)
		here.line = append(here.line, w.plies[from+1].line...)
		if v >= beta {
			found = search.LowerBound
			break
		}
	}
	w.table.Store(key, from, depth, top, found, best)
	return top
}

// after is the value for the player who has just ended turn number i of those
// that he could choose from.
func (w *walk) after(i, depth, alpha, beta, from int) int {
	if w.state.ending == drawn {
		w.plies[from+1].line = w.plies[from+1].line[:0]
		return w.draw(from)
	}
	if i == 0 {
		return -w.look(depth-1, -beta, -alpha, from+1)
	}
	less := 0
	if depth >= 3 && i >= w.shape.first {
		less = 1
	}
	v := -w.look(depth-1-less, -alpha-1, -alpha, from+1)
	if v > alpha && less > 0 && !w.over {
		v = -w.look(depth-1, -alpha-1, -alpha, from+1)
	}
	if v > alpha && v < beta && !w.over {
		v = -w.look(depth-1, -beta, -alpha, from+1)
	}
	return v
}

// draw is the value of a draw for the seat whose turn it is so many turns from
// the root.
func (w *walk) draw(from int) int {
	if from%2 == 0 {
		return -w.contempt
	}
	return w.contempt
}

// list fills a list of ends.
func (w *walk) list(l *turnList, b beam, from int) {
	l.drawValue = int32(w.draw(from))
	n := l.generate(w.state, b, func(*turnEnd) bool { return w.stopped.Load() })
	for i := range l.ends {
		w.blur(&l.ends[i])
	}
	w.count(n)
}

// last is look for the last turn that is looked at: the best that it can end
// in.
func (w *walk) last(key uint64, alpha, beta, from int) int {
	here := &w.plies[from]
	l := &here.list
	top, best, bestKey := -won+from+2, int32(-1), search.NoMove
	l.drawValue = int32(w.draw(from))
	n := l.generate(w.state, w.shape.last, func(f *turnEnd) bool {
		if f.lost {
			return w.stopped.Load()
		}
		v := int(f.value)
		if w.noise > 0 && !f.drawn {
			v += int(search.Mix(f.key^w.seed)%uint64(2*w.noise+1)) - w.noise
		}
		if v > top {
			top, best, bestKey = v, f.node, search.Move(f.key)
		}
		return top >= beta
	})
	if w.count(n) {
		return 0
	}
	found := search.Exact
	switch {
	case top >= beta:
		found = search.LowerBound
	case top <= alpha:
		found = search.UpperBound
	}
	if top > alpha {
		here.line = append(append(here.line[:0], l.path(best)...), moveEnd)
	}
	w.table.Store(key, from, 1, top, found, bestKey)
	return top
}
