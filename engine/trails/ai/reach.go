package ai

import (
	"math/bits"

	"castellan/engine"
)

// horizon is the greatest number of moves looked ahead.
const horizon = 40

// never is later than every move.
const never = horizon + 1

// mostTowers is the greatest number of towers in a match.
const mostTowers = 9

// reachability tells which squares each player reaches in how many moves if
// nothing else were filled meanwhile; index 0 is the mover. Boosts count as in
// the rules: runs jump walls, and only runs take towers.
type reachability struct {
	first [2]int // squares reached before the opponent
	reach [2]int // squares reached at all
	even  int    // of the mover's first, those the opponent reaches in as many moves
	// tower is the number of moves to each free tower, or never.
	tower [2][mostTowers]uint8
	left  int // free towers
}

// wave holds the ends of all trails of one player with a number of moves, by
// direction and boost of the last move.
type wave struct {
	run  [directions][boosts]pair
	seen [directions]pair // ends of turns in that direction so far
	open pair             // ends from which every direction is a turn
}

func (w *wave) start(s *State, seat engine.Seat) {
	*w = wave{}
	head := cellPair(s.head(seat))
	if d, moved := s.LastDirection(seat); moved {
		w.run[d][min(s.Boost(seat), boosts-1)] = head
	} else {
		w.open = head
	}
}

// step adds a move to all trails. It returns their ends, and those of runs,
// which can take towers.
func (w *wave) step(g *geometry, free, tower pair) (all, armed pair) {
	var ends [directions]pair
	for d := range ends {
		for b := range g.boosts {
			ends[d] = ends[d].or(w.run[d][b])
		}
	}
	ud, lr := ends[0].or(ends[1]), ends[2].or(ends[3])
	turns := [directions]pair{lr.or(ends[1]), lr.or(ends[0]), ud.or(ends[3]), ud.or(ends[2])}
	either := free.or(tower)
	for d := range directions {
		runs := &w.run[d]
		for b := g.boosts - 2; b >= 0; b-- {
			from := runs[b]
			if from.empty() {
				runs[b+1] = pair{}
				continue
			}
			to := from.and(pairOf(&g.inner[d][b+2])).shift(d, b+2, g.size).and(either)
			for room := 1; room < b+2; room++ {
				if cut := from.and(pairOf(&g.ring[d][room])); !cut.empty() {
					to = to.or(cut.shift(d, room, g.size).and(free))
				}
			}
			runs[b+1] = to
			armed = armed.or(to)
		}
		turn := turns[d].or(w.open).and(pairOf(&g.inner[d][1])).shift(d, 1, g.size).and(free).without(w.seen[d])
		w.seen[d] = w.seen[d].or(turn)
		runs[0] = turn
		all = all.or(turn)
	}
	w.open = pair{}
	return all.or(armed), armed
}

// reachAllTowers reports whether both players are known to reach all free towers.
func (v *reachability) reachAllTowers() bool {
	for k := range v.left {
		if v.tower[0][k] == never || v.tower[1][k] == never {
			return false
		}
	}
	return true
}

// computeReach fills in who reaches what within that many moves.
func (s *State) computeReach(v *reachability, steps int) {
	if s.geo.size > maxNarrowSize {
		s.computeReachWide(v, steps)
		return
	}
	s.computeReachNarrow(v, steps)
}

// computeReachNarrow is computeReach for boards that fit into a pair.
func (s *State) computeReachNarrow(v *reachability, steps int) {
	free, tower := pairOf(&s.free), pairOf(&s.tower)
	*v = reachability{}
	var (
		where [mostTowers]cell
		waves [2]wave
		seen  [2]pair
		claim pair
	)
	for set := tower; !set.empty(); v.left++ {
		c := cell(bits.TrailingZeros64(set.lo))
		if set.lo == 0 {
			c = 64 + cell(bits.TrailingZeros64(set.hi))
		}
		set = set.without(cellPair(c))
		where[v.left] = c
		v.tower[0][v.left], v.tower[1][v.left] = never, never
	}
	waves[0].start(s, s.Mover())
	waves[1].start(s, 3-s.Mover())
	claim = tower
	for t := 1; t <= steps; t++ {
		idle, newest := 0, pair{}
		for i := range waves {
			all, armed := waves[i].step(s.geo, free, tower)
			if all.empty() {
				idle++
				continue
			}
			fresh := all.without(claim)
			claim = claim.or(fresh)
			if i == 0 {
				newest = fresh
			} else {
				v.even += all.and(newest).count()
			}
			n := fresh.count()
			v.first[i] += n
			seen[i] = seen[i].or(all)
			if took := armed.and(tower); !took.empty() {
				for k, c := range where[:v.left] {
					if v.tower[i][k] == never && took.has(c) {
						v.tower[i][k] = uint8(t)
					}
				}
			}
		}
		if idle == 2 || free.without(seen[0].and(seen[1])).empty() && v.reachAllTowers() {
			break
		}
	}
	for i := range seen {
		v.reach[i] = seen[i].without(tower).count()
	}
}
