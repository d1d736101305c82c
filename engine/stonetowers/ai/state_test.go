package ai

import (
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
)

// In random games the state agrees with the rules and with a state made from
// the position, and moves can be taken back.
func TestStateFollowsRules(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes {
		for range 4 {
			p := start(t, size)
			s := stateOf(t, p)
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
				p = apply(t, p, legal[k])
				if anew := stateOf(t, p).snapshot(); anew != after || s.snapshot() != after {
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
			if s.snapshot() != stateOf(t, start(t, size)).snapshot() {
				t.Fatalf("%s: the way back to the start does not lead there", size)
			}
		}
	}
}

// EvaluateMoves agrees with Evaluate after each move.
func TestEvaluateMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range sizes {
		for range 3 {
			s := stateOf(t, start(t, size))
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

// A position has the same value for Red as the one with colours exchanged has
// for Blue, in the same phase.
func TestEvaluateSymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, size := range sizes {
		s := stateOf(t, playRandomly(t, start(t, size), 15, random))
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

// Playouts end, restore the state, and are won as often as random games by the
// rules.
func TestPlayoutDistribution(t *testing.T) {
	const games = 3000
	for _, size := range []string{"width=4 height=4 turns=12", "width=6 height=5 turns=8"} {
		p := playRandomly(t, start(t, size), 5, rand.New(rand.NewPCG(7, 8)))
		s, random := stateOf(t, p), rand.NewPCG(9, 10)
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

// playFast leads to the same board as Make.
func TestPlayFastMatchesMake(t *testing.T) {
	random := rand.NewPCG(11, 12)
	for _, size := range sizes {
		s := stateOf(t, start(t, size))
		quick := stateOf(t, start(t, size))
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

// Nodes do not allocate.
func TestAllocations(t *testing.T) {
	s := stateOf(t, playRandomly(t, start(t, ""), 25, rand.New(rand.NewPCG(13, 14))))
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
