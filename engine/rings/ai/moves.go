package ai

import (
	"math/bits"
	"slices"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Moves appends every empty point, in the order of the seat's expected lead
// after it, and then the pass. Noise from tieSeed, if set, reorders points that
// are nearly equal. A pass that wins at once is the only move; a pass after
// which the next seat can win by passing comes only if there is nothing else.
func (s *State) Moves(to []search.Move) []search.Move {
	b := &s.top().board
	if b.Seat() <= 0 {
		return to
	}
	if b.Converting() {
		return append(to, finishTurn)
	}
	passing := s.passOutcome()
	if passing > 0 {
		return append(to, pass)
	}
	seat := int(b.Turn()) - 1
	for c := range b.CircleCount() {
		t := b.Tally(c)
		s.gains[c] = s.gain(t, seat)
		s.sideEffects[c] = hasSideEffects(t, seat)
	}
	idle := s.leadAfter(pass, seat)
	b = &s.top().board    // the slice may have been reallocated
	order := s.sorted[:0] // the lead after each point, and below it in eight bits the point
	for i, w := range b.EmptySet() {
		for ; w != 0; w &= w - 1 {
			p := 64*i + bits.TrailingZeros64(w)
			sum, sideEffects := int32(0), false
			for _, c := range b.CirclesAt(p) {
				sum += s.gains[c]
				sideEffects = sideEffects || s.sideEffects[c]
			}
			if sideEffects { // the gains do not add up
				sum = s.leadAfter(search.Move(p), seat) - idle
			}
			if s.tieSeed != 0 {
				sum += int32(search.Mix(s.tieSeed^uint64(p)) % (maxTieNoise + 1))
			}
			order = append(order, sum<<8|int32(p))
		}
	}
	best := order
	if len(s.frames) > 1 {
		best = order[:min(len(order), sortedMoves)]
		quickselect(order, len(best))
	}
	slices.SortFunc(best, func(x, y int32) int { return int(y - x) })
	for _, o := range order {
		to = append(to, search.Move(o&0xff))
	}
	if passing < 0 && len(order) > 0 {
		return to
	}
	return append(to, pass)
}

// passOutcome returns 1 if a pass wins the game, -1 if the pass after it wins
// the game for an opponent, and otherwise 0.
func (s *State) passOutcome() int {
	at := &s.top().board
	if waiting := at.ActiveSeats() &^ at.PassedSeats() &^ (1 << at.Turn()); waiting&(waiting-1) != 0 {
		return 0 // at least two others have not passed
	}
	seat := at.Turn()
	b := *at
	for sign := 1; sign >= -1; sign -= 2 {
		by := b.Turn()
		b.Play(rings.PassMove)
		for b.Converting() {
			b.Play(b.NthLegal(0))
		}
		if b.Ending() != rings.Ongoing {
			if (by == seat) == (sign > 0) && wins(&b, by, s.seats) {
				return sign
			}
			return 0
		}
	}
	return 0
}

// wins reports whether the seat has the highest score alone.
func wins(b *rings.State, seat engine.Seat, seats int) bool {
	for other := engine.Seat(1); int(other) <= seats; other++ {
		if other != seat && b.ActiveSeats()>>other&1 != 0 && b.Score(other) >= b.Score(seat) {
			return false
		}
	}
	return true
}

// sortedMoves is the number of moves sorted below the root. The order of the
// others rarely matters.
const sortedMoves = 32

// maxTieNoise is the greatest noise on the expected lead, in thousandths of a
// circle.
const maxTieNoise = 10

func (s *State) leadAfter(m search.Move, seat int) int32 {
	s.Make(m)
	sum := s.lead(seat)
	s.Unmake()
	return sum
}

// lead returns the seat's forecast times the number of opponents, less the sum
// of theirs.
func (s *State) lead(seat int) int32 {
	f, next := &s.top().forecast, int(s.top().board.Turn())-1
	sum := int32(s.seats) * f.of(seat, next)
	for k := range s.seats {
		sum -= f.of(k, next)
	}
	return sum
}

// quickselect moves the n largest numbers to the front, in any order (Hoare).
func quickselect(of []int32, n int) {
	for lo, hi := 0, len(of)-1; lo < hi; {
		pivot := of[(lo+hi)/2]
		i, j := lo, hi
		for i <= j {
			for of[i] > pivot {
				i++
			}
			for of[j] < pivot {
				j--
			}
			if i <= j {
				of[i], of[j] = of[j], of[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n-1 <= j:
			hi = j
		case n-1 >= i:
			lo = i
		default:
			return
		}
	}
}
