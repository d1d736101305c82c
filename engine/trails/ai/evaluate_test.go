package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
)

// A game and its reflection in the diagonal of the bases have equal evaluations.
func TestEvaluateSymmetry(t *testing.T) {
	reflection := [...]trails.Direction{trails.Up: trails.Left, trails.Down: trails.Right, trails.Left: trails.Up, trails.Right: trails.Down}
	for _, options := range boards {
		r := rand.New(rand.NewPCG(1, 5))
		for p, q := position(t, options), position(t, options); p.Seat() != engine.Nobody; {
			if got, want := stateOf(t, q).Evaluate(), stateOf(t, p).Evaluate(); got != want {
				t.Fatalf("%s: %d, and %d reflected, in\n%s", options, want, got, p.Text())
			}
			legal := p.Legal()
			d := legal[r.IntN(len(legal))].(trails.Direction)
			p, q = apply(t, p, d), apply(t, q, reflection[d])
		}
	}
}
