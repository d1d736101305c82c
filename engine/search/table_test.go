package search

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"castellan/engine"
)

// A table is never larger than it may be, nor than a search can use.
func TestATableStaysWithinItsMemory(t *testing.T) {
	if got := unsafe.Sizeof(entry{}); got != entrySize {
		t.Fatalf("an entry has %d bytes, not %d", got, entrySize)
	}
	for _, memory := range []int64{64, 1000, 1 << 16, 1<<20 + 1, 0} {
		for _, nodes := range []int64{0, 1, 1000} {
			most := memory
			if most == 0 {
				most = DefaultMemory
			}
			tab := newTable(memory, nodes)
			if got := int64(len(tab.entries)) * entrySize; got > most || nodes > 0 && got > max(4*nodes, 2)*entrySize {
				t.Errorf("%d bytes for %d, %d nodes", got, memory, nodes)
			}
		}
	}
}

// What is kept is found until something else takes its place, and what was
// looked at deepest is kept longest.
func TestATableFindsWhatItKept(t *testing.T) {
	tab := newTable(1<<12, 0)
	r := rand.New(rand.NewPCG(1, 1))
	deep := r.Uint64()
	tab.keep(deep, 200, -5, exact, 7)
	for range 100_000 {
		key := r.Uint64()
		if tab.find(key) != nil {
			t.Fatal("it finds what was never kept")
		}
		tab.keep(key, int(key%100), 3, atLeast, Move(key%50))
		if e := tab.find(key); e == nil || e.value != 3 || e.bound != atLeast || e.move != Move(key%50) {
			t.Fatalf("it does not find what was kept last: %+v", e)
		}
	}
	if e := tab.find(deep); e == nil || e.depth != 200 || e.value != -5 || e.move != 7 {
		t.Errorf("what was looked at deepest is %+v", e)
	}
	tab.keep(deep, 201, 9, atMost, NoMove)
	if e := tab.find(deep); e.value != 9 || e.move != 7 {
		t.Errorf("with no better move it forgets the one that it knew: %+v", e)
	}
}

// A win is as far from a position wherever that stands in the search.
func TestATableKeepsHowFarAWinIs(t *testing.T) {
	for _, v := range []int{won - 10, 10 - won, 0, MaxValue, -MaxValue} {
		for at := range 10 {
			if got := fromTable(toTable(v, at), at); got != v {
				t.Errorf("%d at %d becomes %d", v, at, got)
			}
		}
	}
	if got := fromTable(toTable(won-10, 4), 6); got != won-12 {
		t.Errorf("a win 6 moves on is worth %d", got)
	}
}

// toy is a game without positions: both seats take turns to choose one of
// three ways, for so many moves, and chance decides who has won.
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
func (s *toy) Make(m Move)            { s.path = append(s.path, mix(s.Hash()+uint64(m))) }
func (s *toy) Unmake()                { s.path = s.path[:len(s.path)-1] }
func (s *toy) Hash() uint64           { return s.path[len(s.path)-1] }
func (s *toy) Share(values []float64) {
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
	if got := unsafe.Sizeof(branch{}); got > branchSize {
		t.Fatalf("a branch has %d bytes, which count as %d", got, branchSize)
	}
	const memory = 64 << 10
	for _, nodes := range []int64{0, 20_000} {
		tr := newTree(MonteCarlo{Explore: 1}, &toy{path: []uint64{1}, most: 40}, Limits{Nodes: nodes, Memory: memory})
		if got := cap(tr.all) * branchSize; got > memory {
			t.Errorf("it begins with %d bytes of %d", got, memory)
		}
		tr.grow(0, 20_000, nil)
		if got := cap(tr.all) * branchSize; got > memory || len(tr.all)*branchSize < memory/2 {
			t.Errorf("%d bytes of %d, %d of them in use", got, memory, len(tr.all)*branchSize)
		}
		if tr.played != 20_000 || int64(tr.all[0].visits) != tr.played {
			t.Errorf("%d games, of which %d began at the root", tr.played, tr.all[0].visits)
		}
	}
}
