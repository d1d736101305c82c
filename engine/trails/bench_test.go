package trails_test

import (
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// fastPlayout plays random legal moves to the end and counts them.
func fastPlayout(s trails.State, random *enginetest.Random) (moves int) {
	for {
		legal := s.LegalMoves()
		if legal == 0 {
			return moves
		}
		s.Play(legal.Pick(random.IntN(12)))
		moves++
	}
}

// referencePlayout does the same by the reference implementation, from the
// start.
func referencePlayout(random *enginetest.Random) (moves int) {
	for p := newReference(11, 3, 1); !p.over; moves++ {
		legal := p.legal()
		p.play(legal[random.IntN(len(legal))])
	}
	return moves
}

// BenchmarkPlayout plays whole random games from the start of the default
// board.
func BenchmarkPlayout(b *testing.B) {
	start := position(b, "").State()
	enginetest.Playouts(b, referencePlayout, map[string]enginetest.Playout{
		"fast": func(random *enginetest.Random) int { return fastPlayout(start, random) },
	})
}
