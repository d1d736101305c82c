package ai

import (
	"fmt"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// Brain is the computer players of Stone Towers. A turn is one move, so Depth
// counts turns.
func Engine() search.Engine {
	return search.Engine{
		Game:   stonetowers.Game{},
		State:  newSearch,
		Levels: levels(),
		// The noise is less than a square: it decides where two moves bring as
		// many.
		Greedy: search.Limited{
			Player: search.AlphaBeta{State: visible, FullWidth: true, Noise: 1},
			Limits: search.Limits{Depth: 1},
		},
		FixedDepth: func(turns int) search.Player {
			return search.Limited{
				Player: search.AlphaBeta{State: newSearch, FullWidth: true},
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

// seen is a position judged by the squares that are owned, and by nothing that
// may become of them.
type seen struct {
	search.State
	at *state
}

// visible is the position for who does not look ahead.
func visible(position engine.Position) (search.State, error) {
	s, err := newSearch(position)
	if err != nil {
		return nil, err
	}
	return seen{s, s.(*state)}, nil
}

// Evaluate is how many squares more are owned by the seat whose turn it is.
func (s seen) Evaluate() int {
	ahead := 100 * (int(s.at.owned[0]) - int(s.at.owned[1]))
	if s.at.player() == 1 {
		return -ahead
	}
	return ahead
}

// foreign is the error of a position that is of another game.
func foreign(p engine.Position) error {
	return fmt.Errorf("stonetowers/ai: a position of %s was wanted, not %T", stonetowers.Key, p)
}
