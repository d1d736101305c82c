package ai

import (
	"context"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// margin is what a turn may be worth, three squares: what is further off is not
// looked at closely in the last two moves of a line. With half of it, which is
// still more than most turns are worth, the falls of castles were overlooked that
// decide games between the strong: more than 16,000 nodes then made nobody
// stronger.
const margin = 300

// mind is the player of a level.
type mind struct {
	search.AlphaBeta
	// depth is how many turns ahead he looks, 0 for as many as he has time for.
	depth int
	// nodes is how many he visits at most in a turn, 0 for as many as he may.
	nodes int64
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
	left := 2*p.TurnsPerPlayer() - p.Turns()
	depth := m.depth
	if m.careful && left <= 2 {
		depth = left
	} else {
		limits.Nodes = m.within(limits.Nodes, int64(p.Width()*p.Height()))
	}
	if depth > 0 && (limits.Depth == 0 || depth < limits.Depth) {
		limits.Depth = depth
	}
	if p.Turns() < varied && m.Soft == (search.Soft{}) {
		m.Soft = nuance
	}
	return m.AlphaBeta.Think(ctx, p, limits)
}

// In the first turns of a game even the strong choose among what is as good as
// the best, within a twentieth of a square: so no two games need be alike.
const varied = 8

var nuance = search.Soft{Loss: 5, Spread: 3}

// within is how many nodes may be visited on a board of that many squares, given
// the caller's limit.
func (m mind) within(nodes, size int64) int64 {
	if m.nodes > 0 && (nodes == 0 || m.nodes < nodes) {
		nodes = m.nodes
	}
	if nodes > 0 && size > 64 {
		nodes = max(nodes*64/size, 1)
	}
	return nodes
}

// enough is how many nodes the last two turns take at most on the largest
// board. No level has fewer.
const enough = 70_000

// levels is the levels, weakest first, each about 210 Elo above the one before:
// it takes three of four games. The lower look few turns ahead and choose among
// what is almost as good, the upper two think about so many positions. Who
// takes the most squares each turn wins one of three games against the first: a
// child can win. All but the last take a few milliseconds a turn of one core, the
// last about half a second.
func levels() (all []search.Level) {
	for i, l := range []struct {
		nodes, memory int64
		mind          mind
		soft          search.Soft
	}{
		{enough, 1 << 20, mind{depth: 1}, search.Soft{Loss: 122, Spread: 61, Careless: 0.05}},
		{enough, 1 << 20, mind{depth: 1, careful: true}, search.Soft{Loss: 98, Spread: 49}},
		{enough, 1 << 20, mind{depth: 2, careful: true}, search.Soft{Loss: 88, Spread: 44}},
		{enough, 1 << 20, mind{depth: 2, careful: true}, search.Soft{Loss: 57, Spread: 28}},
		{enough, 1 << 20, mind{depth: 2, careful: true}, search.Soft{Loss: 19, Spread: 9}},
		{enough, 1 << 20, mind{depth: 3, careful: true}, search.Soft{Loss: 17, Spread: 8}},
		{enough, 1 << 20, mind{nodes: 1_700, careful: true}, search.Soft{}},
		{1_500_000, search.DefaultMemory, mind{careful: true}, search.Soft{}},
	} {
		l.mind.State, l.mind.Margin, l.mind.Soft = newSearch, margin, l.soft
		all = append(all, search.Level{
			Key: search.LevelKeys[i], Player: l.mind,
			Limits: search.Limits{Nodes: l.nodes, Memory: l.memory}, Patience: 2 * time.Second,
		})
	}
	return all
}
