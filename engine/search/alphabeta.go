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
	FullWidth bool
	// Margin is how much a move may be worth, in the units of Evaluate: what is
	// out of reach by more is not looked at closely. Zero takes nothing for
	// granted.
	FutilityMargin int
	// Noise blurs the evaluation of every position by up to that much either
	// way, always alike for a seed.
	Noise int
	// Soft chooses the move.
	Softmax Softmax
}

// Think looks ahead until the limits are reached or the context ends.
func (a AlphaBeta) Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error) {
	if p.Seat() == engine.Nobody {
		return Decision{}, ErrOver
	}
	state, err := a.State(p)
	if err != nil {
		return Decision{}, err
	}
	e, ok := state.(Evaluator)
	if !ok || state.Seats() != 2 {
		return Decision{}, fmt.Errorf("search: alpha-beta takes a state of two seats that evaluates itself, not %T", state)
	}
	w := &walk{player: a, state: e, limits: limits, table: NewTable(limits.Memory, 4*limits.Nodes)}
	defer w.table.Release()
	w.foreseer, _ = state.(MoveEvaluator)
	w.glancer, _ = state.(BestReplyEvaluator)
	w.counter, _ = state.(MoveCounter)
	defer context.AfterFunc(ctx, func() { w.stopped.Store(true) })()
	return w.turn(p)
}

// walk is one search.
type walk struct {
	player AlphaBeta
	state  Evaluator
	limits Limits
	table  Table

	// What else the state can do, or nil.
	foreseer MoveEvaluator
	glancer  BestReplyEvaluator
	counter  MoveCounter

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
	hopes  []int32 // what is foreseen of each
	scores []int32 // by which they are ordered
	line   []Move  // the best play from here
}

// choice is a move at the root.
type choice struct {
	move  Move
	value int
	line  []Move // what is expected to follow
}

// turn chooses moves until the turn has ended.
func (w *walk) turn(p engine.Position) (Decision, error) {
	var t Decision
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
					w.limits.Info(w.thought(Decision{}, seat, c, depth))
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
				return Decision{}, fmt.Errorf("search: a move of the search: %w", err)
			}
			p = q
		}
		t.Actions = append(t.Actions, actions...)
		w.state.Make(next)
		if p.Seat() == engine.Nobody || p.Turns() != turns {
			t.Continuation = w.actions(line)
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
func (w *walk) thought(t Decision, seat int, c choice, depth int) Decision {
	t.Values = make([]float64, 2)
	t.Values[seat] = ExpectedPayoff(c.value)
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
