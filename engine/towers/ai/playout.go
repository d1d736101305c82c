package ai

import "math/rand/v2"

// Playout plays uniformly random legal actions to the end of the game.
func (s *State) Playout(random *rand.PCG, values []float64) {
	made := 0
	for s.ending == open {
		s.moves = s.Moves(s.moves[:0])
		s.Make(s.moves[random.Uint64()>>32*uint64(len(s.moves))>>32])
		made++
	}
	s.Payoffs(values)
	for range made {
		s.Unmake()
	}
}
