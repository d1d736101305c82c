package ai

import (
	"fmt"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// Engine returns the computer players of Stone Towers. A turn is one move, so
// FixedDepth counts turns.
func Engine() search.Engine {
	return search.Engine{
		Game:   stonetowers.Game{},
		State:  newSearchState,
		Levels: levels(),
		// The noise is less than a square: it breaks ties.
		Greedy: search.Limited{
			Player: search.AlphaBeta{State: newMaterialState, FullWidth: true, Noise: 1},
			Limits: search.Limits{Depth: 1},
		},
		FixedDepth: search.FixedDepth(newSearchState),
	}
}

func newSearchState(position engine.Position) (search.State, error) {
	p, ok := position.(*stonetowers.Position)
	if !ok {
		return nil, wrongGame(position)
	}
	return newState(p, fittedTables), nil
}

func newLearnedState(position engine.Position) (search.State, error) {
	return newStateWith(position, learnedPatterns())
}

func newStateWith(position engine.Position, p *patterns) (search.State, error) {
	s, err := newSearchState(position)
	if err != nil {
		return nil, err
	}
	l := newLearned(s.(*state), p)
	l.lazy = true
	return l, nil
}

// materialState evaluates a position by the squares owned, whatever may become
// of them.
type materialState struct {
	search.State
	at *state
}

func newMaterialState(position engine.Position) (search.State, error) {
	s, err := newSearchState(position)
	if err != nil {
		return nil, err
	}
	return materialState{s, s.(*state)}, nil
}

// Evaluate returns 100 for every square that the side to move is ahead.
func (s materialState) Evaluate() int {
	ahead := 100 * (int(s.at.Owned[0]) - int(s.at.Owned[1]))
	if s.at.Player() == 1 {
		return -ahead
	}
	return ahead
}

func wrongGame(p engine.Position) error {
	return fmt.Errorf("stonetowers/ai: a position of %s was wanted, not %T", stonetowers.Key, p)
}
