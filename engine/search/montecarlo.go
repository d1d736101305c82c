package search

import (
	"context"
	"fmt"

	"castellan/engine"
)

// MonteCarlo plays games of any number of seats by Monte-Carlo tree search: upper
// confidence bounds applied to trees (Kocsis and Szepesvári, 2006) with a payoff
// for every seat, each of which maximizes its own (Sturtevant, 2008).
//
// Without StaticLeaves it plays games out at random, and without Widening it
// tries every move: plain Monte Carlo, a yardstick more than a player. The other
// fields gain the more from states that order moves well.
type MonteCarlo struct {
	// State returns the state to search, which must be a Playouter, or with
	// StaticLeaves an Estimator.
	State func(engine.Position) (State, error)
	// Exploration is the weight of the exploration term; 0 means 1.
	Exploration float64
	// StaticLeaves estimates the payoffs of leaves instead of playing out.
	StaticLeaves bool
	// Widening, if not 0, is the number of moves tried after one visit. It doubles
	// with every four times as many visits (progressive widening: Coulom, 2007).
	Widening float64
	// MaxChildren is the greatest number of moves of a node, except at the root;
	// 0 means all.
	MaxChildren int
}

// Estimator is a State that can estimate payoffs at any time.
type Estimator interface {
	State
	// Estimate fills in the expected payoff of each seat, 1 in total.
	Estimate(values []float64)
}

// Think iterates until the limit of nodes is reached or the context ends. Without
// either it does not return.
func (m MonteCarlo) Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error) {
	if p.Seat() == engine.Nobody {
		return Decision{}, ErrOver
	}
	state, err := m.State(p)
	if err != nil {
		return Decision{}, err
	}
	t := newTree(m, state, limits)
	if t.evaluateLeaf == nil {
		return Decision{}, fmt.Errorf("search: Monte Carlo needs a Playouter, or with StaticLeaves an Estimator, not %T", state)
	}
	defer treePool.put(t.nodes, treeNodeSize)
	defer context.AfterFunc(ctx, func() { t.cancelled.Store(true) })()
	return t.chooseTurn(p)
}

// chooseTurn searches move after move until the turn has ended, and keeps the
// tree below each.
func (t *tree) chooseTurn(p engine.Position) (d Decision, err error) {
	var chosen []engine.Action
	turns, root := p.Turns(), int32(0)
	until := t.limits.Nodes
	for first := true; ; first = false {
		var info func(Decision)
		if first {
			info = t.limits.Info
		}
		t.search(root, until, info)
		best := t.mostVisited(root)
		if first {
			d = t.decision(best)
		}
		actions := t.state.Actions(t.nodes[best].move)
		for _, a := range actions {
			if p, err = p.Apply(a); err != nil {
				return Decision{}, fmt.Errorf("search: a move of the search: %w", err)
			}
		}
		chosen = append(chosen, actions...)
		t.state.Make(t.nodes[best].move)
		root = best
		if p.Seat() == engine.Nobody || p.Turns() != turns {
			d.Actions, d.Continuation, d.Nodes = chosen, t.continuation(root), t.iterations
			return d, nil
		}
		if t.limits.Nodes > 0 { // a quarter as many more for each further move
			until = t.iterations + max(t.limits.Nodes/4, 1)
		}
	}
}
