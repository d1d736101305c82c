package stonetowers_test

import (
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

type xorshift = enginetest.Random

// draft is a legal move, each with the same chance, while the game goes on.
func draft(s *stonetowers.State, random *xorshift) stonetowers.Move {
	for range 32 {
		if m, ok := s.MoveOn(random.IntN(s.Size())); ok {
			return m
		}
	}
	moves := s.Moves()
	return moves.At(random.IntN(moves.Len()))
}

// fastPlayout plays random legal actions to the end and counts them.
func fastPlayout(s stonetowers.State, random *xorshift) (actions int, owned [2]int) {
	for !s.Over() {
		s.Play(draft(&s, random))
		actions++
	}
	return actions, s.SquareCounts()
}

// listedPlayout is the same with the complete set of legal actions each time.
func listedPlayout(s stonetowers.State, random *xorshift) (actions int, owned [2]int) {
	for {
		moves := s.Moves()
		if moves.Len() == 0 {
			return actions, s.SquareCounts()
		}
		s.Play(moves.At(random.IntN(moves.Len())))
		actions++
	}
}

// plainPlayout is the same by the plain rules, from the start.
func plainPlayout(random *xorshift) (actions int, owned [2]int) {
	p := newPlain(8, 8, 20)
	for !p.over() {
		legal := p.legal()
		p.play(legal[random.IntN(len(legal))])
		actions++
	}
	return actions, [2]int{p.score(1), p.score(2)}
}

// BenchmarkPlayout plays whole random games from the start of the default
// board, one an operation: fast, and with the complete set of legal actions each
// time.
func BenchmarkPlayout(b *testing.B) {
	start := position(b, "").State()
	enginetest.Playouts(b, func(random *xorshift) int {
		actions, _ := plainPlayout(random)
		return actions
	}, map[string]enginetest.Playout{
		"fast": func(random *xorshift) int {
			actions, _ := fastPlayout(start, random)
			return actions
		},
		"listed": func(random *xorshift) int {
			actions, _ := listedPlayout(start, random)
			return actions
		},
	})
}
