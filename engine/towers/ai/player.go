package ai

import (
	"context"
	"fmt"
	"math"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
)

// turns is a player who looks ahead turn by turn. Its nodes are positions that
// a turn could end in, its depth is turns.
type turnPlayer struct {
	shape *beams
	// depth bounds how many turns ahead it looks; 0 is as many as the nodes
	// allow.
	depth int
	// noise blurs the evaluation of every position by up to that much either
	// way, always alike for a seed.
	noise int
	// contempt is by how much a draw is worse than a game that stands even.
	contempt int
	softmax  search.Softmax
	// careless is how often, from 0 to 1, any turn at all will do, whatever
	// can be taken by it or afterwards.
	blunderRate float64
}

// tableShare is the part of the memory, one in so many, that the table has. The
// rest is for the lists of turns: a position at the start of a turn costs
// hundreds of nodes, so that the table need not be large.
const tableShare = 4

// In the first turns of a game a draw is worth much less than it is later: on
// the smallest board whoever moves first may well be worse off than who passes,
// and nobody sat down for a game that ends after two passes. And what looks as
// good as something else is chosen now and then, so that no two games need be
// alike.
const (
	varietyTurns    = 10 // turns
	varietyContempt = 150
	varietyNoise    = 6
)

// Think looks ahead until the limits are reached or the context ends.
func (t turnPlayer) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if p.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	s, err := newState(p)
	if err != nil {
		return search.Decision{}, err
	}
	memory := limits.Memory
	if memory <= 0 {
		memory = search.DefaultMemory
	}
	w := &walk{
		state: s, table: search.NewTable(memory/tableShare, limits.Nodes), bound: limits.Nodes,
		noise: t.noise, seed: limits.Seed, shape: t.shape, contempt: t.contempt,
	}
	defer w.table.Release()
	if p.Turns() < varietyTurns {
		w.contempt, w.noise = max(w.contempt, varietyContempt), max(w.noise, varietyNoise)
	}
	defer context.AfterFunc(ctx, func() { w.stopped.Store(true) })()
	if t.blunderRate > 0 && float64(search.Mix(limits.Seed^s.Hash())>>11)/(1<<53) < t.blunderRate {
		return w.anything(), nil
	}
	if s.strikeNow() <= int(s.points) {
		return w.strike(limits.Info)
	}
	return w.choose(t, limits)
}

// anything is any of the turns that are listed first.
func (w *walk) anything() search.Decision {
	l := &w.plies[0].list
	l.drawValue = int32(w.draw(0))
	w.nodes += l.generate(w.state, w.shape.root, func(*turnEnd) bool { return w.stopped.Load() })
	f := &l.ends[search.Mix(w.seed^w.state.Hash()^1)%uint64(len(l.ends))]
	return w.thought(int(f.value), 0, append(l.path(f.node), moveEnd))
}

// strike is the turn that takes the master, which can be done: every action
// leaves it so.
func (w *walk) strike(info func(search.Decision)) (search.Decision, error) {
	s := w.state
	var line, moves []search.Move
	for s.ending == open {
		moves = s.singleActions(moves[:0])
		best, cheapest := search.NoMove, never
		for _, m := range moves {
			s.Make(m)
			w.nodes++
			cost := 0
			if s.ending == open {
				if cost = s.strikeNow(); cost <= int(s.points) {
					cost += int(s.undo[len(s.undo)-1].points - s.points)
				} else {
					cost = never
				}
			}
			s.Unmake()
			if cost < cheapest {
				best, cheapest = m, cost
			}
		}
		if best == search.NoMove {
			return search.Decision{}, fmt.Errorf("towers/ai: a master that could be taken cannot")
		}
		s.Make(best)
		line = append(line, best)
	}
	unmake(s, len(line))
	t := w.thought(won-1, 1, line)
	if info != nil {
		info(t)
	}
	return t, nil
}

// option is a turn at the root.
type option struct {
	turnEnd
	moves []search.Move
	line  []search.Move // what is expected to follow
	value int
}

// choose looks ahead and chooses a turn.
func (w *walk) choose(t turnPlayer, limits search.Limits) (search.Decision, error) {
	root := w.options()
	deepest := maxDepth
	if limits.Depth > 0 {
		deepest = min(deepest, limits.Depth)
	}
	if t.depth > 0 {
		deepest = min(deepest, t.depth)
	}
	reached := 1
	held := root
	tell := func() {
		if limits.Info != nil {
			limits.Info(w.thought(held[0].value, reached, held[0].moves, held[0].line...))
		}
	}
	tell()
	if len(root) > 1 && !root[0].lost {
		root = append([]option(nil), root[:min(len(root), w.shape.rooted)]...)
		for depth := 2; depth <= deepest && !w.count(0); depth++ {
			done := w.root(root, depth, t.softmax.MaxLoss)
			if w.over {
				// What was looked at goes before the rest, and the first of it
				// was the best before.
				if done > 0 && t.softmax.MaxLoss == 0 {
					held = root
					tell()
				}
				break
			}
			held, reached = append([]option(nil), root...), depth
			tell()
			if v := root[0].value; v >= search.ProvenWin && won-v <= depth+1 || v <= -search.ProvenWin && won+v <= depth+1 {
				break // nothing changes any more
			}
		}
	}
	best := held[0]
	if t.softmax != (search.Softmax{}) {
		values := make([]int, len(held))
		for i, o := range held {
			values[i] = o.value
		}
		best = held[t.softmax.Choose(values, limits.Seed^w.state.Hash())]
	}
	return w.thought(best.value, reached, best.moves, best.line...), nil
}

