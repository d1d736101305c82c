package ai

import (
	"context"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Tree plays by Monte-Carlo tree search in which every seat looks at its own
// share of the win. Games are not played out: the state says what is to be
// expected as soon as the tree ends.
type TreeSearch struct {
	// Two, if not 0, is how many positions are judged at most with two seats,
	// who see as far with fewer as more seats do with many.
	TwoSeatNodes int64
}

// early is in how many turns of each seat the seed decides between points that
// look alike. On an empty board nearly all do: without it every game would open
// with the same stones.
const early = 3

// Think judges as many positions as the limits have nodes.
func (t TreeSearch) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	player := search.MonteCarlo{
		State: func(p engine.Position) (search.State, error) {
			s, err := NewState(p)
			if err == nil && p.Turns() < early*s.seats {
				s.nuance = search.Mix(limits.Seed) | 1
			}
			return s, err
		},
		StaticLeaves: true, Exploration: 0.15, Widening: 1, MaxChildren: 24,
	}
	// The more seats there are, the fewer of the moves can be looked at if any
	// is to be looked at well.
	if p, ok := p.(*rings.Position); ok && p.Seats() > 2 {
		player.Exploration, player.Widening, player.MaxChildren = 0.2, 0.5, 12
	} else if t.TwoSeatNodes > 0 && (limits.Nodes <= 0 || limits.Nodes > t.TwoSeatNodes) {
		limits.Nodes = t.TwoSeatNodes
	}
	return player.Think(ctx, p, limits)
}
