package search

import (
	"context"
	"fmt"
	"sync/atomic"

	"castellan/engine"
)

// AlphaBeta is a player of games of two seats that looks ahead move by move:
// iterative deepening, principal variation search with a transposition table,
// killer moves, history, and reductions of late moves. The side changes
// whenever the seat of the state does, so that a turn may be several moves.
type AlphaBeta struct {
	// State is the position to search in; it must be an Evaluator.
	State func(engine.Position) (State, error)
	// Full looks at every move to the whole depth, without reductions.
	Full bool
	// Noise blurs the evaluation of every position by up to that much either
	// way, always alike for a seed.
	Noise int
	// Soft chooses the move.
	Soft Soft
}

// Think looks ahead until the limits are reached or the context ends.
func (a AlphaBeta) Think(ctx context.Context, p engine.Position, limits Limits) (Thought, error) {
	if p.Seat() == engine.Nobody {
		return Thought{}, ErrOver
	}
	state, err := a.State(p)
	if err != nil {
		return Thought{}, err
	}
	e, ok := state.(Evaluator)
	if !ok || state.Seats() != 2 {
		return Thought{}, fmt.Errorf("search: alpha-beta takes a state of two seats that evaluates itself, not %T", state)
	}
	w := &walk{player: a, state: e, limits: limits, table: newTable(limits.Memory, limits.Nodes)}
	defer context.AfterFunc(ctx, func() { w.stopped.Store(true) })()
	return w.turn(p)
}

// walk is one search.
type walk struct {
	player  AlphaBeta
	state   Evaluator
	limits  Limits
	table   table
	nodes   int64
	bound   int64       // of nodes in this move's search, 0 for none
	stopped atomic.Bool // from outside
	over    bool        // the search must end
	share   [2]float64
	killers [maxDepth + 1][2]Move
	history [2][1 << historyBits]int32
	plies   [maxDepth + 1]ply
}

const historyBits = 12

// ply is the room of one move ahead.
type ply struct {
	moves  []Move
	scores []int32
	line   []Move // the best play from here
}

// choice is a move at the root.
type choice struct {
	move  Move
	value int
	line  []Move // what is expected to follow
}

// turn chooses moves until the turn has ended.
func (w *walk) turn(p engine.Position) (Thought, error) {
	var t Thought
	var line []Move // what the search before expects of this turn
	turns, seat := p.Turns(), w.state.Seat()
	for first := true; ; first = false {
		var next Move
		if len(line) > 0 {
			next, line = line[0], line[1:]
		} else {
			w.bound = w.allowance(first)
			c, depth := w.choose(func(c choice, depth int) {
				if first && w.limits.Info != nil {
					w.limits.Info(w.thought(Thought{}, seat, c, depth))
				}
			})
			if first {
				t = w.thought(t, seat, c, depth)
				t.Actions = nil
			}
			next, line = c.move, c.line
		}
		actions := w.state.Actions(next)
		for _, a := range actions {
			q, err := p.Apply(a)
			if err != nil {
				return Thought{}, fmt.Errorf("search: a move of the search: %w", err)
			}
			p = q
		}
		t.Actions = append(t.Actions, actions...)
		w.state.Make(next)
		if p.Seat() == engine.Nobody || p.Turns() != turns {
			t.Reply = w.actions(line)
			t.Nodes = w.nodes
			return t, nil
		}
	}
}

// allowance is how many nodes the next move's search may visit: all that there
// are for the first, and of a turn that goes on a quarter again for each.
func (w *walk) allowance(first bool) int64 {
	if w.limits.Nodes <= 0 {
		return 0
	}
	if first {
		return w.limits.Nodes
	}
	return w.nodes + max(w.limits.Nodes/4, 1)
}

// thought is what is held best so far.
func (w *walk) thought(t Thought, seat int, c choice, depth int) Thought {
	t.Values = make([]float64, 2)
	t.Values[seat] = Chance(c.value)
	t.Values[1-seat] = 1 - t.Values[seat]
	t.Depth, t.Nodes = depth, w.nodes
	all := w.actions(append([]Move{c.move}, c.line...))
	t.Actions = all
	return t
}

// actions is a line of moves as actions.
func (w *walk) actions(line []Move) (all []engine.Action) {
	made := 0
	for _, m := range line {
		if w.state.Seat() < 0 {
			break
		}
		all = append(all, w.state.Actions(m)...)
		w.state.Make(m)
		made++
	}
	for range made {
		w.state.Unmake()
	}
	return all
}

