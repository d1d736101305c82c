package towers_test

import (
	"errors"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/towers"
)

// position is the start with options such as "size=6 rules=tower-out".
func position(t testing.TB, options string) *towers.Position {
	t.Helper()
	o, err := towers.Game{}.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := towers.Game{}.New(o, 2)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*towers.Position)
}

// play plays tokens, separated by white space, that must be legal.
func play(t testing.TB, p *towers.Position, tokens string) *towers.Position {
	t.Helper()
	for _, token := range strings.Fields(tokens) {
		next, err := try(p, token)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", token, err, draw(p))
		}
		p = next
	}
	return p
}

// try plays a token that need not be legal.
func try(p *towers.Position, token string) (*towers.Position, error) {
	a, err := p.Parse(token)
	if err != nil {
		return nil, err
	}
	next, err := p.Apply(a)
	if err != nil {
		return nil, err
	}
	return next.(*towers.Position), nil
}

// refused expects the sentence of that key as the reason of a refusal.
func refused(t testing.TB, err error, id string) {
	t.Helper()
	var illegal *engine.IllegalError
	if !errors.As(err, &illegal) {
		t.Errorf("error %v is no *engine.IllegalError", err)
	} else if illegal.Why.ID != "towers."+id {
		t.Errorf("refused by %s (%v), want towers.%s", illegal.Why.ID, err, id)
	}
}

// legalTokens is the legal actions as they are written.
func legalTokens(p engine.Position) []string {
	var out []string
	for _, a := range p.Legal() {
		out = append(out, a.String())
	}
	return out
}

// replaceOnce changes a drawn board.
func replaceOnce(t testing.TB, text, from, to string) string {
	t.Helper()
	if strings.Count(text, from) != 1 {
		t.Fatalf("%q does not stand once in\n%s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}
