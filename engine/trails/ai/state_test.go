package ai

import (
	"math/rand/v2"
	"os"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// boards is options of every kind of board: the smallest, the default, the
// widest that fits into a pair of words and those that do not.
var boards = []string{
	"size=5 towers=1", "size=5 towers=3", "size=7 towers=4 distance=0", "size=9 towers=2 distance=3",
	"", "size=11 towers=9 distance=0", "size=13 towers=5", "size=21 towers=9",
}

// full runs the tests on more games and positions.
var full = os.Getenv("CASTELLAN_FULL") != ""

// scaled returns n with full, and a part of it otherwise.
func scaled(n int) int {
	if full {
		return n
	}
	return max(n/4, 1)
}

// position returns the first position with options such as "size=5 towers=1".
func position(t testing.TB, options string) *trails.Position {
	return enginetest.Start[*trails.Position](t, trails.Game{}, options, 2)
}

// apply plays a legal move.
func apply(t testing.TB, p engine.Position, a engine.Action) *trails.Position {
	return enginetest.Apply(t, p, a).(*trails.Position)
}

// randomPosition returns the position after so many random moves, or the last
// before the game would be over.
func randomPosition(t testing.TB, options string, moves int, r *rand.Rand) *trails.Position {
	t.Helper()
	p := position(t, options)
	for range moves {
		legal := p.Legal()
		q := apply(t, p, legal[r.IntN(len(legal))])
		if q.Seat() == engine.Nobody {
			break
		}
		p = q
	}
	return p
}

func stateOf(t testing.TB, p engine.Position) *State {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
