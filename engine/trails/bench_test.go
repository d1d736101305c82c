package trails_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

type xorshift = enginetest.Random

// fastPlayout plays random legal moves to the end and counts them.
func fastPlayout(s trails.State, random *xorshift) (moves int, winner engine.Seat) {
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

// plainPlayout is the same by the plain rules, from the start.
func plainPlayout(random *xorshift) (moves, winner int) {
	p := newPlain(11, 3, 1)
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
	enginetest.Playouts(b, func(random *xorshift) int {
		moves, _ := plainPlayout(random)
		return moves
	}, map[string]enginetest.Playout{
		"fast": func(random *xorshift) int {
			moves, _ := fastPlayout(start, random)
			return moves
		},
	})
}
