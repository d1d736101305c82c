package search

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"castellan/engine"
)

// A table is never larger than it may be, nor than a search can use.
func TestATableStaysWithinItsMemory(t *testing.T) {
	if got := unsafe.Sizeof(Entry{}); got != entrySize {
		t.Fatalf("an entry has %d bytes, not %d", got, entrySize)
	}
	for _, memory := range []int64{64, 1000, 1 << 16, 1<<20 + 1, 0} {
		for _, nodes := range []int64{0, 1, 1000} {
			most := memory
			if most == 0 {
				most = DefaultMemory
			}
			tab := NewTable(memory, nodes)
			if got := int64(len(tab.entries)) * entrySize; got > most || nodes > 0 && got > max(nodes, 2)*entrySize {
				t.Errorf("%d bytes for %d, %d nodes", got, memory, nodes)
			}
		}
	}
}

// What is kept is found until something else takes its place, and what was
// looked at deepest is kept longest.
func TestATableFindsWhatItKept(t *testing.T) {
	tab := NewTable(1<<12, 0)
	r := rand.New(rand.NewPCG(1, 1))
	deep := r.Uint64()
	tab.Store(deep, 0, 200, -5, Exact, 7)
	for range 100_000 {
		key := r.Uint64()
		if tab.Probe(key) != nil {
			t.Fatal("it finds what was never kept")
		}
		tab.Store(key, 0, int(key%100), 3, LowerBound, Move(key%50))
		if e := tab.Probe(key); e == nil || e.Value(0) != 3 || e.Bound != LowerBound || e.Move != Move(key%50) {
			t.Fatalf("it does not find what was kept last: %+v", e)
		}
	}
	if e := tab.Probe(deep); e == nil || e.Depth != 200 || e.Value(0) != -5 || e.Move != 7 {
		t.Errorf("what was looked at deepest is %+v", e)
	}
	tab.Store(deep, 0, 201, 9, UpperBound, NoMove)
	if e := tab.Probe(deep); e.Value(0) != 9 || e.Move != 7 {
		t.Errorf("with no better move it forgets the one that it knew: %+v", e)
	}
}

// A win is as far from a position wherever that stands in the search.
func TestATableKeepsHowFarAWinIs(t *testing.T) {
	tab := NewTable(1<<12, 0)
	kept := func(v, at, from int) int {
		tab.Store(1, at, 1, v, Exact, 0)
		return tab.Probe(1).Value(from)
	}
	for _, v := range []int{WinValue - 10, 10 - WinValue, 0, MaxValue, -MaxValue} {
		for at := range 10 {
			if got := kept(v, at, at); got != v {
				t.Errorf("%d at %d becomes %d", v, at, got)
			}
		}
	}
	if got := kept(WinValue-10, 4, 6); got != WinValue-12 {
		t.Errorf("a win 6 moves on is worth %d", got)
	}
}

// toy is a game without positions: both seats take turns to choose one of
// three ways, for so many moves, and chance decides who has WinValue.
type toy struct {
	path []uint64
	most int
}

func (s *toy) Seat() int {
	if len(s.path) > s.most {
		return -1
	}
	return (len(s.path) - 1) % 2
}

func (s *toy) Seats() int             { return 2 }
func (s *toy) Moves(to []Move) []Move { return append(to, 0, 1, 2) }
func (s *toy) Make(m Move)            { s.path = append(s.path, Mix(s.Hash()+uint64(m))) }
func (s *toy) Unmake()                { s.path = s.path[:len(s.path)-1] }
func (s *toy) Hash() uint64           { return s.path[len(s.path)-1] }
func (s *toy) Payoffs(values []float64) {
	values[0] = float64(s.Hash() & 1)
	values[1] = 1 - values[0]
}

func (s *toy) Actions(Move) []engine.Action { return nil }

func (s *toy) Playout(random *rand.PCG, values []float64) {
	values[0] = float64(random.Uint64() & 1)
	values[1] = 1 - values[0]
}

// A tree stops growing where its memory ends, and goes on playing.
func TestATreeStaysWithinItsMemory(t *testing.T) {
	if got := unsafe.Sizeof(treeNode{}); got > treeNodeSize {
		t.Fatalf("a branch has %d bytes, which count as %d", got, treeNodeSize)
	}
	const memory = 64 << 10
	for _, nodes := range []int64{0, 20_000} {
		tr := newTree(MonteCarlo{Exploration: 1}, &toy{path: []uint64{1}, most: 40}, Limits{Nodes: nodes, Memory: memory})
		if got := cap(tr.nodes) * treeNodeSize; got > memory {
			t.Errorf("it begins with %d bytes of %d", got, memory)
		}
		tr.search(0, 20_000, nil)
		if got := cap(tr.nodes) * treeNodeSize; got > memory || len(tr.nodes)*treeNodeSize < memory/2 {
			t.Errorf("%d bytes of %d, %d of them in use", got, memory, len(tr.nodes)*treeNodeSize)
		}
		if tr.iterations != 20_000 || int64(tr.nodes[0].visits) != tr.iterations {
			t.Errorf("%d games, of which %d began at the root", tr.iterations, tr.nodes[0].visits)
		}
	}
}
