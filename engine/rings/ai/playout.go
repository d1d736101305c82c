package ai

import (
	"math/bits"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/rings"
)

// Playout plays random legal actions to the end of the game.
func (s *State) Playout(random *rand.PCG, values []float64) {
	b := &s.top().board
	if b.Seat() == engine.Nobody {
		payoffs(b.ActiveSeats(), b.Score, values)
		return
	}
	var g playoutGame
	g.load(b, s.seats, layouts[s.origin.Side()]())
	g.play(random)
	payoffs(g.playing, g.score, values)
}

// playoutGame is a position for playouts. It keeps only the stones and computes
// the rest for all circles at once, which is more than twice as fast as
// accounting for every circle.
type playoutGame struct {
	*layout
	seats  int
	own    [engine.MaxSeats + 1]dots   // stones by seat
	loose  dots                        // stones that are not safe
	closed cells                       // rings
	around [engine.MaxSeats + 1]digits // rings around each circle by seat, of all at 0
	need   [engine.MaxSeats + 1]digits // stones needed for the majority on a circle
	next   [engine.MaxSeats + 1]uint8  // the next seat after each
	free   [points]uint8               // empty points as dots, in any order
	left   int                         // number of empty points

	mover, playing, passed uint8 // as in the rules
	converting             bool
}

// load copies a position.
func (g *playoutGame) load(b *rings.State, seats int, l *layout) {
	g.layout, g.seats = l, seats
	g.mover, g.playing, g.passed, g.converting = uint8(b.Turn()), b.ActiveSeats(), b.PassedSeats(), b.Converting()
	for i, w := range b.EmptySet() {
		for ; w != 0; w &= w - 1 {
			g.free[g.left] = l.dot[64*i+bits.TrailingZeros64(w)]
			g.left++
		}
	}
	var each [16]dots // by stone
	for i, stone := range b.Stones()[:points] {
		each[stone&15].set(l.dot[i])
	}
	const safe = 8
	for seat := 1; seat <= seats; seat++ {
		g.loose.add(&each[seat])
		g.own[seat] = each[seat]
		g.own[seat].add(&each[seat|safe])
	}
	g.updateNeeds()
	for seat := range seats + 1 {
		later := g.playing >> seat >> 1 << seat << 1
		if later == 0 {
			later = g.playing
		}
		g.next[seat] = uint8(bits.TrailingZeros8(later))
		stones := g.own[seat].perCircle()
		if full := six(&stones).and(l.real); !full.empty() {
			g.closeRings(full, seat)
		}
	}
}

// six returns the circles with all six points counted.
func six(stones *digits) cells { return stones[2].and(stones[1]) }

// updateNeeds computes the majority on each circle: four stones, one more for
// every second ring around and one less for every own ring, from 1 to 7.
func (g *playoutGame) updateNeeds() {
	half := [2]cells{g.around[0][1], g.around[0][2]}
	for seat := 1; seat <= g.seats; seat++ {
		// 4 + half - own, modulo 8, where -own is its complement plus
		// 1.
		own, need := &g.around[seat], &g.need[seat]
		x, y := half[0], own[0].not()
		need[0] = x.xor(y).not()
		carry := x.or(y)
		x, y = half[1], own[1].not()
		need[1] = x.xor(y).xor(carry)
		carry = x.and(y).or(carry.and(x.or(y)))
		need[2] = own[2].xor(carry) // complementing and adding 4 cancel out
	}
}

// place puts a stone of the mover on an empty point.
func (g *playoutGame) place(dot uint8) {
	g.own[g.mover].set(dot)
	g.loose.set(dot)
}

// convert gives the mover the unsafe stones of a circle.
func (g *playoutGame) convert(cell int) {
	six := &g.six[cell&127]
	own, loose := &g.own[g.mover], &g.loose
	stones := dots{
		six[0] & loose[0] &^ own[0], six[1] & loose[1] &^ own[1],
		six[2] & loose[2] &^ own[2], six[3] & loose[3] &^ own[3],
	}
	for seat := 1; seat <= g.seats; seat++ {
		g.own[seat].drop(&stones)
	}
	own.add(&stones)
}

// convertible closes the mover's new rings and returns the circles that they
// can convert.
func (g *playoutGame) convertible() cells {
	own, need := &g.own[g.mover], &g.need[g.mover]
	ones, twos, fours := halfPerCircle(own[0], own[1], own[2], own[3])
	ones2, twos2, fours2 := halfPerCircle(own[1], own[0], own[3], own[2])
	if fresh := (cells{twos & fours, twos2 & fours2}).and(g.real).without(g.closed); !fresh.empty() {
		g.closeRings(fresh, int(g.mover))
	}
	most := cells{
		atLeast(ones, twos, fours, need[0].lo, need[1].lo, need[2].lo),
		atLeast(ones2, twos2, fours2, need[0].hi, need[1].hi, need[2].hi),
	}.and(g.real)
	if most.empty() {
		return most
	}
	loose := &g.loose
	others := dots{loose[0] &^ own[0], loose[1] &^ own[1], loose[2] &^ own[2], loose[3] &^ own[3]}
	return most.and(others.touching())
}

// closeRings turns circles into rings of a seat.
func (g *playoutGame) closeRings(fresh cells, seat int) {
	g.closed = g.closed.or(fresh)
	for !fresh.empty() {
		c := fresh.pop() & 127
		g.loose.drop(&g.six[c])
		g.around[0].add(g.near[c])
		g.around[seat].add(g.near[c])
	}
	g.updateNeeds()
}

// score returns the number of circles of a seat.
func (g *playoutGame) score(seat engine.Seat) int {
	stones := g.own[seat].perCircle()
	return stones.atLeast(&g.need[seat]).and(g.real).len()
}

// play plays random actions until all have passed.
func (g *playoutGame) play(random *rand.PCG) {
	below := func(n int) int {
		k, _ := bits.Mul64(random.Uint64(), uint64(n))
		return int(k)
	}
	for {
		if !g.converting {
			if k := below(g.left + 1); k < g.left {
				g.place(g.free[k])
				g.left--
				g.free[k] = g.free[g.left]
				g.passed = 0
			} else {
				g.passed |= 1 << g.mover
			}
		}
		g.converting = false
		for {
			open := g.convertible()
			n := open.len()
			if n == 0 {
				break
			}
			k := below(n + 1)
			if k == n {
				break
			}
			g.convert(open.nth(k))
		}
		g.mover = g.next[g.mover]
		if g.playing&^g.passed == 0 {
			return
		}
	}
}
