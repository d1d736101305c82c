package ai

import (
	"castellan/engine"
	"castellan/engine/rings"
)

// gain returns what a stone of the seat on a circle gains on this circle alone:
// the seat's forecast times the number of opponents, less theirs. It is then
// the next seat's turn. Convertible stones of opponents are taken to be
// converted.
func (t *table) gain(c rings.Tally, seat, seats int) int32 {
	var before, after [engine.MaxSeats]circleView
	viewsOf(c, seats, &before)
	if before[0].empty == 0 {
		return 0
	}
	c = c.Add(seat, 1, 1, 0)
	if 2*c.Influence(seat) > c.Total() {
		c = c.Convert(seat, seats)
	}
	viewsOf(c, seats, &after)
	sum := int32(0)
	for k := range seats {
		old, now := t.at(before[k]), t.at(after[k])
		switch k {
		case seat:
			sum += int32(seats-1) * int32(now[0]-old[0])
		case (seat + 1) % seats:
			sum -= int32(now[1] - old[1])
		default:
			sum -= int32(now[0] - old[0])
		}
	}
	return sum
}

// pairGains tabulates gain for two seats, by own stones, the opponent's stones,
// how many of them are convertible, and own and opponent's rings around.
type pairGains [7][7][7][ringsMost + 1][ringsMost + 1]int16

var twoSeatGains = newPairGains(&twoSeatTable)

func newPairGains(t *table) (g pairGains) {
	for a := range 7 {
		for b := range 7 - a {
			for notSafe := range b + 1 {
				for r := range ringsMost + 1 {
					for o := range ringsMost + 1 {
						c := rings.Tally(0).Add(0, a, a, r).Add(1, b, notSafe, o)
						g[a][b][notSafe][r][o] = int16(t.gain(c, 0, 2))
					}
				}
			}
		}
	}
	return g
}

// at returns the gain of seat 0 or seat 1, in as few steps as can be inlined.
func (g *pairGains) at(c rings.Tally, seat int) int32 {
	own, other := c, c>>10
	if seat != 0 {
		own, other = other, own
	}
	a, b := own>>3&7, other>>3&7
	return int32(g[a][b][other&7][min(own>>6&15-a, ringsMost)][min(other>>6&15-b, ringsMost)])
}

// gain returns the gain of a stone of the seat on a circle.
func (s *State) gain(c rings.Tally, seat int) int32 {
	if s.seats == 2 {
		return s.pairGains.at(c, seat)
	}
	return s.table.gain(c, seat, s.seats)
}

// hasSideEffects reports whether a stone of the seat on the circle converts
// others or closes a ring, which changes other circles too.
func hasSideEffects(c rings.Tally, seat int) bool {
	own := c.Of(seat)
	return own.Stones() == 5 || 2*(own.Influence()+1) > c.Total() && c.OthersUnsafe(seat)
}
