package ai

import (
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search/searchtest"
)

// outcome returns the result for a seat, 1, 0 or -1, if the action is its last
// turn and the opponent, with at most one turn left, makes the best of it.
func outcome(t *testing.T, p engine.Position, a engine.Action) int {
	t.Helper()
	seat, next := p.Seat(), apply(t, p, a)
	worst := 1
	if next.Seat() == engine.Nobody {
		return resultFor(t, next, seat)
	}
	for _, reply := range next.Legal() {
		worst = min(worst, resultFor(t, apply(t, next, reply), seat))
	}
	return worst
}

func resultFor(t *testing.T, p engine.Position, seat engine.Seat) int {
	t.Helper()
	r, ok := p.Result()
	switch {
	case !ok:
		t.Fatal("the game goes on")
	case len(r.Winners) == 0:
		return 0
	case slices.Contains(r.Winners, seat):
		return 1
	}
	return -1
}

// In the last turn of each player, every level above the first gets the best
// possible result.
func TestLastTurnsOptimal(t *testing.T) {
	for _, left := range []int{1, 2} {
		counted := 0
		for seed := uint64(0); counted < 12; seed++ {
			if seed > 3000 {
				t.Fatalf("%d turns left: only %d positions where it matters", left, counted)
			}
			random := rand.New(rand.NewPCG(seed, uint64(left)))
			p := playRandomly(t, start(t, "width=5 height=5 turns=8"), 16-left, random)
			best, worst := -1, 1
			for _, a := range p.Legal() {
				o := outcome(t, p, a)
				best, worst = max(best, o), min(worst, o)
			}
			if best == worst {
				continue // nothing to choose
			}
			counted++
			for _, l := range Engine().Levels[1:] {
				limits := l.Limits
				limits.Seed = seed
				decision := searchtest.Think(t, l.Player, p, limits)
				if got := outcome(t, p, decision.Actions[0]); got != best {
					t.Errorf("%s, %d turns left, game %d: %v gets %d, not %d", l.Key, left, seed, decision.Actions[0], got, best)
				}
			}
		}
	}
}

// On the largest board the last two turns are within the limits of all levels.
func TestLastTurnsWithinLimits(t *testing.T) {
	p := playRandomly(t, start(t, "width=16 height=16 turns=20"), 38, rand.New(rand.NewPCG(1, 1)))
	for _, l := range Engine().Levels[1:] {
		decision := searchtest.Think(t, l.Player, p, l.Limits)
		if decision.Depth != 2 || decision.Nodes >= l.Limits.Nodes {
			t.Errorf("%s: depth %d, %d of %d nodes", l.Key, decision.Depth, decision.Nodes, l.Limits.Nodes)
		}
	}
}

// The node limit is scaled for large boards, is at least 1, and respects the
// caller's.
func TestNodeLimit(t *testing.T) {
	for _, c := range []struct{ own, limit, size, want int64 }{
		{0, 0, 256, 0}, {100, 0, 64, 100}, {100, 40, 25, 40}, {40, 100, 64, 40}, {0, 100, 256, 25}, {0, 1, 256, 1},
	} {
		if got := (levelPlayer{nodes: c.own}).nodeLimit(c.limit, c.size); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestConformance(t *testing.T) {
	var positions []engine.Position
	for _, size := range sizes {
		positions = append(positions, start(t, size))
	}
	searchtest.Suite{Games: enginetest.Sample(2, 8)}.Run(t, Engine(), positions...)
}
