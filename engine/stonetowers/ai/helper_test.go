package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// start returns the first position with options in text form.
func start(t testing.TB, options string) engine.Position {
	return enginetest.Start[engine.Position](t, stonetowers.Game{}, options, 2)
}

func stateOf(t testing.TB, p engine.Position) *state {
	t.Helper()
	return newState(p.(*stonetowers.Position), fittedTables)
}

// apply plays a legal action.
func apply(t testing.TB, p engine.Position, a engine.Action) engine.Position {
	return enginetest.Apply(t, p, a)
}

// playRandomly plays that many random actions, or to the end of the game.
func playRandomly(t testing.TB, p engine.Position, actions int, random *rand.Rand) engine.Position {
	t.Helper()
	for range actions {
		legal := p.Legal()
		if len(legal) == 0 {
			break
		}
		p = apply(t, p, legal[random.IntN(len(legal))])
	}
	return p
}

var sizes = []string{"", "width=4 height=4 turns=12", "width=16 height=5 turns=30", "width=7 height=16 turns=20", "width=16 height=16 turns=100"}

var _ search.State = (*state)(nil)
