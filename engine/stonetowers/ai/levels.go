package ai

import (
	"context"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// futilityMargin is the value of three squares in the evaluation by single squares.
// (In the learned one a square is worth 80.) Half of it still exceeds the gain of most
// turns, but with half searches overlooked falling castles that
// decide games between strong players: beyond 16,000 nodes more time made
// nobody stronger.
const futilityMargin = 300

// learnedMargin is the futility margin with the learned evaluation, and lateMoves the
// number of moves tried by depth. Matches of 200 games settled them, at 20,000 nodes
// a turn against the evaluation by single squares, ± 35 Elo: +108; a margin of 200
// +61; 4, 8 and 16 late moves +109; these with reductions of at most two plies +76.
const learnedMargin = 100

var lateMoves = []int{0, 5, 10, 18, 26}

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
// choose among moves within 5 units of the best, about a twentieth of a square, so
// that games differ.
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

// levels returns the levels, weakest first, mostly 150 to 250 Elo apart; see
// docs/reference/strength/levels.md. The lower ones search a few turns deep and choose among nearly
// equal moves; the expert and those above search a number of nodes, and those
// above the expert with the learned evaluation. A child, who takes the most
// squares in every other turn and plays at random in between, wins half of the
// games against the first. All but the champion need a few milliseconds per turn
// on one core, the champion less than a second.
func levels() (all []search.Level) {
	noisy := func(depth, maxLoss, temperature int) levelPlayer {
		m := levelPlayer{depth: depth, exactEndgame: true}
		m.State, m.FutilityMargin = newSearchState, futilityMargin
		m.Softmax = search.Softmax{MaxLoss: maxLoss, Temperature: temperature}
		return m
	}
	newcomer := noisy(1, 5000, 92)
	newcomer.exactEndgame = false
	expert := noisy(0, 0, 0)
	expert.nodes = 1_300
	learned := func(nodes int64) levelPlayer {
		m := levelPlayer{nodes: nodes, exactEndgame: true}
		m.State, m.FutilityMargin, m.LateMoves = newLearnedState, learnedMargin, lateMoves
		return m
	}
	few := search.Limits{Nodes: endgameNodes, Memory: 1 << 20}
	for _, l := range []struct {
		key    string
		rating float64
		player levelPlayer
		limits search.Limits
	}{
		{"newcomer", 733, newcomer, few},
		{"learner", 926, noisy(1, 5000, 67), few},
		{"learner-plus", 1142, noisy(1, 155, 52), few},
		{"beginner", 1304, noisy(1, 92, 46), few},
		{"casual", 1500, noisy(2, 88, 44), few},
		{"regular", 1742, noisy(2, 60, 30), few},
		{"skilled", 2021, noisy(2, 27, 13), few},
		{"advanced", 2269, noisy(3, 24, 12), few},
		{"expert", 2525, expert, few},
		{"master", 2760, learned(850), few},
		{"grandmaster", 2985, learned(8_000), few},
		{"champion", 3286, learned(0), search.Limits{Nodes: 1_200_000, Memory: search.DefaultMemory}},
	} {
		all = append(all, search.Level{Key: l.key, Player: l.player, Limits: l.limits, MoveTime: 2 * time.Second, Rating: l.rating})
	}
	return all
}
