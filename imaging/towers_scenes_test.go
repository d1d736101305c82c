package imaging_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"castellan/engine/towers"
	"castellan/imaging"
)

// Actions that lead to what the pictures are to show.
const (
	// The master's tower captures, and Red takes the master of Blue.
	towersTaken = "a2-b2 d2-d3 end d5-d3 end d1-c1 e1-e2 end c5-c4 +1 end b1-a1 f1-e1 f2-e2 end d3-c3 c3-d3 end +2 e1-e2 end " +
		"c6-d6 c4-b4 end c1-f1 end a5-a2 end f1-f4 end b6-a6 f5-f4"
	// A turn of four actions is open: something is locked, and the master has
	// a pawn to give.
	towersOpen = "d2-d5 d5-d4 end e7-e3 end g2-h2 b2-b4 a2-a1 end f7-d7 h8-h7 g8-h8 end e2-e3 g1-h1 c1-c2 d1-e1 end d7/d6 h7/h4 end " +
		"e1-f1 b4-b1 h1/g1 end b7-b6 c7-d7 c8-d8 h4-h3 end g1-f1 e3-c3 c2/e2 c2-c1 end h8-f8 b8-b6 e8-e7 end b1/a1 f1-c1 h2/h1 d4-d3 f2-f3 end " +
		"d7-c7 d6-d8 f8/g8 end e2-g2 f3-f6 f6-f3 end e7-e2 g8-h8 end h1/e1 c3-d3 +3 h1-g1 end a8-b8 b6/b5 h8-f8 b6-b7 e2-f2 end b1-b4 g1-e1 +1"
	// The largest board, the last turn a long one.
	towersLarge = "c2-c6 g2-g1 i2-j2 end +6 end c6-c7 c7-f7 d2-c2 c1-d1 end i9-i7 i7-i10 g9-g10 end j2-j4 c2-e2 end c9-c8 b9-b7 b10-b8 a10-a9 end " +
		"a2-a4 b1-c1 g1-g2 h2-g2 end e9-e3 end j1-j2 f7-f4 b2-c2 f2-f1 end i10-i8 d9-d8 j10-j9 end g2-g1 h1-h5 end b8-b10 g10-g8 end " +
		"g1-g3 h5-h6 end c8-a8 c10-c7 d8-c8 end f4-f9 c1-b1 a4-b4 end d10-d8 a8-b8 c7-f7 end"
	// As many actions as there are points, two pawns out of the master's tower.
	towersOut = "a2-b2 end a9-b9 end +2 f1/f2 f1/e1 a1-a2 d2-d3"
)

// towersScene is the scene after actions of Towers, with the open or the last
// turn marked and what is legal shown.
func towersScene(t testing.TB, options, actions string) imaging.Scene {
	t.Helper()
	g := towers.Game{}
	o, err := g.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := imaging.Scene{Game: g, Position: p, Names: []string{"Margarethe", "tobias_k"}, Legal: true}
	for _, token := range strings.Fields(actions) {
		playTowers(t, &s, token)
	}
	return s
}

// playTowers plays an action in a scene.
func playTowers(t testing.TB, s *imaging.Scene, token string) {
	t.Helper()
	p := s.Position
	a, err := p.Parse(token)
	if err != nil {
		t.Fatal(err)
	}
	next, err := p.Apply(a)
	if err != nil {
		t.Fatalf("after %d turns, %s: %v\n%s", p.Turns(), token, err, p.(*towers.Position).Text())
	}
	if !s.Turn.Open {
		s.Turn = imaging.Turn{Number: p.Turns() + 1, Seat: p.Seat(), Before: p, Open: true}
	}
	s.Turn.Actions = append(s.Turn.Actions[:len(s.Turn.Actions):len(s.Turn.Actions)], a)
	s.Turn.Open = next.Turns() == p.Turns()
	s.Position = next
}

// towersPlayout is the scene after that many random actions, or at the end.
func towersPlayout(t testing.TB, options string, actions int, seed uint64) imaging.Scene {
	t.Helper()
	s := towersScene(t, options, "")
	random := rand.New(rand.NewPCG(seed, 1))
	for range actions {
		legal := s.Position.Legal()
		if len(legal) == 0 {
			break
		}
		n := uint64(len(legal))
		if n > 1 && random.Uint64()%8 > 0 {
			n-- // the end of the turn is the last
		}
		playTowers(t, &s, legal[random.Uint64()%n].String())
	}
	return s
}

func newTowersRenderer(t testing.TB) *imaging.Renderer {
	t.Helper()
	r, err := imaging.New(imaging.Towers())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
