package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"castellan/engine"
)

// Generic is the players of a game that nobody has taught more than its rules:
// they play games out at random, the weaker the fewer. It is slow, since it
// walks positions, and serves until the game has a folder of its own here.
func Generic(g engine.Game) Engine {
	least, _ := g.Seats()
	own, _ := g.New(g.Options().Defaults(), least)
	state := func(p engine.Position) (State, error) {
		if reflect.TypeOf(p) != reflect.TypeOf(own) {
			return nil, fmt.Errorf("search: a player of %s is asked about a %T", g.Key(), p)
		}
		seats, err := seatsOf(p)
		if err != nil {
			return nil, err
		}
		return evaluated{NewPositionState(p, seats)}, nil
	}
	monte := MonteCarlo{State: state}
	b := Engine{Game: g, State: state, Greedy: Limited{monte, Limits{Nodes: 16}}}
	for i, key := range LevelKeys {
		b.Levels = append(b.Levels, Level{
			Key: key, Player: monte, Limits: Limits{Nodes: 4 << (10 * i / (len(LevelKeys) - 1))}, MoveTime: 2 * time.Second,
		})
	}
	b.FixedDepth = func(moves int) Player {
		return Limited{widest{state}, Limits{Depth: moves}}
	}
	return b
}

// seatsOf plays a game out to learn how many sit at it, which a position does
// not tell before its end.
func seatsOf(p engine.Position) (int, error) {
	random := rand.NewPCG(p.Hash(), 1)
	for p.Seat() != engine.Nobody {
		legal := p.Legal()
		q, err := p.Apply(legal[random.Uint64()%uint64(len(legal))])
		if err != nil {
			return 0, fmt.Errorf("search: playing a game out: %w", err)
		}
		p = q
	}
	r, _ := p.Result()
	return len(r.Ranks), nil
}

// evaluated is a state that holds every position that goes on for even.
type evaluated struct{ *PositionState }

func (evaluated) Evaluate() int { return 0 }

// widest looks ahead by alpha-beta where two play, and plays at random where
// more do.
type widest struct {
	State func(engine.Position) (State, error)
}

// Think looks ahead as far as the limits say.
func (w widest) Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error) {
	if p.Seat() == engine.Nobody {
		return Decision{}, ErrOver
	}
	s, err := w.State(p)
	if err != nil {
		return Decision{}, err
	}
	if s.Seats() != 2 {
		return Random{}.Think(ctx, p, limits)
	}
	return AlphaBeta{State: w.State, FullWidth: true}.Think(ctx, p, limits)
}
