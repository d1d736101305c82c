package search

// foresee has the state tell what the moves will be worth, if it can.
func (w *walk) foresee(p *ply) bool {
	for len(p.hopes) < len(p.moves) {
		p.hopes = append(p.hopes, 0)
		p.scores = append(p.scores, 0)
	}
	return w.foreseer != nil && w.foreseer.EvaluateMoves(p.moves, p.hopes[:len(p.moves)])
}

// score says in which order moves are tried: that of the table, those that did
// well elsewhere, and otherwise as is foreseen, or as the state has them.
func (w *walk) score(p *ply, foreseen bool, first Move, seat, at int) {
	history := &w.history[seat]
	k := w.killers[at]
	for i, m := range p.moves {
		h := history[m&(1<<historyBits-1)]
		s := h - int32(i)
		if foreseen {
			s = p.hopes[i]*hopeWeight + h>>historyShift
		}
		switch m {
		case first:
			s = 1 << 30
		case k[0]:
			s = 1<<29 + 1
		case k[1]:
			s = 1 << 29
		}
		p.scores[i] = s
	}
}

// What a unit of foreseen worth counts against history.
const (
	hopeWeight   = 16
	historyShift = 4
)

// next brings the best of the moves from number i on to that place, and says
// what is foreseen of it.
func (p *ply) next(i int) (Move, int32) {
	scores := p.scores[:len(p.moves)]
	b, most := i, scores[i]
	for j := i + 1; j < len(scores); j++ {
		if scores[j] > most {
			b, most = j, scores[j]
		}
	}
	p.moves[i], p.moves[b] = p.moves[b], p.moves[i]
	p.hopes[i], p.hopes[b] = p.hopes[b], p.hopes[i]
	scores[i], scores[b] = most, scores[i]
	return p.moves[i], p.hopes[i]
}

// praise notes that the last of the moves refuted the position, and that those
// before it did not.
func (w *walk) praise(tried []Move, seat, depth, at int) {
	m := tried[len(tried)-1]
	if k := &w.killers[at]; k[0] != m {
		k[0], k[1] = m, k[0]
	}
	const most = 1 << 14
	bonus := int32(min(depth*depth, 400))
	add := func(m Move, b int32) {
		h := &w.history[seat][m&(1<<historyBits-1)]
		*h += b - *h*max(b, -b)/most
	}
	add(m, bonus)
	for _, other := range tried[:len(tried)-1] {
		add(other, -bonus)
	}
}
