package stonetowers

import (
	"math/bits"
	"testing"
)

// Squares and cells map to each other one to one; cells beyond the edges are
// not squares.
func TestGeometry(t *testing.T) {
	for width := minEdge; width <= maxEdge; width++ {
		for height := minEdge; height <= maxEdge; height++ {
			g := newGeometry(width, height)
			count := 0
			for i, w := range g.squares {
				count += bits.OnesCount64(w)
				if w != 0 && i >= g.usedWords {
					t.Fatalf("%d by %d: squares beyond word %d", width, height, g.usedWords)
				}
			}
			if count != width*height {
				t.Fatalf("%d by %d: %d squares", width, height, count)
			}
			last := pass
			for x := range width {
				for y := range height {
					s := Square{x, y}
					c := g.cell(s)
					if c <= last || g.square(c) != s || g.cells[x*height+y] != c {
						t.Fatalf("%d by %d: %v is cell %d, which is %v", width, height, s, c, g.square(c))
					}
					last = c
					for _, n := range []struct {
						c cell
						s Square
					}{
						{c - 1, Square{x, y - 1}}, {c + 1, Square{x, y + 1}},
						{c - g.stride, Square{x - 1, y}}, {c + g.stride, Square{x + 1, y}},
					} {
						if n.c >= cells || g.squares.has(n.c) != g.contains(n.s) || g.contains(n.s) && g.cell(n.s) != n.c {
							t.Fatalf("%d by %d: beside %v lies cell %d", width, height, s, n.c)
						}
					}
				}
			}
		}
	}
}

// A window reads 64 cells from any cell on, and writes them back there.
func TestWindow(t *testing.T) {
	for from := range cell(cells - 64) {
		for _, w := range []uint64{1, 1 << 34, 0x5a5a5a5a5a5a5a5a, 1<<63 | 1} {
			var b board
			b.add(from, w)
			for c := range cell(cells) {
				if want := c >= from && c < from+64 && w>>(c-from)&1 != 0; b.has(c) != want {
					t.Fatalf("from %d: cell %d is %t", from, c, b.has(c))
				}
			}
			if b.window(from) != w {
				t.Fatalf("from %d: %x, not %x", from, b.window(from), w)
			}
			b.remove(from, w)
			if b != (board{}) {
				t.Fatalf("from %d: %x is left", from, b)
			}
		}
	}
}

// Members of a set are numbered in order across its words.
func TestMoves(t *testing.T) {
	var m Moves
	want := []Move{17, 63, 64, 130, 131, 200, 287}
	for _, c := range want {
		m.set.set(c)
		m.count++
	}
	for k, c := range want {
		if m.At(k) != c || !m.Has(c) || m.Has(c+2) {
			t.Errorf("number %d is %d, not %d", k, m.At(k), c)
		}
	}
	if m.Len() != len(want) {
		t.Errorf("%d members", m.Len())
	}
}
