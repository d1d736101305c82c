package rings

// Unmake takes back the last move that is still made, given what its Make
// returned.
func (s *State) Unmake(u Undo) {
	s.mover, s.passed = u.mover, u.passed
	switch m := u.move; {
	case m < movePass:
		s.converting = false
		s.removeStone(uint8(m), &u)
	case m == movePass:
		s.converting = false
	case m == moveEnd:
		s.converting = true
		s.ending = Ongoing
	default:
		s.unconvertCircle(uint8(m), &u)
	}
}

// lift takes the mover's stone off a point.
func (s *State) removeStone(p uint8, u *Undo) {
	near := circleSet{}
	s.openRings(u.rings, s.mover, &near)
	s.stones[p] = 0
	s.emptyPoints.set(p)
	s.emptyCount++
	on := &s.geo.circlesAt[p]
	for i := range on.n & 3 {
		c := on.circles[i]
		s.tallies[c&(circleRoom-1)] -= stoneTally(s.mover)
		near.set(c)
	}
	s.updateCircles(near)
}

// revert gives the converted stones of a circle back.
func (s *State) unconvertCircle(c uint8, u *Undo) {
	a := &s.geo.neighbourhoods[c&(circleRoom-1)]
	near := a.set
	s.openRings(u.rings, s.mover, &near)
	for i, p := range a.points {
		owner := uint8(u.owners >> (4 * i) & 7)
		if owner == 0 {
			continue
		}
		s.stones[p] = owner
		change := stoneTally(owner) - stoneTally(s.mover)
		on := &s.geo.circlesAt[p]
		for j := range on.n & 3 {
			s.tallies[on.circles[j]&(circleRoom-1)] += change
		}
	}
	s.updateCircles(near)
}

// reopen undoes close. All the circles stop being rings before it is asked of
// each stone whether another ring still keeps it safe.
func (s *State) openRings(rings circleSet, seat uint8, near *circleSet) {
	ring := ringTally(seat)
	for rest := rings; !rest.empty(); {
		c := rest.pop()
		a := &s.geo.neighbourhoods[c&(circleRoom-1)]
		near.add(&a.set)
		s.tallies[c&(circleRoom-1)] &^= isRing
		for _, d := range a.neighbours() {
			s.tallies[d&(circleRoom-1)] -= ring
		}
	}
	for rest := rings; !rest.empty(); {
		for _, p := range s.geo.neighbourhoods[rest.pop()&(circleRoom-1)].points {
			if s.stones[p]&safe != 0 && !s.onRing(p) {
				s.stones[p] &^= safe
				s.addToCircles(p, oneUnsafe<<shift(seat))
			}
		}
	}
}

// ringed reports whether a ring goes through the point.
func (s *State) onRing(p uint8) bool {
	on := &s.geo.circlesAt[p]
	for i := range on.n & 3 {
		if s.tallies[on.circles[i]&(circleRoom-1)].ring() {
			return true
		}
	}
	return false
}
