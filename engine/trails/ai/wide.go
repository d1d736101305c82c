package ai

import (
	"math/bits"

	"castellan/engine"
	"castellan/engine/trails"
)

// shift adds to a board the cells of another within a mask, moved a number of
// steps, that land on allowed cells. None may cross an edge.
func (b *board) shift(from, mask, may *board, d, steps int, g *geometry) {
	n := steps
	if d := trails.Direction(d); d == trails.Up || d == trails.Down {
		n *= g.size
	}
	whole, part := n>>6, uint(n&63)
	if d := trails.Direction(d); d == trails.Up || d == trails.Right {
		for i := g.words - 1; i >= whole; i-- {
			v := (from[i-whole] & mask[i-whole]) << part
			if i > whole {
				v |= (from[i-whole-1] & mask[i-whole-1]) >> (64 - part)
			}
			b[i] |= v & may[i]
		}
		return
	}
	for i := 0; i+whole < g.words; i++ {
		v := (from[i+whole] & mask[i+whole]) >> part
		if i+whole+1 < g.words {
			v |= (from[i+whole+1] & mask[i+whole+1]) << (64 - part)
		}
		b[i] |= v & may[i]
	}
}

func (b *board) meets(c *board) bool {
	for i, v := range b {
		if v&c[i] != 0 {
			return true
		}
	}
	return false
}

// wideWave is a wave on a board of any size.
type wideWave struct {
	run  [directions][boosts]board
	live [directions][boosts]bool
	seen [directions]board
	open board
}

func (w *wideWave) start(s *State, seat engine.Seat) {
	*w = wideWave{}
	if d, moved := s.LastDirection(seat); moved {
		b := min(s.Boost(seat), boosts-1)
		w.run[d][b].set(s.head(seat))
		w.live[d][b] = true
	} else {
		w.open.set(s.head(seat))
	}
}

// step is the same as wave.step.
func (w *wideWave) step(g *geometry, free, either, all, armed *board) {
	*all, *armed = board{}, board{}
	var turns [directions]board
	for d := range directions {
		for b := range g.boosts {
			if !w.live[d][b] {
				continue
			}
			for other := range directions {
				if other != d {
					for i, v := range w.run[d][b][:g.words] {
						turns[other][i] |= v
					}
				}
			}
		}
	}
	none := board{}
	for d := range directions {
		for b := g.boosts - 2; b >= 0; b-- {
			from, to := &w.run[d][b], &w.run[d][b+1]
			if w.live[d][b+1] {
				*to = board{}
			}
			w.live[d][b+1] = false
			if !w.live[d][b] {
				continue
			}
			to.shift(from, &g.inner[d][b+2], either, d, b+2, g)
			for room := 1; room < b+2; room++ {
				to.shift(from, &g.ring[d][room], free, d, room, g)
			}
			if *to != none {
				w.live[d][b+1] = true
				for i, v := range to[:g.words] {
					armed[i] |= v
				}
			}
		}
		for i := range g.words {
			turns[d][i] |= w.open[i]
		}
		turn := &w.run[d][0]
		*turn = board{}
		turn.shift(&turns[d], &g.inner[d][1], free, d, 1, g)
		for i := range g.words {
			turn[i] &^= w.seen[d][i]
			w.seen[d][i] |= turn[i]
			all[i] |= turn[i]
		}
		w.live[d][0] = *turn != none
	}
	w.open = board{}
	for i := range g.words {
		all[i] |= armed[i]
	}
}

// covered reports whether two boards both have all cells of another.
func covered(b, one, two *board, words int) bool {
	for i := range words {
		if b[i]&^(one[i]&two[i]) != 0 {
			return false
		}
	}
	return true
}

// computeReachWide is computeReach for boards of any size.
func (s *State) computeReachWide(v *reachability, steps int) {
	g := s.geo
	*v = reachability{}
	var (
		where      [mostTowers]cell
		waves      [2]wideWave
		seen       [2]board
		claim      = s.tower
		either     board
		all, armed board
		newest     board // squares that the mover has just reached first
	)
	for i := range g.words {
		either[i] = s.free[i] | s.tower[i]
		for set := s.tower[i]; set != 0; set &= set - 1 {
			where[v.left] = cell(i*64 + bits.TrailingZeros64(set))
			v.tower[0][v.left], v.tower[1][v.left] = never, never
			v.left++
		}
	}
	waves[0].start(s, s.Mover())
	waves[1].start(s, 3-s.Mover())
	for t := 1; t <= steps; t++ {
		idle := 0
		for i := range waves {
			waves[i].step(g, &s.free, &either, &all, &armed)
			n, any := 0, uint64(0)
			for k := range g.words {
				any |= all[k]
				n += bits.OnesCount64(all[k] &^ claim[k])
				if i == 0 {
					newest[k] = all[k] &^ claim[k]
				} else {
					v.even += bits.OnesCount64(all[k] & newest[k])
				}
				claim[k] |= all[k]
				seen[i][k] |= all[k]
			}
			if any == 0 {
				idle++
				continue
			}
			v.first[i] += n
			if !armed.meets(&s.tower) {
				continue
			}
			for k, c := range where[:v.left] {
				if v.tower[i][k] == never && armed.has(c) {
					v.tower[i][k] = uint8(t)
				}
			}
		}
		if idle == 2 || v.reachAllTowers() && covered(&s.free, &seen[0], &seen[1], g.words) {
			break
		}
	}
	for i := range seen {
		for k := range g.words {
			v.reach[i] += bits.OnesCount64(seen[i][k] &^ s.tower[k])
		}
	}
}
