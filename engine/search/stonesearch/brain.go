package stonesearch

import (
	"fmt"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// Brain is the computer players of Stone Towers. A turn is one move, so Depth
// counts turns.
func Brain() search.Brain {
	return search.Brain{
		Game:   stonetowers.Game{},
		State:  newSearch,
		Levels: levels(),
		// Values that differ by one are as good as equal: the seed decides.
		Greedy: search.Capped{
			Player: search.AlphaBeta{State: newSearch, Soft: search.Soft{Loss: 1, Spread: 1}},
			Limits: search.Limits{Depth: 1},
		},
		Depth: func(turns int) search.Player {
			return search.Capped{
				Player: search.AlphaBeta{State: newSearch, Full: true},
				Limits: search.Limits{Depth: turns},
			}
		},
	}
}

// newSearch is a position of Stone Towers as searches walk it.
func newSearch(position engine.Position) (search.State, error) {
	p, ok := position.(*stonetowers.Position)
	if !ok {
		return nil, foreign(position)
	}
	return newState(p, fitted), nil
}

// foreign is the error of a position that is of another game.
func foreign(p engine.Position) error {
	return fmt.Errorf("stonesearch: a position of %s was wanted, not %T", stonetowers.Key, p)
}
