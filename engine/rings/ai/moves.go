package ai

import (
	"math/bits"
	"slices"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Moves appends every empty point, those first after which the seat has most to
// expect without looking further, and then the pass. Of points that promise
// nearly as much the nuance, if there is one, says which is first. A pass that
// wins the game now is all there is to think about; one after which the next
// seat can win it now, by a pass too, is left out where there is anything else.
func (s *State) Moves(to []search.Move) []search.Move {
	b := &s.top().board
	if b.Seat() <= 0 {
		return to
	}
	if b.Converting() {
		return append(to, rest)
	}
	ends := s.ends()
	if ends > 0 {
		return append(to, pass)
	}
	seat := int(b.Turn()) - 1
	for c := range b.CircleCount() {
		t := b.Tally(c)
		s.gains[c] = s.gain(t, seat)
		s.sharp[c] = sharp(t, seat)
	}
	idle := s.promise(pass, seat)
	b = &s.top().board // it may have moved
	order := s.sorted[:0]
	for i, w := range b.EmptySet() {
		for ; w != 0; w &= w - 1 {
			p := 64*i + bits.TrailingZeros64(w)
			sum, exact := int32(0), false
			for _, c := range b.CirclesAt(p) {
				sum += s.gains[c]
				exact = exact || s.sharp[c]
			}
			if exact {
				sum = s.promise(search.Move(p), seat) - idle
			}
			if s.nuance != 0 {
				sum += int32(search.Mix(s.nuance^uint64(p)) % (blur + 1))
			}
			order = append(order, sum<<8|int32(p))
		}
	}
	best := order
	if len(s.frames) > 1 {
		best = order[:min(len(order), first)]
		front(order, len(best))
	}
	slices.SortFunc(best, func(x, y int32) int { return int(y - x) })
	for _, o := range order {
		to = append(to, search.Move(o&0xff))
	}
	if ends < 0 && len(order) > 0 {
		return to
	}
	return append(to, pass)
}

// ends is what a pass leads to: 1 where it wins the game, -1 where the next
// pass after it wins the game for another, and 0 otherwise.
func (s *State) ends() int {
	at := &s.top().board
	if waiting := at.ActiveSeats() &^ at.PassedSeats() &^ (1 << at.Turn()); waiting&(waiting-1) != 0 {
		return 0 // two more would have to pass
	}
	seat := at.Turn()
	b := *at
	for sign := 1; sign >= -1; sign -= 2 {
		by := b.Turn()
		b.Make(rings.PassMove)
		for b.Converting() {
			b.Make(b.NthLegal(0))
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

// wins reports whether the seat alone has the highest score of those playing.
func wins(b *rings.State, seat engine.Seat, seats int) bool {
	for other := engine.Seat(1); int(other) <= seats; other++ {
		if other != seat && b.ActiveSeats()>>other&1 != 0 && b.Score(other) >= b.Score(seat) {
			return false
		}
	}
	return true
}

// first is how many moves are put in order: the rest are seldom looked at one
// before the other.
const first = 32

// blur is the most that a point gains from the nuance, in thousandths of a
// circle: points that are equal change places, and those that nearly are.
const blur = 10

// promise is the seat's lead after a turn.
func (s *State) promise(m search.Move, seat int) int32 {
	s.Make(m)
	sum := s.lead(seat)
	s.Unmake()
	return sum
}

// lead is what the seat has to expect, less what the others have on average,
// times the number of the others.
func (s *State) lead(seat int) int32 {
	w, next := &s.top().worth, int(s.top().board.Turn())-1
	sum := int32(s.seats) * w.of(seat, next)
	for k := range s.seats {
		sum -= w.of(k, next)
	}
	return sum
}

// front brings the n largest to the front, in any order (Hoare's quickselect).
func front(of []int32, n int) {
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
