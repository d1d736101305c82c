package ringsearch

import (
	"context"

	"castellan/engine"
	"castellan/engine/rings"
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
	player := search.MonteCarlo{
		State:  func(p engine.Position) (search.State, error) { return NewState(p) },
		Sketch: true, Explore: 0.15, Wide: 1, Most: 24,
		Noise: t.Noise, Soft: t.Soft,
	}
	// The more seats there are, the fewer of the moves can be looked at if any
	// is to be looked at well.
	if p, ok := p.(*rings.Position); ok && p.Seats() > 2 {
		player.Explore, player.Wide, player.Most = 0.2, 0.5, 12
	}
	return player.Think(ctx, p, limits)
}
