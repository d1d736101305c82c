package ai

import (
	"fmt"
	"math/rand/v2"
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
		if ring := !g.rings.and(one(int(g.cellOf[c]))).empty(); ring != b.Tally(c).Ring() {
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
