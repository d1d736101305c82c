package ai

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
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

// The same position, limits and seed give the same legal decision, in a
// thousand positions.
func TestThinkDeterministic(t *testing.T) {
	players := []search.Player{Engine().Greedy, Engine().FixedDepth(3), search.MonteCarlo{State: newState}}
	for _, l := range Engine().Levels {
		players = append(players, l.Player)
	}
	for seed := range uint64(scaled(1000)) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := randomPosition(t, boards[seed%uint64(len(boards))], r.IntN(50), r)
		player := players[int(seed)%len(players)]
		limits := search.Limits{Nodes: 40, Seed: seed, Memory: 1 << 14}
		once, again := think(t, player, p, limits), think(t, player, p, limits)
		if !reflect.DeepEqual(once, again) {
			t.Fatalf("seed %d: %v and then %v", seed, once, again)
		}
		q := engine.Position(p)
		for _, a := range append(once.Actions, once.Continuation...) {
			var err error
			if q, err = q.Apply(a); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if len(once.Actions) != 1 {
			t.Fatalf("seed %d: %d actions a turn", seed, len(once.Actions))
		}
	}
}

// A search cancelled at any node returns a legal turn.
func TestThinkCancelledAnytime(t *testing.T) {
	p := position(t, "size=9 towers=4")
	for stage := range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		told := 0
		limits := search.Limits{Nodes: 6000, Info: func(search.Decision) {
			if told++; told > 6*stage {
				cancel()
			}
		}}
		decision, err := Engine().Strongest().Player.Think(ctx, p, limits)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		apply(t, p, decision.Actions[0])
	}
}

// Playouts end like random games by the rules.
func TestPlayoutDistribution(t *testing.T) {
	for _, options := range []string{"size=5", "size=7 towers=1", ""} {
		const games = 1500
		r := rand.New(rand.NewPCG(8, 8))
		p := randomPosition(t, options, 6, r)
		pcg, values := rand.NewPCG(9, 9), make([]float64, 2)
		share := func(s search.Playouter) (sum float64) {
			for range games {
				s.Playout(pcg, values)
				if values[0]+values[1] != 1 {
					t.Fatalf("shares %v", values)
				}
				sum += values[0]
			}
			return sum / games
		}
		s := stateOf(t, p)
		before := *s
		got, want := share(s), share(search.NewPositionState(p, 2))
		if !equalStates(s, &before) {
			t.Error("a playout left the state changed")
		}
		// Five standard deviations of the difference.
		if sigma := math.Sqrt(2 * 0.25 / games); math.Abs(got-want) > 5*sigma {
			t.Errorf("%q: blue wins %.3f, by the rules %.3f", options, got, want)
		}
	}
}

// Neither nodes nor playouts allocate.
func TestAllocations(t *testing.T) {
	for _, options := range []string{"", "size=21"} {
		s := stateOf(t, randomPosition(t, options, 12, rand.New(rand.NewPCG(1, 1))))
		moves := make([]search.Move, 0, directions)
		random, values := rand.NewPCG(1, 1), make([]float64, 2)
		var sum int
		if n := testing.AllocsPerRun(100, func() {
			for _, m := range s.Moves(moves[:0]) {
				s.Make(m)
				sum += s.Evaluate() + int(s.Hash()&1)
				s.Unmake()
			}
			s.Playout(random, values)
		}); n != 0 {
			t.Errorf("%q: %v allocations", options, n)
		}
	}
}

// The levels are seven of LevelKeys in order, with limits.
func TestLevels(t *testing.T) {
	b := Engine()
	var keys []string
	for i, l := range b.Levels {
		keys = append(keys, l.Key)
		if l.Limits.Nodes <= 0 || l.MoveTime <= 0 {
			t.Errorf("level %d is %v", i, l)
		}
		if i > 0 && l.Limits.Nodes < b.Levels[i-1].Limits.Nodes {
			t.Errorf("%s has fewer nodes than the level below", l.Key)
		}
	}
	want := []string{"newcomer", "beginner", "casual", "skilled", "advanced", "expert", "master"}
	if !slices.Equal(keys, want) {
		t.Errorf("the levels are %v, not %v", keys, want)
	}
	next := 0
	for _, key := range search.LevelKeys {
		if next < len(keys) && keys[next] == key {
			next++
		}
	}
	if next < len(keys) {
		t.Errorf("the levels %v are not of %v in their order", keys, search.LevelKeys)
	}
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
	searchtest.Suite{Games: 1, Decisions: 1, Nodes: 60}.Run(t, Engine(), positions...)
}
