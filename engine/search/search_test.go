package search_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// plain is a state of two seats that evaluates everything as even.
type plain struct{ *search.PositionState }

func (plain) Evaluate() int { return 0 }

func state(p engine.Position) (search.State, error) {
	return plain{search.NewPositionState(p, 2)}, nil
}

// searchers returns a player of each kind.
func searchers() map[string]search.Player {
	return map[string]search.Player{
		"alpha-beta":  search.AlphaBeta{State: state},
		"monte carlo": search.MonteCarlo{State: state},
	}
}

func start(t testing.TB, size int) engine.Position {
	return enginetest.Start[engine.Position](t, trails.Game{}, fmt.Sprintf("size=%d towers=3", size), 2)
}

func apply(t testing.TB, p engine.Position, a engine.Action) engine.Position {
	return enginetest.Apply(t, p, a)
}

func think(t testing.TB, player search.Player, p engine.Position, limits search.Limits) search.Decision {
	t.Helper()
	d, err := player.Think(t.Context(), p, limits)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// play plays a game; the first player has seat 1.
func play(t testing.TB, p engine.Position, limits search.Limits, players ...search.Player) engine.Result {
	t.Helper()
	for p.Seat() != engine.Nobody {
		limits.Seed++
		var err error
		if p, err = think(t, players[p.Seat()-1], p, limits).Apply(p); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := p.Result()
	return r
}

func TestSearchBeatsRandom(t *testing.T) {
	for name, player := range searchers() {
		won := 0
		for game := range 10 {
			players := []search.Player{player, search.Random{}}
			if game%2 == 1 {
				players[0], players[1] = players[1], players[0]
			}
			r := play(t, start(t, 7), search.Limits{Nodes: 300, Seed: uint64(1000 * game)}, players...)
			if players[r.Winners[0]-1] != (search.Random{}) {
				won++
			}
		}
		if won < 9 {
			t.Errorf("%s: %d of 10", name, won)
		}
	}
}

// A cancelled search still returns a turn.
func TestThinkCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, player := range searchers() {
		d, err := player.Think(ctx, start(t, 11), search.Limits{})
		if err != nil || len(d.Actions) == 0 {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

func TestThinkGameOver(t *testing.T) {
	p := start(t, 7)
	for p.Seat() != engine.Nobody {
		p = apply(t, p, p.Legal()[0])
	}
	players := searchers()
	players["random"] = search.Random{}
	for name, player := range players {
		if _, err := player.Think(t.Context(), p, search.Limits{Nodes: 10}); !errors.Is(err, search.ErrOver) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecisionApply(t *testing.T) {
	p := start(t, 7)
	a := p.Legal()[0]
	for actions, ok := range map[int]bool{0: false, 1: true, 2: false} {
		var d search.Decision
		for range actions {
			d.Actions = append(d.Actions, a)
		}
		if _, err := d.Apply(p); (err == nil) != ok {
			t.Errorf("%d actions: %v", actions, err)
		}
	}
}

func TestGeneric(t *testing.T) {
	e := search.Generic(trails.Game{})
	if !reflect.DeepEqual(e.Keys(), search.LevelKeys) {
		t.Errorf("levels %v", e.Keys())
	}
	for _, l := range e.Levels {
		think(t, l.Player, start(t, 7), l.Limits)
	}
	if r := play(t, start(t, 7), search.Limits{Nodes: 200, Seed: 3}, e.Strongest().Player, search.Random{}); r.Winners[0] != 1 {
		t.Errorf("the strongest level loses against random play: %v", r)
	}
	think(t, e.FixedDepth(2), start(t, 7), search.Limits{})
}

// Seed and nodes determine the decision; another seed changes some.
func TestThinkDeterministic(t *testing.T) {
	players := searchers()
	players["alpha-beta"] = search.AlphaBeta{State: state, Noise: 50, Softmax: search.Softmax{MaxLoss: 100, Temperature: 50, BlunderRate: 0.1}}
	players["random"] = search.Random{}
	for name, player := range players {
		differ := false
		for _, p := range positions(t, 20) {
			var all []search.Decision
			for _, seed := range []uint64{1, 1, 2} {
				all = append(all, think(t, player, p, search.Limits{Nodes: 60, Seed: seed}))
			}
			if !reflect.DeepEqual(all[0], all[1]) {
				t.Fatalf("%s: %+v, then %+v", name, all[0], all[1])
			}
			differ = differ || !reflect.DeepEqual(all[0].Actions, all[2].Actions)
		}
		if !differ {
			t.Errorf("%s: another seed changes nothing", name)
		}
	}
}

// limitsRecorder records its limits.
type limitsRecorder struct{ limits *search.Limits }

func (r limitsRecorder) Think(_ context.Context, _ engine.Position, l search.Limits) (search.Decision, error) {
	*r.limits = l
	return search.Decision{}, nil
}

func TestLimited(t *testing.T) {
	full := search.Limits{Nodes: 5, Depth: 3, Memory: 100}
	for _, c := range []struct{ own, asked, want search.Limits }{
		{full, search.Limits{}, full},
		{search.Limits{}, full, full},
		{full, search.Limits{Nodes: 9, Depth: 2, Memory: 200}, search.Limits{Nodes: 5, Depth: 2, Memory: 100}},
		{search.Limits{Seed: 4}, search.Limits{Seed: 7}, search.Limits{Seed: 7}},
	} {
		var got search.Limits
		think(t, search.Limited{Player: limitsRecorder{&got}, Limits: c.own}, nil, c.asked)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v and %+v give %+v", c.own, c.asked, got)
		}
	}
}
