package stonesearch

import (
	"context"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// margin is what a turn may be worth, more than a square and a half: what is
// further off is not looked at closely in the last two moves of a line.
const margin = 150

// mind is the player of a level.
type mind struct {
	search.AlphaBeta
	// depth is how many turns ahead he looks, 0 for as many as he has time for.
	depth int
	// careful has him look at the last two turns of the game to their end, so
	// that he takes any win that there is, and gives none away.
	careful bool
}

// Think looks ahead within the limits, which are for a board of 8x8: on larger
// ones a node takes longer, and there are fewer.
func (m mind) Think(ctx context.Context, position engine.Position, limits search.Limits) (search.Thought, error) {
	p, ok := position.(*stonetowers.Position)
	if !ok {
		return search.Thought{}, foreign(position)
	}
	left := 2*p.TurnsEach() - p.Turns()
	depth := m.depth
	if m.careful && left <= 2 {
		depth = left
	} else if size := int64(p.Width() * p.Height()); limits.Nodes > 0 && size > 64 {
		limits.Nodes = max(limits.Nodes*64/size, 1)
	}
	if depth > 0 && (limits.Depth == 0 || depth < limits.Depth) {
		limits.Depth = depth
	}
	return m.AlphaBeta.Think(ctx, p, limits)
}

// enough is how many nodes the last two turns take at most on the largest
// board. No level has fewer.
const enough = 70_000

// levels is the six levels, weakest first.
func levels() (all []search.Level) {
	for i, l := range []struct {
		nodes int64
		mind  mind
	}{
		{enough, mind{depth: 1, AlphaBeta: search.AlphaBeta{
			Noise: 60, Soft: search.Soft{Loss: 250, Spread: 80, Careless: 0.15},
		}}},
		{enough, mind{depth: 1, careful: true, AlphaBeta: search.AlphaBeta{
			Noise: 60, Soft: search.Soft{Loss: 120, Spread: 40},
		}}},
		{enough, mind{depth: 2, careful: true, AlphaBeta: search.AlphaBeta{
			Noise: 20, Soft: search.Soft{Loss: 60, Spread: 20},
		}}},
		{enough, mind{depth: 3, careful: true, AlphaBeta: search.AlphaBeta{
			Soft: search.Soft{Loss: 10, Spread: 5},
		}}},
		{enough, mind{careful: true, depth: 6}},
		{1_500_000, mind{careful: true}},
	} {
		l.mind.State, l.mind.Margin = newSearch, margin
		all = append(all, search.Level{
			Key: search.LevelKeys[i], Player: l.mind,
			Limits: search.Limits{Nodes: l.nodes}, Patience: 2 * time.Second,
		})
	}
	return all
}
