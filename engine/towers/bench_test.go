package towers_test

import (
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/towers/internal/board"
)

// fastPlayout plays random legal actions, each chosen from the complete list,
// to the end and counts them. It works on s, and lists them in buffer.
func fastPlayout(start, s *board.State, buffer []board.Move, random *enginetest.Random) (actions int) {
	s.CopyFrom(start)
	for {
		legal := board.AppendMoves(s, buffer[:0], board.ByCell)
		if len(legal) == 0 {
			return actions
		}
		s.Play(legal[random.IntN(len(legal))])
		actions++
	}
}

// referencePlayout does the same by the reference implementation, from the
// start.
func referencePlayout(random *enginetest.Random) (actions int) {
	for p := newReference(5); !p.over; actions++ {
		legal := p.legal()
		p.play(legal[random.IntN(len(legal))])
	}
	return actions
}

// BenchmarkPlayout plays whole random games from the start of the default
// board, with the complete list of legal actions at each step.
func BenchmarkPlayout(b *testing.B) {
	start, s, buffer := position(b, "").State(), new(board.State), make([]board.Move, 0, 256)
	enginetest.Playouts(b, referencePlayout, map[string]enginetest.Playout{
		"fast": func(random *enginetest.Random) int { return fastPlayout(start, s, buffer, random) },
	})
}
