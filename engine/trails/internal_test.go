package trails

import (
	"math/bits"
	"testing"
)

// For every set of free neighbours of every square on every size of board, a
// player who has not moved yet has exactly the moves onto them.
func TestFreeNeighbours(t *testing.T) {
	for size := minSize; size <= maxSize; size += 2 {
		g := newGeometry(size)
		for y := range size {
			for x := range size {
				for set := range 16 {
					s := State{geo: g}
					var want Moves
					for i, d := range directions {
						dx, dy := d.vector()
						to := Square{x + dx, y + dy}
						if set>>i&1 == 0 || !g.contains(to) {
							continue
						}
						s.field.setFree(g.cell(to))
						want |= bitOf[d]
					}
					c := g.cell(Square{x, y})
					if got := s.movesFor(&side{head: c, straight: straightMove{c, freeBit}}); got != want {
						t.Fatalf("size %d, %v: %04b, want %04b", size, Square{x, y}, got, want)
					}
				}
			}
		}
	}
}

func TestMoves(t *testing.T) {
	for m := range Moves(16) {
		if m.Len() != bits.OnesCount8(uint8(m)) {
			t.Errorf("%04b has %d members", m, m.Len())
		}
		var union Moves
		for k := range m.Len() {
			d := m.At(k)
			if !m.Has(d) || union.Has(d) {
				t.Errorf("member %d of %04b is %v", k, m, d)
			}
			union |= bitOf[d]
		}
		if union != m {
			t.Errorf("the members of %04b are %04b", m, union)
		}
	}
}

// Pick returns each member of a set equally often.
func TestPickIsEven(t *testing.T) {
	for m := Moves(1); m < 16; m++ {
		count := map[Direction]int{}
		for n := range 12 {
			count[m.Pick(n)]++
		}
		for _, d := range directions {
			if want := 12 / m.Len(); m.Has(d) && count[d] != want || !m.Has(d) && count[d] != 0 {
				t.Errorf("of %04b, %v comes up %d times in 12", m, d, count[d])
			}
		}
	}
}

// Squares and cells map to each other one to one, and room counts the squares
// up to the edge.
func TestGeometry(t *testing.T) {
	for size := minSize; size <= maxSize; size += 2 {
		g := newGeometry(size)
		seen := map[cell]bool{}
		for y := range size {
			for x := range size {
				s := Square{x, y}
				c := g.cell(s)
				if seen[c] || c >= cells || g.square(c) != s {
					t.Fatalf("size %d: %v is cell %d, which is %v", size, s, c, g.square(c))
				}
				seen[c] = true
				for _, d := range directions {
					dx, dy := d.vector()
					n := 0
					for g.contains(Square{x + (n+1)*dx, y + (n+1)*dy}) {
						n++
					}
					if int(g.room[d][c]) != n {
						t.Fatalf("size %d: %v has room %d %v, not %d", size, s, g.room[d][c], d, n)
					}
				}
			}
		}
	}
}
