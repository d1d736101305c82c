package trailsearch

import "castellan/engine/search"

// Evaluate weighs squares reached first, towers reached first, and towers
// taken.
func (s *State) Evaluate() int {
	var v sight
	s.look(&v)
	me, other := &s.sides[s.mover], &s.sides[s.mover^1]
	sum := 6 * (v.first[0] - v.first[1])
	sum += 2 * (v.reach[0] - v.reach[1])
	sum += 60 * (int(me.taken) - int(other.taken))
	for k := range v.left {
		a, b := v.tower[0][k], v.tower[1][k]
		switch {
		case a <= b && a != never:
			sum += 40
		case b < a:
			sum -= 40
		}
	}
	return max(-search.MaxValue, min(sum, search.MaxValue))
}
