package ai

import "castellan/engine/search"

// scale is the number of steps between endgame and opening.
const scale = 128

// phase returns how far a position with that many turns left is from the
// endgame, from 0 to scale.
func (s *state) phase(left int) int {
	most := s.tables.openingTurns * len(s.Cells)
	return min(left*100*scale, most*scale) / most
}

// interpolate converts a tapered score to a value.
func (p tapered) interpolate(phase int) int {
	return (p.opening()*phase + p.endgame()*(scale-phase)) / (scale * unit)
}

func (s *state) scoreFor(player int) tapered {
	if player == 1 {
		return -s.sum
	}
	return s.sum
}

// Evaluate returns the score of all squares plus the tempo, for the side to
// move.
func (s *state) Evaluate() int {
	return (s.scoreFor(s.Player()) + s.tables.tempo).interpolate(s.phase(int(s.Left)))
}

// EvaluateMoves fills in the evaluation after each move. A move changes the
// scores of five squares; only if a castle falls must it be made. It is not
// defined for moves that end the game.
func (s *state) EvaluateMoves(moves []search.Move, values []int32) bool {
	if s.Left <= 1 {
		return false
	}
	var (
		player = s.Player()
		more   = &s.tables.influenceGain[player]
		raised = &s.tables.buildGain[player]
		grown  = &s.gainAt
		stride = s.Stride
		phase  = s.phase(int(s.Left) - 1)
		now    = s.scoreFor(player) - s.tables.tempo
	)
	for _, c := range s.Cells {
		grown[c] = more[s.At[c]&(squares-1)]
	}
	for i, m := range moves {
		c := cell(m)
		if c == pass {
			values[i] = int32(now.interpolate(phase))
			continue
		}
		d := raised[s.At[c]&(squares-1)] + grown[c-1] + grown[c+1] + grown[c-stride] + grown[c+stride]
		if d >= captureFlag/2 {
			s.Make(m)
			values[i] = int32(-s.Evaluate())
			s.Unmake()
			continue
		}
		values[i] = int32((now + d).interpolate(phase))
	}
	return true
}
