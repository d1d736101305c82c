package search

import (
	"slices"
	"testing"
)

// Memory is used again as it is, piece by piece, but only where it has the size
// that is asked for and is worth keeping.
func TestMemoryIsUsedAgain(t *testing.T) {
	var p pool[uint64]
	again := 0
	for range 100 { // under the race detector a pool loses some on purpose
		piece, _ := p.get(minPooledBytes/8, 8)
		piece[5] = 1
		p.put(piece[:1], 8)
		other, used := p.get(minPooledBytes/8+1, 8)
		if used || len(other) != minPooledBytes/8+1 || slices.Max(other) != 0 {
			t.Fatalf("%d elements instead of %d, used %t", len(other), minPooledBytes/8+1, used)
		}
		if piece, used = p.get(minPooledBytes/8, 8); used {
			again++
		}
		if len(piece) != minPooledBytes/8 || cap(piece) != minPooledBytes/8 || used != (piece[5] == 1) {
			t.Fatalf("%d of %d elements, used %t, and %d is in it", len(piece), cap(piece), used, piece[5])
		}
	}
	if again == 0 {
		t.Error("no piece was used again")
	}
	p.put(make([]uint64, 4), 8)
	if _, used := p.get(4, 8); used {
		t.Error("a small piece was kept")
	}
}

// A table and a tree know nothing of those before them.
func TestUsedMemoryIsForgotten(t *testing.T) {
	for range 20 {
		tab := NewTable(2*minPooledBytes, 0)
		for key := range uint64(1000) {
			if tab.Probe(key) != nil {
				t.Fatal("a table finds what another has kept")
			}
			tab.Store(key, 0, 3, 5, Exact, 1)
		}
		tab.Release()
	}
	m := MonteCarlo{}
	move, fresh := best(m, 21, 3, 5000, 1)
	for left := range 20 {
		_, other := best(m, 20+left, 2, 3000, uint64(left))
		treePool.put(other.nodes, treeNodeSize)
		again, used := best(m, 21, 3, 5000, 1)
		if again != move || !slices.Equal(used.nodes, fresh.nodes) {
			t.Fatal("a tree grows otherwise where another has grown")
		}
		treePool.put(used.nodes, treeNodeSize)
	}
}
