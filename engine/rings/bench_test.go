package rings_test

import (
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// fastPlayout plays random legal actions to the end and counts them.
func fastPlayout(s *rings.State, random *xorshift) (actions int) {
	for {
		n := s.LegalCount()
		if n == 0 {
			return actions
		}
		s.Make(s.NthLegal(random.IntN(n)))
		actions++
	}
}

// plainPlayout is the same by the plain rules.
func plainPlayout(p *plain, random *xorshift) (actions int) {
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
	enginetest.Playouts(b, func(random *xorshift) int {
		return plainPlayout(newPlain(6, 2), random)
	}, map[string]enginetest.Playout{
		"fast": func(random *xorshift) int {
			s := start
			return fastPlayout(&s, random)
		},
	})
}

// Playing allocates nothing.
func TestPlayoutsDoNotAllocate(t *testing.T) {
	start, random := start(t, 6, 6).State(), xorshift(1)
	var undo [4096]rings.Undo
	if n := testing.AllocsPerRun(20, func() {
		s, made := start, 0
		for s.LegalCount() > 0 && made < len(undo) {
			undo[made] = s.Make(s.NthLegal(random.IntN(s.LegalCount())))
			made++
		}
		for made > 0 {
			made--
			s.Unmake(undo[made])
		}
	}); n != 0 {
		t.Errorf("%v allocations a game", n)
	}
}
