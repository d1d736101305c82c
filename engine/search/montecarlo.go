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
// Without Sketch games are played to the end at random, and every move is
// looked at as soon as any is: plain Monte Carlo, a yardstick more than a
// player. What the other fields do is worth the more the better the state knows
// which moves look best.
type MonteCarlo struct {
	// State is the position to search in; it must be a Playouter, and with
	// Sketch a Sketcher.
	State func(engine.Position) (State, error)
	// Explore weighs what is little known against what looks good; 0 for 1.
	Explore float64
	// Sketch has the state say what may be expected instead of playing to the
	// end, so many moves of its own choice further on.
	Sketch bool
	// Moves is how many those are.
	Moves int
	// Wide, if not 0, is how many moves are looked at after one visit; with
	// every four times as many visits it is twice as many, in the order of the
	// state (Coulom, 2007). Most is how many moves are kept in mind at all, but
	// for the root, where it is all of them; 0 for all.
	Wide float64
	Most int
	// History weighs how well a move did everywhere else (Nijssen and Winands,
	// "Enhancements for multi-player Monte-Carlo tree search", 2010).
	History float64
	// Noise blurs what is expected after each move of the root by up to that
	// much either way, always alike for a seed; the scale is that of values.
	Noise int
	// Soft chooses the move.
	Soft Soft
}

// Sketcher is a state that can tell at any time what every seat may expect.
type Sketcher interface {
	Playouter
	// Sketch plays so many moves quickly and fills in the share of the win that
	// every seat may expect after them. It leaves the state as it was.
	Sketch(random *rand.PCG, moves int, values []float64)
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
	if _, ok := state.(Sketcher); m.Sketch && !ok {
		return Thought{}, fmt.Errorf("search: Monte Carlo takes a state that sketches games, not %T", state)
	}
	if m.Explore == 0 {
		m.Explore = 1
	}
	t := newTree(m, s, limits)
	defer context.AfterFunc(ctx, func() { t.stopped.Store(true) })()
	return t.turn(p)
}

// tree is one search.
type tree struct {
	player   MonteCarlo
	state    Playouter
	sketcher Sketcher // nil without Sketch
	limits   Limits
	random   *rand.PCG
	all      []branch // number 0 is the root
	path     []int32
	seats    []int8 // who made the moves of the path
	moves    []Move
	values   []float64
	hopes    []float64 // sum of all values of games from the first root
	history  [][1 << historyBits]mean
	played   int64
	full     bool // no branch can be given children any more
	stopped  atomic.Bool
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

// mean is a sum and of how many.
type mean struct {
	sum float32
	n   float32
}

func newTree(m MonteCarlo, s Playouter, limits Limits) *tree {
	memory := limits.Memory
	if memory <= 0 {
		memory = DefaultMemory
	}
	room := memory / branchSize
	if limits.Nodes > 0 {
		each := int64(256)
		if m.Most > 0 {
			each = int64(m.Most)
		}
		room = min(room, limits.Nodes*each)
	}
	t := &tree{
		player: m, state: s, limits: limits,
		values: make([]float64, s.Seats()), hopes: make([]float64, s.Seats()),
		random: rand.NewPCG(mix(limits.Seed), s.Hash()),
		all:    make([]branch, 1, max(room, 1024)),
	}
	if m.Sketch {
		t.sketcher = s.(Sketcher)
	}
	if m.History > 0 {
		t.history = make([][1 << historyBits]mean, s.Seats())
	}
	return t
}

// turn chooses moves until the turn has ended.
func (t *tree) turn(p engine.Position) (thought Thought, err error) {
	var chosen []engine.Action
	turns, root := p.Turns(), int32(0)
	until := t.limits.Nodes
	for first := true; ; first = false {
		var info func(Thought)
		if first {
			info = t.limits.Info
		}
		t.grow(root, until, info)
		best := t.chosen(root)
		if first {
			thought = t.thought(best)
		}
		actions := t.state.Actions(t.all[best].move)
		for _, a := range actions {
			if p, err = p.Apply(a); err != nil {
				return Thought{}, fmt.Errorf("search: a move of the search: %w", err)
			}
		}
		chosen = append(chosen, actions...)
		t.state.Make(t.all[best].move)
		root = best
		if p.Seat() == engine.Nobody || p.Turns() != turns {
			thought.Actions, thought.Reply, thought.Nodes = chosen, t.line(root), t.played
			return thought, nil
		}
		if t.limits.Nodes > 0 { // a quarter again for each move more
			until = t.played + max(t.limits.Nodes/4, 1)
		}
	}
}

// grow plays games from the root until so many have been played in all.
func (t *tree) grow(root int32, until int64, info func(Thought)) {
	if t.all[root].count == 0 || t.player.Most > 0 && root != 0 {
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

// play plays one game through the tree, and on as the player does.
func (t *tree) play(root int32) {
	t.path, t.seats = append(t.path[:0], root), append(t.seats[:0], -1)
	at := root
	for {
		seat := t.state.Seat()
		if seat < 0 {
			t.state.Share(t.values)
			break
		}
		if t.all[at].count == 0 && (t.full || at != root && t.all[at].visits == 0 || !t.expand(at, root, false)) {
			t.leaf()
			break
		}
		at = t.pick(at, seat)
		t.state.Make(t.all[at].move)
		t.path, t.seats = append(t.path, at), append(t.seats, int8(seat))
	}
	for i, b := range t.path {
		t.all[b].visits++
		seat := t.seats[i]
		if seat < 0 {
			continue
		}
		v := t.values[seat]
		t.all[b].value += v
		if t.history != nil {
			h := &t.history[seat][t.all[b].move&(1<<historyBits-1)]
			h.sum, h.n = h.sum+float32(v), h.n+1
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

// leaf fills in what may be expected of the position.
func (t *tree) leaf() {
	if t.sketcher != nil {
		t.sketcher.Sketch(t.random, t.player.Moves, t.values)
	} else {
		t.state.Playout(t.random, t.values)
	}
}

// expand gives a branch its children, unless there is no room.
func (t *tree) expand(at, root int32, always bool) bool {
	t.moves = t.state.Moves(t.moves[:0])
	if n := t.player.Most; n > 0 && at != root && len(t.moves) > n {
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
