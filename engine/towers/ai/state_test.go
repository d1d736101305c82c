package ai

import (
	"math/rand/v2"
	"os"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// variants covers all board sizes and rules.
var variants = []string{
	"size=5", "size=6", "size=8", "size=10",
	"size=6 rules=tower-out", "size=6 rules=lock-after-move", "size=5 rules=tower-out+lock-split-tower",
	"size=6 rules=import-first+no-master-win", "size=5 rules=no-first-lock-master+master-at-corner",
	"size=7 rules=tower-out+lock-after-move+lock-split-tower+import-first+no-first-lock-master+master-at-corner+no-master-win",
}

// start returns the first position with options such as "size=6
// rules=tower-out".
func start(t testing.TB, options string) *towers.Position {
	return enginetest.Start[*towers.Position](t, towers.Game{}, options, 2)
}

// share is the part of the games and positions that tests use, one in so many:
// all with CASTELLAN_FULL set.
var share = func() int {
	if os.Getenv("CASTELLAN_FULL") != "" {
		return 1
	}
	return 8
}()

// gameCount returns a number of games, reduced unless all are wanted.
func gameCount(games int) int { return max(1, games/share) }

// randomGames calls each with every position of random games and the state that
// followed them.
func randomGames(t testing.TB, games int, each func(p *towers.Position, s *State)) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for _, options := range variants {
		for range games {
			p := start(t, options)
			s, err := newState(p)
			if err != nil {
				t.Fatal(err)
			}
			for p.Seat() != engine.Nobody && p.Turns() < 150 {
				each(p, s)
				legal := s.Moves(nil)
				m := legal[random.IntN(len(legal))]
				p = enginetest.Apply(t, p, actionOf(m))
				s.Make(m)
			}
			each(p, s)
		}
	}
}

// rotated returns the position rotated by 180° with the colours exchanged.
func (s *State) rotated() *State {
	t := &State{State: *board.NewEmpty(int(s.Size), s.Rules), weights: s.weights}
	n := board.Cell(s.Size - 1)
	for c, p := range s.Board {
		if c := board.Cell(c); p != 0 && !s.Walls.Has(c) {
			to := (n-c/board.Stride)*board.Stride + n - c%board.Stride
			t.Put(to, p^board.RedBit)
			if s.Locked.Has(c) {
				t.Lock(to)
			}
		}
	}
	t.Reserve = [2]uint8{s.Reserve[1], s.Reserve[0]}
	t.Points, t.Budget, t.Mover, t.Moved = s.Points, s.Budget, s.Mover^1, s.Moved
	return t
}

func TestEvaluateSymmetry(t *testing.T) {
	randomGames(t, gameCount(3), func(p *towers.Position, s *State) {
		if s.Ending != board.Ongoing {
			return
		}
		if got, want := s.rotated().Evaluate(), s.Evaluate(); got != want {
			t.Fatalf("%d turned, %d as it is, in\n%s", got, want, p.Text())
		}
		if v := s.Evaluate(); v > search.MaxValue || v < -search.MaxValue {
			t.Fatalf("value %d in\n%s", v, p.Text())
		}
	})
}

// draws tells in advance whether a turn draws the game.
func TestDraws(t *testing.T) {
	count := 0
	randomGames(t, gameCount(20), func(p *towers.Position, s *State) {
		if s.Ending != board.Ongoing {
			return
		}
		draws := s.Draws(s.EndKey())
		s.Make(moveEnd)
		if got := s.Ending.IsDraw(); got != draws {
			t.Fatalf("the turn draws: %t; predicted: %t, in\n%s", got, draws, p.Text())
		}
		s.Unmake()
		if draws {
			count++
		}
	})
	if count == 0 {
		t.Error("no position had a draw")
	}
}
