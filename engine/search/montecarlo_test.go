package search

import (
	"math/rand/v2"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
)

// heap is a game for any number of seats: each in turn takes one, two or three
// things off a heap, and who takes the last has won.
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

// Playout takes at random to the end.
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

// Estimate knows nothing of a game that goes on.
func (h *heap) Estimate(values []float64) {
	for i := range values {
		values[i] = 1 / float64(h.seats)
	}
}

// best is what the search takes off a heap.
func best(m MonteCarlo, left, seats int, nodes int64, seed uint64) (Move, *tree) {
	m.Exploration = 0.5
	t := newTree(m, &heap{left: left, seats: seats}, Limits{Nodes: nodes, Seed: seed})
	t.search(0, nodes, nil)
	return t.nodes[t.mostVisited(0)].move, t
}

// However games are judged, the search finds the move that wins for certain.
func TestMonteCarloFindsWhatWins(t *testing.T) {
	for name, m := range map[string]MonteCarlo{
		"plain":    {},
		"estimate": {StaticLeaves: true},
		"widening": {Widening: 1, MaxChildren: 3},
	} {
		for _, left := range []int{5, 6, 7, 9} {
			if got, _ := best(m, left, 2, 3000, 1); got != Move(left%4) {
				t.Errorf("%s: %d off %d", name, got, left)
			}
		}
		// With three seats nothing wins for certain but to take all.
		if got, _ := best(m, 3, 3, 1000, 1); got != 3 {
			t.Errorf("%s: %d off 3", name, got)
		}
	}
}

// With widening the moves are looked at in the order of the state, as many as
// the visits allow.
func TestWideningLooksAtTheFirstMoves(t *testing.T) {
	for _, c := range []struct {
		nodes int64
		moves int
	}{{2, 1}, {8, 2}, {40, 3}} {
		_, tree := best(MonteCarlo{Widening: 0.75}, 21, 2, c.nodes, 1)
		seen := 0
		for i := range tree.nodes[0].count {
			if tree.nodes[tree.nodes[0].children+i].visits > 0 {
				seen++
			}
		}
		if seen != c.moves || tree.nodes[tree.nodes[0].children].visits == 0 {
			t.Errorf("%d moves after %d games, not %d", seen, c.nodes, c.moves)
		}
	}
}

// A branch behind the root keeps no more than the most moves.
func TestNoMoreThanTheMostMovesAreKept(t *testing.T) {
	_, tree := best(MonteCarlo{MaxChildren: 2}, 21, 2, 500, 1)
	for i, b := range tree.nodes {
		if i > 0 && b.count > 2 || i == 0 && b.count != 3 {
			t.Fatalf("branch %d has %d moves", i, b.count)
		}
	}
}

// The tree does not outgrow the memory that it was given.
func TestTheTreeKeepsToItsMemory(t *testing.T) {
	s := &heap{left: 60, seats: 3}
	tree := newTree(MonteCarlo{Exploration: 1}, s, Limits{Nodes: 20_000, Memory: 1 << 15})
	room := cap(tree.nodes)
	tree.search(0, 20_000, nil)
	if cap(tree.nodes) != room || room*treeNodeSize > 1<<15 {
		t.Errorf("%d branches, of which there was room for %d", cap(tree.nodes), room)
	}
	if tree.iterations != 20_000 {
		t.Errorf("%d games", tree.iterations)
	}
}

// A game through the tree allocates nothing.
func TestGamesThroughTheTreeDoNotAllocate(t *testing.T) {
	s := &heap{left: 40, seats: 3}
	tree := newTree(MonteCarlo{Exploration: 1, Widening: 1}, s, Limits{Nodes: 100_000})
	tree.search(0, 2000, nil)
	if n := testing.AllocsPerRun(500, func() { tree.iterate(0) }); n != 0 {
		t.Errorf("%v allocations a game", n)
	}
}

// silent is a state that can neither play games out nor say what to expect.
type silent struct{ State }

// A state that cannot do what the player is set to is refused.
func TestMonteCarloNeedsAStateThatJudges(t *testing.T) {
	p, err := sample.Game{}.New(sample.Game{}.Options().Defaults(), engine.MinSeats)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []MonteCarlo{{}, {StaticLeaves: true}} {
		m.State = func(engine.Position) (State, error) { return silent{&heap{left: 5, seats: 2}}, nil }
		if _, err := m.Think(t.Context(), p, Limits{Nodes: 1}); err == nil {
			t.Errorf("%+v thinks", m)
		}
	}
}
