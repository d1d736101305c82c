package ai

// A strike is taking the enemy master within one turn. Between turns a master
// is 1 high, so any tower can take it, and the only question is what the way
// costs. What an attacker takes on its way it cannot leave again, so enemies in
// the way stay there; own towers in the way must go aside first, unless they
// attack more cheaply themselves.

// never is the cost of a strike that cannot be had for the points asked about.
const never = 99

// striker is one question: what the cheapest strike of a player costs.
type strikeSearch struct {
	state   *State
	player  uint8
	ready   set  // own pieces that can move
	free    set  // cells that can be gone through
	imports bool // a pawn can be imported
	between bool // it is asked of the time between turns: masters are 1 high
}

// strike is the cost in points of the cheapest strike of a player at the start
// of a turn of his, or never where it is more than points. That other towers
// must make way first is looked into only where there are so many points in
// truth, not in a question about how far off a strike is.
func (s *State) strike(player uint8, points, truth int) int {
	k := strikeSearch{state: s, player: player, ready: s.own[player&1], imports: true, between: true}
	k.free = s.free(s.walls)
	return k.cost(points, truth, 2)
}

// strikeNow is the cost of the cheapest strike for the rest of the turn that is
// open.
func (s *State) strikeNow() int {
	k := strikeSearch{state: s, player: s.mover, ready: s.own[s.mover&1].without(s.locked), imports: s.canImport()}
	k.free = s.free(s.locked)
	return k.cost(int(s.points), int(s.points), 2)
}

// free is the empty cells among those that are not locked.
func (s *State) free(locked set) set {
	taken := s.own[0].or(s.own[1]).or(locked)
	return set{^taken.lo, ^taken.hi}
}

// cost is the cheapest strike, or never where it is more than points. Towers
// are moved out of the way as often as deep says.
func (k strikeSearch) cost(points, truth, deep int) int {
	s := k.state
	target := s.master[k.player&1^1]
	if target == nowhere || points <= 0 {
		return never
	}
	var best int
	var blockers set
	if s.rules&lockAfterMove != 0 {
		best, blockers = k.straight(target, points)
	} else {
		best, blockers = k.flood(target, points)
	}
	if best <= points {
		return best
	}
	if deep > 0 && !blockers.empty() {
		return k.clear(blockers, min(points, truth), deep)
	}
	return never
}

// flood is the cheapest strike where an attacker may stop and turn as it likes:
// the nearest of each height, through free cells. The blockers are those in the
// way that cost too much as attackers.
func (k strikeSearch) flood(target cell, points int) (best int, blockers set) {
	best = never
	reached := only(target)
	edge := reached
	for d := 1; d <= points && d < best; d++ {
		near := edge.around().without(reached)
		for hit := near.and(k.ready); !hit.empty(); {
			c := hit.first()
			hit.remove(c)
			cost := k.from(c, d)
			best = min(best, cost)
			if cost > points {
				blockers.add(c)
			}
		}
		edge = near.and(k.free)
		if edge.empty() {
			break
		}
		reached = reached.or(near)
	}
	return best, blockers
}

// straight is the cheapest strike where whatever moves is locked: only what
// stands in line attacks.
func (k strikeSearch) straight(target cell, points int) (best int, blockers set) {
	best = never
	for _, step := range steps {
		c := target
		for d := 1; d <= points; d++ {
			c = c.next(step)
			if k.free.has(c) {
				continue
			}
			if k.ready.has(c) {
				cost := k.from(c, d)
				best = min(best, cost)
				if cost > points {
					blockers.add(c)
				}
			}
			break
		}
	}
	return best, blockers
}

// from is what the strike of the piece on a cell costs at a distance.
func (k strikeSearch) from(c cell, distance int) int {
	s := k.state
	p := s.board[c&(cells-1)]
	height := p.height()
	if !p.isMaster() {
		if height == 1 || s.rules&towerOut != 0 {
			return distance
		}
		return height * distance
	}
	switch {
	case height > 1 && !k.between: // a pawn leaves it
		return distance
	case s.rules&noMasterWin == 0:
		return distance
	case k.imports:
		return distance + 1
	}
	return never
}

// clear is the cheapest strike after one of the blockers has gone out of the
// way, as cheaply as it can.
func (k strikeSearch) clear(blockers set, points, deep int) int {
	s := k.state
	best := never
	for !blockers.empty() {
		c := blockers.first()
		blockers.remove(c)
		p := s.board[c&(cells-1)]
		height := p.height()
		if height >= points { // nothing would be left to attack with
			continue
		}
		for _, step := range steps {
			to := c
			for cost := height; cost < points; cost += height {
				to = to.next(step)
				target := s.board[to&(cells-1)]
				if !k.free.has(to) && (target == wall || target == 0 || s.locked.has(to) || !s.mayEnter(p, target)) {
					break
				}
				next := k
				next.ready.remove(c)
				next.ready.remove(to)
				next.free.add(c)
				next.free.remove(to)
				if p.isMaster() {
					next.imports = false
				}
				if rest := next.cost(points-cost, points-cost, deep-1); rest < never {
					best = min(best, cost+rest)
				}
				if target != 0 {
					break
				}
			}
		}
	}
	return best
}
