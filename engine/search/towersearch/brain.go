package towersearch

import (
	"time"

	"castellan/engine/search"
	"castellan/engine/towers"
)

// Brain is the computer players of Towers. Depth looks ahead by single actions,
// of which a turn is several.
func Brain() search.Brain {
	return search.Brain{
		Game:   towers.Game{},
		Levels: levels(),
		State:  NewState,
		Greedy: greedy{},
		Depth: func(moves int) search.Player {
			return search.Capped{
				Player: search.AlphaBeta{State: NewState, Full: true},
				Limits: search.Limits{Depth: moves},
			}
		},
	}
}

func levels() (all []search.Level) {
	settings := []struct {
		nodes  int64
		player turns
	}{
		{300, turns{shape: &narrow, depth: 1, noise: 100, soft: search.Soft{Loss: 200, Spread: 100}, careless: 0.1}},
		{500, turns{shape: &narrow, depth: 1, noise: 70, soft: search.Soft{Loss: 150, Spread: 60}}},
		{1_200, turns{shape: &narrow, depth: 2, noise: 80, soft: search.Soft{Loss: 80, Spread: 45}}},
		{2_000, turns{shape: &narrow, noise: 40}},
		{4_000, turns{shape: &narrow}},
		{12_000, turns{shape: &narrow}},
		{40_000, turns{shape: &middle}},
		{2_000_000, turns{shape: &wide}},
	}
	for i, s := range settings {
		s.player.contempt = 30
		all = append(all, search.Level{
			Key: search.LevelKeys[i], Player: s.player,
			Limits: search.Limits{Nodes: s.nodes}, Patience: 2 * time.Second,
		})
	}
	return all
}

// The shapes of searches that have few nodes, more, and many. To look at more
// turns is worth more than to look further ahead, as soon as there are the nodes
// for it.
var (
	narrow = shape{
		root: breadth{12, 400}, last: breadth{4, 100}, inner: breadth{6, 200},
		tried: 8, first: 4, rooted: 20,
	}
	middle = shape{
		root: breadth{60, 6_000}, last: breadth{8, 400}, inner: breadth{12, 800},
		tried: 16, first: 6, rooted: 60,
	}
	wide = shape{
		root: breadth{200, 20_000}, last: breadth{16, 800}, inner: breadth{24, 1_600},
		tried: 32, first: 8, rooted: 120,
	}
)