// options is the turns to choose from, the most promising first. Those that
// lose the master at once are left out unless there are no others.
func (w *walk) options() []option {
	s := w.state
	l := &w.plies[0].list
	b := w.shape.root
	if w.bound > 0 {
		b.limit = min(b.limit, int(w.bound))
	}
	l.drawValue = int32(w.draw(0))
	var safe int
	for {
		// Even who is in a hurry has the turn that just ends, which is listed
		// first.
		w.nodes += l.generate(s, b, func(*turnEnd) bool { return w.stopped.Load() })
		for i := range l.ends {
			w.blur(&l.ends[i])
			if l.ends[i].lost {
				l.ends[i].order -= 4000
			} else {
				safe++
			}
		}
		if safe > 0 || len(l.nodes) < b.limit && len(l.ends) > 0 && b.width >= widest || b.limit >= thorough || w.stopped.Load() {
			break
		}
		// Only a thorough look tells that nothing helps.
		b = beam{widest, min(4*b.limit, thorough)}
	}
	l.sort()
	root := make([]option, 0, len(l.ends))
	for _, f := range l.ends {
		if safe > 0 && f.lost {
			continue
		}
		o := option{turnEnd: f, moves: append(append([]search.Move(nil), l.path(f.node)...), moveEnd)}
		o.value = int(f.value)
		if f.lost {
			o.value = -won + 2
		}
		root = append(root, o)
	}
	return root
}

// The most that is done to find a turn that does not lose the master at once.
const (
	widest   = 1 << 20
	thorough = 20_000
)

func play(s *State, moves []search.Move) {
	for _, m := range moves {
		s.Make(m)
	}
}

// root looks at every turn of the root, and moves those that are better than
// all before to the front. It returns how many it has looked at. Values are
// exact as far as they are no more than loss below the best.
func (w *walk) root(root []option, depth, loss int) (done int) {
	alpha := -won
	for i := range root {
		o := root[i]
		play(w.state, o.moves)
		if i == 0 || loss == 0 {
			o.value = w.after(i, depth, max(alpha, -won), won, 0)
		} else {
			o.value = w.after(0, depth, max(alpha-loss, -won), won, 0)
		}
		unmake(w.state, len(o.moves))
		if w.over {
			return i
		}
		if i == 0 || o.value > alpha {
			alpha = o.value
			o.line = append([]search.Move(nil), w.plies[1].line...)
			copy(root[1:i+1], root[:i])
			root[0] = o
		} else {
			root[i] = o
		}
	}
	return len(root)
}

// thought is a turn that was chosen, or is held best so far.
func (w *walk) thought(value, depth int, moves []search.Move, reply ...search.Move) search.Decision {
	mover := int(w.state.mover)
	t := search.Decision{Values: make([]float64, 2), Depth: depth, Nodes: w.nodes}
	t.Values[mover] = search.ExpectedPayoff(value)
	t.Values[1-mover] = 1 - t.Values[mover]
	t.Actions, t.Continuation = actionsOf(moves), actionsOf(reply)
	return t
}

// actionsOf is moves as actions, with imports that follow each other as one.
func actionsOf(moves []search.Move) (all []engine.Action) {
	for i := 0; i < len(moves); i++ {
		kind, _, n := parts(moves[i])
		if kind != kindImport {
			all = append(all, actionOf(moves[i]))
			continue
		}
		for i+1 < len(moves) {
			next, _, more := parts(moves[i+1])
			if next != kindImport {
				break
			}
			n += more
			i++
		}
		all = append(all, towers.NewAction(towers.Import, towers.Square{}, towers.Square{}, int(n)))
	}
	return all
}

// greedy plays, action by action, what leaves him the most on the board and in
// reserve. How near a strike is does not trouble him: that is to look ahead.
type greedy struct{}

// Think plays the best action until none is better than to end the turn. Among
// equals the seed decides.
func (greedy) Think(_ context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if p.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	s, err := newState(p)
	if err != nil {
		return search.Decision{}, err
	}
	var t search.Decision
	for mover := s.mover; s.ending == open && s.mover == mover; {
		best, most := moveEnd, int64(math.MinInt64)
		for _, m := range s.Moves(nil) {
			value := int64(0)
			s.Make(m)
			if s.ending == masterTaken {
				value = won
			} else if s.mover != mover || s.ending != open {
				s.Unmake() // the end of the turn changes nothing
				value = int64(s.material())
				s.Make(m)
			} else {
				value = int64(s.material())
			}
			s.Unmake()
			t.Nodes++
			// The seed is below the value.
			value = value<<32 | int64(search.Mix(limits.Seed^uint64(m)^s.Hash())>>32)
			if value > most {
				best, most = m, value
			}
		}
		s.Make(best)
		t.Actions = append(t.Actions, actionOf(best))
	}
	return t, nil
}
