package ringsearch

import (
	"context"

	"castellan/engine"
	"castellan/engine/search"
)

// Tree plays by Monte-Carlo tree search in which every seat looks at its own
// share of the win. Games are not played out: the state says what is to be
// expected as soon as the tree ends.
type Tree struct {
	Noise int
	Soft  search.Soft
}

// Think plays as many games as the limits have nodes.
func (t Tree) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Thought, error) {
	return search.MonteCarlo{
		State:   func(p engine.Position) (search.State, error) { return NewState(p) },
		Sketch:  true,
		Explore: 0.2,
		Wide:    0.5,
		Most:    12,
		Noise:   t.Noise,
		Soft:    t.Soft,
	}.Think(ctx, p, limits)
}
