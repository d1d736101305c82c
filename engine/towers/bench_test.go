package towers_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

// fastPlayout plays random legal actions, each chosen from the complete list,
// to the end and counts them. The list is kept in buffer.
func fastPlayout(s towers.State, buffer []towers.Action, random *enginetest.Random) (actions int, winner engine.Seat) {
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

// referencePlayout does the same by the reference implementation, from the
// start.
func referencePlayout(random *enginetest.Random) (actions, winner int) {
	p := newReference(5)
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
	enginetest.Playouts(b, func(random *enginetest.Random) int {
		actions, _ := referencePlayout(random)
		return actions
	}, map[string]enginetest.Playout{
		"fast": func(random *enginetest.Random) int {
			actions, _ := fastPlayout(start, buffer, random)
			return actions
		},
	})
}
