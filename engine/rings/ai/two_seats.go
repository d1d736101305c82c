package ai

import (
	"math"
	"math/bits"

	"castellan/engine/search"
)

// twoSeats is a game of two seats, in which the best move by evaluation can be
// found without listing moves.
type twoSeats struct{ *State }

var _ search.BestReplyEvaluator = twoSeats{}

// EvaluateBestReply returns the evaluation after the best move and that move,
// or any move with a value of at least beta.
func (d twoSeats) EvaluateBestReply(beta int) (value int, best search.Move, ok bool) {
	b := &d.top().board
	empty := b.EmptyCount()
	if empty == 0 || b.Converting() || b.ActiveSeats()&^b.PassedSeats()&^(1<<b.Turn()) == 0 {
		return 0, 0, false // the turn has begun, or a pass may end the game
	}
	var s survey
	d.surveyMoves(&s)
	value, beta = math.MinInt, max(beta, -search.MaxValue)
	consider := func(m search.Move, steep float64, lead int32) {
		if v := leadValue(steep, lead); v > value {
			value, best = v, m
		}
	}
	steep := steepness(empty - 1)
	if s.hasExact {
		consider(search.Move(s.best), steep, s.leads[s.best])
	}
	for left := s.estimated[:s.estimatedCount]; len(left) > 0 && value < beta; left = left[1:] {
		first := 0 // the best estimate
		for i, p := range left {
			if s.leads[p] > s.leads[left[first]] {
				first = i
			}
		}
		left[0], left[first] = left[first], left[0]
		m := search.Move(left[0])
		consider(m, steep, d.leadAfter(m, s.seat))
	}
	if steep = steepness(empty); value < beta && leadValue(steep, s.passLead) > value && d.passOutcome() == 0 {
		consider(pass, steep, s.passLead)
	}
	return value, best, true
}

// survey holds a seat's lead after each of its moves.
type survey struct {
	seat     int
	passLead int32         // after a pass
	leads    [points]int32 // after a stone on each empty point
	// Points where a stone has side effects: their leads are estimates.
	estimated      [points]uint8
	estimatedCount int
	// The best of the other points, whose leads are exact, if there is one.
	best     uint8
	hasExact bool
}

// surveyMoves fills in a survey. Where a stone converts nothing and closes no
// ring, the lead after it is that after a pass plus the gain on each of its
// circles. If something can be converted already, that is done first: the order
// does not matter.
func (d twoSeats) surveyMoves(s *survey) {
	b := &d.top().board
	s.seat = int(b.Turn()) - 1
	free, convertible := b.EmptySet(), b.CanConvert()
	if convertible {
		d.Make(pass)
		s.passLead = d.lead(s.seat)
		b = &d.top().board
	} else {
		w := &d.top().forecast
		s.passLead = w[s.seat][0] - w[1-s.seat][1]
	}
	for c := range b.CircleCount() {
		t := b.Tally(c)
		d.gains[c], d.sideEffects[c] = d.pairGains.at(t, s.seat), hasSideEffects(t, s.seat)
	}
	for i, w := range free {
		for ; w != 0; w &= w - 1 {
			p := 64*i + bits.TrailingZeros64(w)
			sum, sideEffects := s.passLead, false
			for _, c := range b.CirclesAt(p) {
				sum += d.gains[c]
				sideEffects = sideEffects || d.sideEffects[c]
			}
			s.leads[p] = sum
			switch {
			case sideEffects:
				s.estimated[s.estimatedCount] = uint8(p)
				s.estimatedCount++
			case !s.hasExact || sum > s.leads[s.best]:
				s.best, s.hasExact = uint8(p), true
			}
		}
	}
	if convertible {
		d.Unmake()
	}
}
