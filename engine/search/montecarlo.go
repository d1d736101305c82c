package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"castellan/engine"
)

// MonteCarlo is a player of games of any number of seats that judges moves by
// how games go on that are played from there: upper confidence bounds applied
// to trees (Kocsis and Szepesvári, 2006), with a value for every seat, of which
// each looks at its own (Sturtevant, 2008).
//
// Without Estimate games are played to the end at random, and without Wide every
// move is looked at as soon as any is: plain Monte Carlo, a yardstick more than
// a player. What the other fields do is worth the more the better the state
// knows which moves look best.
type MonteCarlo struct {
	// State is the position to search in; it must be a Playouter, or with
	// Estimate an Estimator.
	State func(engine.Position) (State, error)
	// Explore weighs what is little known against what looks good; 0 for 1.
	Exploration float64
	// Estimate has the state say what may be expected where the tree ends,
	// instead of playing on.
	StaticLeaves bool
	// Wide, if not 0, is how many moves are looked at after one visit; with
	// every four times as many visits it is twice as many, in the order of the
	// state (Coulom, 2007).
	Widening float64
	// Most is how many moves are kept in mind at all, but for the root, where
	// it is all of them; 0 for all.
	MaxChildren int
}

// Estimator is a state that can tell at any time what every seat may expect.
type Estimator interface {
	State
	// Estimate fills in the share of the win that every seat may expect, 1 in
	// all.
	Estimate(values []float64)
}

// Think plays games until the limits, Nodes of them, are reached or the context
// ends. Without either it does not end.
func (m MonteCarlo) Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error) {
	if p.Seat() == engine.Nobody {
		return Decision{}, ErrOver
	}
	state, err := m.State(p)
	if err != nil {
		return Decision{}, err
	}
	t := newTree(m, state, limits)
	if t.leaf == nil {
		return Decision{}, fmt.Errorf("search: Monte Carlo takes a state that plays games out or says what to expect, as it is set to, not %T", state)
	}
	defer trees.give(t.all, branchSize)
	defer context.AfterFunc(ctx, func() { t.stopped.Store(true) })()
	return t.turn(p)
}

// tree is one search.
type tree struct {
	player  MonteCarlo
	state   State
	leaf    func() // fills in values where the tree ends; nil if the state cannot
	limits  Limits
	random  *rand.PCG
	all     []branch // number 0 is the root
	path    []int32
	seats   []int8 // who made the moves of the path
	moves   []Move
	values  []float64
	hopes   []float64 // sum of all values of games from the first root
	played  int64
	full    bool // no branch can be given children any more
	stopped atomic.Bool
}

// branch is a move in the tree and what it led to.
type branch struct {
	value    float64 // sum of the shares of the seat that makes the move
	move     Move
	children int32 // where they begin
	count    int32 // of children, 0 while there are none
	visits   int32
}

const branchSize = 24

var trees pool[branch]

func newTree(m MonteCarlo, s State, limits Limits) *tree {
	if m.Exploration == 0 {
		m.Exploration = 1
	}
	memory := limits.Memory
	if memory <= 0 {
		memory = DefaultMemory
	}
	room := memory / branchSize
	if limits.Nodes > 0 {
		each := int64(256)
		if m.MaxChildren > 0 {
			each = int64(m.MaxChildren)
		}
		room = min(room, limits.Nodes*each)
	}
	all, _ := trees.take(int(max(room, 1024)), branchSize) // every branch is written before it is read
	t := &tree{
		player: m, state: s, limits: limits,
		values: make([]float64, s.Seats()), hopes: make([]float64, s.Seats()),
		random: rand.NewPCG(Mix(limits.Seed), s.Hash()),
		all:    append(all[:0], branch{}),
	}
	if e, ok := s.(Estimator); m.StaticLeaves && ok {
		t.leaf = func() { e.Estimate(t.values) }
	} else if g, ok := s.(Playouter); !m.StaticLeaves && ok {
		t.leaf = func() { g.Playout(t.random, t.values) }
	}
	return t
}

// turn chooses moves until the turn has ended.
func (t *tree) turn(p engine.Position) (thought Decision, err error) {
	var chosen []engine.Action
	turns, root := p.Turns(), int32(0)
	until := t.limits.Nodes
	for first := true; ; first = false {
		var info func(Decision)
		if first {
			info = t.limits.Info
		}
		t.grow(root, until, info)
		best := t.favourite(root)
		if first {
			thought = t.thought(best)
		}
		actions := t.state.Actions(t.all[best].move)
		for _, a := range actions {
			if p, err = p.Apply(a); err != nil {
				return Decision{}, fmt.Errorf("search: a move of the search: %w", err)
			}
		}
		chosen = append(chosen, actions...)
		t.state.Make(t.all[best].move)
		root = best
		if p.Seat() == engine.Nobody || p.Turns() != turns {
			thought.Actions, thought.Continuation, thought.Nodes = chosen, t.line(root), t.played
			return thought, nil
		}
		if t.limits.Nodes > 0 { // a quarter again for each move more
			until = t.played + max(t.limits.Nodes/4, 1)
		}
	}
}

// grow plays games from the root until so many have been played in all.
func (t *tree) grow(root int32, until int64, info func(Decision)) {
	if t.all[root].count == 0 || t.player.MaxChildren > 0 && root != 0 {
		t.expand(root, root, true) // of all moves
	}
	if t.all[root].count == 1 {
		return // nothing to choose
	}
	told := root
	for (until <= 0 || t.played < until) && !t.stopped.Load() {
		t.play(root)
		if info != nil && t.played&63 == 0 {
			if best := t.favourite(root); best != told {
				told = best
				thought := t.thought(best)
				t.state.Make(t.all[best].move)
				thought.Actions = append(thought.Actions, t.line(best)...)
				t.state.Unmake()
				info(thought)
			}
		}
	}
}

// play plays one game through the tree, and judges where that ends.
func (t *tree) play(root int32) {
	t.path, t.seats = append(t.path[:0], root), append(t.seats[:0], -1)
	at := root
	for {
		seat := t.state.Seat()
		if seat < 0 {
			t.state.Payoffs(t.values)
			break
		}
		if t.all[at].count == 0 && (t.full || at != root && t.all[at].visits == 0 || !t.expand(at, root, false)) {
			t.leaf()
			break
		}
		at = t.pick(at)
		t.state.Make(t.all[at].move)
		t.path, t.seats = append(t.path, at), append(t.seats, int8(seat))
	}
	for i, b := range t.path {
		t.all[b].visits++
		if seat := t.seats[i]; seat >= 0 {
			t.all[b].value += t.values[seat]
		}
	}
	if root == 0 {
		for i, v := range t.values {
			t.hopes[i] += v
		}
	}
	for range len(t.path) - 1 {
		t.state.Unmake()
	}
	t.played++
}

// expand gives a branch its children, unless there is no room.
func (t *tree) expand(at, root int32, always bool) bool {
	t.moves = t.state.Moves(t.moves[:0])
	if n := t.player.MaxChildren; n > 0 && at != root && len(t.moves) > n {
		t.moves = t.moves[:n]
	}
	if len(t.all)+len(t.moves) > cap(t.all) && !always {
		t.full = true
		return false
	}
	t.all[at].children, t.all[at].count = int32(len(t.all)), int32(len(t.moves))
	for _, m := range t.moves {
		t.all = append(t.all, branch{move: m})
	}
	return true
}
