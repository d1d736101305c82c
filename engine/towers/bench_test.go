package towers_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

type xorshift = enginetest.Random

// fastPlayout plays random legal actions, each chosen from the complete list,
// to the end and counts them. The list is kept in buffer.
func fastPlayout(s towers.State, buffer []towers.Action, random *xorshift) (actions int, winner engine.Seat) {
	for {
		legal := s.AppendLegal(buffer[:0])
		if len(legal) == 0 {
			winner, _ = s.Outcome()
			return actions, winner
		}
		s.Play(legal[random.IntN(len(legal))])
		actions++
	}
}

// plainPlayout is the same by the plain rules, from the start.
func plainPlayout(random *xorshift) (actions, winner int) {
	p := newPlain(5)
	for !p.over {
		legal := p.legal()
		p.play(legal[random.IntN(len(legal))])
		actions++
	}
	return actions, p.winner
}

// BenchmarkPlayout plays whole random games from the start of the default
// board, with the complete list of legal actions at each step.
func BenchmarkPlayout(b *testing.B) {
	start, buffer := position(b, "").State(), make([]towers.Action, 0, 256)
	enginetest.Playouts(b, func(random *xorshift) int {
		actions, _ := plainPlayout(random)
		return actions
	}, map[string]enginetest.Playout{
		"fast": func(random *xorshift) int {
			actions, _ := fastPlayout(start, buffer, random)
			return actions
		},
	})
}
