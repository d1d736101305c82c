package rings_test

import (
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// fastPlayout plays random legal actions to the end and counts them.
func fastPlayout(s *rings.State, random *enginetest.Random) (actions int) {
	for {
		n := s.LegalCount()
		if n == 0 {
			return actions
		}
		s.Play(s.NthLegal(random.IntN(n)))
		actions++
	}
}

// referencePlayout does the same by the reference implementation.
func referencePlayout(p *reference, random *enginetest.Random) (actions int) {
	for !p.over {
		legal := p.legal()
		p.play(legal[random.IntN(len(legal))])
		actions++
	}
	return actions
}

// BenchmarkPlayout plays whole random games of two seats from the start of the
// default board.
func BenchmarkPlayout(b *testing.B) {
	start := start(b, 6, 2).State()
	enginetest.Playouts(b, func(random *enginetest.Random) int {
		return referencePlayout(newReference(6, 2), random)
	}, map[string]enginetest.Playout{
		"fast": func(random *enginetest.Random) int {
			s := start
			return fastPlayout(&s, random)
		},
	})
}
