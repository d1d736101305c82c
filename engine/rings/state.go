package rings

import (
	"math/bits"

	"castellan/engine"
	"castellan/engine/grid"
)

// Ending says how a game ended.
type Ending uint8

const (
	Ongoing  Ending = iota // the game goes on
	Passes                 // all seats still playing have passed in one unbroken sequence
	LastSeat               // all other seats have retired
)

// String returns the reason in a result; it is empty while the game goes on.
func (e Ending) String() string { return [...]string{"", "passes", "alone", ""}[e&3] }

// Move is the number of an action: the index of a point places a stone there,
// numbers from firstCircle on convert circles.
type Move uint16

const (
	movePass    Move = 0xfe
	moveEnd     Move = 0xff
	firstCircle Move = 0x100
)

// safe is the bit of a stone that belongs to a ring.
const safe = 8

// State is a mutable position that plays moves without allocation. Copies are
// independent, and equal positions of a match are equal by ==.
type State struct {
	tallies     [circleRoom]Tally
	stones      [pointRoom]uint8 // seat, 0 for none, with the bit safe
	status      [circleRoom]status
	convertible [8]circleSet // circles by the seat that could convert them, or 0
	scores      [8]uint8     // number of circles by the seat with the majority, or 0
	emptyPoints pointSet
	geo         *geometry

	emptyCount uint8
	mover      uint8 // the seat to act, or that would act next if the game is over
	playing    uint8 // seats that have not retired: bit k is seat k
	passed     uint8 // seats that have passed in the unbroken sequence
	converting bool  // the seat has placed or passed
	ending     Ending
}

func newState(g *geometry, seats int) State {
	s := State{geo: g, emptyCount: uint8(len(g.points)), mover: 1, playing: 1<<(seats+1) - 2}
	for i := range g.points {
		s.emptyPoints.set(uint8(i))
	}
	for i := range g.circles {
		s.convertible[0].set(uint8(i))
	}
	s.scores[0] = uint8(len(g.circles))
	return s
}

func (s *State) Seat() engine.Seat {
	if s.ending != Ongoing {
		return engine.Nobody
	}
	return engine.Seat(s.mover)
}

// Ending returns how the game ended, or Ongoing.
func (s *State) Ending() Ending { return s.ending }

// Score returns the number of circles on which the seat has the majority.
func (s *State) Score(seat engine.Seat) int { return int(s.scores[seat&7]) }

// LegalCount returns the number of legal moves. It is 0 exactly when the game
// is over.
func (s *State) LegalCount() int {
	switch {
	case s.ending != Ongoing:
		return 0
	case s.converting:
		return s.convertible[s.mover&7].len() + 1
	}
	return int(s.emptyCount) + 1
}

// NthLegal returns legal move number k, from 0 to LegalCount-1: the empty
// points by column, then row, and the pass; or the circles by number, and the
// end.
func (s *State) NthLegal(k int) Move {
	if s.converting {
		open := &s.convertible[s.mover&7]
		for i, w := range open {
			n := bits.OnesCount64(w)
			if k < n {
				return firstCircle + Move(64*i) + Move(grid.NthBit(w, k))
			}
			k -= n
		}
		return moveEnd
	}
	for i, w := range s.emptyPoints {
		n := bits.OnesCount64(w)
		if k < n {
			return Move(64*i) + Move(grid.NthBit(w, k))
		}
		k -= n
	}
	return movePass
}

func (s *State) Legal(m Move) bool {
	switch {
	case s.ending != Ongoing:
		return false
	case m < movePass:
		return !s.converting && s.emptyPoints.has(uint8(m))
	case m == movePass:
		return !s.converting
	case m == moveEnd:
		return s.converting
	}
	return s.converting && m < firstCircle+circleRoom && s.convertible[s.mover&7].has(uint8(m))
}

func (s *State) Play(m Move) {
	switch {
	case m < movePass:
		s.passed = 0
		s.converting = true
		s.placeStone(uint8(m))
	case m == movePass:
		s.passed |= 1 << (s.mover & 7)
		s.converting = true
	case m == moveEnd:
		s.converting = false
		s.advance()
		s.checkEnd()
	default:
		s.convertCircle(uint8(m))
	}
}

