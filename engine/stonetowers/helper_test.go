package stonetowers_test

import (
	"errors"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"
)

const (
	red  engine.Seat = 1
	blue engine.Seat = 2
)

// position is the start with options such as "width=5 turns=10".
func position(t testing.TB, options string) *stonetowers.Position {
	t.Helper()
	p, err := start(options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func start(options string) (*stonetowers.Position, error) {
	o, err := stonetowers.Game{}.Options().Parse(options)
	if err != nil {
		return nil, err
	}
	p, err := stonetowers.Game{}.New(o, 2)
	if err != nil {
		return nil, err
	}
	return p.(*stonetowers.Position), nil
}

// apply plays an action that must be legal.
func apply(t testing.TB, p engine.Position, a engine.Action) *stonetowers.Position {
	t.Helper()
	next, err := p.Apply(a)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return next.(*stonetowers.Position)
}

// play plays actions given by their tokens, separated by spaces.
func play(t testing.TB, p *stonetowers.Position, tokens string) *stonetowers.Position {
	t.Helper()
	for _, token := range strings.Fields(tokens) {
		p = apply(t, p, parse(t, p, token))
	}
	return p
}

func parse(t testing.TB, p engine.Position, token string) stonetowers.Action {
	t.Helper()
	a, err := p.Parse(token)
	if err != nil {
		t.Fatal(err)
	}
	return a.(stonetowers.Action)
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

// legalTokens is the legal actions in their order.
func legalTokens(p engine.Position) []string {
	var out []string
	for _, a := range p.Legal() {
		out = append(out, a.String())
	}
	return out
}
