package trailsearch

import (
	"time"

	"castellan/engine/search"
	"castellan/engine/trails"
)

// patience is the most time that one turn of any level may take on one core.
const patience = 2 * time.Second

// Brain is all that plays Trails and Towers.
func Brain() search.Brain {
	return search.Brain{
		Game:   trails.Game{},
		Levels: levels(),
		State:  state,
		Greedy: search.Capped{
			// The noise is less than anything that counts: it decides where two
			// moves look alike.
			Player: search.AlphaBeta{State: state, Full: true, Noise: 1},
			Limits: search.Limits{Depth: 1},
		},
		Depth: func(moves int) search.Player {
			return search.Capped{
				Player: search.AlphaBeta{State: state, Full: true},
				Limits: search.Limits{Depth: moves},
			}
		},
	}
}

// levels is the levels, weakest first. All but the first look at least two
// moves ahead whatever happens, for which 64 nodes are enough: so they take a
// win that is there and give none away that can be kept.
func levels() []search.Level {
	of := []struct {
		nodes, depth int
		noise        int
		soft         search.Soft
	}{
		{nodes: 64, depth: 1, noise: 150, soft: search.Soft{Loss: 200, Spread: 60, Careless: 0.15}},
		{nodes: 100, depth: 2, noise: 80, soft: search.Soft{Loss: 100, Spread: 30}},
		{nodes: 300, depth: 4, noise: 30, soft: search.Soft{Loss: 50, Spread: 15}},
		{nodes: 2000},
		{nodes: 12000},
		{nodes: 300_000},
	}
	levels := make([]search.Level, len(of))
	for i, l := range of {
		levels[i] = search.Level{
			Key: search.LevelKeys[i],
			Player: search.AlphaBeta{
				State: state,
				Full:  true, Noise: l.noise, Soft: l.soft,
			},
			Limits:   search.Limits{Nodes: int64(l.nodes), Depth: l.depth},
			Patience: patience,
		}
	}
	return levels
}
