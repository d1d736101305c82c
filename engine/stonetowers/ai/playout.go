package ai

import "math/rand/v2"

// Playout plays random legal moves to the end.
func (s *state) Playout(random *rand.PCG, values []float64) {
	at, owned, left := s.at, s.owned, s.left
	for s.left > 0 {
		s.playFast(s.randomMove(random))
		s.left--
	}
	s.Payoffs(values)
	s.at, s.owned, s.left = at, owned, left
}

// randomMove returns a uniformly random move: it draws squares until one is
// playable.
func (s *state) randomMove(random *rand.PCG) cell {
	open, cells := &rules[s.player()].open, s.geo.cells
	n := uint64(len(cells))
	for bits := uint64(0); ; {
		for i := range 128 { // two numbers of 32 bits from each of 64
			if i&1 == 0 {
				bits = random.Uint64()
			}
			c := cells[(bits&(1<<32-1))*n>>32]
			if bits >>= 32; open[s.at[c]&(squares-1)] {
				return c
			}
		}
		if !s.anyOpen() {
			return pass
		}
	}
}

// anyOpen reports whether any square is playable.
func (s *state) anyOpen() bool {
	for _, c := range s.geo.cells {
		if rules[s.player()].open[s.at[c]&(squares-1)] {
			return true
		}
	}
	return false
}

// playFast makes a move without the bookkeeping of Make.
func (s *state) playFast(c cell) {
	if c == pass {
		return
	}
	q, player := s.at[c], s.player()
	if q.owner() == free {
		s.at[c] = q.with(ownerOf(player), 1)
		s.owned[player]++
	} else {
		s.at[c] = q + 1<<levelShift
	}
	s.spreadFast(c, 1, player)
}

// spreadFast spreads influence without the bookkeeping of spread.
func (s *state) spreadFast(c cell, levels, player int) {
	up, goes := square(levels*sign(player)), &rules[player].goes
	stride := s.geo.stride
	var fell [5]fall
	n := 0
	for _, c := range [...]cell{c, c - 1, c + 1, c - stride, c + stride} {
		next := s.at[c] + up
		s.at[c] = next
		if !goes[next&(squares-1)] {
			continue
		}
		s.owned[player]++
		if next.owner() != free {
			s.owned[1-player]--
			if level := next.level(); level > 0 {
				fell[n] = fall{c, level}
				n++
			}
		}
		s.at[c] = next.with(ownerOf(player), 0)
	}
	for _, f := range fell[:n] {
		s.spreadFast(f.at, f.level, player)
	}
}
