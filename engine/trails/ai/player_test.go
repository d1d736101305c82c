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
	"castellan/engine/trails"
)

// think is what a player does, of whom no error is expected.
func think(t testing.TB, p search.Player, at engine.Position, limits search.Limits) search.Decision {
	t.Helper()
	thought, err := p.Think(context.Background(), at, limits)
	if err != nil {
		t.Fatal(err)
	}
	return thought
}

// wins reports whether a move wins at once.
func wins(t testing.TB, p *trails.Position, a engine.Action) bool {
	r, over := apply(t, p, a).Result()
	return over && r.Winners[0] == p.Seat()
}

// gives reports whether a move loses at once, or lets the other win at once.
func gives(t testing.TB, p *trails.Position, a engine.Action) bool {
	q := apply(t, p, a)
	if r, over := q.Result(); over {
		return r.Winners[0] != p.Seat()
	}
	for _, b := range q.Legal() {
		if wins(t, q, b) {
			return true
		}
	}
	return false
}

// split is the legal moves for which something holds, and how many there are.
func split(t testing.TB, p *trails.Position, holds func(testing.TB, *trails.Position, engine.Action) bool) (map[engine.Action]bool, int) {
	some, legal := map[engine.Action]bool{}, p.Legal()
	for _, a := range legal {
		if holds(t, p, a) {
			some[a] = true
		}
	}
	return some, len(legal)
}

// few keeps a level's own limits where they are small, and a test cheap.
func few(l search.Level) search.Limits {
	limits := l.Limits
	limits.Nodes = min(limits.Nodes, 200)
	return limits
}

// scenes is positions of random games on all boards in which some moves have a
// property and others have not, with those that have.
func scenes(t testing.TB, most int, holds func(testing.TB, *trails.Position, engine.Action) bool, each func(*trails.Position, map[engine.Action]bool)) {
	n := 0
	for seed := uint64(0); n < most && seed < 8000; seed++ {
		r := rand.New(rand.NewPCG(seed, 6))
		p := later(t, boards[seed%uint64(len(boards))], 4+r.IntN(40), r)
		if some, all := split(t, p, holds); len(some) > 0 && len(some) < all {
			each(p, some)
			n++
		}
	}
	if n < most {
		t.Errorf("only %d positions of %d were found", n, most)
	}
}

// A win that is there is taken by every level but the first.
func TestAWinInOneTurnIsTaken(t *testing.T) {
	scenes(t, 200, wins, func(p *trails.Position, some map[engine.Action]bool) {
		for _, l := range Engine().Levels[1:] {
			limits := few(l)
			limits.Seed = p.Hash()
			if a := think(t, l.Player, p, limits).Actions[0]; !some[a] {
				t.Errorf("%s plays %v and not one of %v", l.Key, a, some)
			}
		}
	})
}

// A move that gives the win away at once is not made where there is another,
// by any level but the first.
func TestNobodyIsGivenAWinInOneTurn(t *testing.T) {
	scenes(t, 100, gives, func(p *trails.Position, some map[engine.Action]bool) {
		for _, l := range Engine().Levels[1:] {
			limits := few(l)
			limits.Seed = p.Hash()
			if a := think(t, l.Player, p, limits).Actions[0]; some[a] {
				t.Errorf("%s plays %v, which gives the win away", l.Key, a)
			}
		}
	})
}

// The same position, limits and seed give the same thought, and a legal one,
// through a thousand positions.
func TestAThoughtCanBeRepeated(t *testing.T) {
	players := []search.Player{Engine().Greedy, Engine().FixedDepth(3), search.MonteCarlo{State: newState}}
	for _, l := range Engine().Levels {
		players = append(players, l.Player)
	}
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := later(t, boards[seed%uint64(len(boards))], r.IntN(50), r)
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

// Who is interrupted has a turn all the same.
func TestAnInterruptedThoughtHasATurn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, options := range boards {
		p := position(t, options)
		for _, l := range Engine().Levels {
			thought, err := l.Player.Think(ctx, p, search.Limits{})
			if err != nil || len(thought.Actions) != 1 {
				t.Fatalf("%s: %v, %v", l.Key, thought, err)
			}
			apply(t, p, thought.Actions[0])
		}
	}
}

// An interruption at any node leaves a turn that is legal.
func TestAnInterruptionMayComeAtAnyTime(t *testing.T) {
	p := position(t, "size=9 towers=4")
	for stage := range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		told := 0
		limits := search.Limits{Nodes: 6000, Info: func(search.Decision) {
			if told++; told > 6*stage {
				cancel()
			}
		}}
		thought, err := Engine().Strongest().Player.Think(ctx, p, limits)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		apply(t, p, thought.Actions[0])
	}
}

// Random games end as those of the rules do.
func TestPlayoutsAreRandomGames(t *testing.T) {
	for _, options := range []string{"size=5", "size=7 towers=1", ""} {
		const games = 1500
		r := rand.New(rand.NewPCG(8, 8))
		p := later(t, options, 6, r)
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
		s := of(t, p)
		before := *s
		got, want := share(s), share(search.NewPositionState(p, 2))
		if !same(s, &before) {
			t.Error("a playout left the state changed")
		}
		// Five standard deviations of the difference.
		if sigma := math.Sqrt(2 * 0.25 / games); math.Abs(got-want) > 5*sigma {
			t.Errorf("%q: blue wins %.3f, by the rules %.3f", options, got, want)
		}
	}
}

// Nothing is allocated for a node, nor for a playout.
func TestNodesAllocateNothing(t *testing.T) {
	for _, options := range []string{"", "size=21"} {
		s := of(t, later(t, options, 12, rand.New(rand.NewPCG(1, 1))))
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

// The levels are seven of those that the contract names, in its order, and
// bounded.
func TestEveryLevelIsThereAndBounded(t *testing.T) {
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

// Looking ahead beats not looking ahead.
func TestTheTopBeatsGreedy(t *testing.T) {
	b, won := Engine(), 0
	const games = 4
	for game := range games {
		r := rand.New(rand.NewPCG(uint64(game/2), 10))
		var p engine.Position = later(t, "", 4, r)
		for p.Seat() != engine.Nobody {
			player, limits := b.Greedy, search.Limits{Seed: uint64(game)}
			if int(p.Seat()-1) == game%2 {
				player, limits.Nodes = b.Strongest().Player, 6000
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

// A turn of the top level takes fewer nodes where a node takes longer.
func TestALargeBoardTakesFewerNodes(t *testing.T) {
	const nodes = 21 * 1000
	for options, most := range map[string]int64{"towers=4": nodes, "size=21 towers=4": nodes / 21} {
		p := later(t, options, 4, rand.New(rand.NewPCG(1, 12)))
		if got := think(t, Engine().Strongest().Player, p, search.Limits{Nodes: nodes}).Nodes; got > most+64 || got < most/2 {
			t.Errorf("%s: %d nodes, at most %d are expected", options, got, most)
		}
	}
}
