package ai

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

// Everything that is asked of every brain.
func TestConformance(t *testing.T) {
	var positions []engine.Position
	for _, seats := range []int{2, 3, 5} {
		positions = append(positions, start(t, 3, seats))
	}
	suite := searchtest.Suite{Games: 1, Nodes: 60, Rooted: true}
	suite.Run(t, Brain(), positions...)
	b := Brain() // once more with the state by which two seats look ahead
	b.State = func(p engine.Position) (search.State, error) {
		s, err := NewState(p)
		return duel{s}, err
	}
	suite.Run(t, b, positions[0])
}

// tiny is a level that thinks no longer than a test may.
func tiny(l search.Level, nodes int64) search.Player {
	return search.Capped{Player: l.Player, Limits: search.Limits{Nodes: nodes}}
}

// The same position, limits and seed give the same turn.
func TestAThoughtCanBeRepeated(t *testing.T) {
	positions := 0
	for _, seats := range []int{2, 4} {
		for seed := range uint64(4) {
			walk(t, 3, seats, seed, func(p *rings.Position) {
				if p.Seat() == engine.Nobody {
					return
				}
				positions++
				for i, l := range Brain().Levels {
					if (positions+i)%len(search.LevelKeys) != 0 {
						continue
					}
					one := think(t, tiny(l, 40), p, seed)
					two := think(t, tiny(l, 40), p, seed)
					if !slices.Equal(one.Actions, two.Actions) || !slices.Equal(one.Values, two.Values) {
						t.Fatalf("%s: %v and %v", l.Key, one, two)
					}
				}
			})
		}
	}
	if positions < 300 {
		t.Errorf("only %d positions", positions)
	}
}

func think(t testing.TB, player search.Player, p engine.Position, seed uint64) search.Thought {
	t.Helper()
	thought, err := player.Think(t.Context(), p, search.Limits{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return thought
}

// A win that can be had this turn is taken by everybody, and nobody lets the
// next have one whom another turn would not.
func TestNoWinIsMissedAndNoneGivenAway(t *testing.T) {
	wins, losses := 0, 0
	players := []search.Player{Greedy{}, Brain().Depth(1)}
	for _, l := range Brain().Levels {
		players = append(players, tiny(l, 30))
	}
	for _, seats := range []int{2, 3, 4} {
		for seed := range uint64(25) {
			walk(t, 3, seats, seed, func(p *rings.Position) {
				if p.Seat() == engine.Nobody || p.Converting() {
					return
				}
				s := state(t, p)
				switch s.ends() {
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

// A thought that is broken off has a turn nevertheless.
func TestABrokenOffThoughtHasATurn(t *testing.T) {
	for _, seats := range []int{2, 4} {
		p := start(t, 6, seats)
		for _, l := range Brain().Levels {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			thought, err := l.Player.Think(ctx, p, search.Limits{})
			if err != nil {
				t.Fatalf("%s: %v", l.Key, err)
			}
			if q := apply(t, p, thought.Actions...); q.Turns() != 1 {
				t.Errorf("%s: %v is no turn", l.Key, thought.Actions)
			}
		}
	}
}

// The levels that grow a tree open differently for different seeds, and alike
// for the same; once the game is under way the seed changes nothing.
func TestTheSeedDecidesHowATreeOpens(t *testing.T) {
	const nodes, games = 60, 12
	for _, seats := range []int{2, 4} {
		for _, l := range Brain().Levels {
			c, ok := l.Player.(search.Capped)
			if !ok {
				t.Fatalf("%s is no search.Capped", l.Key)
			}
			if _, ok := c.Player.(Tree); !ok {
				continue
			}
			player := tiny(l, nodes)
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
			for p.Turns() < early*seats {
				p = apply(t, p, think(t, search.Random{}, p, uint64(p.Turns())).Actions...).(*rings.Position)
			}
			if one, two := think(t, player, p, 1), think(t, player, p, 2); !slices.Equal(one.Actions, two.Actions) {
				t.Errorf("%s with %d seats: the seed still decides after %d turns", l.Key, seats, p.Turns())
			}
		}
	}
}

// What is expected of a thought is shares of the win.
func TestAThoughtExpectsShares(t *testing.T) {
	for _, seats := range []int{2, 3, 6} {
		p := start(t, 4, seats)
		players := []search.Player{Greedy{}, Brain().Depth(1), tiny(Brain().Top(), 200)}
		for _, player := range players {
			sum, v := 0.0, think(t, player, p, 1).Values
			for _, x := range v {
				sum += x
			}
			if len(v) != seats || sum < 0.999 || sum > 1.001 {
				t.Errorf("%d seats, %T: %v", seats, player, v)
			}
		}
	}
}

// A game played out at random ends, and each seat wins its share of them.
func TestRandomGamesAreFair(t *testing.T) {
	for _, seats := range []int{2, 4} {
		s := state(t, start(t, 3, seats))
		before := *s.top()
		pcg := rand.NewPCG(1, 1)
		sums, slow, values := make([]float64, seats), make([]float64, seats), make([]float64, seats)
		const games = 2000
		for range games {
			s.Playout(pcg, values)
			for i, v := range values {
				sums[i] += v / games
			}
		}
		plain := search.NewPositions(start(t, 3, seats), seats)
		const few = 200
		for range few {
			plain.Playout(pcg, values)
			for i, v := range values {
				slow[i] += v / few
			}
		}
		for i := range sums {
			if d := sums[i] - slow[i]; d < -0.15 || d > 0.15 {
				t.Errorf("seat %d of %d wins %.2f, and by the rules %.2f", i+1, seats, sums[i], slow[i])
			}
		}
		if *s.top() != before {
			t.Error("a game played out leaves something behind")
		}
	}
}

// Whoever looks ahead beats who takes what looks best, with two seats and more.
func TestLookingAheadBeatsGreed(t *testing.T) {
	for _, seats := range []int{2, 4} {
		player := tiny(Brain().Top(), map[int]int64{2: 150, 4: 400}[seats])
		share := 0.0
		const games = 8
		for game := range games {
			var p engine.Position = start(t, 4, seats)
			mine := engine.Seat(1 + game%seats)
			for seed := uint64(game) << 32; p.Seat() != engine.Nobody; seed++ {
				who := search.Player(Greedy{})
				switch {
				case p.Turns() < 2*seats:
					who = search.Random{}
				case p.Seat() == mine:
					who = player
				}
				p = apply(t, p, think(t, who, p, seed).Actions...)
			}
			r, _ := p.Result()
			if slices.Contains(r.Winners, mine) {
				share += 1 / float64(len(r.Winners))
			}
		}
		if share < games/2 {
			t.Errorf("%d seats: %.1f of %d games", seats, share, games)
		}
	}
}
