package search

import (
	"context"
	"fmt"
	"sync/atomic"

	"castellan/engine"
)

// AlphaBeta plays games of two seats by principal variation search: iterative
// deepening with a transposition table, aspiration windows, killer moves, the
// history heuristic, futility pruning and late move reductions. The side changes
// when the state's seat does, so that a turn can be several moves.
type AlphaBeta struct {
	// State returns the state to search, which must be an Evaluator.
	State func(engine.Position) (State, error)
	// FullWidth switches off pruning and reductions.
	FullWidth bool
	// FutilityMargin is how much the evaluation may change in a move; the search
	// prunes what is further out of reach. Zero switches futility pruning off.
	FutilityMargin int
	// LateMoves is the number of moves tried in a null window, by the depth left,
	// where a MoveEstimator has put them in order; further ones are skipped. Depths
	// beyond it try all.
	LateMoves []int
	// Noise adds up to that much to every evaluation, in either direction. It is
	// determined by seed and position.
	Noise int
	// Softmax chooses the move.
	Softmax Softmax
}

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
		return Decision{}, fmt.Errorf("search: alpha-beta needs an Evaluator of two seats, not %T", state)
	}
	s := &searcher{player: a, state: e, limits: limits, table: NewTable(limits.Memory, 4*limits.Nodes)}
	defer s.table.Release()
	if s.moveEstimator, _ = state.(MoveEstimator); s.moveEstimator == nil {
		s.moveEvaluator, _ = state.(MoveEvaluator)
	}
	s.replyEvaluator, _ = state.(BestReplyEvaluator)
	s.moveCounter, _ = state.(MoveCounter)
	s.finisher, _ = state.(Finisher)
	defer context.AfterFunc(ctx, func() { s.cancelled.Store(true) })()
	return s.chooseTurn(p)
}

// searcher is one alpha-beta search.
type searcher struct {
	player AlphaBeta
	state  Evaluator
	limits Limits
	table  Table

	// Optional capabilities of the state, or nil.
	moveEvaluator  MoveEvaluator
	moveEstimator  MoveEstimator // if set, moveEvaluator is not
	replyEvaluator BestReplyEvaluator
	moveCounter    MoveCounter
	finisher       Finisher

	nodes     int64
	nodeLimit int64       // for this move's search, 0 for none
	cancelled atomic.Bool // set when the context ends
	aborted   bool        // the search must end; its values are void
	payoffs   [2]float64
	killers   [maxDepth + 1][2]Move
	history   [2][1 << historyBits]int32
	plies     [maxDepth + 1]ply
}

type ply struct {
	moves  []Move
	evals  []int32 // of a MoveEvaluator
	scores []int32 // for move ordering
	pv     []Move  // the principal variation from here
}

// chooseTurn searches move after move until the turn has ended. It plays along
// the principal variation as far as that is known.
func (s *searcher) chooseTurn(p engine.Position) (Decision, error) {
	var d Decision
	var pv []Move
	turns, seat := p.Turns(), s.state.Seat()
	for first := true; ; first = false {
		var next Move
		if len(pv) > 0 {
			next, pv = pv[0], pv[1:]
		} else {
			s.nodeLimit = s.nodeBudget(first)
			best, depth := s.deepen(func(best RootMove, depth int) {
				if first && s.limits.Info != nil {
					s.limits.Info(s.decision(seat, best, depth))
				}
			})
			if first {
				d = s.decision(seat, best, depth)
				d.Actions = nil
			}
			next, pv = best.Move, best.PV
		}
		actions := s.state.Actions(next)
		for _, a := range actions {
			q, err := p.Apply(a)
			if err != nil {
				return Decision{}, fmt.Errorf("search: applying the chosen move: %w", err)
			}
			p = q
		}
		d.Actions = append(d.Actions, actions...)
		s.state.Make(next)
		if p.Seat() == engine.Nobody || p.Turns() != turns {
			d.Continuation = s.lineActions(pv)
			d.Nodes = s.nodes
			return d, nil
		}
	}
}

// nodeBudget returns the node limit of the next move's search: all nodes for the
// first move of the turn, and a quarter as many more for each further one.
func (s *searcher) nodeBudget(first bool) int64 {
	if s.limits.Nodes <= 0 {
		return 0
	}
	if first {
		return s.limits.Nodes
	}
	return s.nodes + max(s.limits.Nodes/4, 1)
}

// decision describes a root move and its principal variation.
func (s *searcher) decision(seat int, best RootMove, depth int) Decision {
	d := Decision{Values: make([]float64, 2), Depth: depth, Nodes: s.nodes}
	d.Values[seat] = ExpectedPayoff(best.Value)
	d.Values[1-seat] = 1 - d.Values[seat]
	d.Actions = s.lineActions(append([]Move{best.Move}, best.PV...))
	return d
}

func (s *searcher) lineActions(line []Move) (all []engine.Action) {
	made := 0
	for _, m := range line {
		if s.state.Seat() < 0 {
			break
		}
		all = append(all, s.state.Actions(m)...)
		s.state.Make(m)
		made++
	}
	for range made {
		s.state.Unmake()
	}
	return all
}
