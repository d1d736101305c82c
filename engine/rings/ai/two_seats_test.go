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
	seen, converting, ends := 0, 0, 0
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
				for _, enough := range []int{math.MaxInt, best + 1, best, best - 30, math.MinInt} {
					value, move, ok := s.EvaluateBestReply(enough)
					if ok != (!over && p.EmptyCount() > 0) {
						t.Fatalf("side %d, turn %d: seen %t, with %d points free, a move that ends the game %t", side, p.Turns(), ok, p.EmptyCount(), over)
					}
					if !ok {
						continue
					}
					at := slices.Index(moves, move)
					if at < 0 || values[at] != value || value < min(best, enough) {
						t.Fatalf("side %d, turn %d: where %d is enough, %d is worth %d at a glance; of the moves %v the best is worth %d",
							side, p.Turns(), enough, move, value, moves, best)
					}
					seen++
				}
			})
		}
	}
	if seen < 5000 || converting < 100 || ends < 10 {
		t.Errorf("%d glances, %d positions with something to convert, %d with an end: that shows little", seen, converting, ends)
	}
	p := start(t, 3, 2)
	if _, _, ok := (twoSeats{state(t, apply(t, p, p.Action(0)))}).EvaluateBestReply(0); ok {
		t.Error("something is seen of a turn that has begun")
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
