package search_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// plain is a state of two seats that knows nothing but the end.
type plain struct{ *search.PositionState }

func (plain) Evaluate() int { return 0 }

func state(p engine.Position) (search.State, error) { return plain{search.NewPositionState(p, 2)}, nil }

func start(t testing.TB, size int) engine.Position {
	t.Helper()
	g := trails.Game{}
	options, err := g.Options().Options(map[string]string{"size": strconv.Itoa(size), "towers": "3"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(options, 2)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// play is who wins between two players: seat 1 is the first's.
func play(t testing.TB, p engine.Position, limits search.Limits, players ...search.Player) engine.Result {
	t.Helper()
	for p.Seat() != engine.Nobody {
		limits.Seed++
		thought, err := players[p.Seat()-1].Think(context.Background(), p, limits)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range thought.Actions {
			if p, err = p.Apply(a); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, _ := p.Result()
	return r
}

// Who looks ahead, or plays games out, beats who does neither.
func TestSearchBeatsChance(t *testing.T) {
	for name, player := range map[string]search.Player{
		"alpha-beta":  search.AlphaBeta{State: state},
		"monte carlo": search.MonteCarlo{State: state},
	} {
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

// A thought ends with its context, and even then has a turn.
func TestAThoughtEndsWithItsContext(t *testing.T) {
	for name, player := range map[string]search.Player{
		"alpha-beta":  search.AlphaBeta{State: state},
		"monte carlo": search.MonteCarlo{State: state},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		thought, err := player.Think(ctx, start(t, 11), search.Limits{})
		if err != nil || len(thought.Actions) == 0 {
			t.Errorf("%s: %v, %v", name, thought, err)
		}
	}
}

func TestThereIsNothingToThinkAboutWhenTheGameIsOver(t *testing.T) {
	p := start(t, 7)
	for p.Seat() != engine.Nobody {
		q, err := p.Apply(p.Legal()[0])
		if err != nil {
			t.Fatal(err)
		}
		p = q
	}
	for _, player := range []search.Player{search.Random{}, search.AlphaBeta{State: state}, search.MonteCarlo{State: state}} {
		if _, err := player.Think(t.Context(), p, search.Limits{Nodes: 10}); !errors.Is(err, search.ErrOver) {
			t.Errorf("%T: %v", player, err)
		}
	}
}

// A game that has no players of its own is played by its rules alone, at every
// level.
func TestAnyGameIsPlayedByItsRules(t *testing.T) {
	b := search.Generic(trails.Game{})
	if len(b.Levels) != len(search.LevelKeys) {
		t.Fatalf("%d levels", len(b.Levels))
	}
	for i, l := range b.Levels {
		if l.Key != search.LevelKeys[i] {
			t.Errorf("level %d is %q", i, l.Key)
		}
		if _, err := l.Player.Think(t.Context(), start(t, 7), l.Limits); err != nil {
			t.Errorf("%s: %v", l.Key, err)
		}
	}
	if r := play(t, start(t, 7), search.Limits{Nodes: 200, Seed: 3}, b.Strongest().Player, search.Random{}); r.Winners[0] != 1 {
		t.Errorf("the top lost to chance: %v", r)
	}
	if _, err := b.FixedDepth(2).Think(t.Context(), start(t, 7), search.Limits{}); err != nil {
		t.Error(err)
	}
}
