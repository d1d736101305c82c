package ai

import "castellan/engine"

// gain returns what a stone of the seat on a circle gains on this circle alone:
// the seat's forecast times the number of opponents, less theirs. It is then
// the next seat's turn. Convertible stones of opponents are taken to be
// converted.
func (t *table) gain(tally uint64, seat, seats int) int32 {
	var before, after [engine.MaxSeats]circleView
	viewsOf(tally, seats, &before)
	if before[0].empty == 0 {
		return 0
	}
	shift := 10 * seat
	tally += 0o111 << shift // one unsafe stone, one stone, and influence of one
	if 2*int(tally>>(shift+6)&15) > 6+int(tally>>60&7) {
		for k := range seats {
			if notSafe := tally >> (10 * k) & 7; k != seat {
				tally += notSafe * (0o111<<shift - 0o111<<(10*k))
			}
		}
	}
	viewsOf(tally, seats, &after)
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
						tally := uint64(a)*0o111 + uint64(r)<<6 + (uint64(b)*0o110+uint64(o)<<6+uint64(notSafe))<<10 + uint64(r+o)<<60
						g[a][b][notSafe][r][o] = int16(t.gain(tally, 0, 2))
					}
				}
			}
		}
	}
	return g
}

// at returns the gain of seat 0 or seat 1.
func (g *pairGains) at(tally uint64, seat int) int32 {
	own, other := tally, tally>>10
	if seat != 0 {
		own, other = other, own
	}
	a, b := own>>3&7, other>>3&7
	return int32(g[a][b][other&7][min(own>>6&15-a, ringsMost)][min(other>>6&15-b, ringsMost)])
}

// gain returns the gain of a stone of the seat on a circle.
func (s *State) gain(tally uint64, seat int) int32 {
	if s.seats == 2 {
		return s.pairGains.at(tally, seat)
	}
	return s.table.gain(tally, seat, s.seats)
}

// hasSideEffects reports whether a stone of the seat on the circle converts
// others or closes a ring, which changes other circles too.
func hasSideEffects(tally uint64, seat int) bool {
	const notSafe = 7 * (1 | 1<<10 | 1<<20 | 1<<30 | 1<<40 | 1<<50) // of all seats
	own := tally >> (10 * seat)
	return own>>3&7 == 5 ||
		2*(own>>6&15+1) > 6+tally>>60&7 && tally&notSafe&^(7<<(10*seat)) != 0
}
