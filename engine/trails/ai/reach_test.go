package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/trails"
)

// plainReach computes reachability with a queue of squares, directions and
// boosts.
func plainReach(s *State) (v reachability) {
	type end struct {
		at    trails.Square
		d     trails.Direction
		boost int
		moved bool
	}
	size := s.geo.size
	var where []cell
	for c := range cell(s.geo.cells) {
		if s.tower.has(c) {
			v.tower[0][len(where)], v.tower[1][len(where)] = never, never
			where = append(where, c)
		}
	}
	v.left = len(where)
	var times [2]map[cell]int
	for i := range times {
		times[i] = map[cell]int{}
		seat := s.Mover()
		if i == 1 {
			seat = 3 - seat
		}
		first := end{at: s.Head(seat), boost: s.Boost(seat)}
		first.d, first.moved = s.LastDirection(seat)
		from, seen := []end{first}, map[end]bool{}
		for t := 1; t <= horizon && len(from) > 0; t++ {
			var ends []end
			for _, e := range from {
				for d := range trails.Direction(directions) {
					next := end{at: e.at, d: d, moved: true}
					if e.moved && d == e.d {
						next.boost = e.boost + 1
					}
					cut := false
					for range next.boost + 1 {
						to := beside(next.at, d)
						if cut = to.X < 0 || to.Y < 0 || to.X >= size || to.Y >= size; cut {
							break
						}
						next.at = to
					}
					c := s.geo.cell(next.at)
					if next.at == e.at || !s.free.has(c) && (cut || next.boost == 0 || !s.tower.has(c)) || seen[next] {
						continue
					}
					seen[next] = true
					ends = append(ends, next)
					if _, ok := times[i][c]; !ok {
						times[i][c] = t
					}
				}
			}
			from = ends
		}
		for k, c := range where {
			if t, ok := times[i][c]; ok {
				v.tower[i][k] = uint8(t)
				delete(times[i], c)
			}
		}
		v.reach[i] = len(times[i])
	}
	for i := range times {
		for c, t := range times[i] {
			other, ok := times[1-i][c]
			if !ok || t < other || t == other && i == 0 {
				v.first[i]++
			}
			if ok && t == other && i == 0 {
				v.even++
			}
		}
	}
	return v
}

func beside(s trails.Square, d trails.Direction) trails.Square {
	switch d {
	case trails.Up:
		s.Y++
	case trails.Down:
		s.Y--
	case trails.Left:
		s.X--
	case trails.Right:
		s.X++
	}
	return s
}

// Both implementations agree with the plain one.
func TestReachability(t *testing.T) {
	for _, options := range boards {
		for seed := range uint64(30) {
			r := rand.New(rand.NewPCG(seed, 3))
			s := stateOf(t, randomPosition(t, options, r.IntN(40), r))
			want := plainReach(s)
			var got reachability
			if s.computeReachWide(&got, horizon); got != want {
				t.Fatalf("%s seed %d: wide %v, plain %v", options, seed, got, want)
			}
			if s.geo.size > maxNarrowSize {
				continue
			}
			if s.computeReachNarrow(&got, horizon); got != want {
				t.Fatalf("%s seed %d: narrow %v, plain %v", options, seed, got, want)
			}
		}
	}
}
