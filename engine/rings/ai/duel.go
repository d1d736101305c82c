package ai

import (
	"math"
	"math/bits"

	"castellan/engine/search"
)

// duel is a game of two seats, of which can be told at a glance what the best
// move will be worth.
type duel struct{ *State }

var _ search.Glancer = duel{}

// Glance is the worth of the best move and which that is, or of any that is worth
// enough.
func (d duel) Glance(enough int) (value int, best search.Move, ok bool) {
	b := &d.top().board
	empty := b.EmptyCount()
	if empty == 0 || b.Converting() || b.ActiveSeats()&^b.PassedSeats()&^(1<<b.Turn()) == 0 {
		return 0, 0, false // the turn has begun, or a pass ends the game
	}
	var s survey
	d.look(&s)
	value, enough = math.MinInt, max(enough, -search.MaxValue)
	consider := func(m search.Move, steep float64, lead int32) {
		if v := promises(steep, lead); v > value {
			value, best = v, m
		}
	}
	steep := steepness(empty - 1)
	if s.sure {
		consider(search.Move(s.best), steep, s.leads[s.best])
	}
	for left := s.unsure[:s.count]; len(left) > 0 && value < enough; left = left[1:] {
		first := 0 // what looks best
		for i, p := range left {
			if s.leads[p] > s.leads[left[first]] {
				first = i
			}
		}
		left[0], left[first] = left[first], left[0]
		m := search.Move(left[0])
		consider(m, steep, d.promise(m, s.seat))
	}
	if steep = steepness(empty); value < enough && promises(steep, s.idle) > value && d.ends() == 0 {
		consider(pass, steep, s.idle)
	}
	return value, best, true
}

// survey is what the moves of a seat promise: its lead after each.
type survey struct {
	seat   int
	idle   int32         // after a pass
	leads  [points]int32 // after a stone, for each that is free
	unsure [points]uint8 // the points of which that is a guess,
	count  int           // so many
	best   uint8         // the best of the others,
	sure   bool          // if there is one
}

// look makes a survey. Where a stone converts nothing and closes no ring, the
// lead after it is that after a pass and what each of its circles gains. Where
// there is something to convert anyway, that is done first: it comes to the same
// in any order.
func (d duel) look(s *survey) {
	b := &d.top().board
	s.seat = int(b.Turn()) - 1
	free, convertible := b.EmptySet(), b.CanConvert()
	if convertible {
		d.Make(pass)
		s.idle = d.lead(s.seat)
		b = &d.top().board
	} else {
		w := &d.top().worth
		s.idle = w[s.seat][0] - w[1-s.seat][1]
	}
	for c := range b.CircleCount() {
		t := b.Tally(c)
		d.gains[c], d.sharp[c] = fewGains.at(t, s.seat), sharp(t, s.seat)
	}
	for i, w := range free {
		for ; w != 0; w &= w - 1 {
			p := 64*i + bits.TrailingZeros64(w)
			sum, exact := s.idle, false
			for _, c := range b.CirclesAt(p) {
				sum += d.gains[c]
				exact = exact || d.sharp[c]
			}
			s.leads[p] = sum
			switch {
			case exact:
				s.unsure[s.count] = uint8(p)
				s.count++
			case !s.sure || sum > s.leads[s.best]:
				s.best, s.sure = uint8(p), true
			}
		}
	}
	if convertible {
		d.Unmake()
	}
}
