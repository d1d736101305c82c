package faults

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Route is a route of the REST API that a fault can choose.
type Route struct {
	Method   string `json:"method"`
	Template string `json:"route"`
}

// Plan is the list of planned faults. The sandbox's lock guards it: Add takes
// the lock, and so do the methods of Planned. The caller of the others holds
// it.
type Plan struct {
	mu      sync.Locker
	routes  []Route
	changed func() // called with the lock held
	list    []*Planned
	lastID  int
}

// NewPlan returns an empty plan. It calls changed, with mu held, after every
// change.
func NewPlan(mu sync.Locker, routes []Route, changed func()) *Plan {
	return &Plan{mu: mu, routes: routes, changed: changed}
}

// Routes lists the routes that a fault can choose.
func (pl *Plan) Routes() []Route { return pl.routes }

func (pl *Plan) hasRoute(method, template string) bool {
	return slices.ContainsFunc(pl.routes, func(rt Route) bool {
		return rt.Template == template && (method == "" || rt.Method == method)
	})
}

// Planned is a fault in the plan. Its methods may be called from several
// goroutines, also when the fault is over.
type Planned struct {
	plan  *Plan
	fault Fault

	// Guarded by the plan's lock.
	state     State
	skipsLeft int
	pending   int // events that it will deliver again
	removed   bool
	reached   chan struct{}
	held      []*held
}

// State is the progress of a fault.
type State struct {
	ID   int `json:"id"`
	Hits int `json:"hits"` // requests, events or connections that have met the fault
	Held int `json:"held"` // those that it holds now
	Left int `json:"left"` // those that it will still apply to; negative: all until removed
}

type held struct {
	release func() // called once, with the lock held
}

// Add appends a fault to the plan. The error says what is wrong with it.
func (pl *Plan) Add(f Fault) (*Planned, error) {
	f, err := pl.complete(f)
	if err != nil {
		return nil, fmt.Errorf("plan a fault: %w", err)
	}
	pl.mu.Lock()
	defer pl.mu.Unlock()
	pl.lastID++
	p := &Planned{plan: pl, fault: f, state: State{ID: pl.lastID, Left: f.Count}, skipsLeft: f.Skip, reached: make(chan struct{})}
	pl.list = append(pl.list, p)
	pl.update()
	return p, nil
}

// Fault returns the fault with its defaults filled in.
func (p *Planned) Fault() Fault { return p.fault }

// Hits returns how many requests, events or connections have met the fault.
func (p *Planned) Hits() int {
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	return p.state.Hits
}

// Reached returns a channel that is closed when the fault is met for the
// first time: a held request is then held, and a fault that comes after the
// work finds the work done. For the n-th time, wait for Hits with Wait.
func (p *Planned) Reached() <-chan struct{} { return p.reached }

// Release lets the held requests and events continue, in order of arrival. Later
// ones are held again until Count is reached.
func (p *Planned) Release() {
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	p.plan.Release(p)
}

// Remove takes the fault out of the plan and releases what it holds.
func (p *Planned) Remove() {
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	p.plan.Remove(p)
}

// All lists the faults that are planned, and the latest that are over.
func (pl *Plan) All() []*Planned { return pl.list }

// State returns the progress of a fault.
func (pl *Plan) State(p *Planned) State {
	st := p.state
	st.Held = len(p.held)
	return st
}

// Release releases what a fault holds, like Planned.Release.
func (pl *Plan) Release(p *Planned) {
	all := p.held
	p.held = nil
	for _, h := range all {
		h.release()
	}
	if len(all) > 0 {
		pl.update()
	}
}

// Remove takes a fault out of the plan, like Planned.Remove.
func (pl *Plan) Remove(p *Planned) {
	p.removed, p.pending = true, 0
	pl.list = slices.DeleteFunc(slices.Clone(pl.list), func(x *Planned) bool { return x == p })
	pl.Release(p)
	pl.update()
}

// Removed reports whether a fault was removed.
func (pl *Plan) Removed(p *Planned) bool { return p.removed }

// Clear removes every fault.
func (pl *Plan) Clear() {
	for _, p := range slices.Clone(pl.list) {
		pl.Remove(p)
	}
}

// Hit counts a request, event or connection that has met the fault.
func (pl *Plan) Hit(p *Planned) {
	if p.state.Hits++; p.state.Hits == 1 {
		close(p.reached)
	}
	pl.update()
}

// AddPending changes the number of events that the fault will deliver again.
func (pl *Plan) AddPending(p *Planned, n int) { p.pending += n }

// Hold calls release, with the lock held, once the fault is released.
func (pl *Plan) Hold(p *Planned, release func()) *held {
	h := &held{release}
	p.held = append(p.held, h)
	if p.removed {
		pl.Release(p)
	}
	return h
}

// Wait counts a hit and blocks until the fault is released. It takes the lock
// itself, and reports false if ctx ended first.
func (pl *Plan) Wait(ctx context.Context, p *Planned) bool {
	released := make(chan struct{})
	pl.mu.Lock()
	h := pl.Hold(p, func() { close(released) })
	pl.Hit(p)
	pl.mu.Unlock()
	select {
	case <-released:
		return true
	case <-ctx.Done():
		pl.mu.Lock()
		defer pl.mu.Unlock()
		p.held = slices.DeleteFunc(p.held, func(x *held) bool { return x == h })
		pl.update()
		return false
	}
}

// Waiting returns the first fault of a kind that holds something and matches,
// nil if there is none.
func (pl *Plan) Waiting(kind string, matches func(*Fault) bool) *Planned {
	for _, p := range pl.list {
		if p.fault.Kind == kind && len(p.held) > 0 && matches(&p.fault) {
			return p
		}
	}
	return nil
}

// Claim returns the first fault of a class that matches and applies, and
// decrements its count; nil if there is none. Faults that still skip matches
// count this one as skipped.
func (pl *Plan) Claim(class Class, matches func(*Fault) bool) *Planned {
	for _, p := range pl.list {
		if p.state.Left == 0 || classOf(p.fault.Kind) != class || !matches(&p.fault) {
			continue
		}
		if p.skipsLeft > 0 {
			p.skipsLeft--
			continue
		}
		if p.state.Left > 0 {
			p.state.Left--
		}
		return p
	}
	return nil
}

// maxFinished is how many finished faults the plan keeps for the page to show.
const maxFinished = 20

// update drops the oldest finished faults and reports the change.
func (pl *Plan) update() {
	finished := 0
	for i := len(pl.list) - 1; i >= 0; i-- {
		if p := pl.list[i]; p.state.Left != 0 || len(p.held) > 0 || p.pending > 0 {
			continue
		}
		if finished++; finished > maxFinished {
			pl.list = slices.Delete(slices.Clone(pl.list), i, i+1)
		}
	}
	pl.changed()
}
