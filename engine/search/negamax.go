package search

import "math"

// Parameters of pruning and reductions, tuned by matches of Stone Towers.
const (
	fullWidthEndgame = 6 // moves before the end of the game without pruning
	futilityDepth    = 2 // maximum depth for futility pruning on the static evaluation
	lmrMinDepth      = 3 // least depth of late move reductions
	lmrMinMove       = 2 // first reduced move, from 0
	lmrBase          = 0.8
	lmrDivisor       = 1.5
)

// searchMove returns the value of a move for the seat that makes it.
func (s *searcher) searchMove(m Move, depth, alpha, beta, ply int) int {
	seat := s.state.Seat()
	s.state.Make(m)
	v := s.valueAfterMove(seat, depth, alpha, beta, ply)
	s.state.Unmake()
	return v
}

// searchLater searches a move that is expected not to raise alpha: with a null
// window and reduced depth first.
func (s *searcher) searchLater(m Move, depth, reduction, alpha, beta, ply int) int {
	v := s.searchMove(m, depth-reduction, alpha, alpha+1, ply)
	if v > alpha && reduction > 0 && !s.aborted {
		v = s.searchMove(m, depth, alpha, alpha+1, ply)
	}
	if v > alpha && v < beta && !s.aborted {
		v = s.searchMove(m, depth, alpha, beta, ply)
	}
	return v
}

// valueAfterMove returns the value of the position for the seat that just moved.
func (s *searcher) valueAfterMove(seat, depth, alpha, beta, ply int) int {
	s.plies[ply+1].pv = s.plies[ply+1].pv[:0]
	next := s.state.Seat()
	switch {
	case next < 0:
		s.nodes++
		s.state.Payoffs(s.payoffs[:])
		return terminalValue(s.payoffs[seat], ply+1)
	case next == seat:
		return s.negamax(depth-1, alpha, beta, ply+1)
	}
	return -s.negamax(depth-1, -beta, -alpha, ply+1)
}

// countNode counts a node and reports whether the search must end.
func (s *searcher) countNode() bool {
	s.nodes++
	if s.nodeLimit > 0 && s.nodes >= s.nodeLimit || s.nodes&127 == 0 && s.cancelled.Load() {
		s.aborted = true
	}
	return s.aborted
}

// negamax returns the value of the position for the side to move, exact between
// alpha and beta.
func (s *searcher) negamax(depth, alpha, beta, ply int) int {
	if s.countNode() {
		return 0
	}
	if s.finisher != nil && s.finisher.MovesLeft() == 1 {
		payoff, best := s.finisher.Finish()
		v := terminalValue(payoff, ply+1)
		if v > alpha {
			s.plies[ply].pv = append(s.plies[ply].pv[:0], best)
		}
		return v
	}
	if depth <= 0 || ply >= maxDepth {
		return s.evaluate()
	}
	if depth == 1 && s.replyEvaluator != nil && s.player.Noise == 0 {
		if v, best, ok := s.replyEvaluator.EvaluateBestReply(beta); ok {
			return s.frontierValue(v, best, alpha, ply)
		}
	}
	key := s.state.Hash()
	hashMove := NoMove
	if e := s.probe(key, depth); e != nil {
		if v, ok := e.Cutoff(depth, alpha, beta, ply); ok {
			return v
		}
		hashMove = e.Move
	}
	if margin := s.player.FutilityMargin; margin > 0 && depth <= futilityDepth && beta-alpha == 1 && beta < ProvenWin && s.mayPrune(depth) {
		if v := s.evaluate(); v-margin*depth >= beta {
			return v
		}
	}
	return s.searchMoves(key, hashMove, depth, alpha, beta, ply)
}

// probe looks the position up unless searching it is as fast.
func (s *searcher) probe(key uint64, depth int) *Entry {
	if depth == 1 && s.moveEvaluator != nil && s.player.Noise == 0 {
		return nil
	}
	return s.table.Probe(key)
}

func (s *searcher) mayPrune(depth int) bool {
	if s.player.FullWidth {
		return false
	}
	if s.moveCounter == nil {
		return true
	}
	left := s.moveCounter.MovesLeft()
	return left > fullWidthEndgame || left > depth
}

