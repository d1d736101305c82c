package search

import (
	"math"

	"castellan/engine"
)

// pick is the child to look at next.
func (t *tree) pick(at int32) int32 {
	b := &t.all[at]
	children := t.all[b.children : b.children+b.count]
	if t.player.Widening > 0 {
		n := int(t.player.Widening * math.Sqrt(float64(b.visits+1)))
		children = children[:max(1, min(n, len(children)))]
		// They are looked at in order: if the last has not been, the first that
		// has not is next.
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
		if c.visits == 0 { // one of those that nobody has looked at
			if fresh++; t.random.Uint64()%fresh == 0 {
				best = i
			}
			continue
		}
		if fresh > 0 {
			continue
		}
		n := float64(c.visits)
		v := c.value/n + log/math.Sqrt(n)
		if v > most {
			best, most = i, v
		}
	}
	return b.children + int32(best)
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

// thought is what is expected of the first turn with one of its moves.
func (t *tree) thought(best int32) Decision {
	b := &t.all[best]
	own := 1 / float64(len(t.values))
	if b.visits > 0 {
		own = b.value / float64(b.visits)
	}
	me := t.state.Seat()
	others := 0.0
	for i, v := range t.hopes {
		if i != me {
			others += v
		}
	}
	values := make([]float64, len(t.hopes))
	for i := range values {
		values[i] = (1 - own) / float64(len(values)-1)
		if others > 0 {
			values[i] = (1 - own) * t.hopes[i] / others
		}
	}
	values[me] = own
	return Decision{Actions: t.state.Actions(b.move), Values: values, Nodes: t.played}
}

// line is the moves that are expected to follow.
func (t *tree) line(from int32) (actions []engine.Action) {
	made := 0
	for t.all[from].count > 0 {
		from = t.favourite(from)
		if t.all[from].visits < 2 {
			break
		}
		actions = append(actions, t.state.Actions(t.all[from].move)...)
		t.state.Make(t.all[from].move)
		made++
	}
	for range made {
		t.state.Unmake()
	}
	return actions
}
