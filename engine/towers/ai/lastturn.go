package ai

import "castellan/engine/search"

// lastTurn returns the value of the last turn that the search looks at: of the best
// position in which it can end. It stops generating at a beta cutoff. If the search
// has been stopped, the value is 0, which is not used.
func (s *searcher) lastTurn(key uint64, alpha, beta, ply int) int {
	here := &s.plies[ply]
	l := &here.list
	l.keySets = &s.sets
	var (
		top  int
		best int32
		end  search.Move
		n    int64
	)
	if s.quick {
		if v, ok := s.lastKnown(key, beta, ply); ok {
			return v
		}
		top, best, end, n = s.bestAbove(l, alpha, beta, ply)
	} else {
		top, best, end, n = s.bestOfAll(l, beta, ply)
	}
	if s.count(n) {
		return 0
	}
	bound := search.Exact
	switch {
	case top >= beta:
		bound = search.LowerBound
		if s.quick {
			if line, ok := lineOf(l.path(best)); ok {
				here.killers.add(line)
			}
		}
	case top <= alpha:
		bound = search.UpperBound
	}
	if top > alpha {
		here.pv = append(append(here.pv[:0], l.path(best)...), moveEnd)
	}
	s.table.Store(key, ply, 1, top, bound, end) // one turn deep
	return top
}

// bestOfAll returns the value of the best position in which the turn can end, its node
// in the list and its key, and the number of positions visited. It stops at a value of
// beta.
func (s *searcher) bestOfAll(l *turnList, beta, ply int) (top int, best int32, end search.Move, nodes int64) {
	top, best, end = -search.WinValue+ply+2, -1, search.NoMove
	l.drawValue = int32(s.drawValue(ply))
	nodes = l.generate(s.state, s.beams.last, func(e *turnEnd) bool {
		if e.lost {
			return s.cancelled.Load()
		}
		if v := int(s.noisy(e)); v > top {
			top, best, end = v, e.node, search.Move(e.key)
		}
		return top >= beta
	})
	return top, best, end, nodes
}

// bestAbove is like bestOfAll, but returns alpha if no position is worth more. It looks
// for strikes at a master (strike.go), which takes half of the time of a node, only
// where the material is worth enough. The beam search goes by material alone.
func (s *searcher) bestAbove(l *turnList, alpha, beta, ply int) (top int, best int32, end search.Move, nodes int64) {
	st := s.state
	top, best, end = max(alpha, -search.WinValue+ply+2), -1, search.NoMove
	mayDraw := st.Passed || st.Repeated
	drawValue := s.drawValue(ply)
	most := st.weights.threat[0] + s.noise // that strikes and noise add
	nodes = l.walk(st, s.beams.last, func(at int32) (int32, bool) {
		material := st.material()
		if material+most > top || mayDraw {
			e := st.turnEnd(st.EndKey(), drawValue)
			if v := int(s.noisy(&e)); v > top && !e.lost {
				top, best, end = v, at, search.Move(e.key)
			}
		}
		return int32(material), top >= beta || s.cancelled.Load()
	})
	return top, best, end, nodes
}
