package search

const (
	historyBits  = 12
	historyMax   = 1 << 14
	historyShift = 4  // weight of history against evaluations
	evalWeight   = 16 // weight of a unit of evaluation
)

// evaluateMoves evaluates the moves of a ply, if the state can.
func (s *searcher) evaluateMoves(p *ply) bool {
	for len(p.evals) < len(p.moves) {
		p.evals = append(p.evals, 0)
		p.scores = append(p.scores, 0)
	}
	if s.moveEstimator != nil {
		return s.moveEstimator.EstimateMoves(p.moves, p.evals[:len(p.moves)])
	}
	return s.moveEvaluator != nil && s.moveEvaluator.EvaluateMoves(p.moves, p.evals[:len(p.moves)])
}

// scoreMoves scores the moves of a ply for ordering: hash move, killer moves, and
// the rest by evaluation and history, or in the order of the state.
func (s *searcher) scoreMoves(p *ply, evaluated bool, hashMove Move, seat, ply int) {
	history := &s.history[seat]
	killers := s.killers[ply]
	for i, m := range p.moves {
		h := history[m&(1<<historyBits-1)]
		score := h - int32(i)
		if evaluated {
			score = p.evals[i]*evalWeight + h>>historyShift
		}
		switch m {
		case hashMove:
			score = 1 << 30
		case killers[0]:
			score = 1<<29 + 1
		case killers[1]:
			score = 1 << 29
		}
		p.scores[i] = score
	}
}

// pickBest swaps the best of the moves from number i on to that place. It returns
// the move and its evaluation.
func (p *ply) pickBest(i int) (Move, int32) {
	scores := p.scores[:len(p.moves)]
	b, best := i, scores[i]
	for j := i + 1; j < len(scores); j++ {
		if scores[j] > best {
			b, best = j, scores[j]
		}
	}
	p.moves[i], p.moves[b] = p.moves[b], p.moves[i]
	p.evals[i], p.evals[b] = p.evals[b], p.evals[i]
	scores[i], scores[b] = best, scores[i]
	return p.moves[i], p.evals[i]
}

// updateHistory rewards the last of the moves, which caused a beta cutoff, and
// penalizes those tried before it.
func (s *searcher) updateHistory(tried []Move, seat, depth, ply int) {
	cutoff := tried[len(tried)-1]
	if k := &s.killers[ply]; k[0] != cutoff {
		k[0], k[1] = cutoff, k[0]
	}
	bonus := int32(min(depth*depth, 400))
	add := func(m Move, b int32) {
		h := &s.history[seat][m&(1<<historyBits-1)]
		*h += b - *h*max(b, -b)/historyMax
	}
	add(cutoff, bonus)
	for _, m := range tried[:len(tried)-1] {
		add(m, -bonus)
	}
}
