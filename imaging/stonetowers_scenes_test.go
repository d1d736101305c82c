package imaging_test

import (
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging"
)

// Turns that lead to what the pictures are to show; a square on a castle
// fortifies it.
const (
	// Castles of every level; the last turn takes squares of Blue and of nobody
	// and destroys a castle.
	stoneMiddle = "b7 d8 d1 d6 e3 d7 a2 a4 g3 h7 c4 f1 g6 d8 d1 f5 a6 f7 a3 a8 c4 f7 g6 d7 h1 d6 b2 d8 b7 g8 h4 a8 b4"
	// Two castles stand in balance, and one brings down the other.
	stoneDomino = "a4 d4 b4 c4 d6 h1 d6 h1 d5 h1 d5 g1 b4 g1 b4"
	// Blue wins by his last turn.
	stoneEnd = "f3 e5 f4 c4 b3 d1 b6 g2 f4 a1 f4 e6 e3 d1 g5 c5 g5 a1 g5 g1 e3 e1 b2 c3 a5 d4 b6 g2"
	// Red has nothing left to do and passes.
	stonePass = "a1 b3 a4 c3 a4 c3 a3 d3 d1 b2 a4 b2 a1 b2 a3 c2 a1 b1 a3 b3 d1 d3 d1 c2 a2 b3 b4 c3 b4 b1 a2 d4 a2 b1 b4 c2 pass"
	// The smallest board.
	stoneFour = "b2 d4 a4 d1 a2 d2 b2 d1 b2 c3 a2 d4 b3 d2 c2 c4 a2 c4 a1 c4"
	// A wide and a high board, and the largest, whose cells have no room for
	// walls.
	stoneWide  = "c4 o3 e2 h1 l2 j3 b3 p1 h4 c1 l4 n1 g3 j1 b3 f4 b3 i1 b2 c1 l2 o3 g3 k3 d4 k3 l4 k3 m4"
	stoneHigh  = "b5 b3 d6 b7 c1 e4 e8 d2 a4 a9 c9 a9 d7 a2 c9 a2 c1 b3 d7 a8 d6 b2 a6 b7 c9 a3 e1 b2 e8 a3"
	stoneLarge = "a1 j5 f12 b5 b15 n2 j2 g6 l15 h15 b10 j9 m7 e6 h7 d9 n5 f8 o13 o10 e15 o7 j16 c2 f2 o16 m12 h3 f12 d11 " +
		"f4 k11 a13 h11 e16 c5 c14 j6 m10 p3 l4 g8 j14 o7 a8 h10 c12 k8 n9 h13 o13 j6 e2 d8 b7 m2 a15 c3 p9 o16 " +
		"e10 p16 a4 k9 b10 n1 j13 p1 p12 o4 m9 o15 i12 o7 h1 h10 g16 h4 d13 l1 c14 o4 f11 b2 g16 n14 f14 i8 b16 " +
		"p5 i12 c1 p13 p5 j14 d4 k3 o8 g4 n7 i12 n11 l5 i8 f14 m2 a8 j5 a8 g13 h12 k12 f4 i7 h1 d8 f11 h3 l10 c5 " +
		"n5 c1 a1 p6 f14 j11 e15 o4 l12 p3 h1 n16 a4 h8"
)

// stoneScene is the scene after turns of Stone Towers, with the last turn
// marked and the legal squares shown.
func stoneScene(t testing.TB, options, turns string) imaging.Scene {
	t.Helper()
	g := stonetowers.Game{}
	o, err := g.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := imaging.Scene{Game: g, Position: p, Names: []string{"Margarethe", "tobias_k"}, Legal: true}
	for _, token := range strings.Fields(turns) {
		a, err := s.Position.Parse(token)
		if err != nil {
			t.Fatal(err)
		}
		s = after(t, s, a)
	}
	return s
}

// after is the scene after one more action that ends the turn.
func after(t testing.TB, s imaging.Scene, a engine.Action) imaging.Scene {
	t.Helper()
	next, err := s.Position.Apply(a)
	if err != nil {
		t.Fatalf("after %d turns, %s: %v", s.Position.Turns(), a, err)
	}
	s.Turn = imaging.Turn{Number: next.Turns(), Seat: s.Position.Seat(), Before: s.Position, Actions: []engine.Action{a}}
	s.Position = next
	return s
}

// stoneGoldens is the pictures of Stone Towers that are kept.
func stoneGoldens() []golden {
	picked := func(steps ...string) func(*imaging.Scene) {
		return func(s *imaging.Scene) { s.Picked = steps }
	}
	return []golden{
		{name: "stone-start", theme: imaging.Dark},
		{name: "stone-middle", theme: imaging.Dark, turns: stoneMiddle},
		{name: "stone-light", theme: imaging.Light, turns: stoneMiddle},
		{name: "stone-domino", theme: imaging.Contrast, turns: stoneDomino},
		{name: "stone-file", theme: imaging.Dark, turns: stoneDomino, change: picked("h")},
		{name: "stone-square", theme: imaging.Light, turns: stoneDomino, change: picked("g", "1+")},
		{name: "stone-end", theme: imaging.Dark, options: "width=7 height=6 turns=14", turns: stoneEnd},
		{name: "stone-pass", theme: imaging.Light, options: "width=4 height=4 turns=40", turns: stonePass},
		{name: "stone-drawn", theme: imaging.Contrast, options: "width=4 height=4", turns: stoneFour, change: func(s *imaging.Scene) {
			s.Outcome = &imaging.Outcome{}
		}},
		{name: "stone-wide", theme: imaging.Light, options: "width=16 height=4", turns: stoneWide},
		{name: "stone-high", theme: imaging.Contrast, options: "width=5 height=9", turns: stoneHigh},
		{name: "stone-large", theme: imaging.Dark, options: "width=16 height=16 turns=100", turns: stoneLarge},
		{name: "stone-large-file", theme: imaging.Light, options: "width=16 height=16 turns=100", turns: stoneLarge, change: picked("e")},
	}
}

// stoneGoldenScene is the scene of such a picture.
func stoneGoldenScene(t testing.TB, g golden) imaging.Scene {
	t.Helper()
	s := stoneScene(t, g.options, g.turns)
	if g.change != nil {
		g.change(&s)
	}
	return s
}

func newStoneRenderer(t testing.TB) *imaging.Renderer {
	t.Helper()
	r, err := imaging.New(imaging.StoneTowers())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
