package searchtest

import (
	"testing"

	"castellan/engine"
)

// Start returns the first position of a game with options in text form.
func Start[P engine.Position](t testing.TB, g engine.Game, options string, seats int) P {
	t.Helper()
	o, err := g.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o, seats)
	if err != nil {
		t.Fatal(err)
	}
	return p.(P)
}

// Apply applies legal actions.
func Apply[P engine.Position](t testing.TB, p P, actions ...engine.Action) P {
	t.Helper()
	for _, a := range actions {
		q, err := p.Apply(a)
		if err != nil {
			t.Fatalf("%v: %v", a, err)
		}
		p = q.(P)
	}
	return p
}