// choose is the move to make, and how many moves ahead it was looked for.
func (w *walk) choose(info func(choice, int)) (choice, int) {
	var root []choice
	for _, m := range w.state.Moves(nil) {
		root = append(root, choice{move: m, value: -won})
	}
	deepest := maxDepth - 1
	if w.limits.Depth > 0 {
		deepest = min(deepest, w.limits.Depth)
	}
	w.over = false
	best, reached := root[0], 0
	held := append([]choice(nil), root...) // of the last depth that was finished
	for depth := 1; depth <= deepest; depth++ {
		done := w.root(root, depth)
		if w.over {
			// What was looked at goes before the rest, and the first of it was
			// the best before.
			if done > 0 && w.player.Soft.Loss == 0 {
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
	}
	if reached > 0 && w.player.Soft != (Soft{}) {
		best = w.player.Soft.choose(held, w.limits.Seed^w.state.Hash())
	}
	return best, reached
}

// root looks at every move of the root, and sorts those that are better than
// all before to the front. It returns how many it has looked at.
func (w *walk) root(root []choice, depth int) (done int) {
	alpha := -won
	for i := range root {
		c := root[i]
		floor := alpha - w.player.Soft.Loss // values above are exact
		if alpha <= -decided {
			floor = alpha
		}
		floor = max(floor, -won)
		switch {
		case i == 0 || w.player.Soft.Loss > 0:
			c.value = w.after(c.move, depth, floor, won, 0)
		default:
			c.value = w.after(c.move, depth, alpha, alpha+1, 0)
			if c.value > alpha && !w.over {
				c.value = w.after(c.move, depth, alpha, won, 0)
			}
		}
		if w.over {
			return i
		}
		c.line = append([]Move(nil), w.plies[1].line...)
		if i == 0 || c.value > alpha {
			alpha = max(alpha, c.value)
			copy(root[1:i+1], root[:i])
			root[0] = c
		} else {
			root[i] = c
		}
	}
	return len(root)
}

// after is the value, for the seat whose move it is, of having made a move.
func (w *walk) after(m Move, depth, alpha, beta, at int) int {
	seat := w.state.Seat()
	w.state.Make(m)
	defer w.state.Unmake()
	w.plies[at+1].line = w.plies[at+1].line[:0]
	next := w.state.Seat()
	switch {
	case next < 0:
		w.nodes++
		w.state.Share(w.share[:])
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
	here := &w.plies[at]
	key := w.state.Hash()
	best := NoMove
	if e := w.table.find(key); e != nil {
		best = e.move
		if int(e.depth) >= depth {
			v := fromTable(int(e.value), at)
			switch {
			case e.bound == exact && beta-alpha == 1,
				e.bound == atLeast && v >= beta,
				e.bound == atMost && v <= alpha:
				return v
			}
		}
	}
	seat := w.state.Seat()
	here.moves = w.state.Moves(here.moves[:0])
	w.score(here, best, seat, at)
	var (
		top   = -won
		found = atMost
	)
	best = NoMove
	for i := range here.moves {
		m := here.next(i)
		v := 0
		if i == 0 {
			v = w.after(m, depth, alpha, beta, at)
		} else {
			less := 0
			if !w.player.Full && depth >= 3 && i >= 4 {
				less = 1
				if i >= 16 && depth >= 5 {
					less = 2
				}
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
		alpha, found = v, exact
		here.line = append(append(here.line[:0], m), w.plies[at+1].line...)
		if v >= beta {
			found = atLeast
			w.praise(here.moves[:i+1], seat, depth, at)
			break
		}
	}
	w.table.keep(key, depth, toTable(top, at), found, best)
	return top
}

// evaluate is what the state says of itself, blurred.
func (w *walk) evaluate() int {
	v := max(-MaxValue, min(w.state.Evaluate(), MaxValue))
	if n := w.player.Noise; n > 0 {
		v += int(mix(w.state.Hash()^w.limits.Seed)%uint64(2*n+1)) - n
		v = max(-MaxValue, min(v, MaxValue))
	}
	return v
}

// score says in which order moves are tried: that of the table, those that did
// well elsewhere, and otherwise as the state has them.
func (w *walk) score(p *ply, first Move, seat, at int) {
	p.scores = p.scores[:0]
	for i, m := range p.moves {
		s := w.history[seat][m&(1<<historyBits-1)] - int32(i)
		switch m {
		case first:
			s = 1 << 30
		case w.killers[at][0]:
			s = 1<<29 + 1
		case w.killers[at][1]:
			s = 1 << 29
		}
		p.scores = append(p.scores, s)
	}
}

// next brings the best of the moves from number i on to that place.
func (p *ply) next(i int) Move {
	b := i
	for j := i + 1; j < len(p.scores); j++ {
		if p.scores[j] > p.scores[b] {
			b = j
		}
	}
	// The others keep their order.
	m, s := p.moves[b], p.scores[b]
	copy(p.moves[i+1:b+1], p.moves[i:b])
	copy(p.scores[i+1:b+1], p.scores[i:b])
	p.moves[i], p.scores[i] = m, s
	return m
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

// toTable makes a win so many moves from the root one so many from here.
func toTable(v, at int) int {
	switch {
	case v >= decided:
		return v + at
	case v <= -decided:
		return v - at
	}
	return v
}

func fromTable(v, at int) int {
	switch {
	case v >= decided:
		return v - at
	case v <= -decided:
		return v + at
	}
	return v
}
