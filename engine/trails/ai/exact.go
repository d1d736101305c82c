package ai

import (
	"context"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// exact is a player who knows the openings of solved boards. Elsewhere he looks
// ahead a little, then tries to solve the position, and where that is too much
// looks ahead in earnest, at those moves only that are not proved to lose.
type exact struct {
	ahead search.AlphaBeta
}

// budget divides the nodes of a thought, where 0 is any number: for the first
// look, for solving, which must end, and for the rest.
func budget(nodes int64) (first, solving, last int64) {
	if nodes <= 0 {
		return 25_000, 400_000, 0
	}
	first, solving = max(nodes/16, 64), max(nodes/3, 1)
	return first, solving, max(nodes-first-solving, 64)
}

// Think is the best move that was found until the limits or the context ended
// it. A limit of depth leaves the solver out. On boards of more than 11 squares
// fewer nodes are visited than the limits allow, so that a turn takes as long on
// any board.
func (e exact) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if limits.Depth > 0 {
		return e.ahead.Think(ctx, p, limits)
	}
	s, err := New(p)
	if err != nil {
		return search.Decision{}, err
	}
	if s.winner >= 0 {
		return search.Decision{}, search.ErrOver
	}
	if d, ok := opening(p.(*trails.Position), s); ok {
		return settle(search.Decision{Actions: []engine.Action{d}}, s.Seat(), limits), nil
	}
	memory := limits.Memory
	if memory <= 0 {
		memory = search.DefaultMemory
	}
	nodes := limits.Nodes
	if s.geo.size > narrow && nodes > 0 {
		nodes = max(nodes/int64(3*s.geo.words), 1) // so much longer takes a node of these boards
	}
	first, solving, last := budget(nodes)
	limits.Memory, limits.Nodes = memory/2, first
	look, err := e.ahead.Think(ctx, p, limits)
	if err != nil || certain(look) || ctx.Err() != nil {
		return look, err
	}
	solver := NewSolver(min(memory/2, solving*directions*proofSize))
	proof := solver.Solve(ctx, s, solving)
	look.Nodes += proof.Nodes
	if proof.Winner == s.Seat() {
		if look.Actions[0] != engine.Action(proof.Wins[0]) {
			look.Actions, look.Continuation = []engine.Action{proof.Wins[0]}, nil
		}
		return settle(look, proof.Winner, limits), nil
	}
	if proof.Winner < 0 {
		for _, d := range proof.Loses {
			s.avoid |= 1 << d
		}
	}
	if ctx.Err() != nil && s.avoid>>look.Actions[0].(trails.Direction)&1 == 0 {
		return look, nil
	}
	ahead := e.ahead
	ahead.State = func(engine.Position) (search.State, error) { return s, nil }
	limits.Nodes = last
	t, err := ahead.Think(ctx, p, limits)
	if err != nil {
		return search.Decision{}, err
	}
	t.Nodes += look.Nodes
	if proof.Winner >= 0 {
		t = settle(t, proof.Winner, limits)
	}
	return t, nil
}

// certain reports whether the end of the game is foreseen.
func certain(t search.Decision) bool { return t.Values[0] == 0 || t.Values[0] == 1 }

// settle notes who wins, and says so.
func settle(t search.Decision, winner int, limits search.Limits) search.Decision {
	t.Values = []float64{0, 0}
	t.Values[winner] = 1
	if limits.Info != nil {
		limits.Info(t)
	}
	return t
}
