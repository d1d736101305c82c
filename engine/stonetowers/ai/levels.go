package ai

import (
	"context"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// futilityMargin is the value of three squares. Half of it still exceeds the
// gain of most turns, but with half searches overlooked falling castles that
// decide games between strong players: beyond 16,000 nodes more time made
// nobody stronger.
const futilityMargin = 300

// learnedMargin is the futility margin with the learned evaluation, and lateMoves the
// number of moves tried by depth. Matches of 200 games settled them, at 20,000 nodes
// a turn against the evaluation by single squares, ± 35 Elo: +108; a margin of 200
// +61; 4, 8 and 16 late moves +109; these with reductions of at most two plies +76.
const learnedMargin = 100

var lateMoves = []int{0, 5, 10, 18, 26}

// levelPlayer is the player of a level.
type levelPlayer struct {
	search.AlphaBeta
	// depth is the greatest depth in turns, 0 for no limit.
	depth int
	// nodes is the node limit per turn, 0 for the caller's.
	nodes int64
	// exactEndgame searches the last two turns of the game to the end, so
	// that every win is taken and none given away.
	exactEndgame bool
}

// Think searches within limits that are scaled for boards larger than 8x8,
// where a node takes longer.
func (m levelPlayer) Think(ctx context.Context, position engine.Position, limits search.Limits) (search.Decision, error) {
	p, ok := position.(*stonetowers.Position)
	if !ok {
		return search.Decision{}, wrongGame(position)
	}
	left := 2*p.TurnsPerPlayer() - p.Turns()
	depth := m.depth
	if m.exactEndgame && left <= 2 {
		depth = left
	} else {
		limits.Nodes = m.nodeLimit(limits.Nodes, int64(p.Width()*p.Height()))
	}
	if depth > 0 && (limits.Depth == 0 || depth < limits.Depth) {
		limits.Depth = depth
	}
	if p.Turns() < varietyTurns && m.Softmax == (search.Softmax{}) {
		m.Softmax = varietySoftmax
	}
	return m.AlphaBeta.Think(ctx, p, limits)
}

// varietyTurns is the number of turns at the start in which even strong players
// choose among moves within a twentieth of a square of the best, so that games
// differ.
const varietyTurns = 8

var varietySoftmax = search.Softmax{MaxLoss: 5, Temperature: 3}

// nodeLimit returns the node limit for a board of that many squares.
func (m levelPlayer) nodeLimit(nodes, size int64) int64 {
	if m.nodes > 0 && (nodes == 0 || m.nodes < nodes) {
		nodes = m.nodes
	}
	if nodes > 0 && size > 64 {
		nodes = max(nodes*64/size, 1)
	}
	return nodes
}

// endgameNodes is the greatest number of nodes in the last two turns on the
// largest board. No level has fewer.
const endgameNodes = 70_000

// levels returns the levels, weakest first, each about 210 Elo above the one
// before, which is three of four games, but the first three further apart. The lower ones search a few turns deep
// and choose among nearly equal moves; the upper two search a number of nodes.
// A child, who takes the most squares in every other turn and plays at random in
// between, wins half of the games against the first. All but the last need a few milliseconds
// per turn on one core, the last less than a second.
func levels() (all []search.Level) {
	keys := [...]string{"newcomer", "learner", "beginner", "casual", "regular", "skilled", "advanced", "expert", "master"}
	ratings := [...]float64{731, 1022, 1288, 1500, 1739, 1964, 2168, 2398, 2613}
	for i, l := range []struct {
		nodes, memory int64
		mind          levelPlayer
		soft          search.Softmax
	}{
		{endgameNodes, 1 << 20, levelPlayer{depth: 1}, search.Softmax{MaxLoss: 5000, Temperature: 92}},
		{endgameNodes, 1 << 20, levelPlayer{depth: 1, exactEndgame: true}, search.Softmax{MaxLoss: 5000, Temperature: 57}},
		{endgameNodes, 1 << 20, levelPlayer{depth: 1, exactEndgame: true}, search.Softmax{MaxLoss: 98, Temperature: 49}},
		{endgameNodes, 1 << 20, levelPlayer{depth: 2, exactEndgame: true}, search.Softmax{MaxLoss: 88, Temperature: 44}},
		{endgameNodes, 1 << 20, levelPlayer{depth: 2, exactEndgame: true}, search.Softmax{MaxLoss: 57, Temperature: 28}},
		{endgameNodes, 1 << 20, levelPlayer{depth: 2, exactEndgame: true}, search.Softmax{MaxLoss: 19, Temperature: 9}},
		{endgameNodes, 1 << 20, levelPlayer{depth: 3, exactEndgame: true}, search.Softmax{MaxLoss: 17, Temperature: 8}},
		{endgameNodes, 1 << 20, levelPlayer{nodes: 1_700, exactEndgame: true}, search.Softmax{}},
		{1_200_000, search.DefaultMemory, levelPlayer{exactEndgame: true}, search.Softmax{}},
	} {
		l.mind.State, l.mind.FutilityMargin, l.mind.Softmax = newSearchState, futilityMargin, l.soft
		if i == len(ratings)-1 {
			l.mind.State, l.mind.FutilityMargin, l.mind.LateMoves = newLearnedState, learnedMargin, lateMoves
		}
		all = append(all, search.Level{
			Key: keys[i], Player: l.mind,
			Limits: search.Limits{Nodes: l.nodes, Memory: l.memory}, MoveTime: 2 * time.Second, Rating: ratings[i],
		})
	}
	return all
}
