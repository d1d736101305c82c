package stonetowers_test

import (
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

// BenchmarkPlayout plays whole random games from the start of the default board, by
// the state and by the reference implementation.
func BenchmarkPlayout(b *testing.B) {
	start := position(b, "").State()
	enginetest.Playouts(b, func(random *enginetest.Random) (actions int) {
		for p := newReference(8, 8, 20); !p.over(); actions++ {
			legal := p.legal()
			p.play(legal[random.IntN(len(legal))])
		}
		return actions
	}, map[string]enginetest.Playout{"fast": func(random *enginetest.Random) (actions int) {
		s := start
		for ; s.Left > 0; actions++ {
			open, c := stonetowers.Playable(s.Player()), s.Cells[random.IntN(len(s.Cells))]
			for !open[s.At[c]&(stonetowers.Contents-1)] { // passes do not occur on this board
				c = s.Cells[random.IntN(len(s.Cells))]
			}
			s.Play(c)
		}
		return actions
	}})
}
