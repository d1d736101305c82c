package ai

import (
	"math"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// EvaluateBestReply agrees with making all moves. It is not available if a pass
// ends the game, on a full board, or in a turn that has begun.
func TestEvaluateBestReply(t *testing.T) {
	found, converting, ends := 0, 0, 0
	for side := 3; side <= 6; side++ {
		for seed := range uint64(4) {
			randomGame(t, side, 2, seed, func(p *rings.Position) {
				if p.Seat() == engine.Nobody {
					return
				}
				s := twoSeats{state(t, p)}
				moves, values, over := moveValues(s)
				if over {
					ends++
				}
				if s.top().board.CanConvert() {
					converting++
				}
				best := slices.Max(values)
				for _, beta := range []int{math.MaxInt, best + 1, best, best - 30, math.MinInt} {
					value, move, ok := s.EvaluateBestReply(beta)
					if ok != (!over && p.EmptyCount() > 0) {
						t.Fatalf("side %d, turn %d: ok is %t with %d empty points, a move that ends the game: %t", side, p.Turns(), ok, p.EmptyCount(), over)
					}
					if !ok {
						continue
					}
					at := slices.Index(moves, move)
					if at < 0 || values[at] != value || value < min(best, beta) {
						t.Fatalf("side %d, turn %d: EvaluateBestReply(%d) returns move %d with %d, which is not the best of moves %v with %v",
							side, p.Turns(), beta, move, value, moves, values)
					}
					found++
				}
			})
		}
	}
	if found < 5000 || converting < 100 || ends < 10 {
		t.Errorf("only %d replies, %d positions with something to convert and %d that a move ends", found, converting, ends)
	}
	p := start(t, 3, 2)
	if _, _, ok := (twoSeats{state(t, apply(t, p, p.Action(0)))}).EvaluateBestReply(0); ok {
		t.Error("it evaluates a turn that has begun")
	}
}

// moveValues returns the moves, their values for the seat that makes them, and
// whether one ends the game.
func moveValues(s twoSeats) (moves []search.Move, values []int, over bool) {
	moves = s.Moves(nil)
	for _, m := range moves {
		s.Make(m)
		if s.Seat() < 0 {
			over = true
			values = append(values, math.MinInt)
		} else {
			values = append(values, -s.Evaluate())
		}
		s.Unmake()
	}
	return moves, values, over
}

// Alpha-beta chooses the same turns with and without EvaluateBestReply.
func TestBestReplySameTurn(t *testing.T) {
	compared := 0
	for seed := range uint64(3) {
		turns := 0
		randomGame(t, 3, 2, seed, func(p *rings.Position) {
			if turns++; p.Seat() == engine.Nobody || turns%7 != 0 {
				return
			}
			player := search.AlphaBeta{FullWidth: true}
			limits := search.Limits{Depth: 3, Memory: 1 << 16}
			player.State = func(p engine.Position) (search.State, error) { return NewState(p) }
			plain := think(t, search.Limited{Player: player, Limits: limits}, p, 1)
			player.State = func(p engine.Position) (search.State, error) {
				s, err := NewState(p)
				return twoSeats{s}, err
			}
			quick := think(t, search.Limited{Player: player, Limits: limits}, p, 1)
			if plain.Values[0] != quick.Values[0] || !slices.Equal(plain.Actions, quick.Actions) {
				t.Errorf("seed %d, turn %d: %v %v and %v %v", seed, p.Turns(), plain.Actions, plain.Values, quick.Actions, quick.Values)
			}
			compared++
		})
	}
	if compared < 15 {
		t.Errorf("%d positions compared", compared)
	}
}
