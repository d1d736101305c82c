package search

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// A table is within its memory, and not larger than the search can use.
func TestTableMemory(t *testing.T) {
	if got := unsafe.Sizeof(Entry{}); got != entrySize {
		t.Fatalf("an entry has %d bytes, not %d", got, entrySize)
	}
	for _, memory := range []int64{64, 1000, 1 << 16, 1<<20 + 1, 0} {
		for _, nodes := range []int64{0, 1, 1000} {
			limit := memory
			if limit == 0 {
				limit = DefaultMemory
			}
			tab := NewTable(memory, nodes)
			if got := int64(len(tab.entries)) * entrySize; got > limit || nodes > 0 && got > max(nodes, 2)*entrySize {
				t.Errorf("%d bytes for %d, %d nodes", got, memory, nodes)
			}
		}
	}
}

// Probe finds the latest entry of a bucket and the deepest.
func TestTableReplacement(t *testing.T) {
	tab := NewTable(1<<12, 0)
	r := rand.New(rand.NewPCG(1, 1))
	deep := r.Uint64()
	tab.Store(deep, 0, 200, -5, Exact, 7)
	for range 100_000 {
		key := r.Uint64()
		if tab.Probe(key) != nil {
			t.Fatal("found a key that was not stored")
		}
		tab.Store(key, 0, int(key%100), 3, LowerBound, Move(key%50))
		if e := tab.Probe(key); e == nil || e.Value(0) != 3 || e.Bound != LowerBound || e.Move != Move(key%50) {
			t.Fatalf("the latest entry is %+v", e)
		}
	}
	if e := tab.Probe(deep); e == nil || e.Depth != 200 || e.Value(0) != -5 || e.Move != 7 {
		t.Errorf("the deepest entry is %+v", e)
	}
	tab.Store(deep, 0, 201, 9, UpperBound, NoMove)
	if e := tab.Probe(deep); e.Value(0) != 9 || e.Move != 7 {
		t.Errorf("without a move, the stored one is lost: %+v", e)
	}
}

// Win distances count from the position, wherever the search reaches it.
func TestTableWinDistance(t *testing.T) {
	tab := NewTable(1<<12, 0)
	stored := func(v, storedAt, probedAt int) int {
		tab.Store(1, storedAt, 1, v, Exact, 0)
		return tab.Probe(1).Value(probedAt)
	}
	for _, v := range []int{WinValue - 10, 10 - WinValue, 0, MaxValue, -MaxValue} {
		for ply := range 10 {
			if got := stored(v, ply, ply); got != v {
				t.Errorf("%d at ply %d becomes %d", v, ply, got)
			}
		}
	}
	if got := stored(WinValue-10, 4, 6); got != WinValue-12 {
		t.Errorf("a win 6 moves ahead has the value %d", got)
	}
}

func TestEntryCutoff(t *testing.T) {
	for _, c := range []struct {
		bound              Bound
		depth, alpha, beta int
		want               bool
	}{
		{Exact, 3, 4, 5, true}, {Exact, 3, 0, 9, false}, {Exact, 4, 4, 5, false},
		{LowerBound, 3, 0, 5, true}, {LowerBound, 3, 0, 6, false},
		{UpperBound, 3, 5, 9, true}, {UpperBound, 3, 4, 9, false},
	} {
		e := Entry{value: 5, Depth: 3, Bound: c.bound}
		if _, ok := e.Cutoff(c.depth, c.alpha, c.beta, 0); ok != c.want {
			t.Errorf("%+v: %t", c, ok)
		}
	}
}

// Only large buffers of exactly the requested size are reused.
func TestPool(t *testing.T) {
	var p pool[uint64]
	reused := 0
	for range 100 { // under the race detector a sync.Pool drops some on purpose
		buffer, _ := p.get(minPooledBytes/8, 8)
		buffer[5] = 1
		p.put(buffer[:1], 8)
		other, dirty := p.get(minPooledBytes/8+1, 8)
		if dirty || len(other) != minPooledBytes/8+1 || slices.Max(other) != 0 {
			t.Fatalf("%d elements instead of %d, dirty %t", len(other), minPooledBytes/8+1, dirty)
		}
		if buffer, dirty = p.get(minPooledBytes/8, 8); dirty {
			reused++
		}
		if len(buffer) != minPooledBytes/8 || cap(buffer) != minPooledBytes/8 || dirty != (buffer[5] == 1) {
			t.Fatalf("%d of %d elements, dirty %t with %d in it", len(buffer), cap(buffer), dirty, buffer[5])
		}
	}
	if reused == 0 {
		t.Error("no buffer was reused")
	}
	p.put(make([]uint64, 4), 8)
	if _, dirty := p.get(4, 8); dirty {
		t.Error("a small buffer was reused")
	}
}

// Reused buffers do not change a search.
func TestPoolLeavesNothing(t *testing.T) {
	for range 20 {
		tab := NewTable(2*minPooledBytes, 0)
		for key := range uint64(1000) {
			if tab.Probe(key) != nil {
				t.Fatal("found an entry of another table")
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
		again, reused := best(m, 21, 3, 5000, 1)
		if again != move || !slices.Equal(reused.nodes, fresh.nodes) {
			t.Fatal("a tree in a reused buffer differs")
		}
		treePool.put(reused.nodes, treeNodeSize)
	}
}
