package ai

// A strike takes the opponent's master within one turn. Between turns a master
// is 1 high, so any tower can take it, and only the cost of the way matters.
// Attackers cannot leave cells on which they captured, so opponents in the way
// stay there; own towers in the way must make room first, unless they attack at
// less cost themselves.

// never is the cost of a strike that the points do not suffice for.
const never = 99

// strikeSearch finds the cheapest strike of a player.
type strikeSearch struct {
	state   *State
	player  uint8
	ready   set  // own pieces that can move
	free    set  // cells that can be passed
	imports bool // a pawn can be imported
	between bool // between turns: masters are 1 high
}

// strike returns the cost in points of the cheapest strike of a player at the
// start of their turn, or never if it exceeds points. Moving own towers aside
// is considered only within truth, the points that they really have.
func (s *State) strike(player uint8, points, truth int) int {
	k := strikeSearch{state: s, player: player, ready: s.own[player&1], imports: true, between: true}
	k.free = s.free(s.walls)
	return k.cost(points, truth, 2)
}

// strikeNow returns the cost of the cheapest strike in the rest of the open
// turn.
func (s *State) strikeNow() int {
	k := strikeSearch{state: s, player: s.mover, ready: s.own[s.mover&1].without(s.locked), imports: s.canImport()}
	k.free = s.free(s.locked)
	return k.cost(int(s.points), int(s.points), 2)
}

// free returns the empty cells that are not locked.
func (s *State) free(locked set) set {
	taken := s.own[0].or(s.own[1]).or(locked)
	return set{^taken.lo, ^taken.hi}
}

// cost returns the cost of the cheapest strike, or never if it exceeds points.
// Up to deep own towers may move aside.
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

// flood finds the cheapest strike if attackers may stop and turn: the nearest
// of each height through free cells. Blockers are pieces in the way that cost
// too much as attackers.
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

// straight finds the cheapest strike if every piece that moves is locked: only
// pieces in line attack.
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

// from returns the cost of a strike by the piece on a cell at a distance.
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
	case height > 1 && !k.between: // a pawn leaves the tower
		return distance
	case s.rules&noMasterWin == 0:
		return distance
	case k.imports:
		return distance + 1
	}
	return never
}

// clear finds the cheapest strike after a blocker has moved aside at the least
// cost.
func (k strikeSearch) clear(blockers set, points, deep int) int {
	s := k.state
	best := never
	for !blockers.empty() {
		c := blockers.first()
		blockers.remove(c)
		p := s.board[c&(cells-1)]
		height := p.height()
		if height >= points { // no points would be left for the attack
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
