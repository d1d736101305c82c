package stonetowers_test

import (
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

// drawMove draws a legal move, each with the same chance, before the game is
// over.
func drawMove(s *stonetowers.State, random *enginetest.Random) stonetowers.Move {
	for range 32 {
		if m, ok := s.MoveOn(random.IntN(s.Size())); ok {
			return m
		}
	}
	moves := s.Moves()
	return moves.At(random.IntN(moves.Len()))
}

// fastPlayout plays random legal actions to the end and counts them.
func fastPlayout(s stonetowers.State, random *enginetest.Random) (actions int, owned [2]int) {
	for !s.Over() {
		s.Play(drawMove(&s, random))
		actions++
	}
	return actions, s.SquareCounts()
}

// listedPlayout does the same with the complete set of legal actions each time.
func listedPlayout(s stonetowers.State, random *enginetest.Random) (actions int, owned [2]int) {
	for {
		moves := s.Moves()
		if moves.Len() == 0 {
			return actions, s.SquareCounts()
		}
		s.Play(moves.At(random.IntN(moves.Len())))
		actions++
	}
}

// referencePlayout does the same by the reference implementation, from the
// start.
func referencePlayout(random *enginetest.Random) (actions int, owned [2]int) {
	p := newReference(8, 8, 20)
	for !p.over() {
		legal := p.legal()
		p.play(legal[random.IntN(len(legal))])
		actions++
	}
	return actions, [2]int{p.score(1), p.score(2)}
}

// BenchmarkPlayout plays whole random games from the start of the default
// board: fast, and with the complete set of legal actions in each turn.
func BenchmarkPlayout(b *testing.B) {
	start := position(b, "").State()
	enginetest.Playouts(b, func(random *enginetest.Random) int {
		actions, _ := referencePlayout(random)
		return actions
	}, map[string]enginetest.Playout{
		"fast": func(random *enginetest.Random) int {
			actions, _ := fastPlayout(start, random)
			return actions
		},
		"listed": func(random *enginetest.Random) int {
			actions, _ := listedPlayout(start, random)
			return actions
		},
	})
}
