package imaging_test

import (
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
)

// trailsScene is the scene after turns of Trails, given by their first
// letters, with the last turn marked
// and the legal targets shown.
func trailsScene(t testing.TB, options, turns string) imaging.Scene {
	t.Helper()
	g := trails.Game{}
	o, err := g.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := imaging.Scene{Game: g, Names: []string{"Margarethe", "tobias_k"}, Legal: true}
	for _, token := range strings.Split(turns, "") {
		a, err := p.Parse(token)
		if err != nil {
			t.Fatal(err)
		}
		next, err := p.Apply(a)
		if err != nil {
			t.Fatalf("after %d turns, %s: %v", p.Turns(), token, err)
		}
		s.Turn = imaging.Turn{Number: next.Turns(), Seat: p.Seat(), Before: p, Actions: []engine.Action{a}}
		p = next
	}
	s.Position = p
	return s
}

func newRenderer(t testing.TB) *imaging.Renderer {
	t.Helper()
	r, err := imaging.New(imaging.Trails())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