// advance passes the turn to the next seat that has not retired.
func (s *State) advance() {
	later := s.playing >> 1 >> (s.mover & 7) << 1 << (s.mover & 7)
	if later == 0 {
		later = s.playing
	}
	s.mover = uint8(bits.TrailingZeros8(later))
}

// checkEnd ends the game if one seat is left or all have passed.
func (s *State) checkEnd() {
	switch {
	case s.playing&(s.playing-1) == 0:
		s.ending = LastSeat
	case s.playing&^s.passed == 0:
		s.ending = Passes
	}
}

// retireSeat retires a seat at the start of a turn.
func (s *State) retireSeat(seat uint8) {
	s.playing &^= 1 << seat
	s.passed &^= 1 << seat
	if s.mover == seat {
		s.advance()
	}
	s.checkEnd()
}

// placeStone puts a stone of the mover on an empty point.
func (s *State) placeStone(p uint8) {
	seat, rings := s.mover, circleSet{}
	s.stones[p] = seat
	s.emptyPoints.clear(p)
	s.emptyCount--
	add, six := stoneTally(seat), 6*oneStone<<shift(seat)
	on := &s.geo.circlesAt[p]
	for i := range on.n & 3 {
		c := on.circles[i]
		t := s.tallies[c&(circleRoom-1)] + add
		s.tallies[c&(circleRoom-1)] = t
		if t&(7*oneStone<<shift(seat)) == six {
			rings.set(c)
		}
		s.updateCircle(c)
	}
	s.closeRings(rings, seat)
}

// convertCircle gives all unsafe stones of others on a circle to the mover.
func (s *State) convertCircle(c uint8) {
	seat, rings := s.mover, circleSet{}
	a := &s.geo.neighbourhoods[c&(circleRoom-1)]
	add := stoneTally(seat)
	for _, p := range a.points {
		owner := s.stones[p]
		if owner == 0 || owner&safe != 0 || owner == seat {
			continue
		}
		s.stones[p] = seat
		change := add - stoneTally(owner)
		on := &s.geo.circlesAt[p]
		for j := range on.n & 3 {
			s.tallies[on.circles[j]&(circleRoom-1)] += change
		}
	}
	six := 6 * oneStone << shift(seat)
	mask := isRing | 7*oneStone<<shift(seat)
	for _, d := range a.list[:min(a.n, 7)] {
		// A circle that was a ring before has the bit isRing.
		if s.tallies[d&(circleRoom-1)]&mask == six {
			rings.set(d)
		}
		s.updateCircle(d)
	}
	s.closeRings(rings, seat)
}

// closeRings makes rings of circles that are full of the stones of the seat: it
// makes their stones safe and adds the influence on the neighbours.
func (s *State) closeRings(rings circleSet, seat uint8) {
	ring, near := ringTally(seat), circleSet{}
	for !rings.empty() {
		c := rings.pop()
		a := &s.geo.neighbourhoods[c&(circleRoom-1)]
		near.add(&a.set)
		s.tallies[c&(circleRoom-1)] |= isRing
		for _, d := range a.neighbours() {
			s.tallies[d&(circleRoom-1)] += ring
		}
		for _, p := range a.points {
			if s.stones[p]&safe == 0 {
				s.stones[p] |= safe
				on := &s.geo.circlesAt[p]
				for i := range on.n & 3 {
					s.tallies[on.circles[i]&(circleRoom-1)] -= oneUnsafe << shift(seat)
				}
			}
		}
	}
	for !near.empty() {
		s.updateCircle(near.pop())
	}
}

// updateCircle updates the status, scores and convertible circles after a
// change of a tally.
func (s *State) updateCircle(c uint8) {
	now, was := s.tallies[c&(circleRoom-1)].status(), s.status[c&(circleRoom-1)]
	if now == was {
		return
	}
	s.status[c&(circleRoom-1)] = now
	s.scores[was.holder()]--
	s.scores[now.holder()]++
	s.convertible[was.converter()&7].clear(c)
	s.convertible[now.converter()&7].set(c)
}
