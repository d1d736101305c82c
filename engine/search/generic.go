package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"castellan/engine"
)

// Generic returns an engine for any game, which knows only the rules. Its levels
// differ by the number of random playouts. It is slow; a game with its own
// package ai does not need it.
func Generic(g engine.Game) Engine {
	own := map[reflect.Type]bool{}
	for _, version := range engine.Versions(g) {
		seats, _ := version.Seats()
		start, _ := version.New(version.Options().Defaults(), seats)
		own[reflect.TypeOf(start)] = true
	}
	state := func(p engine.Position) (State, error) {
		if !own[reflect.TypeOf(p)] {
			return nil, fmt.Errorf("search: the player of %s got a position of type %T", g.Key(), p)
		}
		return evenState{NewPositionState(p, countSeats(p))}, nil
	}
	playouts := MonteCarlo{State: state}
	e := Engine{Game: g, State: state, Greedy: Limited{playouts, Limits{Nodes: 16}}}
	for i, key := range LevelKeys {
		e.Levels = append(e.Levels, Level{
			Key: key, Player: playouts, Limits: Limits{Nodes: 4 << (10 * i / (len(LevelKeys) - 1))}, MoveTime: 2 * time.Second,
		})
	}
	e.FixedDepth = func(moves int) Player { return generalFixedDepth{state, FixedDepth(state)(moves)} }
	return e
}

// countSeats returns the number of seats in the result of a random playout: a
// position does not tell it before the end of the game.
func countSeats(p engine.Position) int {
	r, _ := playOut(p, rand.NewPCG(p.Hash(), 1)).Result()
	return len(r.Ranks)
}

// evenState evaluates every position as even.
type evenState struct{ *PositionState }

func (evenState) Evaluate() int { return 0 }

// generalFixedDepth searches by alpha-beta with two seats, and plays at random
// with more.
type generalFixedDepth struct {
	state     func(engine.Position) (State, error)
	alphaBeta Player
}

func (f generalFixedDepth) Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error) {
	if s, err := f.state(p); p.Seat() != engine.Nobody && err == nil && s.Seats() != 2 {
		return Random{}.Think(ctx, p, limits)
	}
	return f.alphaBeta.Think(ctx, p, limits)
}
