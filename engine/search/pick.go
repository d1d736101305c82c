package search

import (
	"math"

	"castellan/engine"
)

// pick is the child to look at next.
func (t *tree) pick(at int32, seat int) int32 {
	b := &t.all[at]
	children := t.all[b.children : b.children+b.count]
	if t.player.Wide > 0 {
		n := int(t.player.Wide * math.Sqrt(float64(b.visits+1)))
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
	log := t.player.Explore * math.Sqrt(math.Log(float64(b.visits+1)))
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
		if t.history != nil {
			if h := t.history[seat][c.move&(1<<historyBits-1)]; h.n > 0 {
				v += float64(h.sum/h.n) * t.player.History / (n - c.value + 1)
			}
		}
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

// chosen is the child to play.
func (t *tree) chosen(root int32) int32 {
	best := t.favourite(root)
	if t.player.Soft == (Soft{}) && t.player.Noise == 0 {
		return best
	}
	// What was never looked at is as bad as what was looked at least.
	b := &t.all[root]
	key := t.state.Hash() ^ t.limits.Seed
	all := []int32{best}
	values := []int{t.blurred(best, key)}
	for c := b.children; c < b.children+b.count; c++ {
		if c == best || t.all[c].visits == 0 {
			continue
		}
		v := t.blurred(c, key)
		all, values = append(all, c), append(values, v)
		if v > values[0] {
			last := len(all) - 1
			all[0], all[last] = all[last], all[0]
			values[0], values[last] = values[last], values[0]
		}
	}
	return all[t.player.Soft.Choose(values, key)]
}

// blurred is the value of a child of the root that was looked at.
func (t *tree) blurred(c int32, key uint64) int {
	b := &t.all[c]
	v := Advantage(b.value / float64(max(b.visits, 1)))
	if n := t.player.Noise; n > 0 {
		v += int(mix(key^uint64(b.move))%uint64(2*n+1)) - n
	}
	return v
}

// thought is what is expected of the first turn with one of its moves.
func (t *tree) thought(best int32) Thought {
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
	return Thought{Actions: t.state.Actions(b.move), Values: values, Nodes: t.played}
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
