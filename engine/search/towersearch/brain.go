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
		{300, turns{shape: narrow, depth: 1, noise: 120, soft: search.Soft{Loss: 300, Spread: 100, Careless: 0.25}}},
		{600, turns{shape: narrow, depth: 1, noise: 60, soft: search.Soft{Loss: 150, Spread: 60}}},
		{3_000, turns{shape: narrow, depth: 2, noise: 40, soft: search.Soft{Loss: 60, Spread: 30}}},
		{10_000, turns{shape: narrow, noise: 20, soft: search.Soft{Loss: 20, Spread: 10}}},
		{50_000, turns{shape: full}},
		{1_000_000, turns{shape: full}},
	}
	for i, s := range settings {
		all = append(all, search.Level{
			Key: search.LevelKeys[i], Player: s.player,
			Limits: search.Limits{Nodes: s.nodes}, Patience: 2 * time.Second,
		})
	}
	return all
}

// narrow is the shape of searches that have few nodes.
func narrow(int) *shape {
	return &shape{
		root: breadth{12, 400}, last: breadth{4, 100}, inner: []breadth{{6, 200}}, tried: []int{8},
		first: 4, rooted: 20,
	}
}

// full is the shape of searches that have many.
func full(int) *shape {
	return &shape{
		root: breadth{60, 6000}, last: breadth{8, 400}, inner: []breadth{{12, 800}}, tried: []int{16},
		first: 6, rooted: 60,
	}
}
