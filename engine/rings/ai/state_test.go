package ai

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Moves lists every turn, except that a winning pass stands alone and a pass
// that lets the next seat win is left out.
func TestMovesComplete(t *testing.T) {
	wins, losses := 0, 0
	eachBoard(func(side, seats int) {
		randomGame(t, side, seats, uint64(side*10+seats), func(p *rings.Position) {
			if p.Seat() == engine.Nobody {
				return
			}
			s := state(t, p)
			moves := s.Moves(nil)
			slices.Sort(moves)
			if len(slices.Compact(slices.Clone(moves))) != len(moves) {
				t.Fatal("a move twice")
			}
			passed := apply(t, p, s.Actions(pass)...)
			switch {
			case wonBy(passed, p.Seat()):
				wins++
				if !slices.Equal(moves, []search.Move{pass}) {
					t.Fatal("a win at once, and something else to think about")
				}
				return
			case p.EmptyCount() > 0 && passed.Seat() != engine.Nobody && wonBy(apply(t, passed, state(t, passed).Actions(pass)...), passed.Seat()):
				losses++
				if slices.Contains(moves, pass) {
					t.Fatal("a pass that hands over the game")
				}
			case !slices.Contains(moves, pass):
				t.Fatal("no pass")
			}
			stones := 0
			for _, m := range moves {
				if m != pass {
					stones++
				}
			}
			if stones != p.EmptyCount() {
				t.Fatalf("%d points of %d", stones, p.EmptyCount())
			}
		})
	})
	if wins < 5 || losses < 100 {
		t.Errorf("only %d wins and %d losses were met", wins, losses)
	}
}

// wonBy reports whether the game is over and the seat alone has won it.
func wonBy(p engine.Position, seat engine.Seat) bool {
	r, over := p.Result()
	return over && len(r.Winners) == 1 && r.Winners[0] == seat
}

// A turn that has begun continues with its conversions.
func TestFinishTurn(t *testing.T) {
	var p engine.Position = start(t, 3, 2)
	for !p.(*rings.Position).Converting() {
		p = apply(t, p, p.Legal()[0])
	}
	s := state(t, p)
	moves := s.Moves(nil)
	if len(moves) != 1 {
		t.Fatalf("%v", moves)
	}
	q := apply(t, p, s.Actions(moves[0])...)
	s.Make(moves[0])
	if q.Turns() != 1 || s.Hash() != state(t, q).Hash() {
		t.Error("the turn has not ended")
	}
}

// The hash does not depend on the way to a position, and covers the stones, the
// seat to move, passes and resignations.
func TestHash(t *testing.T) {
	hashes := map[uint64]uint64{} // and those of the rules
	eachBoard(func(side, seats int) {
		randomGame(t, side, seats, uint64(side+seats), func(p *rings.Position) {
			if p.Seat() == engine.Nobody {
				return
			}
			h := state(t, p).Hash()
			if old, ok := hashes[h]; ok && old != p.Hash() && p.Turns() > 0 {
				t.Fatal("two positions of one hash")
			}
			hashes[h] = p.Hash()
		})
	})
	// The first and the fourth turn are of one seat and can change places.
	place := func(order ...int) engine.Position {
		p := engine.Position(start(t, 4, 3))
		points := start(t, 4, 3).Points()
		for _, i := range order {
			p = apply(t, p, rings.Action{Kind: rings.Place, Point: points[i]}, rings.Action{Kind: rings.End})
		}
		return p
	}
	if state(t, place(0, 20, 40, 60)).Hash() != state(t, place(60, 20, 40, 0)).Hash() {
		t.Error("the way there is part of the hash")
	}
}

// Payoffs agree with the rules.
func TestPayoffs(t *testing.T) {
	eachBoard(func(side, seats int) {
		for seed := range uint64(1 + scaled(4)) {
			randomGame(t, side, seats, seed, func(p *rings.Position) {
				r, over := p.Result()
				if !over {
					return
				}
				want, got := make([]float64, seats), make([]float64, seats)
				search.Payoffs(r, want)
				state(t, p).Payoffs(got)
				if !slices.Equal(got, want) {
					t.Fatalf("%v, not %v", got, want)
				}
			})
		}
	})
}

// With colours exchanged the evaluation is the same.
func TestEvaluateSymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for side := 3; side <= 6; side++ {
		one, two := state(t, start(t, side, 2)), state(t, start(t, side, 2))
		two.Make(pass) // so that the other begins
		for one.Seat() >= 0 && two.Seat() >= 0 {
			if got, want := two.Evaluate(), one.Evaluate(); got != want {
				t.Fatalf("%d, not %d", got, want)
			}
			moves := one.Moves(nil)
			m := moves[random.IntN(len(moves))]
			one.Make(m)
			two.Make(m)
		}
	}
}

// Estimates are payoffs, and 0 for seats that have resigned.
func TestEstimate(t *testing.T) {
	eachBoard(func(side, seats int) {
		values := make([]float64, seats)
		randomGame(t, side, seats, uint64(side+seats), func(p *rings.Position) {
			state(t, p).Estimate(values)
			sum := 0.0
			for i, v := range values {
				sum += v
				if v < 0 || v > 0 && p.Retired(engine.Seat(i+1)) {
					t.Fatalf("%v", values)
				}
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("%v", values)
			}
		})
	})
}

// The tables hold probabilities, 1 for the owner of a ring and 0 for all
// others.
func TestTablesRings(t *testing.T) {
	for name, table := range map[string]*table{"few": &twoSeatTable, "many": &multiSeatTable} {
		for r := range ringsMost + 1 {
			for o := range ringsMost + 1 {
				for d := range 2 {
					if mine, others := table[6][0][0][r][o][d], table[0][0][6][r][o][d]; mine < 950 || others > 50 {
						t.Errorf("%s: %d own rings around and %d of others: %d and %d", name, r, o, mine, others)
					}
				}
			}
		}
	}
	for file, lines := range map[string]int{twoSeatData: 28, multiSeatData: 62} {
		for line := range strings.Lines(file) {
			if _, shares, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
				lines--
				for share := range strings.FieldsSeq(shares) {
					if n, err := strconv.Atoi(share); err != nil || n > 1000 || len(strings.Fields(shares)) != 18 {
						t.Errorf("a share of %s in %s", share, line)
					}
				}
			}
		}
		if lines != 0 {
			t.Errorf("%d lines are missing", lines)
		}
	}
}
