package stonetowers_test

import (
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

const middle = "turns=20 played=22 B1rr..b/bR2R1rbB1/B1B2b..b/bb..r./r.rrR3r/R1r..r."

// Parse reads every spelling of the rules page, in any case and with white
// space.
func TestParse(t *testing.T) {
	p := read(t, middle)
	for written, want := range map[string]string{
		"a1": "a1+", "a1+": "a1+", " A1+\n": "a1+", "A1": "a1+", // a castle of Red, who is to move
		"d6": "d6", "D6": "d6", "\td6 ": "d6", "d6+": "d6+",
		"e2": "e2+", // their castle of level 3
		"b4": "b4",  // a castle of Blue
		"a2": "a2", "p16": "p16", "p16+": "p16+", "g1": "g1",
		"a17": "a17", "z26": "z26", // beyond every board, as Apply says
		"pass": "pass", "PASS": "pass", " Pass ": "pass",
	} {
		if got, err := p.Parse(written); err != nil || got.String() != want {
			t.Errorf("%q is read as %v, %v, want %s", written, got, err, want)
		}
	}
	blues := enginetest.Play(t, p, "d6")
	for written, want := range map[string]string{"b4": "b4+", "a1": "a1"} {
		if got, err := blues.Parse(written); err != nil || got.String() != want {
			t.Errorf("for Blue %q is read as %v, %v, want %s", written, got, err, want)
		}
	}
	bad := []string{
		"", " ", "a", "1", "a0", "a27", "{1", "a01", "a1++", "+", "+a1", "a+", "a1 +", "a 1", "aa1", "a1a", "a-1",
		"a1 b2", "end", "pas", "pass+", "ä1", "a１", "a+1", "0x1",
	}
	for _, token := range bad {
		enginetest.BadNotation(t, p, []string{"“" + token + "”", "d4 (build)", "d4+ (fortify)"}, token)
	}
}

func FuzzParse(f *testing.F) {
	enginetest.FuzzParse(f, read(f, middle), "a1", " B2 ", "d4+", "p16", "pass", "e5+", "a1\x00", "f6", "d6")
}

// Any list of tokens is a game as far as it is legal, and the reference
// implementation reach the same position.
func FuzzGame(f *testing.F) {
	f.Add(uint8(4), uint8(4), "a1 b2 a1 b2 c3 pass b3")
	f.Add(uint8(16), uint8(5), "p5 p4 o5 o4 p5 o4 p5")
	f.Add(uint8(5), uint8(4), "b2 d2 b2 d2 c2 c3 b2 c3 c2 c1")
	f.Fuzz(func(t *testing.T, width, height uint8, text string) {
		w, h := 4+int(width)%13, 4+int(height)%13
		p, want := sized(t, w, h, 20), newReference(w, h, 20)
		for token := range strings.FieldsSeq(text) {
			a, err := p.Parse(token)
			if err != nil {
				continue
			}
			next, err := p.Apply(a)
			k := slices.Index(referenceTokens(want), a.String())
			if (err == nil) != (k >= 0) {
				t.Fatalf("%v: %v, but legal by the reference: %t in %s", a, err, k >= 0, draw(p))
			}
			if err == nil {
				p = next.(*stonetowers.Position)
				want.play(want.legal()[k])
			}
		}
		if d := differences(p, want); d != nil {
			t.Fatalf("%v in %s", d, draw(p))
		}
	})
}

func TestActionDescriptions(t *testing.T) {
	enginetest.Descriptions(t, read(t, middle), map[string]string{
		"d6":   "builds a castle, gains 2 squares",
		"c3":   "builds a castle, gains 2 squares",
		"d5":   "builds a castle, gains 2 squares",
		"c6":   "builds a castle, gains 1 square",
		"a1+":  "fortifies to level 2",
		"b5+":  "fortifies to level 3, gains 1 square",
		"e2+":  "", // already of level 3
		"b4":   "", // Blue's
		"pass": "",
	})
	enginetest.Descriptions(t, read(t, "turns=20 played=20 ..rrr/rrR2R2R2/R2B1B1B1B1/rrR1R1r"), map[string]string{
		"a2+": "fortifies to level 3, gains 4 squares, destroys 4 castles",
	})
	forced := read(t, "turns=20 played=3 rrrr/rR3rr/rrrr/rrrr")
	enginetest.Descriptions(t, forced, map[string]string{"pass": ""})
}

// A refusal names the rule.
func TestIllegalReasons(t *testing.T) {
	p := read(t, middle)
	for token, want := range map[string]string{
		"b4":   "You can’t build on b4: Blue’s castle stands there.",
		"a3":   "You can’t build on a3: it is Blue’s land.",
		"a3+":  "You can’t build on a3: it is Blue’s land.",
		"b4+":  "The castle on b4 belongs to Blue. You can fortify only your own.",
		"e2":   "Your castle on e2 already has level 3, the highest.",
		"d6+":  "You have no castle on d6. d6 builds one.",
		"g1":   "There’s no square g1: this board goes from a1 to f6.",
		"z9":   "There’s no square z9: this board goes from a1 to f6.",
		"a7+":  "There’s no square a7: this board goes from a1 to f6.",
		"pass": "You can pass only when you can neither build nor fortify. a1+ is possible, for example.",
	} {
		_, err := p.Apply(parse(t, p, token))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", token, err, want)
		}
	}
	// Parse never returns this action for this position.
	_, err := p.Apply(stonetowers.Action{Kind: stonetowers.Build, Square: stonetowers.Square{X: 0, Y: 0}})
	if err == nil || err.Error() != "You already have a castle on a1. a1+ fortifies it." {
		t.Errorf("building on one's own castle: %v", err)
	}
	over := read(t, "turns=20 played=40 rrrr/rR3rr/rrrr/rrrr")
	_, err = over.Apply(parse(t, over, "a1"))
	enginetest.Refused(t, err, "stone-towers.illegal.over")
	for _, a := range []engine.Action{nil, stonetowers.Action{}, stonetowers.Action{Kind: 9}, enginetest.Foreign{}} {
		_, err := p.Apply(a)
		enginetest.Refused(t, err, "stone-towers.illegal.foreign")
	}
	for _, s := range []stonetowers.Square{{X: -1}, {Y: -1}, {X: 6}, {Y: 6}, {X: 1 << 30, Y: -1 << 30}} {
		_, err := p.Apply(stonetowers.Action{Kind: stonetowers.Build, Square: s})
		enginetest.Refused(t, err, "stone-towers.illegal.beyond")
	}
}
