package ai

import (
	"math/bits"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/rings"
)

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
	seats       int
	own         [engine.MaxSeats + 1]dots   // stones by seat
	notSafe     dots                        // stones that can be converted
	rings       cells                       // circles that are rings
	ringsAround [engine.MaxSeats + 1]digits // for each circle, the neighbours that are rings, by seat; of all seats at 0
	majority    [engine.MaxSeats + 1]digits // for each circle, the stones that give a seat the majority
	next        [engine.MaxSeats + 1]uint8  // the next seat after each
	free        [points]uint8               // empty points as dots, in any order
	freeCount   int

	mover, playing, passed uint8 // as in the rules
	converting             bool
}

// load copies a position.
func (g *playoutGame) load(b *rings.State, seats int, l *layout) {
	g.layout, g.seats = l, seats
	g.mover, g.playing, g.passed, g.converting = uint8(b.Turn()), b.ActiveSeats(), b.PassedSeats(), b.Converting()
	for i, w := range b.EmptySet() {
		for ; w != 0; w &= w - 1 {
			g.free[g.freeCount] = l.dotOf[64*i+bits.TrailingZeros64(w)]
			g.freeCount++
		}
	}
	var each [16]dots // by stone
	for i, stone := range b.Stones()[:points] {
		each[stone&15].set(l.dotOf[i])
	}
	const safe = 8
	for seat := 1; seat <= seats; seat++ {
		g.notSafe.add(&each[seat])
		g.own[seat] = each[seat]
		g.own[seat].add(&each[seat|safe])
	}
	g.updateMajorities()
	for seat := range seats + 1 {
		later := g.playing >> seat >> 1 << seat << 1
		if later == 0 {
			later = g.playing
		}
		g.next[seat] = uint8(bits.TrailingZeros8(later))
		stones := g.own[seat].perCircle()
		if full := fullCircles(&stones).and(l.onBoard); !full.empty() {
			g.closeRings(full, seat)
		}
	}
}

// fullCircles returns the circles of which all six points are counted.
func fullCircles(stones *digits) cells { return stones[2].and(stones[1]) }

// updateMajorities computes how many stones give each seat the majority on each
// circle: four, one more for every second ring around and one less for every
// own ring, from 1 to 7.
func (g *playoutGame) updateMajorities() {
	half := [2]cells{g.ringsAround[0][1], g.ringsAround[0][2]}
	for seat := 1; seat <= g.seats; seat++ {
		// 4 + half - own, modulo 8, where -own is its complement plus 1.
		own, majority := &g.ringsAround[seat], &g.majority[seat]
		x, y := half[0], own[0].not()
		majority[0] = x.xor(y).not()
		carry := x.or(y)
		x, y = half[1], own[1].not()
		majority[1] = x.xor(y).xor(carry)
		carry = x.and(y).or(carry.and(x.or(y)))
		majority[2] = own[2].xor(carry) // complementing and adding 4 cancel out
	}
}

// place puts a stone of the mover on an empty point.
func (g *playoutGame) place(dot uint8) {
	g.own[g.mover].set(dot)
	g.notSafe.set(dot)
}

// convert gives the mover the unsafe stones of a circle.
func (g *playoutGame) convert(cell int) {
	on := &g.pointsOf[cell&127]
	own, notSafe := &g.own[g.mover], &g.notSafe
	stones := dots{
		on[0] & notSafe[0] &^ own[0], on[1] & notSafe[1] &^ own[1],
		on[2] & notSafe[2] &^ own[2], on[3] & notSafe[3] &^ own[3],
	}
	for seat := 1; seat <= g.seats; seat++ {
		g.own[seat].drop(&stones)
	}
	own.add(&stones)
}

// convertible closes the mover's new rings and returns the circles that they
// can convert.
func (g *playoutGame) convertible() cells {
	own, majority := &g.own[g.mover], &g.majority[g.mover]
	ones, twos, fours := halfPerCircle(own[0], own[1], own[2], own[3])
	ones2, twos2, fours2 := halfPerCircle(own[1], own[0], own[3], own[2])
	if newRings := (cells{twos & fours, twos2 & fours2}).and(g.onBoard).without(g.rings); !newRings.empty() {
		g.closeRings(newRings, int(g.mover))
	}
	held := cells{
		atLeast(ones, twos, fours, majority[0].lo, majority[1].lo, majority[2].lo),
		atLeast(ones2, twos2, fours2, majority[0].hi, majority[1].hi, majority[2].hi),
	}.and(g.onBoard)
	if held.empty() {
		return held
	}
	notSafe := &g.notSafe
	others := dots{notSafe[0] &^ own[0], notSafe[1] &^ own[1], notSafe[2] &^ own[2], notSafe[3] &^ own[3]}
	return held.and(others.touching())
}

// closeRings turns circles into rings of a seat.
func (g *playoutGame) closeRings(newRings cells, seat int) {
	g.rings = g.rings.or(newRings)
	for !newRings.empty() {
		c := newRings.pop() & 127
		g.notSafe.drop(&g.pointsOf[c])
		g.ringsAround[0].add(g.neighbours[c])
		g.ringsAround[seat].add(g.neighbours[c])
	}
	g.updateMajorities()
}

// score returns the number of circles of a seat.
func (g *playoutGame) score(seat engine.Seat) int {
	stones := g.own[seat].perCircle()
	return stones.atLeast(&g.majority[seat]).and(g.onBoard).len()
}

// play plays random actions until all have passed.
func (g *playoutGame) play(random *rand.PCG) {
	below := func(n int) int {
		k, _ := bits.Mul64(random.Uint64(), uint64(n))
		return int(k)
	}
	for {
		if !g.converting {
			if k := below(g.freeCount + 1); k < g.freeCount {
				g.place(g.free[k])
				g.freeCount--
				g.free[k] = g.free[g.freeCount]
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
