package ai

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/towers"
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

func apply(t testing.TB, p *towers.Position, a engine.Action) *towers.Position {
	return enginetest.Apply(t, p, a)
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
				p = apply(t, p, actionOf(m))
				s.Make(m)
			}
			each(p, s)
		}
	}
}

// stateString formats a state without buffers and without the past, which
// differs in a state made from a position.
func stateString(s *State) string {
	f := s.frame
	f.turns, f.firstRepeatable = 0, 0
	return fmt.Sprint(s.board, f, s.size, s.rules)
}

func TestStateFromPosition(t *testing.T) {
	randomGames(t, gameCount(4), func(p *towers.Position, s *State) {
		if s.ending != open {
			return
		}
		q, err := newState(p)
		if err != nil {
			t.Fatal(err)
		}
		if q.Hash() != s.Hash() {
			t.Fatalf("hash differs in\n%s", p.Text())
		}
		if got, want := stateString(q), stateString(s); got != want {
			t.Fatalf("%s\n%s\nin\n%s", got, want, p.Text())
		}
		// Repetitions are recognized alike.
		if !slices.Equal(q.pastKeys[q.firstRepeatable:q.turns], s.pastKeys[s.firstRepeatable:s.turns]) {
			t.Fatalf("the repeatable positions are %x, not %x, in\n%s", q.pastKeys[q.firstRepeatable:q.turns], s.pastKeys[s.firstRepeatable:s.turns], p.Text())
		}
	})
}

// The hash depends on the position, not on the way to it.
func TestHash(t *testing.T) {
	p := start(t, "size=7")
	s, err := newState(p)
	if err != nil {
		t.Fatal(err)
	}
	hash := func(tokens string) uint64 {
		for _, token := range strings.Fields(tokens) {
			a, err := p.Parse(token)
			if err != nil {
				t.Fatal(err)
			}
			s.Make(moveFor(a.(towers.Action)))
			defer s.Unmake()
		}
		return s.Hash()
	}
	if hash("a2-a3 b2-b3") != hash("b2-b3 a2-a3") {
		t.Error("the order of actions counts")
	}
	if hash("a2-a3 b2-b3") == hash("a2-a3 c2-c3") || hash("a2-a3") == hash("a2-a3 end") {
		t.Error("different positions have the same hash")
	}
}

func cellOf(s towers.Square) cell { return cell(s.Y*stride + s.X) }

// moveFor returns the move of an action.
func moveFor(a towers.Action) search.Move {
	switch a.Kind() {
	case towers.Import:
		return moveOf(kindImport, 0, cell(a.Count()))
	case towers.End:
		return moveEnd
	case towers.TakeOut:
		return moveOf(kindOut, cellOf(a.From()), cellOf(a.To()))
	}
	return moveOf(kindMove, cellOf(a.From()), cellOf(a.To()))
}

// rotated returns the position rotated by 180° with the colours exchanged.
func (s *State) rotated() *State {
	t := &State{size: s.size, rules: s.rules, walls: s.walls, weights: s.weights}
	t.locked = t.walls
	t.master = [2]cell{nowhere, nowhere}
	n := int(s.size)
	for c := range cell(cells) {
		if s.walls.has(c) {
			t.board[c] = wall
			continue
		}
		if p := s.board[c]; p != 0 {
			at := c.square()
			to := cellOf(towers.Square{X: n - 1 - at.X, Y: n - 1 - at.Y})
			t.put(to, p^redBit)
			if s.locked.has(c) {
				t.lock(to)
			}
		}
	}
	t.reserve = [2]uint8{s.reserve[1], s.reserve[0]}
	t.points, t.budget, t.mover, t.moved, t.acted = s.points, s.budget, s.mover^1, s.moved, s.acted
	return t
}

func TestEvaluateSymmetry(t *testing.T) {
	randomGames(t, gameCount(3), func(p *towers.Position, s *State) {
		if s.ending != open {
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
		if s.ending != open {
			return
		}
		draws := s.draws(s.endKey())
		s.Make(moveEnd)
		if got := s.ending == drawn; got != draws {
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
