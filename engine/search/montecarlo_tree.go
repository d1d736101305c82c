package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"castellan/engine"
)

// tree is one Monte-Carlo tree search.
type tree struct {
	player       MonteCarlo
	state        State
	evaluateLeaf func() // fills in values at a leaf; nil if the state cannot
	limits       Limits
	random       *rand.PCG
	nodes        []treeNode // the root of the first move is number 0
	path         []int32
	seats        []int8 // that made the moves of the path
	moves        []Move
	values       []float64
	payoffSums   []float64 // over all iterations of the first move
	iterations   int64
	full         bool // no node can be expanded any more
	cancelled    atomic.Bool
}

// treeNode is a move in the tree and its statistics.
type treeNode struct {
	payoff   float64 // sum of the payoffs of the seat that makes the move
	move     Move
	children int32 // index of the first
	visits   int32
	count    int16 // of children, 0 before the expansion
	more     bool  // it has children for few visits
}

const treeNodeSize = 24

var treePool pool[treeNode]

func newTree(m MonteCarlo, s State, limits Limits) *tree {
	m.Exploration = cmp.Or(m.Exploration, 1)
	room := cmp.Or(limits.Memory, DefaultMemory) / treeNodeSize
	if limits.Nodes > 0 {
		each := int64(256)
		if m.MaxChildren > 0 {
			each = int64(m.MaxChildren)
		}
		room = min(room, limits.Nodes*each)
	}
	all, _ := treePool.get(int(max(room, 1024)), treeNodeSize) // every node is written before it is read
	t := &tree{
		player: m, state: s, limits: limits,
		values: make([]float64, s.Seats()), payoffSums: make([]float64, s.Seats()),
		random: rand.NewPCG(Mix(limits.Seed), s.Hash()),
		nodes:  append(all[:0], treeNode{}),
	}
	if e, ok := s.(Estimator); m.StaticLeaves && ok {
		t.evaluateLeaf = func() { e.Estimate(t.values) }
	} else if g, ok := s.(Playouter); !m.StaticLeaves && ok {
		t.evaluateLeaf = func() { g.Playout(t.random, t.values) }
	}
	return t
}

// search iterates below the root up to a total number of iterations.
func (t *tree) search(root int32, until int64, info func(Decision)) {
	if t.nodes[root].count == 0 || t.player.MaxChildren > 0 && root != 0 {
		t.expand(root, root, true) // with all moves
	}
	if t.nodes[root].count == 1 {
		return // nothing to choose
	}
	reported := root
	for (until <= 0 || t.iterations < until) && !t.cancelled.Load() {
		t.iterate(root)
		if info != nil && t.iterations&63 == 0 {
			if best := t.mostVisited(root); best != reported {
				reported = best
				d := t.decision(best)
				t.state.Make(t.nodes[best].move)
				d.Actions = append(d.Actions, t.continuation(best)...)
				t.state.Unmake()
				info(d)
			}
		}
	}
}

// iterate descends to a leaf, evaluates it and backs the payoffs up.
func (t *tree) iterate(root int32) {
	t.path, t.seats = append(t.path[:0], root), append(t.seats[:0], -1)
	at := root
	for {
		seat := t.state.Seat()
		if seat < 0 {
			t.state.Payoffs(t.values)
			break
		}
		if t.nodes[at].more && t.widened(at) > int(t.nodes[at].count) {
			t.expandFully(at)
		}
		if t.nodes[at].count == 0 && (t.full || at != root && t.nodes[at].visits == 0 || !t.expand(at, root, false)) {
			t.evaluateLeaf()
			break
		}
		at = t.selectChild(at)
		t.state.Make(t.nodes[at].move)
		t.path, t.seats = append(t.path, at), append(t.seats, int8(seat))
	}
	for i, b := range t.path {
		t.nodes[b].visits++
		if seat := t.seats[i]; seat >= 0 {
			t.nodes[b].payoff += t.values[seat]
		}
	}
	if root == 0 {
		for i, v := range t.values {
			t.payoffSums[i] += v
		}
	}
	for range len(t.path) - 1 {
		t.state.Unmake()
	}
	t.iterations++
}

// fewVisits is the number of visits for which a node gets children at first. Few nodes
// have more.
const fewVisits = 35

