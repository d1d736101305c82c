package stonetowers_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/stonetowers"
)

// FuzzParse: any text is an action that is printed as a token and read back as
// itself, or an *engine.NotationError in valid UTF-8. A refusal says why.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a1", " B2 ", "d4+", "p16", "pass", "", "e5+", "\xff\xfe", "{{.Token}}", "a1\x00", "f6", "d6"} {
		f.Add(s)
	}
	p := read(f, middle)
	legal := map[engine.Action]bool{}
	for _, a := range p.Legal() {
		legal[a] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := p.Parse(text)
		if err != nil {
			var bad *engine.NotationError
			if !errors.As(err, &bad) || bad.Token != text || a != nil {
				t.Fatalf("%q: %v, %#v", text, a, err)
			}
			if utf8.ValidString(text) && !strings.Contains(err.Error(), text) {
				t.Fatalf("%q: the error does not show it: %v", text, err)
			}
			return
		}
		// A bare square on a castle is read as the fortification.
		again, err := p.Parse(a.String())
		if err != nil || again != a {
			t.Fatalf("%q is %v, which is read as %v, %v", text, a, again, err)
		}
		next, err := p.Apply(a)
		if (err == nil) != legal[a] {
			t.Fatalf("%v is legal: %t, but: %v", a, legal[a], err)
		}
		var illegal *engine.IllegalError
		if err != nil && (!errors.As(err, &illegal) || illegal.Action != a || illegal.Error() == "") {
			t.Fatalf("%v: %v", a, err)
		}
		if err == nil && next.Turns() != p.Turns()+1 {
			t.Fatalf("%v: %d turns", a, next.Turns())
		}
	})
}

// FuzzGame: any list of tokens is a game as far as it is legal, and the plain
// rules have the same position in the end.
func FuzzGame(f *testing.F) {
	f.Add(uint8(4), uint8(4), "a1 b2 a1 b2 c3 pass b3")
	f.Add(uint8(16), uint8(5), "p5 p4 o5 o4 p5 o4 p5")
	f.Add(uint8(5), uint8(4), "b2 d2 b2 d2 c2 c3 b2 c3 c2 c1")
	f.Fuzz(func(t *testing.T, width, height uint8, text string) {
		w, h := 4+int(width)%13, 4+int(height)%13
		p, want := position(t, fmt.Sprintf("width=%d height=%d turns=20", w, h)), newPlain(w, h, 20)
		for _, token := range strings.Fields(text) {
			a, err := p.Parse(token)
			if err != nil {
				continue
			}
			next, err := p.Apply(a)
			k := slices.Index(plainTokens(want), a.String())
			if (err == nil) != (k >= 0) {
				t.Fatalf("%v: %v, but plainly legal: %t\n%s", a, err, k >= 0, draw(p))
			}
			if err != nil {
				continue
			}
			p = next.(*stonetowers.Position)
			want.play(want.legal()[k])
		}
		if d := differences(p, want); d != nil {
			t.Fatalf("%v\n%s", d, draw(p))
		}
	})
}
