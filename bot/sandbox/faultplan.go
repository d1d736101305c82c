package sandbox

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Plan is the list of planned faults. One lock, the sandbox's, guards it.
// Add and the methods of Planned that say so take the lock; the others expect
// the caller to hold it.
type Plan struct {
	mu      sync.Locker
	routes  []Route
	changed func() // called with the lock held
	list    []*Planned
	lastID  int
}

// Route is a route of the REST API that a fault can choose.
type Route struct {
	Method   string `json:"method"`
	Template string `json:"route"`
}

// NewPlan returns an empty plan. It calls changed, with mu held, after every
// change.
func NewPlan(mu sync.Locker, routes []Route, changed func()) *Plan {
	return &Plan{mu: mu, routes: routes, changed: changed}
}

// Routes lists the routes that a fault can choose.
func (pl *Plan) Routes() []Route { return pl.routes }

// hasRoute reports whether a template has a route with a method; "" is any.
func (pl *Plan) hasRoute(method, template string) bool {
	return slices.ContainsFunc(pl.routes, func(rt Route) bool {
		return rt.Template == template && (method == "" || rt.Method == method)
	})
}

// Planned is a fault in the plan. Its exported methods may be called from
// several goroutines, also when the fault is over.
type Planned struct {
	plan  *Plan
	ID    int
	fault Fault

	// Guarded by the plan's lock.
	skipsLeft int
	left      int // how many are still to meet it; negative: all
	pending   int // events that it will deliver again
	hits      int
	removed   bool
	reached   chan struct{}
	held      []*held
}

// held is a request or event that waits for its release.
type held struct {
	release func() // called once, with the lock held
}

// Add appends a fault to the plan. It takes the lock. The error says what is
// wrong with the fault.
func (pl *Plan) Add(f Fault) (*Planned, error) {
	f, err := pl.complete(f)
	if err != nil {
		return nil, fmt.Errorf("plan a fault: %w", err)
	}
	pl.mu.Lock()
	defer pl.mu.Unlock()
	pl.lastID++
	p := &Planned{plan: pl, ID: pl.lastID, fault: f, skipsLeft: f.Skip, left: f.Count, reached: make(chan struct{})}
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
	return p.hits
}

// Held returns how many the fault holds back now.
func (p *Planned) Held() int {
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	return len(p.held)
}

// Reached returns a channel that is closed when the fault is met for the
// first time: a held request is then held, and a fault that comes after the
// work finds the work done. For the n-th time, wait for Hits with Wait.
func (p *Planned) Reached() <-chan struct{} { return p.reached }

// Release lets go what the fault holds, in order of arrival. Later ones are
// held again, as far as Count goes.
func (p *Planned) Release() {
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	p.release()
}

// Remove takes the fault out of the plan and releases what it holds.
func (p *Planned) Remove() {
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	p.remove()
}

func (p *Planned) release() {
	all := p.held
	p.held = nil
	for _, h := range all {
		h.release()
	}
	if len(all) > 0 {
		p.plan.update()
	}
}

func (p *Planned) remove() {
	p.removed, p.pending = true, 0
	p.plan.list = slices.DeleteFunc(slices.Clone(p.plan.list), func(x *Planned) bool { return x == p })
	p.release()
	p.plan.update()
}

// hit counts one that has met the fault.
func (p *Planned) hit() {
	if p.hits++; p.hits == 1 {
		close(p.reached)
	}
	p.plan.update()
}

// hold keeps something until the fault is released, and then calls release.
func (p *Planned) hold(release func()) *held {
	h := &held{release}
	p.held = append(p.held, h)
	if p.removed {
		p.release()
	}
	return h
}

// waitForRelease counts a hit and blocks until the fault is released. It
// takes the lock, and reports false if ctx ended first.
func (p *Planned) waitForRelease(ctx context.Context) bool {
	released := make(chan struct{})
	p.plan.mu.Lock()
	h := p.hold(func() { close(released) })
	p.hit()
	p.plan.mu.Unlock()
	select {
	case <-released:
		return true
	case <-ctx.Done():
		p.plan.mu.Lock()
		defer p.plan.mu.Unlock()
		p.held = slices.DeleteFunc(p.held, func(x *held) bool { return x == h })
		p.plan.update()
		return false
	}
}

// active reports whether the fault may still do something.
func (p *Planned) active() bool { return p.left != 0 || len(p.held) > 0 || p.pending > 0 }

// claim returns the first fault of a class that matches and is not skipped,
// and counts it down; nil if there is none.
func (pl *Plan) claim(class class, matches func(*Fault) bool) *Planned {
	for _, p := range pl.list {
		if p.left == 0 || p.fault.Kind.class() != class || !matches(&p.fault) {
			continue
		}
		if p.skipsLeft > 0 {
			p.skipsLeft--
			continue
		}
		if p.left > 0 {
			p.left--
		}
		return p
	}
	return nil
}

// clear removes every fault.
func (pl *Plan) clear() {
	for _, p := range slices.Clone(pl.list) {
		p.remove()
	}
}

// maxFinished is how many finished faults the plan keeps for the page to show.
const maxFinished = 20

// update drops the oldest finished faults and reports the change.
func (pl *Plan) update() {
	finished := 0
	for i := len(pl.list) - 1; i >= 0; i-- {
		if pl.list[i].active() {
			continue
		}
		if finished++; finished > maxFinished {
			pl.list = slices.Delete(slices.Clone(pl.list), i, i+1)
		}
	}
	pl.changed()
}
