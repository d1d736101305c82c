package sandbox

import (
	"fmt"
	"slices"
)

// Planned is a fault in the sandbox's plan. Its methods may be called from
// several goroutines, also when the fault is over.
type Planned struct {
	s     *Sandbox
	id    int
	fault Fault

	// Guarded by the sandbox's lock.
	skipsLeft    int
	left    int // that are still to meet it; below 0: all
	hits    int
	removed bool
	reached chan struct{}
	held    []*held
	again   []heldEvent // that are to be delivered once more
}

// held is something that waits for its release.
type held struct {
	free func() // called once, with the sandbox's lock held
}

// Plan puts a fault into the plan, after those that are there. The error says
// what is wrong with it.
func (s *Sandbox) Plan(f Fault) (*Planned, error) {
	f, err := s.completeFault(f)
	if err != nil {
		return nil, fmt.Errorf("plan a fault: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.planned++
	p := &Planned{s: s, id: s.planned, fault: f, skipsLeft: f.Skip, left: f.Count, reached: make(chan struct{})}
	s.plan = append(s.plan, p)
	s.planChanged()
	return p, nil
}

// Fault is the fault with its defaults filled in.
func (p *Planned) Fault() Fault { return p.fault }

// Hits is how many have met the fault.
func (p *Planned) Hits() int {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.hits
}

// Held is how many the fault holds back now.
func (p *Planned) Held() int {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return len(p.held)
}

// Reached is closed when the first one meets the fault: what is held is there
// then, and what comes after its work has done it. For the n-th, wait with
// Sandbox.Wait for Hits.
func (p *Planned) Reached() <-chan struct{} { return p.reached }

// Release lets go what the fault holds, in the order in which it came. What
// comes later is held again, as far as Count goes.
func (p *Planned) Release() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.release()
}

// Remove takes the fault out of the plan and lets go what it holds.
func (p *Planned) Remove() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.remove()
}

func (p *Planned) release() {
	all := p.held
	p.held = nil
	for _, h := range all {
		h.free()
	}
	if len(all) > 0 {
		p.s.planChanged()
	}
}

func (p *Planned) remove() {
	p.removed, p.again = true, nil
	p.s.plan = slices.DeleteFunc(slices.Clone(p.s.plan), func(x *Planned) bool { return x == p })
	p.release()
	p.s.planChanged()
}

// hit counts one that has met the fault.
func (p *Planned) hit() {
	if p.hits++; p.hits == 1 {
		close(p.reached)
	}
	p.s.planChanged()
}

// hold keeps something until the fault is released.
func (p *Planned) hold(free func()) *held {
	h := &held{free}
	p.held = append(p.held, h)
	if p.removed {
		p.release()
	}
	return h
}

// drop forgets something that is held without letting it go.
func (p *Planned) drop(h *held) {
	p.held = slices.DeleteFunc(p.held, func(x *held) bool { return x == h })
	p.s.planChanged()
}

// live says whether the fault may still do something.
func (p *Planned) active() bool { return p.left != 0 || len(p.held) > 0 || len(p.again) > 0 }

// claim finds the fault that the next one of a class meets, if any, and
// counts it off.
func (s *Sandbox) claim(class class, matches func(*Fault) bool) *Planned {
	for _, p := range s.plan {
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

// maxSpent is how many faults that are over stay in the plan, for the page to
// show.
const maxSpent = 20

// planChanged tells the pages and those who wait, and forgets the oldest of
// the faults that are over.
func (s *Sandbox) planChanged() {
	spent := 0
	for i := len(s.plan) - 1; i >= 0; i-- {
		if !s.plan[i].active() {
			if spent++; spent > maxSpent {
				s.plan = slices.Delete(slices.Clone(s.plan), i, i+1)
			}
		}
	}
	s.emitAll(map[string]any{"type": "faults"})
	s.wake()
}
