package ai

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
)

// After every action of random games, rings, convertible circles and scores of
// a playout are those of the rules.
func TestPlayoutGameFollowsRules(t *testing.T) {
	actions, conversions, closed := 0, 0, 0
	eachBoard(func(side, seats int) {
		for seed := range uint64(6) {
			random := rand.New(rand.NewPCG(seed, uint64(side*10+seats)))
			b := start(t, side, seats).State()
			join := int(seed) * side * 5 // actions before the playout starts
			var g playoutGame
			for made := 0; b.LegalCount() > 0; made++ {
				if made == join {
					g.load(&b, seats, layouts[side]())
				}
				m := b.NthLegal(random.IntN(b.LegalCount()))
				place := !b.Converting() && m != rings.PassMove
				b.Play(m)
				if made < join {
					continue
				}
				switch {
				case place:
					g.place(g.dotOf[m])
				case m >= 0x100:
					g.convert(int(g.cellOf[m-0x100]))
					conversions++
				case !b.Converting():
					g.mover = g.next[g.mover]
				}
				actions++
				if err := compare(&b, &g, seats); err != nil {
					t.Fatalf("side %d, %d seats, seed %d, after action %d: %v", side, seats, seed, made, err)
				}
			}
			closed += g.rings.len()
		}
	})
	if conversions < 1000 || closed < 100 {
		t.Errorf("%d actions with %d conversions and %d rings: these games show little", actions, conversions, closed)
	}
}

// A playout can start from any position, with or without resignations, and
// knows the order of seats.
func TestPlayoutGameLoad(t *testing.T) {
	retired := 0
	eachBoard(func(side, seats int) {
		randomGame(t, side, seats, uint64(seats), func(p *rings.Position) {
			b := p.State()
			if b.Seat() == engine.Nobody {
				return
			}
			if b.ActiveSeats() != 1<<(seats+1)-2 {
				retired++
			}
			var g playoutGame
			g.load(&b, seats, layouts[side]())
			if err := compare(&b, &g, seats); err != nil {
				t.Fatalf("side %d, %d seats, turn %d: %v", side, seats, p.Turns(), err)
			}
			after := g.next[g.mover]
			b.Play(rings.PassMove)
			for b.Converting() {
				b.Play(b.NthLegal(b.LegalCount() - 1))
			}
			if b.Turn() != engine.Seat(after) {
				t.Fatalf("side %d, %d seats, turn %d: %d moves after %d, and by the rules %d", side, seats, p.Turns(), after, g.mover, b.Turn())
			}
		})
	})
	if retired < 100 {
		t.Errorf("somebody had retired in %d positions", retired)
	}
}

// compare returns an error if a playout's position differs.
func compare(b *rings.State, g *playoutGame, seats int) error {
	if engine.Seat(g.mover) != b.Turn() {
		return fmt.Errorf("seat %d moves, and by the rules %d", g.mover, b.Turn())
	}
	open, legal := g.convertible(), cells{}
	if b.Converting() {
		for k := range b.LegalCount() - 1 {
			legal = legal.or(one(int(g.cellOf[b.NthLegal(k)-0x100])))
		}
		if open != legal {
			return fmt.Errorf("%x can be converted, and by the rules %x", open, legal)
		}
	}
	for c := range b.CircleCount() {
		if ring := !g.rings.and(one(int(g.cellOf[c]))).empty(); ring != (b.Tally(c)>>63 != 0) {
			return fmt.Errorf("circle %d is a ring: %t, by the rules not so", c+1, ring)
		}
	}
	for seat := 1; seat <= seats; seat++ {
		if mine, theirs := g.score(engine.Seat(seat)), b.Score(engine.Seat(seat)); mine != theirs {
			return fmt.Errorf("seat %d has %d circles, and by the rules %d", seat, mine, theirs)
		}
	}
	return nil
}

// No two circles share a cell and no two points a dot, the cells hold all of
// them, and the neighbours of a circle are those that share points with it.
func TestLayouts(t *testing.T) {
	for side := 3; side <= 6; side++ {
		l := layouts[side]()
		all := len(rings.Circles(side))
		if l.onBoard.len() != all {
			t.Errorf("side %d: %d cells for %d circles", side, l.onBoard.len(), all)
		}
		for i, c := range rings.Circles(side) {
			near := cells{}
			for j, other := range rings.Circles(side) {
				points, others := c.Points(), other.Points()
				if i != j && slices.ContainsFunc(points[:], func(p rings.Point) bool { return slices.Contains(others[:], p) }) {
					near = near.or(one(int(l.cellOf[j])))
				}
			}
			if got := l.neighbours[l.cellOf[i]].and(l.onBoard); got != near {
				t.Errorf("side %d, circle %d has %x around it, not %x", side, c.Number, near, got)
			}
		}
		var d dots
		for i := range rings.Points(side) {
			d.set(l.dotOf[i])
		}
		left, right := cells{d[0], d[1]}, cells{d[2], d[3]}
		if n := left.len() + right.len(); n != len(rings.Points(side)) {
			t.Errorf("side %d: %d dots for %d points", side, n, len(rings.Points(side)))
		}
		if of := d.perCircle(); fullCircles(&of).and(l.onBoard) != l.onBoard {
			t.Errorf("side %d: with all points set only the circles %x have six", side, fullCircles(&of).and(l.onBoard))
		}
	}
}
