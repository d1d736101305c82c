package search

import "math"

// What a search gives up where it is not Full, found by matches of Stone Towers.
const (
	exactEnd   = 6 // so many moves before the end nothing is given up
	shallow    = 2 // depth up to which the worth now tells the worth then
	reduceFrom = 3 // least depth at which late moves are searched less deep
	reduceLate = 2 // least number of a late move, from 0
	reduceBase = 0.8
	reduceBy   = 1.5
)

// after is the value, for the seat whose move it is, of having made a move.
func (w *walk) after(m Move, depth, alpha, beta, at int) int {
	seat := w.state.Seat()
	w.state.Make(m)
	v := w.made(seat, depth, alpha, beta, at)
	w.state.Unmake()
	return v
}

// made is the value, for a seat, of a move that it has just made.
func (w *walk) made(seat, depth, alpha, beta, at int) int {
	w.plies[at+1].line = w.plies[at+1].line[:0]
	next := w.state.Seat()
	switch {
	case next < 0:
		w.nodes++
		w.state.Payoffs(w.share[:])
		return valueOf(w.share[seat], at+1)
	case next == seat:
		return w.look(depth-1, alpha, beta, at+1)
	}
	return -w.look(depth-1, -beta, -alpha, at+1)
}

// enough notes a node and reports whether the search must end.
func (w *walk) enough() bool {
	w.nodes++
	if w.bound > 0 && w.nodes >= w.bound || w.nodes&127 == 0 && w.stopped.Load() {
		w.over = true
	}
	return w.over
}

// look is the value of the position, at that many moves from the root, for the
// seat whose move it is: exact between alpha and beta.
func (w *walk) look(depth, alpha, beta, at int) int {
	if w.enough() {
		return 0
	}
	if depth <= 0 || at >= maxDepth {
		return w.evaluate()
	}
	if depth == 1 && w.glancer != nil && w.player.Noise == 0 {
		if v, best, ok := w.glancer.EvaluateBestReply(beta); ok {
			return w.glanced(v, best, alpha, at)
		}
	}
	key := w.state.Hash()
	best := NoMove
	if e := w.known(key, depth); e != nil {
		best = e.Move
		if int(e.Depth) >= depth {
			v := e.Value(at)
			switch {
			case e.Bound == Exact && beta-alpha == 1,
				e.Bound == LowerBound && v >= beta,
				e.Bound == UpperBound && v <= alpha:
				return v
			}
		}
	}
	if m := w.player.FutilityMargin; m > 0 && depth <= shallow && beta-alpha == 1 && beta < decided && w.selective(depth) {
		if now := w.evaluate(); now-m*depth >= beta {
			return now // out of the other's reach
		}
	}
	return w.widely(key, best, depth, alpha, beta, at)
}

// known is what the table has of a position. It is not asked where it takes no
// longer to find out.
func (w *walk) known(key uint64, depth int) *Entry {
	if depth == 1 && w.foreseer != nil && w.player.Noise == 0 {
		return nil
	}
	return w.table.Probe(key)
}

// selective reports whether a search of that depth may give anything up.
func (w *walk) selective(depth int) bool {
	if w.player.FullWidth {
		return false
	}
	if w.counter == nil {
		return true
	}
	left := w.counter.MovesLeft()
	return left > exactEnd || left > depth
}

// widely looks at the moves one after another, the most promising first.
func (w *walk) widely(key uint64, first Move, depth, alpha, beta, at int) int {
	here := &w.plies[at]
	seat := w.state.Seat()
	here.moves = w.state.Moves(here.moves[:0])
	foreseen := w.foresee(here)
	if foreseen && depth == 1 && w.player.Noise == 0 {
		return w.glance(here, alpha, at)
	}
	w.score(here, foreseen, first, seat, at)
	asked := depth
	if len(here.moves) == 1 {
		depth++ // what is forced costs nothing
	}
	var (
		top       = -won
		found     = UpperBound
		selective = w.selective(depth)
		narrow    = beta-alpha == 1
		best      = NoMove
	)
	for i := range here.moves {
		m, hope := here.next(i)
		v := 0
		if i == 0 {
			v = w.after(m, depth, alpha, beta, at)
		} else {
			less := 0
			if selective && alpha > -decided {
				if foreseen && narrow && w.player.FutilityMargin > 0 && depth <= shallow {
					if v = int(hope) + w.player.FutilityMargin*depth; v <= alpha {
						top = max(top, v)
						continue
					}
				}
				less = w.late(i, depth, narrow)
			}
			v = w.after(m, depth-less, alpha, alpha+1, at)
			if v > alpha && less > 0 && !w.over {
				v = w.after(m, depth, alpha, alpha+1, at)
			}
			if v > alpha && v < beta && !w.over {
				v = w.after(m, depth, alpha, beta, at)
			}
		}
		if w.over {
			return 0
		}
		if v <= top {
			continue
		}
		top, best = v, m
		if v <= alpha {
			continue
		}
		alpha, found = v, Exact
		here.line = append(append(here.line[:0], m), w.plies[at+1].line...)
		if v >= beta {
			found = LowerBound
			w.praise(here.moves[:i+1], seat, depth, at)
			break
		}
	}
	// What was forced was looked at no deeper than asked for, as the table sees
	// it: otherwise the next depth would take it for done.
	w.table.Store(key, at, asked, top, found, best)
	return top
}

// late is by how much less deep move number i is looked at.
func (w *walk) late(i, depth int, narrow bool) int {
	if depth < reduceFrom || i < reduceLate {
		return 0
	}
	less := int(reductions[min(depth, 63)][min(i, 63)])
	if !narrow {
		less--
	}
	return max(0, min(less, depth-2))
}

// reductions grows with the logarithms of depth and number of a move.
var reductions = func() (r [64][64]uint8) {
	for d := 1; d < 64; d++ {
		for i := 1; i < 64; i++ {
			r[d][i] = uint8(reduceBase + math.Log(float64(d))*math.Log(float64(i))/reduceBy)
		}
	}
	return r
}()

// glance is the value of the best of the moves by what is foreseen of them.
func (w *walk) glance(here *ply, alpha, at int) int {
	top, best := -won, NoMove
	for i, s := range here.hopes[:len(here.moves)] {
		if v := int(s); v > top {
			top, best = v, here.moves[i]
		}
	}
	return w.glanced(top, best, alpha, at)
}

// glanced is the value of a position of which the best move is known, and what
// is foreseen of it.
func (w *walk) glanced(value int, best Move, alpha, at int) int {
	value = max(-MaxValue, min(value, MaxValue))
	if value > alpha {
		w.plies[at].line = append(w.plies[at].line[:0], best)
	}
	return value
}

// evaluate is what the state says of itself, blurred.
func (w *walk) evaluate() int {
	v := max(-MaxValue, min(w.state.Evaluate(), MaxValue))
	if n := w.player.Noise; n > 0 {
		v += int(Mix(w.state.Hash()^w.limits.Seed)%uint64(2*n+1)) - n
		v = max(-MaxValue, min(v, MaxValue))
	}
	return v
}
