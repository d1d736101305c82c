package ai

import (
	"context"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// solvingPlayer knows the openings of solved boards. Otherwise it searches
// briefly, then tries to solve the position, and failing that searches the
// moves not proven to lose.
type solvingPlayer struct {
	search search.AlphaBeta
}

// In the first varietyTurns turns it chooses among nearly equal moves that are not proven
// to lose, so that games differ. Where the book says that all moves lose, they may differ
// by much.
const varietyTurns = 12

var (
	variety     = search.Softmax{MaxLoss: 20, Temperature: 10}
	varietyLost = search.Softmax{MaxLoss: 300, Temperature: 200}
)

// scaled returns the node limit for a board. On boards that do not fit into a pair
// a node takes longer.
func (g *geometry) scaled(nodes int64) int64 {
	if g.size > maxNarrowSize && nodes > 0 {
		return max(nodes/int64(3*g.words), 1)
	}
	return nodes
}

// splitNodes divides the node limit, where 0 is none, among the first search,
// the solver, which must end, and the last search.
func splitNodes(nodes int64) (first, solving, last int64) {
	if nodes <= 0 {
		return 25_000, 400_000, 0
	}
	first, solving = max(nodes/16, 64), max(nodes/3, 1)
	return first, solving, max(nodes-first-solving, 64)
}

// Think returns the best move found before the limits or the context end. A
// depth limit disables the solver. On boards of more than 11 squares a side it
// visits fewer nodes than the limit, so that a turn takes as long on any board.
func (e solvingPlayer) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if limits.Depth > 0 {
		return e.search.Think(ctx, p, limits)
	}
	s, err := New(p)
	if err != nil {
		return search.Decision{}, err
	}
	if s.Seat() < 0 {
		return search.Decision{}, search.ErrOver
	}
	d, won, lost := findInBook(p.(*trails.Position), s)
	if won {
		return provenDecision(search.Decision{Actions: []engine.Action{d}}, s.Seat(), limits), nil
	}
	memory := limits.Memory
	if memory <= 0 {
		memory = search.DefaultMemory
	}
	first, solving, last := splitNodes(s.geo.scaled(limits.Nodes))
	limits.Memory, limits.Nodes = memory/2, first
	quick, err := e.search.Think(ctx, p, limits)
	if err != nil || isProven(quick) || ctx.Err() != nil {
		return quick, err
	}
	solver := NewSolver(min(memory/2, solving*directions*proofSize))
	proof := solver.Solve(ctx, s, solving)
	quick.Nodes += proof.Nodes
	if proof.Winner == s.Seat() {
		if quick.Actions[0] != engine.Action(proof.Wins[0]) {
			quick.Actions, quick.Continuation = []engine.Action{proof.Wins[0]}, nil
		}
		return provenDecision(quick, proof.Winner, limits), nil
	}
	if proof.Winner < 0 {
		for _, d := range proof.Loses {
			s.avoid.Add(d)
		}
	}
	if ctx.Err() != nil && !s.avoid.Has(quick.Actions[0].(trails.Direction)) {
		return quick, nil
	}
	player := e.search
	switch early := p.Turns() < varietyTurns; {
	case early && lost:
		player.Softmax = varietyLost
	case early:
		player.Softmax = variety
	}
	player.State = func(engine.Position) (search.State, error) { return s, nil }
	limits.Nodes = last
	t, err := player.Think(ctx, p, limits)
	if err != nil {
		return search.Decision{}, err
	}
	t.Nodes += quick.Nodes
	if proof.Winner >= 0 {
		t = provenDecision(t, proof.Winner, limits)
	}
	return t, nil
}

func isProven(t search.Decision) bool { return t.Values[0] == 0 || t.Values[0] == 1 }

// provenDecision sets the values to a certain win and reports the decision.
func provenDecision(t search.Decision, winner int, limits search.Limits) search.Decision {
	t.Values = []float64{0, 0}
	t.Values[winner] = 1
	if limits.Info != nil {
		limits.Info(t)
	}
	return t
}
