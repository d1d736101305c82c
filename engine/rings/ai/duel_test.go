package ai

import (
	"math"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// At a glance the best move is worth what it is once it is made, and which it is
// is seen too, or one that is enough; nothing is seen where a pass ends the game,
// on a full board, and of a turn that has begun.
func TestAGlanceSeesTheBestMove(t *testing.T) {
	seen, converting, ends := 0, 0, 0
	for side := 3; side <= 6; side++ {
		for seed := range uint64(4) {
			walk(t, side, 2, seed, func(p *rings.Position) {
				if p.Seat() == engine.Nobody {
					return
				}
				s := duel{state(t, p)}
				moves, values, over := worths(s)
				if over {
					ends++
				}
				if s.top().board.CanConvert() {
					converting++
				}
				best := slices.Max(values)
				for _, enough := range []int{math.MaxInt, best + 1, best, best - 30, math.MinInt} {
					value, move, ok := s.Glance(enough)
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
	if _, _, ok := (duel{state(t, apply(t, p, p.Action(0)))}).Glance(0); ok {
		t.Error("something is seen of a turn that has begun")
	}
}

// worths is the moves of a position, what each is worth once it is made to who
// makes it, and whether one ends the game.
func worths(s duel) (moves []search.Move, values []int, over bool) {
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

// Looking ahead leads to the same turns with a glance at the last move as without.
func TestAGlanceChangesNothing(t *testing.T) {
	compared := 0
	for seed := range uint64(3) {
		turns := 0
		walk(t, 3, 2, seed, func(p *rings.Position) {
			if turns++; p.Seat() == engine.Nobody || turns%7 != 0 {
				return
			}
			player := search.AlphaBeta{Full: true}
			limits := search.Limits{Depth: 3, Memory: 1 << 16}
			player.State = func(p engine.Position) (search.State, error) { return NewState(p) }
			plain := think(t, search.Capped{Player: player, Limits: limits}, p, 1)
			player.State = func(p engine.Position) (search.State, error) {
				s, err := NewState(p)
				return duel{s}, err
			}
			quick := think(t, search.Capped{Player: player, Limits: limits}, p, 1)
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
