package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"castellan/engine"
)

// MonteCarlo is a player of games of any number of seats that judges moves by
// playing games to the end at random: upper confidence bounds applied to trees
// (Kocsis and Szepesvári, 2006), with a value for every seat, of which each
// looks at its own.
type MonteCarlo struct {
	// State is the position to search in; it must be a Playouter.
	State func(engine.Position) (State, error)
	// Explore weighs what is little known against what looks good; 0 for 1.
	Explore float64
}

// Think plays games until the limits, Nodes of them, are reached or the context
// ends. Without either it does not end.
func (m MonteCarlo) Think(ctx context.Context, p engine.Position, limits Limits) (Thought, error) {
	if p.Seat() == engine.Nobody {
		return Thought{}, ErrOver
	}
	state, err := m.State(p)
	if err != nil {
		return Thought{}, err
	}
	s, ok := state.(Playouter)
	if !ok {
		return Thought{}, fmt.Errorf("search: Monte Carlo takes a state that plays games out, not %T", state)
	}
	if m.Explore == 0 {
		m.Explore = 1
	}
	t := newTree(m, s, limits)
	defer context.AfterFunc(ctx, func() { t.stopped.Store(true) })()
	return t.turn(p)
}

// branch is a move in the tree and what it led to.
type branch struct {
	move     Move
	children int32 // where they begin; 0 while there are none
	count    int32 // of children
	visits   int32
	value    float64 // sum of the shares of the seat that makes the move
}

const branchSize = 32

// tree is one search.
type tree struct {
	player  MonteCarlo
	state   Playouter
	limits  Limits
	random  *rand.PCG
	all     []branch // number 0 is the root
	path    []int32
	seats   []int8 // who made the moves of the path
	moves   []Move
	values  []float64
	played  int64
	stopped atomic.Bool
}

func newTree(m MonteCarlo, s Playouter, limits Limits) *tree {
	memory := limits.Memory
	if memory <= 0 {
		memory = DefaultMemory
	}
	room := memory / branchSize
	if limits.Nodes > 0 {
		room = min(room, limits.Nodes*256)
	}
	return &tree{
		player: m, state: s, limits: limits, values: make([]float64, s.Seats()),
		random: rand.NewPCG(mix(limits.Seed), s.Hash()),
		all:    make([]branch, 1, max(room, 1024)),
	}
}

// turn chooses moves until the turn has ended.
func (t *tree) turn(p engine.Position) (Thought, error) {
	thought := Thought{Values: make([]float64, len(t.values))}
	turns, root := p.Turns(), int32(0)
	until := t.limits.Nodes
	for first := true; ; first = false {
		t.grow(root, until)
		if first {
			t.expect(thought.Values)
		}
		best := t.favourite(root)
		actions := t.state.Actions(t.all[best].move)
		for _, a := range actions {
			q, err := p.Apply(a)
			if err != nil {
				return Thought{}, fmt.Errorf("search: a move of the search: %w", err)
			}
			p = q
		}
		thought.Actions = append(thought.Actions, actions...)
		t.state.Make(t.all[best].move)
		root = best
		if p.Seat() == engine.Nobody || p.Turns() != turns {
			thought.Nodes = t.played
			return thought, nil
		}
		if t.limits.Nodes > 0 { // a quarter again for each move more
			until = t.played + max(t.limits.Nodes/4, 1)
		}
	}
}

// grow plays games from the root until so many have been played in all.
func (t *tree) grow(root int32, until int64) {
	if t.all[root].count == 0 {
		t.expand(root, true)
	}
	if t.all[root].count == 1 {
		return // nothing to choose
	}
	for (until <= 0 || t.played < until) && !t.stopped.Load() {
		t.play(root)
	}
}

// play plays one game through the tree, and on at random.
func (t *tree) play(root int32) {
	t.path, t.seats = append(t.path[:0], root), append(t.seats[:0], -1)
	at := root
	for {
		seat := t.state.Seat()
		if seat < 0 {
			t.state.Share(t.values)
			break
		}
		if t.all[at].count == 0 && (at != root && t.all[at].visits == 0 || !t.expand(at, false)) {
			t.state.Playout(t.random, t.values)
			break
		}
		at = t.pick(at)
		t.state.Make(t.all[at].move)
		t.path, t.seats = append(t.path, at), append(t.seats, int8(seat))
	}
	for i, b := range t.path {
		t.all[b].visits++
		if t.seats[i] >= 0 {
			t.all[b].value += t.values[t.seats[i]]
		}
	}
	for range len(t.path) - 1 {
		t.state.Unmake()
	}
	t.played++
}

// expand gives a branch its children, unless there is no room.
func (t *tree) expand(at int32, always bool) bool {
	t.moves = t.state.Moves(t.moves[:0])
	if len(t.all)+len(t.moves) > cap(t.all) && !always {
		return false
	}
	t.all[at].children, t.all[at].count = int32(len(t.all)), int32(len(t.moves))
	for _, m := range t.moves {
		t.all = append(t.all, branch{move: m})
	}
	return true
}

// pick is the child to look at next.
func (t *tree) pick(at int32) int32 {
	b := &t.all[at]
	best, most := b.children, math.Inf(-1)
	log := math.Log(float64(b.visits + 1))
	fresh := int32(0)
	for c := b.children; c < b.children+b.count; c++ {
		n := float64(t.all[c].visits)
		if n == 0 { // one of those that nobody has looked at
			if fresh++; t.random.Uint64()%uint64(fresh) == 0 {
				best, most = c, math.Inf(1)
			}
			continue
		}
		if fresh > 0 {
			continue
		}
		if v := t.all[c].value/n + t.player.Explore*math.Sqrt(log/n); v > most {
			best, most = c, v
		}
	}
	return best
}

// favourite is the child that was looked at most.
func (t *tree) favourite(at int32) int32 {
	b := &t.all[at]
	best := b.children
	for c := b.children; c < b.children+b.count; c++ {
		if t.all[c].visits > t.all[best].visits {
			best = c
		}
	}
	return best
}

// expect fills in what every seat may hope for after the best move: known of
// the one to move, and of the other where there are two.
func (t *tree) expect(values []float64) {
	b := &t.all[t.favourite(0)]
	own := 0.5
	if b.visits > 0 {
		own = b.value / float64(b.visits)
	}
	for i := range values {
		values[i] = (1 - own) / float64(len(values)-1)
	}
	values[t.state.Seat()] = own
}
