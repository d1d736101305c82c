package search

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
)

// heap is a game for any number of seats: each in turn takes one, two or three
// things off a heap, and the seat that takes the last wins.
type heap struct {
	left  int
	seats int
	taken []int
}

func (h *heap) Seats() int { return h.seats }

func (h *heap) Seat() int {
	if h.left == 0 {
		return -1
	}
	return len(h.taken) % h.seats
}

func (h *heap) Moves(to []Move) []Move {
	for n := range min(h.left, 3) {
		to = append(to, Move(n+1))
	}
	return to
}

func (h *heap) Make(m Move) {
	h.left -= int(m)
	h.taken = append(h.taken, int(m))
}

func (h *heap) Unmake() {
	last := len(h.taken) - 1
	h.left += h.taken[last]
	h.taken = h.taken[:last]
}

func (h *heap) Hash() uint64 { return Mix(uint64(h.left)<<8 | uint64(len(h.taken)%h.seats)) }

func (h *heap) Payoffs(values []float64) {
	clear(values)
	values[(len(h.taken)+h.seats-1)%h.seats] = 1
}

func (h *heap) Actions(Move) []engine.Action { return nil }

func (h *heap) Playout(random *rand.PCG, values []float64) {
	made := 0
	for ; h.left > 0; made++ {
		h.Make(Move(1 + random.Uint64()%uint64(min(h.left, 3))))
	}
	h.Payoffs(values)
	for range made {
		h.Unmake()
	}
}

func (h *heap) Estimate(values []float64) {
	for i := range values {
		values[i] = 1 / float64(h.seats)
	}
}

// best returns the move that the search chooses on a heap.
func best(m MonteCarlo, left, seats int, nodes int64, seed uint64) (Move, *tree) {
	m.Exploration = 0.5
	t := newTree(m, &heap{left: left, seats: seats}, Limits{Nodes: nodes, Seed: seed})
	t.search(0, nodes, nil)
	return t.nodes[t.mostVisited(0)].move, t
}

func TestMonteCarloFindsWin(t *testing.T) {
	for name, m := range map[string]MonteCarlo{
		"plain":    {},
		"static":   {StaticLeaves: true},
		"widening": {Widening: 1, MaxChildren: 3},
	} {
		for _, left := range []int{5, 6, 7, 9} {
			if got, _ := best(m, left, 2, 3000, 1); got != Move(left%4) {
				t.Errorf("%s: %d off %d", name, got, left)
			}
		}
		// With three seats, only taking all is a certain win.
		if got, _ := best(m, 3, 3, 1000, 1); got != 3 {
			t.Errorf("%s: %d off 3", name, got)
		}
	}
}

// Widening tries as many moves as the visits allow, in the order of the state.
func TestWidening(t *testing.T) {
	for _, c := range []struct {
		nodes int64
		moves int
	}{{2, 1}, {8, 2}, {40, 3}} {
		_, tree := best(MonteCarlo{Widening: 0.75}, 21, 2, c.nodes, 1)
		visited := 0
		for i := range int32(tree.nodes[0].count) {
			if tree.nodes[tree.nodes[0].children+i].visits > 0 {
				visited++
			}
		}
		if visited != c.moves || tree.nodes[tree.nodes[0].children].visits == 0 {
			t.Errorf("%d moves after %d iterations, not %d", visited, c.nodes, c.moves)
		}
	}
}

// MaxChildren applies to all nodes but the root.
func TestMaxChildren(t *testing.T) {
	_, tree := best(MonteCarlo{MaxChildren: 2}, 21, 2, 500, 1)
	for i, n := range tree.nodes {
		if i > 0 && n.count > 2 || i == 0 && n.count != 3 {
			t.Fatalf("node %d has %d children", i, n.count)
		}
	}
}

// TestFewChildren checks that nodes have children only for the visits that they have had,
// and keep the visits of these when they get more.
func TestFewChildren(t *testing.T) {
	m := MonteCarlo{Widening: 0.2, MaxChildren: 3}
	_, tree := best(m, 40, 2, 20_000, 1)
	few, all := 0, 0
	var check func(at int32, left int)
	check = func(at int32, left int) {
		n := tree.nodes[at]
		if n.count == 0 {
			return
		}
		if at != 0 {
			moves := min(left, 3)
			switch {
			case n.visits <= fewVisits && moves > 1:
				few, moves = few+1, 1
			case moves > 1 && tree.widenedAfter(n.visits-1) > 1:
				all++
			default:
				moves = int(n.count)
			}
			if int(n.count) != moves {
				t.Fatalf("a node with %d visits has %d children, want %d", n.visits, n.count, moves)
			}
		}
		visits := int32(0)
		for c := n.children; c < n.children+int32(n.count); c++ {
			visits += tree.nodes[c].visits
			check(c, left-int(tree.nodes[c].move))
		}
		if at != 0 && visits != n.visits-1 {
			t.Fatalf("the children of a node with %d visits have %d", n.visits, visits)
		}
	}
	check(0, 40)
	if few < 100 || all < 10 {
		t.Errorf("only %d nodes have few children, %d all", few, all)
	}
}

// A full tree stays within its memory, and the search goes on.
func TestTreeMemory(t *testing.T) {
	if got := unsafe.Sizeof(treeNode{}); got > treeNodeSize {
		t.Fatalf("a node has %d bytes, counted as %d", got, treeNodeSize)
	}
	const memory, iterations = 32 << 10, 20_000
	for _, nodes := range []int64{0, iterations} {
		tree := newTree(MonteCarlo{}, &heap{left: 60, seats: 3}, Limits{Nodes: nodes, Memory: memory})
		capacity := cap(tree.nodes)
		tree.search(0, iterations, nil)
		if used := len(tree.nodes) * treeNodeSize; cap(tree.nodes) != capacity || capacity*treeNodeSize > memory || used < memory/2 {
			t.Errorf("%d nodes of capacity %d, then %d", len(tree.nodes), capacity, cap(tree.nodes))
		}
		if tree.iterations != iterations || tree.nodes[0].visits != iterations {
			t.Errorf("%d iterations, %d visits of the root", tree.iterations, tree.nodes[0].visits)
		}
	}
}

func TestIterationsDoNotAllocate(t *testing.T) {
	tree := newTree(MonteCarlo{Widening: 1}, &heap{left: 40, seats: 3}, Limits{Nodes: 100_000})
	tree.search(0, 2000, nil)
	if n := testing.AllocsPerRun(500, func() { tree.iterate(0) }); n != 0 {
		t.Errorf("%v allocations per iteration", n)
	}
}

// bare is a state without playouts and estimates.
type bare struct{ State }

func TestMonteCarloNeedsLeafEvaluation(t *testing.T) {
	p, err := sample.Game{}.New(sample.Game{}.Options().Defaults(), engine.MinSeats)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []MonteCarlo{{}, {StaticLeaves: true}} {
		m.State = func(engine.Position) (State, error) { return bare{&heap{left: 5, seats: 2}}, nil }
		if _, err := m.Think(t.Context(), p, Limits{Nodes: 1}); err == nil {
			t.Errorf("%+v accepts the state", m)
		}
	}
}
