package trails_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// fastPlayout plays random legal moves to the end and counts them.
func fastPlayout(s trails.State, random *enginetest.Random) (moves int, winner engine.Seat) {
	for {
		legal := s.Moves()
		if legal == 0 {
			winner, _ = s.Outcome()
			return moves, winner
		}
		s.Play(legal.Pick(random.IntN(12)))
		moves++
	}
}

// referencePlayout does the same by the reference implementation, from the
// start.
func referencePlayout(random *enginetest.Random) (moves, winner int) {
	p := newReference(11, 3, 1)
	for !p.over {
		legal := p.legal()
		p.play(legal[random.IntN(len(legal))])
		moves++
	}
	return moves, p.winner
}

// BenchmarkPlayout plays whole random games from the start of the default
// board.
func BenchmarkPlayout(b *testing.B) {
	start := position(b, "").State()
	enginetest.Playouts(b, func(random *enginetest.Random) int {
		moves, _ := referencePlayout(random)
		return moves
	}, map[string]enginetest.Playout{
		"fast": func(random *enginetest.Random) int {
			moves, _ := fastPlayout(start, random)
			return moves
		},
	})
}
