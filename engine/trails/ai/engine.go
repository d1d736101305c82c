package ai

import (
	"time"

	"castellan/engine/search"
	"castellan/engine/trails"
)

// moveTime is the longest time for a turn of any level on one core.
const moveTime = 2 * time.Second

func Engine() search.Engine {
	return search.Engine{
		Game:   trails.Game{},
		Levels: levels(),
		State:  newState,
		Greedy: search.Limited{
			// The noise is less than any term of the evaluation: it breaks
			// ties.
			Player: search.AlphaBeta{State: newVisibleState, FullWidth: true, Noise: 1},
			Limits: search.Limits{Depth: 1},
		},
		FixedDepth: search.FixedDepth(newState),
	}
}

// levels returns the levels, weakest first. All but the first look at least two
// moves ahead, for which 60 nodes suffice, so they take every win and give none
// away that can be kept. The first looks only at its own move, and plays nearly
// any that does not end the game.
func levels() []search.Level {
	of := [...]struct {
		key    string
		rating float64
		nodes  int64
		depth  int // depth in moves, 0 for no limit
		noise  int
		soft   search.Softmax
	}{
		{key: "newcomer", rating: 1178, nodes: 64, depth: 1, noise: 800, soft: search.Softmax{MaxLoss: 5000, Temperature: 5000}},
		{key: "beginner", rating: 1342, nodes: 64, depth: 2, noise: 472, soft: search.Softmax{MaxLoss: 1160, Temperature: 815}},
		{key: "casual", rating: 1500, nodes: 64, depth: 2, noise: 622},
		{key: "skilled", rating: 1703, nodes: 150, depth: 4, noise: 478},
		{key: "advanced", rating: 1871, nodes: 300, depth: 6, noise: 345},
		{key: "expert", rating: 2048, nodes: 750, noise: 9},
		{key: "master", rating: 2230, nodes: 640_000},
	}
	levels := make([]search.Level, len(of))
	for i, l := range of {
		player := search.AlphaBeta{State: newState, FullWidth: true, Noise: l.noise, Softmax: l.soft}
		levels[i] = search.Level{
			Key:      l.key,
			Player:   player,
			Limits:   search.Limits{Nodes: l.nodes, Depth: l.depth},
			MoveTime: moveTime,
			Rating:   l.rating,
		}
		if i == len(of)-1 {
			levels[i].Player = solvingPlayer{player}
		}
	}
	return levels
}
