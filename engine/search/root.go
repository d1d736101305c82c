package search

import "slices"

// choose is the move to make, and how many moves ahead it was looked for.
func (w *walk) choose(info func(choice, int)) (choice, int) {
	root := w.candidates()
	deepest := maxDepth - 1
	if w.limits.Depth > 0 {
		deepest = min(deepest, w.limits.Depth)
	}
	w.over = false
	best, reached := root[0], 0
	held := append([]choice(nil), root...) // of the last depth that was finished
	for depth := 1; depth <= deepest; depth++ {
		done := w.aspire(root, depth, best.value)
		if w.over {
			// What was looked at goes before the rest, and the first of it was
			// the best before.
			if done > 0 && w.player.Softmax.MaxLoss == 0 {
				held, best = root, root[0]
			}
			break
		}
		best, reached = root[0], depth
		held = append(held[:0], root...)
		info(best, depth)
		if best.value >= decided && won-best.value <= depth || best.value <= -decided || len(root) == 1 {
			break // nothing changes any more
		}
		if w.counter != nil && w.counter.MovesLeft() <= min(depth, exactEnd) {
			break
		}
	}
	if reached > 0 && w.player.Softmax != (Softmax{}) {
		best = w.player.Softmax.choose(held, w.limits.Seed^w.state.Hash())
	}
	return best, reached
}

// candidates is the moves of the root, the best as far as is foreseen first.
func (w *walk) candidates() []choice {
	here := &w.plies[0]
	here.moves = w.state.Moves(here.moves[:0])
	foreseen := w.foresee(here)
	root := make([]choice, len(here.moves))
	for i, m := range here.moves {
		root[i] = choice{move: m, value: -won}
		if foreseen {
			root[i].value = int(here.hopes[i])
		}
	}
	slices.SortStableFunc(root, func(a, b choice) int { return b.value - a.value })
	return root
}

// aspire looks at the root with a window around the value that it had before,
// and widens it until the value lies inside. It returns as root does.
func (w *walk) aspire(root []choice, depth, before int) (done int) {
	alpha, beta := -won, won
	if depth >= aspireFrom && w.player.Softmax.MaxLoss == 0 && before > -decided && before < decided {
		alpha, beta = before-aspireBy, before+aspireBy
	}
	for by := 2 * aspireBy; ; by *= 4 {
		done = w.root(root, depth, alpha, beta)
		switch v := root[0].value; {
		case w.over:
			return done
		case v <= alpha && alpha > -won:
			alpha = max(v-by, -won)
		case v >= beta && beta < won:
			beta = min(v+by, won)
		default:
			return done
		}
	}
}

const (
	aspireFrom = 4  // least depth of a narrow window
	aspireBy   = 25 // half its width
)

// root looks at every move of the root until one is worth beta, and sorts those
// that are better than all before to the front. It returns how many it has
// looked at.
func (w *walk) root(root []choice, depth, alpha, beta int) (done int) {
	selective := w.selective(depth)
	for i := range root {
		c := root[i]
		switch {
		case w.player.Softmax.MaxLoss > 0:
			floor := alpha // values above are exact
			if alpha > -decided {
				floor -= w.player.Softmax.MaxLoss
			}
			c.value = w.after(c.move, depth, floor, beta, 0)
		case i == 0:
			c.value = w.after(c.move, depth, alpha, beta, 0)
		default:
			less := 0
			if selective && alpha > -decided {
				less = w.late(i, depth, false)
			}
			c.value = w.after(c.move, depth-less, alpha, alpha+1, 0)
			if c.value > alpha && less > 0 && !w.over {
				c.value = w.after(c.move, depth, alpha, alpha+1, 0)
			}
			if c.value > alpha && c.value < beta && !w.over {
				c.value = w.after(c.move, depth, alpha, beta, 0)
			}
		}
		if w.over {
			return i
		}
		c.line = append(c.line[:0:0], w.plies[1].line...)
		if i == 0 || c.value > alpha {
			alpha = max(alpha, c.value)
			copy(root[1:i+1], root[:i])
			root[0] = c
		} else {
			root[i] = c
		}
		if c.value >= beta {
			return i + 1
		}
	}
	return len(root)
}
