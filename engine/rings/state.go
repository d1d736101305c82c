package rings

import (
	"math/bits"

	"castellan/engine"
)

// Ending is how a game ended.
type Ending uint8

// The endings.
const (
	Ongoing  Ending = iota // the game goes on
	Passes                 // everybody still playing has passed in one unbroken sequence
	LastSeat               // everybody else has retired
)

// String is the reason in a result, and empty while the game goes on.
func (e Ending) String() string { return [...]string{"", "passes", "alone", ""}[e&3] }

// Move is an action by its number: a point's index places a stone there, the
// numbers from firstCircle on convert circles.
type Move uint16

const (
	movePass    Move = 0xfe
	moveEnd     Move = 0xff
	firstCircle Move = 0x100
)

// safe is the bit of a stone that belongs to a ring.
const safe = 8

// State is a position to play and take back moves in, without allocation.
// Copies are independent, and equal positions of a match are equal by ==.
type State struct {
	circle [circleRoom]tally
	stone  [pointRoom]uint8 // seat, 0 for none, with the bit safe
	held   [circleRoom]status
	open   [8]circleSet // circles by who could convert them, 0 for nobody
	score  [8]uint8     // circles by who has the majority, 0 for nobody
	free   pointSet     // empty points
	geo    *geometry

	left       uint8 // empty points
	mover      uint8 // from 1; whose turn it would be when the game is over
	playing    uint8 // who has not retired: bit k is seat k
	passed     uint8 // who has passed in the unbroken sequence
	converting bool  // the placement or pass is done
	ending     Ending
}

// Undo is what Unmake needs to take a move back.
type Undo struct {
	rings  circleSet // closed by the move
	was    uint32    // owners of stones that were converted, 4 bits for each point of the circle
	move   Move
	mover  uint8
	passed uint8
}

func newState(g *geometry, seats int) State {
	s := State{geo: g, left: uint8(len(g.points)), mover: 1, playing: 1<<(seats+1) - 2}
	for i := range g.points {
		s.free.set(uint8(i))
	}
	for i := range g.circles {
		s.open[0].set(uint8(i))
	}
	s.score[0] = uint8(len(g.circles))
	return s
}

// Seat is whose action is next, or Nobody when the game is over.
func (s *State) Seat() engine.Seat {
	if s.ending != Ongoing {
		return engine.Nobody
	}
	return engine.Seat(s.mover)
}

// Ending is how the game ended, or Open.
func (s *State) Ending() Ending { return s.ending }

// Score is the number of circles on which the seat has the majority.
func (s *State) Score(seat engine.Seat) int { return int(s.score[seat&7]) }

// Len is the number of legal moves, 0 exactly when the game is over.
func (s *State) LegalCount() int {
	switch {
	case s.ending != Ongoing:
		return 0
	case s.converting:
		return s.open[s.mover&7].len() + 1
	}
	return int(s.left) + 1
}

// At is legal move number k, from 0, for k below Len: the empty points by
// column, then row, and the pass; or the circles by number, and the end.
func (s *State) NthLegal(k int) Move {
	if s.converting {
		open := &s.open[s.mover&7]
		for i, w := range open {
			n := bits.OnesCount64(w)
			if k < n {
				return firstCircle + Move(64*i) + Move(nth(w, uint(k)))
			}
			k -= n
		}
		return moveEnd
	}
	for i, w := range s.free {
		n := bits.OnesCount64(w)
		if k < n {
			return Move(64*i) + Move(nth(w, uint(k)))
		}
		k -= n
	}
	return movePass
}

// Legal reports whether the move is legal.
func (s *State) Legal(m Move) bool {
	switch {
	case s.ending != Ongoing:
		return false
	case m < movePass:
		return !s.converting && s.free.has(uint8(m))
	case m == movePass:
		return !s.converting
	case m == moveEnd:
		return s.converting
	}
	return s.converting && m < firstCircle+circleRoom && s.open[s.mover&7].has(uint8(m))
}

// Make plays a move, which must be legal, and returns what takes it back.
func (s *State) Make(m Move) Undo {
	u := Undo{move: m, mover: s.mover, passed: s.passed}
	switch {
	case m < movePass:
		s.passed = 0
		s.converting = true
		s.place(uint8(m), &u)
	case m == movePass:
		s.passed |= 1 << (s.mover & 7)
		s.converting = true
	case m == moveEnd:
		s.converting = false
		s.advance()
		s.settle()
	default:
		s.convert(uint8(m), &u)
	}
	return u
}

