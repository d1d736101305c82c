package search

import "slices"

// RootMove is a move at the root of a search.
type RootMove struct {
	Move  Move
	Value int
	PV    []Move // the continuation after the move
}

// RootSearch is iterative deepening over the moves at the root. Searches with a
// tree of their own can use it too.
type RootSearch struct {
	// Search sets the value of move number i, searched to the depth with that
	// window, and if it is a new best its principal variation.
	Search func(m *RootMove, i, depth, alpha, beta int)
	// Aborted tells whether the search has to end. The last value is void then.
	Aborted func() bool
	// Report is called with the best move of every finished depth.
	Report func(best RootMove, depth int)
	// Final tells whether a deeper search would change nothing.
	Final func(best RootMove, depth int) bool
	// AspirationDepth is the least depth with an aspiration window, 0 for none.
	AspirationDepth int
	// Softmax and Seed choose among the moves.
	Softmax Softmax
	Seed    uint64
}

// aspirationDelta is half the width of the first aspiration window.
const aspirationDelta = 25

// Run searches the first width moves, which are sorted best first, from one depth
// to another. It returns the chosen move and the last finished depth, which is
// from-1 if there is none; all moves can be chosen then.
func (r *RootSearch) Run(moves []RootMove, width, from, to int) (best RootMove, reached int) {
	finished := moves // as of the last finished depth
	root := slices.Clone(moves[:width])
	reached = from - 1
	for depth := from; depth <= to; depth++ {
		searched := r.searchWindow(root, depth)
		if r.Aborted() {
			// The moves searched so far are sorted to the front, the previous
			// best first.
			if searched > 0 && r.Softmax.MaxLoss == 0 {
				finished = root
				if root[0].Value <= -ProvenWin {
					preferUnknown(root, searched)
				}
			}
			break
		}
		reached, finished = depth, slices.Clone(root)
		r.Report(finished[0], depth)
		if r.Final(finished[0], depth) {
			break
		}
	}
	if reached == 0 || r.Softmax == (Softmax{}) {
		return finished[0], reached
	}
	values := make([]int, len(finished))
	for i, m := range finished {
		values[i] = m.Value
	}
	return finished[r.Softmax.Choose(values, r.Seed)], reached
}

// preferUnknown moves to the front the first of the moves that were not searched at this
// depth and are not proven losses. The moves before were searched and lose.
func preferUnknown(root []RootMove, searched int) {
	for i := searched; i < len(root); i++ {
		if m := root[i]; m.Value > -ProvenWin {
			copy(root[1:i+1], root[:i])
			root[0] = m
			return
		}
	}
}

// searchWindow searches the root with an aspiration window around the previous
// value, and widens it until the value lies inside. It returns the number of
// moves searched.
func (r *RootSearch) searchWindow(root []RootMove, depth int) (searched int) {
	alpha, beta := -WinValue, WinValue
	previous := root[0].Value
	if r.AspirationDepth > 0 && depth >= r.AspirationDepth && r.Softmax.MaxLoss == 0 && previous > -ProvenWin && previous < ProvenWin {
		alpha, beta = previous-aspirationDelta, previous+aspirationDelta
	}
	for widen := 2 * aspirationDelta; ; widen *= 4 {
		searched = r.searchMoves(root, depth, alpha, beta)
		switch v := root[0].Value; {
		case r.Aborted():
			return searched
		case v <= alpha && alpha > -WinValue:
			alpha = max(v-widen, -WinValue)
		case v >= beta && beta < WinValue:
			beta = min(v+widen, WinValue)
		default:
			return searched
		}
	}
}

// searchMoves searches the root moves up to a beta cutoff and moves every new
// best one to the front. It returns the number of moves searched.
func (r *RootSearch) searchMoves(root []RootMove, depth, alpha, beta int) (searched int) {
	for i := range root {
		m := root[i]
		r.Search(&m, i, depth, alpha, beta)
		if r.Aborted() {
			return i
		}
		if i == 0 || m.Value > alpha {
			alpha = max(alpha, m.Value)
			copy(root[1:i+1], root[:i])
			root[0] = m
		} else {
			root[i] = m
		}
		if m.Value >= beta {
			return i + 1
		}
	}
	return len(root)
}

// deepen searches the position by iterative deepening. It returns the chosen move
// and the depth reached, which is 0 if not even depth 1 was finished.
func (s *searcher) deepen(report func(RootMove, int)) (RootMove, int) {
	root := s.rootMoves()
	deepest := maxDepth - 1
	if s.limits.Depth > 0 {
		deepest = min(deepest, s.limits.Depth)
	}
	s.aborted = false
	r := RootSearch{
		Search:  s.searchRootMove,
		Aborted: func() bool { return s.aborted },
		Report:  report,
		Final: func(best RootMove, depth int) bool {
			return best.Value >= ProvenWin && WinValue-best.Value <= depth || best.Value <= -ProvenWin || len(root) == 1 ||
				s.moveCounter != nil && s.moveCounter.MovesLeft() <= min(depth, fullWidthEndgame)
		},
		AspirationDepth: 4, Softmax: s.player.Softmax, Seed: s.limits.Seed ^ s.state.Hash(),
	}
	return r.Run(root, len(root), 1, deepest)
}

// rootMoves returns the moves at the root, sorted by their evaluations.
func (s *searcher) rootMoves() []RootMove {
	here := &s.plies[0]
	here.moves = s.state.Moves(here.moves[:0])
	evaluated := s.evaluateMoves(here)
	root := make([]RootMove, len(here.moves))
	for i, m := range here.moves {
		root[i] = RootMove{Move: m, Value: -WinValue}
		if evaluated {
			root[i].Value = int(here.evals[i])
		}
	}
	slices.SortStableFunc(root, func(a, b RootMove) int { return b.Value - a.Value })
	return root
}

// searchRootMove searches a root move: the first with the full window, the others
// with a null window unless the softmax needs their values.
func (s *searcher) searchRootMove(m *RootMove, i, depth, alpha, beta int) {
	switch {
	case s.player.Softmax.MaxLoss > 0:
		floor := alpha // values above are exact
		if alpha > -ProvenWin {
			floor -= s.player.Softmax.MaxLoss + 1 // or a bound could be as good as a choice
		}
		m.Value = s.searchMove(m.Move, depth, floor, beta, 0)
	case i == 0:
		m.Value = s.searchMove(m.Move, depth, alpha, beta, 0)
	default:
		reduction := 0
		if s.mayPrune(depth) && alpha > -ProvenWin {
			reduction = s.lmrReduction(i, depth, false)
		}
		m.Value = s.searchLater(m.Move, depth, reduction, alpha, beta, 0)
	}
	m.PV = slices.Clone(s.plies[1].pv)
}
