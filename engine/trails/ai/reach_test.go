package ai

import (
	"math/rand/v2"
	"testing"
)

// plainReach computes reachability with a queue of squares, directions and
// boosts.
func plainReach(s *State) (v reachability) {
	type end struct {
		c          cell
		dir, boost uint8
	}
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
		p := s.sides[int(s.mover)^i]
		from, seen := []end{{p.head, p.dir, p.boost}}, map[end]bool{}
		for t := 1; t <= horizon && len(from) > 0; t++ {
			var ends []end
			for _, e := range from {
				for d := range uint8(directions) {
					next := end{s.geo.next[e.c][d], d, 0}
					if d == e.dir {
						to, cut := s.geo.target(d, e.c, e.boost)
						if !s.free.has(to) && (cut || !s.tower.has(to)) {
							continue
						}
						next = end{to, d, e.boost + 1}
					} else if !s.free.has(next.c) {
						continue
					}
					if seen[next] {
						continue
					}
					seen[next] = true
					ends = append(ends, next)
					if _, ok := times[i][next.c]; !ok {
						times[i][next.c] = t
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

// Both implementations agree with the plain one.
func TestReachability(t *testing.T) {
	for _, options := range boards {
		for seed := range uint64(30) {
			r := rand.New(rand.NewPCG(seed, 3))
			s := stateOf(t, randomPosition(t, options, r.IntN(40), r))
			want := plainReach(s)
			var got reachability
			if s.computeReachWide(&got); got != want {
				t.Fatalf("%s seed %d: wide %v, plain %v", options, seed, got, want)
			}
			if s.geo.size > maxNarrowSize {
				continue
			}
			if s.computeReachNarrow(&got); got != want {
				t.Fatalf("%s seed %d: narrow %v, plain %v", options, seed, got, want)
			}
		}
	}
}

func BenchmarkReachability(b *testing.B) {
	s := stateOf(b, randomPosition(b, "", 10, rand.New(rand.NewPCG(1, 1))))
	var v reachability
	b.Run("narrow", func(b *testing.B) {
		for b.Loop() {
			s.computeReachNarrow(&v)
		}
	})
	b.Run("wide", func(b *testing.B) {
		for b.Loop() {
			s.computeReachWide(&v)
		}
	})
	s = stateOf(b, randomPosition(b, "size=21", 10, rand.New(rand.NewPCG(1, 1))))
	b.Run("largest", func(b *testing.B) {
		for b.Loop() {
			s.computeReachWide(&v)
		}
	})
}
