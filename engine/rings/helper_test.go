package rings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

type xorshift = enginetest.Random

// start is the position at the start.
func start(t testing.TB, side, seats int) *rings.Position {
	t.Helper()
	o, err := rings.Game{}.Options().Parse(fmt.Sprintf("side=%d", side))
	if err != nil {
		t.Fatal(err)
	}
	p, err := rings.Game{}.New(o, seats)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*rings.Position)
}

// play plays tokens that must be legal.
func play(t testing.TB, p *rings.Position, tokens string) *rings.Position {
	t.Helper()
	for _, token := range strings.Fields(tokens) {
		a, err := p.Parse(token)
		if err != nil {
			t.Fatal(err)
		}
		next, err := p.Apply(a)
		if err != nil {
			t.Fatalf("%s: %v\n%s", token, err, draw(p))
		}
		p = next.(*rings.Position)
	}
	return p
}

// retire lets a seat leave that can.
func retire(t testing.TB, p *rings.Position, seat engine.Seat) *rings.Position {
	t.Helper()
	next, err := p.Retire(seat)
	if err != nil {
		t.Fatal(err)
	}
	return next.(*rings.Position)
}

func legalTokens(p engine.Position) []string {
	var out []string
	for _, a := range p.Legal() {
		out = append(out, a.String())
	}
	return out
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
