package stonesearch

import (
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// Brain is the computer players of Stone Towers.
func Brain() search.Brain {
	b := search.Brain{
		Game:  stonetowers.Game{},
		State: newSearch,
		// Values that differ by one are as good as equal: the seed decides.
		Greedy: search.Capped{
			Player: search.AlphaBeta{State: newSearch, Soft: search.Soft{Loss: 1, Spread: 1}},
			Limits: search.Limits{Depth: 1},
		},
		Depth: func(moves int) search.Player {
			return search.Capped{
				Player: search.AlphaBeta{State: newSearch, Full: true},
				Limits: search.Limits{Depth: moves},
			}
		},
	}
	for i, key := range search.LevelKeys {
		b.Levels = append(b.Levels, search.Level{
			Key: key, Player: search.AlphaBeta{State: newSearch},
			Limits: search.Limits{Nodes: 100 << (3 * i)}, Patience: 2 * time.Second,
		})
	}
	return b
}

// newSearch is a position of Stone Towers as searches walk it.
func newSearch(p engine.Position) (search.State, error) { return newState(p, fitted) }
