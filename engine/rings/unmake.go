package rings

// Unmake takes back the last move that is still made, given what its Make
// returned.
func (s *State) Unmake(u Undo) {
	s.mover, s.passed = u.mover, u.passed
	switch m := u.move; {
	case m < movePass:
		s.converting = false
		s.lift(uint8(m), &u)
	case m == movePass:
		s.converting = false
	case m == moveEnd:
		s.converting = true
		s.ending = Ongoing
	default:
		s.revert(uint8(m), &u)
	}
}

// lift takes the mover's stone off a point.
func (s *State) lift(p uint8, u *Undo) {
	near := circleSet{}
	s.reopen(u.rings, s.mover, &near)
	s.stone[p] = 0
	s.free.set(p)
	s.left++
	on := &s.geo.on[p]
	for i := range on.n & 3 {
		c := on.circles[i]
		s.circle[c&(circleRoom-1)] -= aStone(s.mover)
		near.set(c)
	}
	s.reviewAll(near)
}

// revert gives the converted stones of a circle back.
func (s *State) revert(c uint8, u *Undo) {
	a := &s.geo.around[c&(circleRoom-1)]
	near := a.near
	s.reopen(u.rings, s.mover, &near)
	for i, p := range a.points {
		owner := uint8(u.was >> (4 * i) & 7)
		if owner == 0 {
			continue
		}
		s.stone[p] = owner
		change := aStone(owner) - aStone(s.mover)
		on := &s.geo.on[p]
		for j := range on.n & 3 {
			s.circle[on.circles[j]&(circleRoom-1)] += change
		}
	}
	s.reviewAll(near)
}

// reopen undoes close. All the circles stop being rings before it is asked of
// each stone whether another ring still keeps it safe.
func (s *State) reopen(rings circleSet, seat uint8, near *circleSet) {
	ring := aRing(seat)
	for rest := rings; !rest.empty(); {
		c := rest.pop()
		a := &s.geo.around[c&(circleRoom-1)]
		near.add(&a.near)
		s.circle[c&(circleRoom-1)] &^= isRing
		for _, d := range a.next() {
			s.circle[d&(circleRoom-1)] -= ring
		}
	}
	for rest := rings; !rest.empty(); {
		for _, p := range s.geo.around[rest.pop()&(circleRoom-1)].points {
			if s.stone[p]&safe != 0 && !s.ringed(p) {
				s.stone[p] &^= safe
				s.addLoose(p, oneLoose<<shift(seat))
			}
		}
	}
}

// ringed reports whether a ring goes through the point.
func (s *State) ringed(p uint8) bool {
	on := &s.geo.on[p]
	for i := range on.n & 3 {
		if s.circle[on.circles[i]&(circleRoom-1)].ring() {
			return true
		}
	}
	return false
}
