package trails_test

import (
	"errors"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
)

// position is the start with options such as "size=5 towers=1".
func position(t testing.TB, options string) *trails.Position {
	t.Helper()
	o, err := trails.Game{}.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := trails.Game{}.New(o, 2)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*trails.Position)
}

// apply plays a move that must be legal.
func apply(t testing.TB, p engine.Position, a engine.Action) *trails.Position {
	t.Helper()
	next, err := p.Apply(a)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return next.(*trails.Position)
}

// refused expects the sentence of that key as the reason of a refusal.
func refused(t testing.TB, err error, id string) {
	t.Helper()
	var illegal *engine.IllegalError
	if !errors.As(err, &illegal) {
		t.Errorf("error %v is no *engine.IllegalError", err)
	} else if illegal.Why.ID != id {
		t.Errorf("refused by %s (%v), want %s", illegal.Why.ID, err, id)
	}
}

// replaceOnce changes a drawn board.
func replaceOnce(t testing.TB, text, from, to string) string {
	t.Helper()
	if strings.Count(text, from) != 1 {
		t.Fatalf("%q does not stand once in\n%s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}
