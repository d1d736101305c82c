package ai

import (
	"context"
	"math/rand/v2"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
	"castellan/engine/trails"
)

// think calls Think and expects no error.
func think(t testing.TB, p search.Player, at engine.Position, limits search.Limits) search.Decision {
	t.Helper()
	decision, err := p.Think(context.Background(), at, limits)
	if err != nil {
		t.Fatal(err)
	}
	return decision
}

// winsAtOnce reports whether a move wins at once.
func winsAtOnce(t testing.TB, p *trails.Position, a engine.Action) bool {
	r, over := apply(t, p, a).Result()
	return over && r.Winners[0] == p.Seat()
}

// losesAtOnce reports whether a move loses at once, or lets the opponent win at
// once.
func losesAtOnce(t testing.TB, p *trails.Position, a engine.Action) bool {
	q := apply(t, p, a)
	if r, over := q.Result(); over {
		return r.Winners[0] != p.Seat()
	}
	for _, b := range q.Legal() {
		if winsAtOnce(t, q, b) {
			return true
		}
	}
	return false
}

// movesWith returns the legal moves with a property, and the number of all.
func movesWith(t testing.TB, p *trails.Position, holds func(testing.TB, *trails.Position, engine.Action) bool) (map[engine.Action]bool, int) {
	some, legal := map[engine.Action]bool{}, p.Legal()
	for _, a := range legal {
		if holds(t, p, a) {
			some[a] = true
		}
	}
	return some, len(legal)
}

// testLimits returns a level's limits, reduced if they are large.
func testLimits(l search.Level) search.Limits {
	limits := l.Limits
	limits.Nodes = min(limits.Nodes, 200)
	return limits
}

// eachScene calls each with positions of random games on all boards in which
// some moves have a property and others do not.
func eachScene(t testing.TB, most int, holds func(testing.TB, *trails.Position, engine.Action) bool, each func(*trails.Position, map[engine.Action]bool)) {
	n := 0
	for seed := uint64(0); n < most && seed < 8000; seed++ {
		r := rand.New(rand.NewPCG(seed, 6))
		p := randomPosition(t, boards[seed%uint64(len(boards))], 4+r.IntN(40), r)
		if some, all := movesWith(t, p, holds); len(some) > 0 && len(some) < all {
			each(p, some)
			n++
		}
	}
	if n < most {
		t.Errorf("only %d positions of %d were found", n, most)
	}
}

// Every level but the first takes a win in one turn.
func TestImmediateWins(t *testing.T) {
	eachScene(t, 200, winsAtOnce, func(p *trails.Position, some map[engine.Action]bool) {
		for _, l := range Engine().Levels[1:] {
			limits := testLimits(l)
			limits.Seed = p.Hash()
			if a := think(t, l.Player, p, limits).Actions[0]; !some[a] {
				t.Errorf("%s plays %v and not one of %v", l.Key, a, some)
			}
		}
	})
}

// Every level but the first avoids moves that lose at once, if there are
// others.
func TestNoImmediateLosses(t *testing.T) {
	eachScene(t, 100, losesAtOnce, func(p *trails.Position, some map[engine.Action]bool) {
		for _, l := range Engine().Levels[1:] {
			limits := testLimits(l)
			limits.Seed = p.Hash()
			if a := think(t, l.Player, p, limits).Actions[0]; some[a] {
				t.Errorf("%s plays %v, which gives the win away", l.Key, a)
			}
		}
	})
}

func TestStrongestBeatsGreedy(t *testing.T) {
	b, won := Engine(), 0
	const games = 4
	for game := range games {
		r := rand.New(rand.NewPCG(uint64(game/2), 10))
		var p engine.Position = randomPosition(t, "", 4, r)
		for p.Seat() != engine.Nobody {
			player, limits := b.Greedy, search.Limits{Seed: uint64(game)}
			if int(p.Seat()-1) == game%2 {
				player, limits.Nodes = b.Strongest().Player, 1500
			}
			p = apply(t, p, think(t, player, p, limits).Actions[0])
		}
		if r, _ := p.Result(); int(r.Winners[0]-1) == game%2 {
			won++
		}
	}
	if won < games*3/4 {
		t.Errorf("%d of %d", won, games)
	}
}

// The strongest level uses fewer nodes on boards where a node takes longer.
func TestLargeBoardNodes(t *testing.T) {
	const nodes = 21 * 1000
	for options, most := range map[string]int64{"towers=4": nodes, "size=21 towers=4": nodes / 21} {
		p := randomPosition(t, options, 4, rand.New(rand.NewPCG(1, 12)))
		if got := think(t, Engine().Strongest().Player, p, search.Limits{Nodes: nodes}).Nodes; got > most+64 || got < most/2 {
			t.Errorf("%s: %d nodes, at most %d are expected", options, got, most)
		}
	}
}

func TestConformance(t *testing.T) {
	var positions []engine.Position
	for _, options := range boards {
		positions = append(positions, position(t, options))
	}
	searchtest.Suite{Games: scaled(16), Decisions: 1, Nodes: 60}.Run(t, Engine(), positions...)
}
