package ai

import (
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// Random games, step by step: the state agrees with the rules, one made anew is
// the same, and what is made can be taken back.
func TestTheStateFollowsTheRules(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes {
		for range 4 {
			p := begin(t, size)
			s := walked(t, p)
			for p.Seat() != engine.Nobody {
				if want := int(p.Seat()) - 1; s.Seat() != want {
					t.Fatalf("seat %d, not %d", s.Seat(), want)
				}
				legal, moves := p.Legal(), s.Moves(nil)
				var actions []engine.Action
				for _, m := range moves {
					actions = append(actions, s.Actions(m)...)
				}
				if !slices.Equal(actions, legal) {
					t.Fatalf("%s: moves %v, legal %v", size, actions, legal)
				}
				k := random.IntN(len(moves))
				before := s.snapshot()
				s.Make(moves[k])
				after := s.snapshot()
				s.Unmake()
				if s.snapshot() != before {
					t.Fatalf("%s: %v is not taken back", size, legal[k])
				}
				s.Make(moves[k])
				p = played(t, p, legal[k])
				if anew := walked(t, p).snapshot(); anew != after || s.snapshot() != after {
					t.Fatalf("%s: after %v the state is not that of the position", size, legal[k])
				}
			}
			if s.Seat() != -1 || len(s.Moves(nil)) != 0 {
				t.Fatalf("the game is over, but seat %d has moves %v", s.Seat(), s.Moves(nil))
			}
			r, _ := p.Result()
			var got, want [2]float64
			s.Payoffs(got[:])
			search.Payoffs(r, want[:])
			if got != want {
				t.Fatalf("shares %v, result %v", got, want)
			}
			for len(s.marks) > 0 {
				s.Unmake()
			}
			if s.snapshot() != walked(t, begin(t, size)).snapshot() {
				t.Fatalf("%s: the way back to the start does not lead there", size)
			}
		}
	}
}

// What is foreseen of a move is what Evaluate says after it.
func TestWhatIsForeseenComes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range sizes {
		for range 3 {
			s := walked(t, begin(t, size))
			for s.Seat() >= 0 {
				moves := s.Moves(nil)
				values := make([]int32, len(moves))
				if ok := s.EvaluateMoves(moves, values); ok != (s.left > 1) {
					t.Fatalf("%d turns left: foreseen: %v", s.left, ok)
				}
				for i, m := range moves {
					if s.left == 1 {
						break
					}
					s.Make(m)
					if got := -s.Evaluate(); got != int(values[i]) {
						t.Fatalf("%s: %v: foreseen %d, came %d", size, m, values[i], got)
					}
					s.Unmake()
				}
				s.Make(moves[random.IntN(len(moves))])
			}
		}
	}
}

// A position is worth to Red what the same with the colours exchanged is worth
// to Blue, in the same phase of the game.
func TestColoursDoNotCount(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, size := range sizes {
		s := walked(t, wander(t, begin(t, size), 15, random))
		other := *s
		other.sum = 0
		for _, c := range s.geo.cells {
			q := s.at[c]
			o := q.owner()
			if o != free {
				o = red + blue - o
			}
			other.at[c] = (q&^31 | (2*even - q&31)).with(o, q.level())
			other.sum += other.tables.value[other.at[c]]
		}
		for _, phase := range []int{0, scale / 3, scale} {
			if a, b := s.scoreFor(0).interpolate(phase), other.scoreFor(1).interpolate(phase); a != b || a == 0 {
				t.Errorf("%s: %d to Red, %d to Blue with the colours exchanged", size, a, b)
			}
		}
	}
}

// Games that are played out end, leave the state as it was, and are won as
// often as by the rules.
func TestPlayoutsAreGamesOfTheRules(t *testing.T) {
	const games = 3000
	for _, size := range []string{"width=4 height=4 turns=12", "width=6 height=5 turns=8"} {
		p := wander(t, begin(t, size), 5, rand.New(rand.NewPCG(7, 8)))
		s, random := walked(t, p), rand.NewPCG(9, 10)
		before := s.snapshot()
		mine, theirs := 0.0, 0.0
		plain := search.NewPositionState(p, 2)
		values := make([]float64, 2)
		for i := range games {
			s.Playout(random, values)
			mine += values[0]
			if s.snapshot() != before {
				t.Fatal("a playout changes the state")
			}
			if i%10 == 0 {
				plain.Playout(random, values)
				theirs += 10 * values[0]
			}
		}
		// Five standard deviations of the mean of the fewer games.
		if d := (mine - theirs) / games; d > 0.145 || d < -0.145 {
			t.Errorf("%s: Red wins %.0f of %d games, %.0f by the rules", size, mine, games, theirs)
		}
	}
}

// A playout meets nothing that Make does not: the same draws lead to the same
// board.
func TestPlayoutsMoveAsMakeDoes(t *testing.T) {
	random := rand.NewPCG(11, 12)
	for _, size := range sizes {
		s := walked(t, begin(t, size))
		quick := walked(t, begin(t, size))
		for s.left > 0 {
			m := quick.randomMove(random)
			quick.playFast(m)
			quick.left--
			s.Make(search.Move(m))
			for _, c := range s.geo.cells {
				if s.at[c] != quick.at[c] {
					t.Fatalf("%s: cell %d is %b, not %b", size, c, quick.at[c], s.at[c])
				}
			}
			if s.owned != quick.owned {
				t.Fatalf("%s: %v owned, not %v", size, quick.owned, s.owned)
			}
		}
	}
}

func TestAPositionOfAnotherGameIsRefused(t *testing.T) {
	g := trails.Game{}
	p, err := g.New(g.Options().Defaults(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newSearchState(p); err == nil {
		t.Error("a position of Trails was taken")
	}
}

// Searching allocates nothing for a node.
func TestNodesAllocateNothing(t *testing.T) {
	s := walked(t, wander(t, begin(t, ""), 25, rand.New(rand.NewPCG(13, 14))))
	moves := s.Moves(nil)
	values, shares := make([]int32, len(moves)), make([]float64, 2)
	random := rand.NewPCG(15, 16)
	all := func() {
		moves = s.Moves(moves[:0])
		s.EvaluateMoves(moves, values)
		for _, m := range moves {
			s.Make(m)
			s.Evaluate()
			s.Unmake()
		}
		s.Playout(random, shares)
	}
	if n := testing.AllocsPerRun(50, all); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