// searchMoves searches the moves, best first, and stores the result.
func (s *searcher) searchMoves(key uint64, hashMove Move, depth, alpha, beta, ply int) int {
	here := &s.plies[ply]
	seat := s.state.Seat()
	here.moves = s.state.Moves(here.moves[:0])
	evaluated := s.evaluateMoves(here)
	if evaluated && depth == 1 && s.player.Noise == 0 && s.moveEstimator == nil {
		return s.bestEvaluated(here, alpha, ply)
	}
	s.scoreMoves(here, evaluated, hashMove, seat, ply)
	nominal := depth
	if len(here.moves) == 1 {
		depth++ // single reply extension
	}
	var (
		top        = -WinValue
		bound      = UpperBound
		mayPrune   = s.mayPrune(depth)
		nullWindow = beta-alpha == 1
		best       = NoMove
	)
	for i := range here.moves {
		m, eval := here.pickBest(i)
		v := 0
		if i == 0 {
			v = s.searchMove(m, depth, alpha, beta, ply)
		} else {
			reduction := 0
			if mayPrune && alpha > -ProvenWin {
				if evaluated && nullWindow && s.moveEstimator != nil && depth < len(s.player.LateMoves) && i >= s.player.LateMoves[depth] {
					if top <= -ProvenWin {
						top = alpha // those left out may not lose
					}
					break
				}
				if evaluated && nullWindow && s.player.FutilityMargin > 0 && depth <= futilityDepth {
					if v = int(eval) + s.player.FutilityMargin*depth; v <= alpha {
						top = max(top, v)
						continue
					}
				}
				reduction = s.lmrReduction(i, depth, nullWindow)
			}
			v = s.searchLater(m, depth, reduction, alpha, beta, ply)
		}
		if s.aborted {
			return 0
		}
		if v <= top {
			continue
		}
		top, best = v, m
		if v <= alpha {
			continue
		}
		alpha, bound = v, Exact
		here.pv = append(append(here.pv[:0], m), s.plies[ply+1].pv...)
		if v >= beta {
			bound = LowerBound
			s.updateHistory(here.moves[:i+1], seat, depth, ply)
			break
		}
	}
	// Store the nominal depth, not the extended depth, or the next iteration
	// would cut off here.
	s.table.Store(key, ply, nominal, top, bound, best)
	return top
}

// lmrReduction returns the late move reduction of move number i.
func (s *searcher) lmrReduction(i, depth int, nullWindow bool) int {
	if depth < lmrMinDepth || i < lmrMinMove {
		return 0
	}
	r := int(lmrTable[min(depth, 63)][min(i, 63)])
	if !nullWindow {
		r--
	}
	return max(0, min(r, depth-2))
}

// lmrTable holds reductions by depth and move number.
var lmrTable = func() (r [64][64]uint8) {
	for d := 1; d < 64; d++ {
		for i := 1; i < 64; i++ {
			r[d][i] = uint8(lmrBase + math.Log(float64(d))*math.Log(float64(i))/lmrDivisor)
		}
	}
	return r
}()

func (s *searcher) bestEvaluated(here *ply, alpha, ply int) int {
	top, best := -WinValue, NoMove
	for i, e := range here.evals[:len(here.moves)] {
		if v := int(e); v > top {
			top, best = v, here.moves[i]
		}
	}
	return s.frontierValue(top, best, alpha, ply)
}

// frontierValue returns the value of a frontier node with a known best move.
func (s *searcher) frontierValue(value int, best Move, alpha, ply int) int {
	value = max(-MaxValue, min(value, MaxValue))
	if value > alpha {
		s.plies[ply].pv = append(s.plies[ply].pv[:0], best)
	}
	return value
}

// evaluate returns the static evaluation, with noise.
func (s *searcher) evaluate() int {
	v := max(-MaxValue, min(s.state.Evaluate(), MaxValue))
	if n := s.player.Noise; n > 0 {
		v += int(Mix(s.state.Hash()^s.limits.Seed)%uint64(2*n+1)) - n
		v = max(-MaxValue, min(v, MaxValue))
	}
	return v
}
