package ai

import (
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

func TestConformance(t *testing.T) {
	var positions []engine.Position
	for _, seats := range []int{2, 3, 5} {
		positions = append(positions, start(t, 3, seats))
	}
	suite := searchtest.Suite{Games: enginetest.Sample(4, 16), Nodes: 60, Rooted: true}
	suite.Run(t, Engine(), positions...)
	b := Engine() // once more with the state of two seats
	b.State = func(p engine.Position) (search.State, error) {
		s, err := NewState(p)
		return twoSeats{s}, err
	}
	suite.Run(t, b, positions[0], start(t, 4, 2))
}

func limited(l search.Level, nodes int64) search.Player {
	return search.Limited{Player: l.Player, Limits: search.Limits{Nodes: nodes}}
}

func think(t testing.TB, player search.Player, p engine.Position, seed uint64) search.Decision {
	t.Helper()
	return searchtest.Think(t, player, p, search.Limits{Seed: seed})
}

// Every player takes a win in this turn, and none lets the next seat win at
// once if another turn prevents it.
func TestImmediateWins(t *testing.T) {
	wins, losses := 0, 0
	players := []search.Player{Greedy{}, Engine().FixedDepth(1)}
	for _, l := range Engine().Levels {
		players = append(players, limited(l, 30))
	}
	for _, seats := range []int{2, 3, 4} {
		for seed := range uint64(25) {
			randomGame(t, 3, seats, seed, func(p *rings.Position) {
				if p.Seat() == engine.Nobody || p.Converting() {
					return
				}
				s := state(t, p)
				switch s.passOutcome() {
				case 1:
					wins++
					for _, player := range players {
						if q := apply(t, p, think(t, player, p, seed).Actions...); !wonBy(q, p.Seat()) {
							t.Fatalf("%v misses a win", player)
						}
					}
				case -1:
					if p.EmptyCount() == 0 || seed > 3 {
						return
					}
					losses++
					for _, player := range players {
						if think(t, player, p, seed).Actions[0].String() == engine.Pass {
							t.Fatalf("%v gives the game away", player)
						}
					}
				}
			})
		}
	}
	if wins < 20 || losses < 50 {
		t.Errorf("only %d wins and %d losses were met", wins, losses)
	}
}

// Levels with tree search open differently for different seeds and alike for
// the same; later the seed changes nothing.
func TestOpeningVariety(t *testing.T) {
	const nodes = 60
	games := 4 + enginetest.Sample(2, 8)
	for _, seats := range []int{2, 4} {
		for _, l := range Engine().Levels {
			c, ok := l.Player.(search.Limited)
			if !ok {
				t.Fatalf("%s is no search.Limited", l.Key)
			}
			if _, ok := c.Player.(TreeSearch); !ok {
				continue
			}
			player := limited(l, nodes)
			open := func(seed uint64) (stones string) {
				var p engine.Position = start(t, 6, seats)
				for range seats {
					actions := think(t, player, p, seed).Actions
					stones += actions[0].String() + " "
					p = apply(t, p, actions...)
				}
				return stones
			}
			openings := map[string]bool{}
			for seed := range uint64(games) {
				stones := open(seed)
				if again := open(seed); stones != again {
					t.Errorf("%s with %d seats opens %sfor a seed, and %sfor the same", l.Key, seats, stones, again)
				}
				openings[stones] = true
			}
			if len(openings) < games/2 {
				t.Errorf("%s with %d seats knows only %d openings in %d games", l.Key, seats, len(openings), games)
			}
			p := start(t, 6, seats)
			for p.Turns() < varietyTurns*seats {
				p = apply(t, p, think(t, search.Random{}, p, uint64(p.Turns())).Actions...).(*rings.Position)
			}
			if one, two := think(t, player, p, 1), think(t, player, p, 2); !slices.Equal(one.Actions, two.Actions) {
				t.Errorf("%s with %d seats: the seed still decides after %d turns", l.Key, seats, p.Turns())
			}
		}
	}
}
