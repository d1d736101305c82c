package ai

import (
	"math/bits"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/rings"
)

// Playout plays random legal actions to the end: stones, passes, conversions
// and ends of turns alike.
func (s *State) Playout(random *rand.PCG, values []float64) {
	b := &s.top().board
	if b.Seat() == engine.Nobody {
		share(b.ActiveSeats(), b.Score, values)
		return
	}
	var g sketch
	g.draw(b, s.seats, layouts[s.origin.Side()]())
	g.play(random)
	share(g.playing, g.score, values)
}

// sketch is a game that is only played on: it knows which stones there are, and
// works out for all circles at once what follows from them. That is more
// than twice as quick as to keep account of every circle.
type sketch struct {
	*layout
	seats  int
	own    [engine.MaxSeats + 1]dots   // stones, by seat
	loose  dots                        // stones that are not safe
	closed cells                       // rings
	around [engine.MaxSeats + 1]digits // rings around each circle, of seats, and of all at 0
	need   [engine.MaxSeats + 1]digits // stones for the majority of a circle
	next   [engine.MaxSeats + 1]uint8  // who moves after a seat
	free   [points]uint8               // the empty points, in any order, as dots
	left   int                         // so many

	mover, playing, passed uint8 // as in the rules
	converting             bool
}

// draw copies a position.
func (g *sketch) draw(b *rings.State, seats int, l *layout) {
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
	g.weigh()
	for seat := range seats + 1 {
		later := g.playing >> seat >> 1 << seat << 1
		if later == 0 {
			later = g.playing
		}
		g.next[seat] = uint8(bits.TrailingZeros8(later))
		stones := g.own[seat].of()
		if full := six(&stones).and(l.real); !full.empty() {
			g.close(full, seat)
		}
	}
}

// six is the circles with all points in a count of them.
func six(stones *digits) cells { return stones[2].and(stones[1]) }

// weigh works out what the majority takes: four stones, and one for every second
// ring around, less one for every ring of one's own: 1 to 7.
func (g *sketch) weigh() {
	half := [2]cells{g.around[0][1], g.around[0][2]}
	for seat := 1; seat <= g.seats; seat++ {
		// 4 + half - own, modulo 8: own is taken away by adding its complement
		// and 1.
		own, need := &g.around[seat], &g.need[seat]
		x, y := half[0], own[0].not()
		need[0] = x.xor(y).not()
		carry := x.or(y)
		x, y = half[1], own[1].not()
		need[1] = x.xor(y).xor(carry)
		carry = x.and(y).or(carry.and(x.or(y)))
		need[2] = own[2].xor(carry) // its complement and the 4 undo each other
	}
}

// place puts a stone of the mover on an empty point.
func (g *sketch) place(dot uint8) {
	g.own[g.mover].set(dot)
	g.loose.set(dot)
}

// convert makes the mover's what is not safe on a circle.
func (g *sketch) convert(cell int) {
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

// open closes what has become a ring of the mover's, and is the circles that he
// can convert then.
func (g *sketch) open() cells {
	own, need := &g.own[g.mover], &g.need[g.mover]
	ones, twos, fours := halfOf(own[0], own[1], own[2], own[3])
	ones2, twos2, fours2 := halfOf(own[1], own[0], own[3], own[2])
	if fresh := (cells{twos & fours, twos2 & fours2}).and(g.real).less(g.closed); !fresh.empty() {
		g.close(fresh, int(g.mover))
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
	return most.and(others.on())
}

// close makes rings of a seat of circles.
func (g *sketch) close(fresh cells, seat int) {
	g.closed = g.closed.or(fresh)
	for !fresh.empty() {
		c := fresh.pop() & 127
		g.loose.drop(&g.six[c])
		g.around[0].add(g.near[c])
		g.around[seat].add(g.near[c])
	}
	g.weigh()
}

// score is how many circles the seat has.
func (g *sketch) score(seat engine.Seat) int {
	stones := g.own[seat].of()
	return stones.atLeast(&g.need[seat]).and(g.real).len()
}

// play plays random actions until everybody has passed.
func (g *sketch) play(random *rand.PCG) {
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
			open := g.open()
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
