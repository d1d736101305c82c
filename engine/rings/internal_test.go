package rings

import (
	"math/rand/v2"
	"testing"
)

// Random tallies of six seats, with stones and neighbouring rings, have the
// right status.
func TestTallyStatus(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50000 {
		var sum tally
		stones, rings := 0, 0
		unsafe := [7]int{}
		for seat := uint8(1); seat <= 6; seat++ {
			own := random.IntN(7 - stones)
			near := random.IntN(7 - rings)
			if random.IntN(2) == 0 {
				near = 0
			}
			stones += own
			rings += near
			unsafe[seat] = random.IntN(own + 1)
			for i := range own {
				sum += stoneTally(seat)
				if i >= unsafe[seat] {
					sum -= oneUnsafe << shift(seat)
				}
			}
			for range near {
				sum += ringTally(seat)
			}
			counts := sum >> shift(seat)
			if int(counts>>3&7) != own || sum.influence(seat) != own+near || int(counts&7) != unsafe[seat] {
				t.Fatalf("seat %d has %d stones, influence %d, %d unsafe", seat, counts>>3&7, sum.influence(seat), counts&7)
			}
		}
		if sum.neighbourRings() != rings || sum.total() != 6+rings {
			t.Fatalf("%d rings, total %d", sum.neighbourRings(), sum.total())
		}
		holder := uint8(0)
		for seat := uint8(1); seat <= 6; seat++ {
			if own := sum.influence(seat); own > sum.total()-own {
				if holder != 0 {
					t.Fatalf("seats %d and %d have the majority", holder, seat)
				}
				holder = seat
			}
		}
		others := 0
		for seat, n := range unsafe {
			if seat != int(holder) {
				others += n
			}
		}
		s := sum.status()
		if s.holder() != holder || (s&canConvert != 0) != (holder != 0 && others > 0) {
			t.Fatalf("%x: status %x, want holder %d and %d unsafe stones of others", uint64(sum), s, holder, others)
		}
		if want := holder * uint8(s>>3); s.converter() != want {
			t.Fatalf("converter %d, not %d", s.converter(), want)
		}
	}
}

// Points, circles and neighbours are consistent on every board.
func TestGeometry(t *testing.T) {
	for side := minSide; side <= maxSide; side++ {
		g := newGeometry(side)
		if len(g.points) > int(movePass) || len(g.circles) > circleRoom {
			t.Fatalf("side %d has no room", side)
		}
		pairs := 0
		for i := range g.circles {
			a := &g.neighbourhoods[i]
			if a.list[0] != uint8(i) || a.set.len() != int(a.n) || len(a.neighbours()) != int(a.n)-1 {
				t.Fatalf("side %d: around circle %d are %v", side, i+1, a.list[:a.n])
			}
			for _, d := range a.neighbours() {
				pairs++
				shared := 0
				for _, p := range a.points {
					for _, q := range g.neighbourhoods[d].points {
						if p == q {
							shared++
						}
					}
				}
				if shared != 2 {
					t.Errorf("side %d: circles %d and %d share %d points", side, i+1, d+1, shared)
				}
			}
		}
		// A hexagon of hexagons of side n has 9n²-15n+6 inner edges.
		if want := 9*side*side - 15*side + 6; pairs != 2*want {
			t.Errorf("side %d: %d pairs of neighbours, not %d", side, pairs/2, want)
		}
		for i, p := range g.points {
			if m, ok := g.move(Action{Kind: Place, Point: p}); !ok || int(m) != i || g.action(m).Point != p {
				t.Errorf("side %d: %v is move %d", side, p, m)
			}
		}
	}
}