// advance gives the turn to the next seat that is playing.
func (s *State) advance() {
	later := s.playing >> 1 >> (s.mover & 7) << 1 << (s.mover & 7)
	if later == 0 {
		later = s.playing
	}
	s.mover = uint8(bits.TrailingZeros8(later))
}

// settle ends the game where one seat is left, or everybody has passed.
func (s *State) settle() {
	switch {
	case s.playing&(s.playing-1) == 0:
		s.ending = LastSeat
	case s.playing&^s.passed == 0:
		s.ending = Passes
	}
}

// retire lets a seat leave, at the start of a turn.
func (s *State) retire(seat uint8) {
	s.playing &^= 1 << seat
	s.passed &^= 1 << seat
	if s.mover == seat {
		s.advance()
	}
	s.settle()
}

// place puts a stone of the mover on an empty point.
func (s *State) place(p uint8, u *Undo) {
	seat := s.mover
	s.stone[p] = seat
	s.free.clear(p)
	s.left--
	add, six := aStone(seat), 6*oneStone<<shift(seat)
	on := &s.geo.on[p]
	for i := range on.n & 3 {
		c := on.circles[i]
		t := s.circle[c&(circleRoom-1)] + add
		s.circle[c&(circleRoom-1)] = t
		if t&(7*oneStone<<shift(seat)) == six {
			u.rings.set(c)
		}
		s.review(c)
	}
	if !u.rings.empty() {
		near := circleSet{}
		s.close(u.rings, seat, &near)
		s.reviewAll(near)
	}
}

// convert makes all stones of others on a circle that are not safe the mover's.
func (s *State) convert(c uint8, u *Undo) {
	seat := s.mover
	a := &s.geo.around[c&(circleRoom-1)]
	add := aStone(seat)
	for i, p := range a.points {
		owner := s.stone[p]
		if owner == 0 || owner&safe != 0 || owner == seat {
			continue
		}
		u.was |= uint32(owner) << (4 * i)
		s.stone[p] = seat
		change := add - aStone(owner)
		on := &s.geo.on[p]
		for j := range on.n & 3 {
			s.circle[on.circles[j]&(circleRoom-1)] += change
		}
	}
	six := 6 * oneStone << shift(seat)
	mask := isRing | 7*oneStone<<shift(seat)
	for _, d := range a.list[:min(a.n, 7)] {
		// A ring that the circle was before has the bit isRing.
		if s.circle[d&(circleRoom-1)]&mask == six {
			u.rings.set(d)
		}
		s.review(d)
	}
	if !u.rings.empty() {
		near := circleSet{}
		s.close(u.rings, seat, &near)
		s.reviewAll(near)
	}
}

// close makes rings of circles that are full of the seat's stones: these are
// safe, and the neighbours feel the ring. It adds the circles that it touches
// to near.
func (s *State) close(rings circleSet, seat uint8, near *circleSet) {
	ring := aRing(seat)
	for !rings.empty() {
		c := rings.pop()
		a := &s.geo.around[c&(circleRoom-1)]
		near.add(&a.near)
		s.circle[c&(circleRoom-1)] |= isRing
		for _, d := range a.next() {
			s.circle[d&(circleRoom-1)] += ring
		}
		for _, p := range a.points {
			if s.stone[p]&safe == 0 {
				s.stone[p] |= safe
				s.addLoose(p, -(oneLoose << shift(seat)))
			}
		}
	}
}

// addLoose adds to the tally of each circle of a point.
func (s *State) addLoose(p uint8, change tally) {
	on := &s.geo.on[p]
	for i := range on.n & 3 {
		s.circle[on.circles[i]&(circleRoom-1)] += change
	}
}

// review brings score and open up to date with the tally of a circle.
func (s *State) review(c uint8) {
	now, was := s.circle[c&(circleRoom-1)].status(), s.held[c&(circleRoom-1)]
	if now == was {
		return
	}
	s.held[c&(circleRoom-1)] = now
	s.score[was.holder()]--
	s.score[now.holder()]++
	s.open[was.converter()&7].clear(c)
	s.open[now.converter()&7].set(c)
}

func (s *State) reviewAll(near circleSet) {
	for !near.empty() {
		s.review(near.pop())
	}
}
