package search_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
	"castellan/engine/trails"
)

func start(t testing.TB, size int) engine.Position {
	return enginetest.Start[engine.Position](t, trails.Game{}, fmt.Sprintf("size=%d towers=3", size), 2)
}

func apply(t testing.TB, p engine.Position, a engine.Action) engine.Position {
	return enginetest.Apply(t, p, a)
}

// play plays a game; the first player has seat 1.
func play(t testing.TB, p engine.Position, limits search.Limits, players ...search.Player) engine.Result {
	t.Helper()
	for p.Seat() != engine.Nobody {
		limits.Seed++
		var err error
		if p, err = searchtest.Think(t, players[p.Seat()-1], p, limits).Apply(p); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := p.Result()
	return r
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
		searchtest.Think(t, l.Player, start(t, 7), l.Limits)
	}
	if r := play(t, start(t, 7), search.Limits{Nodes: 200, Seed: 3}, e.Strongest().Player, search.Random{}); r.Winners[0] != 1 {
		t.Errorf("the strongest level loses against random play: %v", r)
	}
	searchtest.Think(t, e.FixedDepth(2), start(t, 7), search.Limits{})
}

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
		searchtest.Think(t, search.Limited{Player: limitsRecorder{&got}, Limits: c.own}, nil, c.asked)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v and %+v give %+v", c.own, c.asked, got)
		}
	}
}
