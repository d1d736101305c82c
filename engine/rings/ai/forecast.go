package ai

import (
	"math"
	"slices"

	"castellan/engine"
	"castellan/engine/rings"
)

// forecast is the number of circles that each seat is expected to hold in the
// end, in thousandths: element 0 while another seat is to move, element 1 while
// the seat itself is.
type forecast [engine.MaxSeats][2]int32

// table holds the probability, in thousandths, that a seat holds a circle in
// the end. Its indices are those of a circleView, where two rings stand for more
// too, and 1 if the seat is to move.
type table [7][7][7][ringsMost + 1][ringsMost + 1][2]int16

const ringsMost = 2

// circleView is a circle as one seat sees it.
type circleView struct {
	own, empty int // own stones and empty points
	most       int // stones of the strongest opponent
	rings      int // neighbours that are rings of the seat
	otherRings int // neighbours that are rings of opponents
}

func (t *table) at(c circleView) *[2]int16 {
	return &t[c.own][c.empty][c.most][min(c.rings, ringsMost)][min(c.otherRings, ringsMost)]
}

// pair returns the entries of both seats in a game of two. Without the methods of a
// tally it is short enough to be inlined.
func (t *table) pair(c rings.Tally) (one, two *[2]int16) {
	a, b := c>>3&7, c>>13&7
	r, o := min(c>>6&15-a, ringsMost), min(c>>16&15-b, ringsMost)
	return &t[a][6-a-b][b][r][o], &t[b][6-a-b][a][o][r]
}

// viewsOf unpacks a tally for every seat.
func viewsOf(t rings.Tally, seats int, to *[engine.MaxSeats]circleView) {
	empty, best, most, second := 6, 0, 0, 0
	around := t.RingsAround()
	for k := range seats {
		of := t.Of(k)
		n := of.Stones()
		empty -= n
		to[k].own, to[k].rings = n, of.Influence()-n
		switch {
		case n > most:
			best, most, second = k, n, most
		case n > second:
			second = n
		}
	}
	for k := range seats {
		c := &to[k]
		c.empty, c.most, c.otherRings = empty, most, around-c.rings
		if k == best {
			c.most = second
		}
	}
}

// update updates a forecast for a change of one circle.
func (t *table) update(was, is rings.Tally, seats int, f *forecast) {
	if seats == 2 {
		one, two := t.pair(was)
		nowOne, nowTwo := t.pair(is)
		f[0][0] += int32(nowOne[0]) - int32(one[0])
		f[0][1] += int32(nowOne[1]) - int32(one[1])
		f[1][0] += int32(nowTwo[0]) - int32(two[0])
		f[1][1] += int32(nowTwo[1]) - int32(two[1])
		return
	}
	var before, after [engine.MaxSeats]circleView
	viewsOf(was, seats, &before)
	viewsOf(is, seats, &after)
	for k := range seats {
		old, now := t.at(before[k]), t.at(after[k])
		f[k][0] += int32(now[0]) - int32(old[0])
		f[k][1] += int32(now[1]) - int32(old[1])
	}
}

// forecast computes a forecast from scratch.
func (t *table) forecast(b *rings.State, seats int, f *forecast) {
	*f = forecast{}
	var views [engine.MaxSeats]circleView
	for i := range b.CircleCount() {
		viewsOf(b.Tally(i), seats, &views)
		for k := range seats {
			e := t.at(views[k])
			f[k][0] += int32(e[0])
			f[k][1] += int32(e[1])
		}
	}
}

func (s *State) Evaluate() int { return s.evaluateSeat(int(s.top().board.Turn()) - 1) }

// evaluateSeat returns the advantage of an active seat over all opponents,
// where 400 is odds of ten to one against them together.
func (s *State) evaluateSeat(seat int) int {
	f := s.top()
	b := &f.board
	next := int(b.Turn()) - 1
	k := steepness(b.EmptyCount())
	own := f.forecast.of(seat, next)
	if s.seats == 2 {
		return leadValue(k, s.twoSeatLead(seat))
	}
	sum := 0.0
	for i := range s.seats {
		if i != seat && b.ActiveSeats()>>(i+1)&1 != 0 {
			sum += math.Exp(k * float64(f.forecast.of(i, next)-own))
		}
	}
	return int(-math.Log(sum) * (400 / math.Ln10))
}

// twoSeatLead returns the expected lead of one of two seats, in thousandths of a
// circle.
func (s *State) twoSeatLead(seat int) int32 {
	f := s.top()
	next := int(f.board.Turn()) - 1
	lead := f.forecast.of(seat, next) - f.forecast.of(1-seat, next)
	switch {
	case s.patterns == nil:
	case seat == next:
		lead += s.patterns.correction(&f.board, s.origin.Side())
	default:
		lead -= s.patterns.correction(&f.board, s.origin.Side())
	}
	return lead
}

// learnedSteepness scales the steepness for leads with the learned correction. It was
// chosen by matches of two seats.
const learnedSteepness = 0.7

// leadValue converts a lead over the only opponent to a value, given the
// steepness.
func leadValue(steep float64, lead int32) int { return int(steep * float64(lead) * (400 / math.Ln10)) }

// of returns the forecast of a seat while next is to move.
func (f *forecast) of(seat, next int) int32 {
	if seat == next {
		return f[seat][1]
	}
	return f[seat][0]
}

func (s *State) Estimate(values []float64) {
	f := s.top()
	b := &f.board
	if b.Seat() == engine.Nobody {
		payoffs(b.ActiveSeats(), b.Score, values)
		return
	}
	next := int(b.Turn()) - 1
	k := steepness(b.EmptyCount())
	if s.seats == 2 && s.patterns != nil && b.ActiveSeats() == 1<<1|1<<2 {
		values[next] = 1 / (1 + math.Exp(-learnedSteepness*k*float64(s.twoSeatLead(next))))
		values[1-next] = 1 - values[next]
		return
	}
	var held [engine.MaxSeats]int32
	s.expected(held[:s.seats])
	if s.seatPatterns != nil {
		k *= learnedSteepness
	}
	most, sum := slices.Max(held[:s.seats]), 0.0
	for i := range values {
		values[i] = 0
		if b.ActiveSeats()>>(i+1)&1 != 0 {
			values[i] = math.Exp(k * float64(held[i]-most))
			sum += values[i]
		}
	}
	for i := range values {
		values[i] /= sum
	}
}

// expected fills in the number of circles that each seat is expected to hold in the end,
// in thousandths.
func (s *State) expected(to []int32) {
	f := s.top()
	next := int(f.board.Turn()) - 1
	for i := range to {
		to[i] = f.forecast.of(i, next)
	}
	if s.seatPatterns != nil {
		s.seatPatterns.correct(&f.board, s.origin.Side(), to)
	}
}

// steepness returns how much the log-odds of winning change with a thousandth
// of a circle while that many points are empty. Fitted to the games of the
// tables: a lead of seven circles early on, or of one or two near the end, is
// nearly three to one.
func steepness(empty int) float64 {
	return 1e-3 / min(0.5+0.045*float64(empty), 7)
}
