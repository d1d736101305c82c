package ai

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

func start(t testing.TB, side, seats int) *rings.Position {
	return enginetest.Start[*rings.Position](t, rings.Game{}, fmt.Sprintf("side=%d", side), seats)
}

// apply plays legal actions.
func apply(t testing.TB, p engine.Position, actions ...engine.Action) engine.Position {
	return enginetest.Apply(t, p, actions...)
}

func state(t testing.TB, p engine.Position) *State {
	t.Helper()
	s, err := NewState(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomGame plays random turns, mostly stones, with occasional resignations,
// and calls visit before each and at the end.
func randomGame(t testing.TB, side, seats int, seed uint64, visit func(p *rings.Position)) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	var p engine.Position = start(t, side, seats)
	for p.Seat() != engine.Nobody {
		visit(p.(*rings.Position))
		if seats > 2 && random.IntN(100) == 0 {
			if q, err := p.(*rings.Position).Retire(engine.Seat(1 + random.IntN(seats))); err == nil {
				p = q
				continue
			}
		}
		moves := state(t, p).Moves(nil)
		m := moves[random.IntN(len(moves))]
		if random.IntN(3) > 0 {
			m = moves[0]
		}
		p = apply(t, p, state(t, p).Actions(m)...)
	}
	visit(p.(*rings.Position))
}

// eachBoard calls f for every board size and several numbers of seats.
func eachBoard(f func(side, seats int)) {
	for side := 3; side <= 6; side++ {
		for _, seats := range []int{2, 3, 4, 6} {
			f(side, seats)
		}
	}
}