// widened returns how many of a node's children may be visited.
func (t *tree) widened(at int32) int { return t.widenedAfter(t.nodes[at].visits) }

func (t *tree) widenedAfter(visits int32) int {
	return max(1, int(t.player.Widening*math.Sqrt(float64(visits+1))))
}

// expand adds the children of a node, unless there is no room.
func (t *tree) expand(at, root int32, always bool) bool {
	t.moves = t.state.Moves(t.moves[:0])
	more := false
	if n := t.player.MaxChildren; n > 0 && at != root {
		t.moves = t.moves[:min(n, len(t.moves))]
		if few := t.widenedAfter(fewVisits); t.player.Widening > 0 && few < len(t.moves) {
			t.moves, more = t.moves[:few], true
		}
	}
	return t.addChildren(at, more, always)
}

// expandFully gives a node with children for few visits the others, unless there is no
// room.
func (t *tree) expandFully(at int32) {
	t.moves = t.state.Moves(t.moves[:0])
	t.moves = t.moves[:min(t.player.MaxChildren, len(t.moves))]
	old := t.nodes[at]
	t.nodes[at].more = false
	if t.addChildren(at, false, false) {
		copy(t.nodes[t.nodes[at].children:], t.nodes[old.children:old.children+int32(old.count)])
	}
}

// addChildren adds children with the moves, unless there is no room.
func (t *tree) addChildren(at int32, more, always bool) bool {
	if len(t.nodes)+len(t.moves) > cap(t.nodes) && !always {
		t.full = true
		return false
	}
	b := &t.nodes[at]
	b.children, b.count, b.more = int32(len(t.nodes)), int16(len(t.moves)), more
	for _, m := range t.moves {
		t.nodes = append(t.nodes, treeNode{move: m})
	}
	return true
}

// selectChild returns the child to visit next.
func (t *tree) selectChild(at int32) int32 {
	b := &t.nodes[at]
	children := t.nodes[b.children : b.children+int32(b.count)]
	if t.player.Widening > 0 {
		children = children[:min(t.widened(at), len(children))]
		// Children are visited in order: while the last has no visit,
		// take the first without one.
		if children[len(children)-1].visits == 0 {
			for i := range children {
				if children[i].visits == 0 {
					return b.children + int32(i)
				}
			}
		}
	}
	best, most := 0, math.Inf(-1)
	log := t.player.Exploration * math.Sqrt(math.Log(float64(b.visits+1)))
	fresh := uint64(0)
	for i := range children {
		c := &children[i]
		if c.visits == 0 { // a random one of those without visits
			if fresh++; t.random.Uint64()%fresh == 0 {
				best = i
			}
			continue
		}
		if fresh > 0 {
			continue
		}
		n := float64(c.visits)
		v := c.payoff/n + log/math.Sqrt(n)
		if v > most {
			best, most = i, v
		}
	}
	return b.children + int32(best)
}

func (t *tree) mostVisited(at int32) int32 {
	b := &t.nodes[at]
	best := b.children
	for c := b.children; c < b.children+int32(b.count); c++ {
		if t.nodes[c].visits > t.nodes[best].visits {
			best = c
		}
	}
	return best
}

// decision describes the turn that begins with one of the root's moves.
func (t *tree) decision(best int32) Decision {
	b := &t.nodes[best]
	own := 1 / float64(len(t.values))
	if b.visits > 0 {
		own = b.payoff / float64(b.visits)
	}
	me := t.state.Seat()
	others := 0.0
	for i, v := range t.payoffSums {
		if i != me {
			others += v
		}
	}
	values := make([]float64, len(t.payoffSums))
	for i := range values {
		values[i] = (1 - own) / float64(len(values)-1)
		if others > 0 {
			values[i] = (1 - own) * t.payoffSums[i] / others
		}
	}
	values[me] = own
	return Decision{Actions: t.state.Actions(b.move), Values: values, Nodes: t.iterations}
}

// continuation returns the actions expected after a node.
func (t *tree) continuation(from int32) (actions []engine.Action) {
	made := 0
	for t.nodes[from].count > 0 {
		from = t.mostVisited(from)
		if t.nodes[from].visits < 2 {
			break
		}
		actions = append(actions, t.state.Actions(t.nodes[from].move)...)
		t.state.Make(t.nodes[from].move)
		made++
	}
	for range made {
		t.state.Unmake()
	}
	return actions
}
