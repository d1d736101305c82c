package ai

import "castellan/engine/search"

// scale is how many parts of a unit a blend has.
const scale = 128

// phase is how much of the start, in parts of scale, there is in a position
// with that many turns left.
func (s *state) phase(left int) int {
	most := s.worth.fade * len(s.geo.cells)
	return min(left*100*scale, most*scale) / most
}

// blend is a worth in a phase, as a value.
func (p pair) blend(phase int) int {
	return (p.start()*phase + p.end()*(scale-phase)) / (scale * unit)
}

// own is the worth of all squares to a player.
func (s *state) own(player int) pair {
	if player == 1 {
		return -s.sum
	}
	return s.sum
}

// Evaluate is the worth of all squares and of having the move.
func (s *state) Evaluate() int {
	return (s.own(s.player()) + s.worth.tempo).blend(s.phase(int(s.left)))
}

// Foresee fills in what each of the moves will be worth to who makes it. All
// that a move changes is the worth of five squares, unless a castle falls:
// then it is made to see. It is not asked of moves that end the game.
func (s *state) EvaluateMoves(moves []search.Move, values []int32) bool {
	if s.left <= 1 {
		return false
	}
	var (
		player = s.player()
		more   = &s.worth.more[player]
		raised = &s.worth.raised[player]
		grown  = &s.grown
		stride = s.geo.stride
		phase  = s.phase(int(s.left) - 1)
		now    = s.own(player) - s.worth.tempo
	)
	for _, c := range s.geo.cells {
		grown[c] = more[s.at[c]&(squares-1)]
	}
	for i, m := range moves {
		c := cell(m)
		if c == pass {
			values[i] = int32(now.blend(phase))
			continue
		}
		d := raised[s.at[c]&(squares-1)] + grown[c-1] + grown[c+1] + grown[c-stride] + grown[c+stride]
		if d >= felling/2 {
			s.Make(m)
			values[i] = int32(-s.Evaluate())
			s.Unmake()
			continue
		}
		values[i] = int32((now + d).blend(phase))
	}
	return true
}
