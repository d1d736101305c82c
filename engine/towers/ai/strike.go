package ai

import "castellan/engine/towers/internal/board"

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
	ready   board.Set // own pieces that can move
	free    board.Set // cells that can be passed
	imports bool      // a pawn can be imported
	between bool      // between turns: masters are 1 high
}

// strike returns the cost in points of the cheapest strike of a player at the
// start of their turn, or never if it exceeds points. Moving own towers aside
// is considered only within truth, the points that they really have.
func (s *State) strike(player uint8, points, truth int) int {
	k := strikeSearch{state: s, player: player, ready: s.Own[player&1], imports: true, between: true}
	k.free = s.free(s.Walls)
	return k.cost(points, truth, 2)
}

// strikeNow returns the cost of the cheapest strike in the rest of the open
// turn.
func (s *State) strikeNow() int {
	k := strikeSearch{state: s, player: s.Mover, ready: s.Own[s.Mover&1].Without(s.Locked), imports: s.CanImport()}
	k.free = s.free(s.Locked)
	return k.cost(int(s.Points), int(s.Points), 2)
}

func (s *State) free(locked board.Set) board.Set {
	taken := s.Own[0].Or(s.Own[1]).Or(locked)
	return board.Set{Lo: ^taken.Lo, Hi: ^taken.Hi}
}

// cost returns the cost of the cheapest strike, or never if it exceeds points.
// Up to deep own towers may move aside.
func (k strikeSearch) cost(points, truth, deep int) int {
	s := k.state
	target := s.Master[k.player&1^1]
	if target == board.Nowhere || points <= 0 {
		return never
	}
	var best int
	var blockers board.Set
	if s.Rules&board.LockAfterMove != 0 {
		best, blockers = k.straight(target, points)
	} else {
		best, blockers = k.flood(target, points)
	}
	if best <= points {
		return best
	}
	if deep > 0 && !blockers.Empty() {
		return k.clear(blockers, min(points, truth), deep)
	}
	return never
}

// flood finds the cheapest strike if attackers may stop and turn: the nearest
// of each height through free cells. Blockers are pieces in the way that cost
// too much as attackers.
func (k strikeSearch) flood(target board.Cell, points int) (best int, blockers board.Set) {
	best = never
	reached := board.Only(target)
	edge := reached
	for d := 1; d <= points && d < best; d++ {
		near := edge.Around().Without(reached)
		for hit := near.And(k.ready); !hit.Empty(); {
			c := hit.First()
			hit.Remove(c)
			cost := k.from(c, d)
			best = min(best, cost)
			if cost > points {
				blockers.Add(c)
			}
		}
		edge = near.And(k.free)
		if edge.Empty() {
			break
		}
		reached = reached.Or(near)
	}
	return best, blockers
}

// straight finds the cheapest strike if every piece that moves is locked: only
// pieces in line attack.
func (k strikeSearch) straight(target board.Cell, points int) (best int, blockers board.Set) {
	best = never
	for _, step := range board.Steps {
		c := target
		for d := 1; d <= points; d++ {
			c = c.Next(step)
			if k.free.Has(c) {
				continue
			}
			if k.ready.Has(c) {
				cost := k.from(c, d)
				best = min(best, cost)
				if cost > points {
					blockers.Add(c)
				}
			}
			break
		}
	}
	return best, blockers
}

// from returns the cost of a strike by the piece on a cell at a distance.
func (k strikeSearch) from(c board.Cell, distance int) int {
	s := k.state
	p := s.Board[c&(board.Cells-1)]
	height := p.Height()
	if !p.IsMaster() {
		if height == 1 || s.Rules&board.TowerOut != 0 {
			return distance
		}
		return height * distance
	}
	switch {
	case height > 1 && !k.between: // a pawn leaves the tower
		return distance
	case s.Rules&board.NoMasterWin == 0:
		return distance
	case k.imports:
		return distance + 1
	}
	return never
}

// clear finds the cheapest strike after a blocker has moved aside at the least
// cost.
func (k strikeSearch) clear(blockers board.Set, points, deep int) int {
	s := k.state
	best := never
	for !blockers.Empty() {
		c := blockers.First()
		blockers.Remove(c)
		p := s.Board[c&(board.Cells-1)]
		height := p.Height()
		if height >= points { // no points would be left for the attack
			continue
		}
		for _, step := range board.Steps {
			to := c
			for cost := height; cost < points; cost += height {
				to = to.Next(step)
				target := s.Board[to&(board.Cells-1)]
				if !k.free.Has(to) && (target == board.Wall || target == 0 || s.Locked.Has(to) || !s.CanEnter(p, target)) {
					break
				}
				next := k
				next.ready.Remove(c)
				next.ready.Remove(to)
				next.free.Add(c)
				next.free.Remove(to)
				if p.IsMaster() {
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
