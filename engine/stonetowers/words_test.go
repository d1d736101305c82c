package stonetowers_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/stonetowers"
)

const middle = `
turns=20 played=22
 6 B1 r  r  .  .  b
 5 b  R2 R1 r  b  B1
 4 B1 B2 b  .  .  b
 3 b  b  .  .  r  .
 2 r  .  r  r  R3 r
 1 R1 r  .  .  r  .`

// Every spelling that the rules page names, in any case and with white space.
func TestParse(t *testing.T) {
	p := read(t, middle)
	for written, want := range map[string]string{
		"a1": "a1+", "a1+": "a1+", " A1+\n": "a1+", "A1": "a1+", // a castle of Red, who is to move
		"d6": "d6", "D6": "d6", "\td6 ": "d6", "d6+": "d6+",
		"e2": "e2+", // his castle of level 3
		"b4": "b4",  // a castle of Blue
		"a2": "a2", "p16": "p16", "p16+": "p16+", "g1": "g1",
		"pass": "pass", "PASS": "pass", " Pass ": "pass",
	} {
		if got, err := p.Parse(written); err != nil || got.String() != want {
			t.Errorf("%q is read as %v, %v, want %s", written, got, err, want)
		}
	}
	blues := play(t, p, "d6")
	for written, want := range map[string]string{"b4": "b4+", "a1": "a1"} {
		if got, err := blues.Parse(written); err != nil || got.String() != want {
			t.Errorf("for Blue %q is read as %v, %v, want %s", written, got, err, want)
		}
	}
	for _, s := range []string{
		"", " ", "a", "1", "a0", "a17", "q1", "a01", "a1++", "+", "+a1", "a+", "a1 +", "a 1", "aa1", "a1a", "a-1",
		"a1 b2", "end", "pas", "pass+", "ä1", "a１", "a+1", "0x1",
	} {
		got, err := p.Parse(s)
		var bad *engine.NotationError
		if !errors.As(err, &bad) || got != nil {
			t.Errorf("%q is read as %v, error %v", s, got, err)
			continue
		}
		for _, part := range []string{"“" + s + "”", "d4,", "d4+", "pass"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v does not say %q", s, err, part)
			}
		}
	}
}

// The steps of an action are the file and the rank, and joined they are its
// token.
func TestSteps(t *testing.T) {
	p := read(t, middle)
	for token, want := range map[string]string{"d6": "d 6", "a1+": "a 1+", "p16": "p 16", "pass": "pass"} {
		a := parse(t, p, token)
		if got := strings.Join(a.Steps(), " "); got != want {
			t.Errorf("%s has the steps %s", token, got)
		}
		if a.String() != token {
			t.Errorf("%s is printed %s", token, a)
		}
	}
}

// What a suggestion says of an action.
func TestWordsOfActions(t *testing.T) {
	p := read(t, middle)
	for token, want := range map[string]string{
		"d6":   "builds a castle, gains 2 squares",
		"c3":   "builds a castle, gains 2 squares",
		"d5":   "builds a castle, gains 2 squares",
		"c6":   "builds a castle, gains 1 square",
		"a1+":  "to level 2",
		"b5+":  "to level 3, gains 1 square",
		"e2+":  "", // already of level 3
		"b4":   "", // Blue's
		"pass": "",
	} {
		if got := parse(t, p, token).Describe(p).String(); got != want {
			t.Errorf("%s: %q, want %q", token, got, want)
		}
	}
	falling := read(t, "turns=20 played=20\n4 . . r r r\n3 r r R2 R2 R2\n2 R2 B1 B1 B1 B1\n1 r r R1 R1 r")
	if got := parse(t, falling, "a2+").Describe(falling).String(); got != "to level 3, gains 4 squares, destroys 4 castles" {
		t.Errorf("a2+: %q", got)
	}
	if got := parse(t, p, "d6").Describe(nil); !got.IsZero() {
		t.Errorf("d6 in no position: %q", got)
	}
	none := read(t, "turns=20 played=3\n4 r r r r\n3 r R3 r r\n2 r r r r\n1 r r r r")
	if got := parse(t, none, "pass").Describe(none); !got.IsZero() {
		t.Errorf("a forced pass: %q", got)
	}
}

// A refusal is a sentence that names the rule.
func TestSentencesOfRefusals(t *testing.T) {
	p := read(t, middle)
	for token, want := range map[string]string{
		"b4":   "You cannot build on b4: a castle of Blue stands there, and nobody builds on land of the opponent.",
		"a3":   "You cannot build on a3: it is land of Blue, and nobody builds on land of the opponent.",
		"a3+":  "You cannot build on a3: it is land of Blue, and nobody builds on land of the opponent.",
		"b4+":  "You cannot fortify b4: the castle there is one of Blue, and only your own can be fortified.",
		"e2":   "You cannot fortify e2: your castle there has level 3 already, and no castle is stronger.",
		"d6+":  "You cannot fortify d6: you have no castle there; d6 without a plus builds one.",
		"g1":   "There is no square g1: this board goes from a1 to f6.",
		"a7+":  "There is no square a7: this board goes from a1 to f6.",
		"pass": "You cannot pass: that is allowed only where nothing can be built or fortified, and you can play a1+, for example.",
	} {
		_, err := p.Apply(parse(t, p, token))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", token, err, want)
		}
	}
	// Parse never gives this one, but a token of an old position does.
	_, err := p.Apply(stonetowers.Action{Kind: stonetowers.Build, Square: stonetowers.Square{X: 0, Y: 0}})
	if err == nil || err.Error() != "You cannot build on a1: a castle of yours stands there already; a1+ fortifies it." {
		t.Errorf("building on one's own castle: %v", err)
	}
	for _, a := range []engine.Action{nil, stonetowers.Action{}, stonetowers.Action{Kind: 9}, other{}} {
		_, err := p.Apply(a)
		refused(t, err, "stone-towers.illegal.foreign")
	}
	for _, s := range []stonetowers.Square{{X: -1}, {Y: -1}, {X: 6}, {Y: 6}, {X: 1 << 40, Y: -1 << 40}} {
		_, err := p.Apply(stonetowers.Action{Kind: stonetowers.Build, Square: s})
		refused(t, err, "stone-towers.illegal.beyond")
	}
}

// other is an action of another game.
type other struct{}

func (other) String() string  { return "b2-b4" }
func (other) Steps() []string { return []string{"b2", "b4"} }

func TestStatusAndSummary(t *testing.T) {
	p := read(t, middle)
	if got := p.Status().String(); got != "Squares: Red 14, Blue 11; turn 12 of 20." {
		t.Errorf("status %q", got)
	}
	const want = "Stone Towers on 6 by 6. Red owns 14 squares and has 4 castles. Blue owns 11 squares and has 4 castles. " +
		"11 squares are nobody’s. Squares: Red 14, Blue 11; turn 12 of 20. Red is to move and can build on 21 squares or fortify 3 castles."
	if got := p.Summary().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The sentence about who is to move, in every form.
func TestWhoIsToMove(t *testing.T) {
	for board, want := range map[string]string{
		"turns=20 played=1\n4 . . . .\n3 r . . .\n2 R1 r . .\n1 r . . .":                      "Blue is to move and can build on 12 squares.",
		"turns=20 played=0\n4 b b b b\n3 b B3 b b\n2 b b b R1\n1 b b b b":                     "",
		"turns=90 played=50\n4 R1 R3 R3 R3\n3 R3 R3 R3 R3\n2 b b b b\n1 B3 B3 B3 B3":          "Red is to move and can fortify 1 castle.",
		"turns=90 played=51\n4 R1 R3 R3 R3\n3 R3 R3 R3 R3\n2 b B3 b B3\n1 B3 B3 B3 B3":        "Blue is to move and can build on 2 squares.",
		"turns=20 played=3\n4 r r r r\n3 r R3 r r\n2 r r r r\n1 r r r r":                      "Blue is to move and has to pass: nothing can be built or fortified.",
		"turns=20 played=40\n4 r r r r\n3 r R3 r r\n2 r r r r\n1 r r r r":                     "Red has won with the larger empire.",
		"turns=20 played=40\n4 r b b b\n3 b b b b\n2 b b b b\n1 b b b b":                      "Blue has won with the larger empire.",
		"turns=20 played=40\n4 r r r r\n3 r r r r\n2 b b b b\n1 b b b b":                      "The game is drawn: both empires are equally large.",
		"turns=20 played=4\n5 . . . . .\n4 r r r r b\n3 r R3 r r b\n2 r r r r b\n1 r r r r b": "Red is to move and can build on 20 squares.",
		"turns=20 played=4\n5 . . . . .\n4 r r r r b\n3 r R2 r r b\n2 r r r r b\n1 r r r r b": "Red is to move and can build on 20 squares or fortify 1 castle.",
		"turns=20 played=5\n5 r r r r r\n4 r r r r r\n3 r R2 r r r\n2 r r r r r\n1 r r r r .": "Blue is to move and can build on 1 square.",
	} {
		p, err := parseBoard(board)
		if want == "" {
			if err == nil {
				t.Errorf("a position that is not stable is read\n%s", board)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, board)
		}
		if got := p.Summary().String(); !strings.HasSuffix(got, want) {
			t.Errorf("%s\ndoes not end with %s", got, want)
		}
	}
}

// The description of a position, whole: the board is in it, by which the
// position can be drawn again.
func TestDescriptionIsTheGoldenOne(t *testing.T) {
	const file = "testdata/describe.txt"
	var b strings.Builder
	for _, p := range []*stonetowers.Position{
		position(t, "width=4 height=5 turns=10"), read(t, middle), play(t, read(t, middle), "b5+"),
		read(t, "turns=20 played=40\n4 r r r r\n3 r R3 r r\n2 r r r r\n1 r r r b"),
	} {
		for _, l := range p.Describe() {
			b.WriteString(l.String() + "\n")
		}
		b.WriteString("\n")
		if !strings.Contains(b.String(), "\n"+p.Text()) {
			t.Errorf("the board is missing in\n%s", b.String())
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (the flag -update writes it)", err)
	}
	if b.String() != string(want) {
		t.Errorf("the description differs from %s:\n%s", file, b.String())
	}
}

// A longest summary stays far below the limit, and labels fit their places.
func TestTextsAreShort(t *testing.T) {
	p := position(t, "width=16 height=16 turns=100")
	random := xorshift(2)
	for range 120 {
		p = apply(t, p, fierce(p, 1, &random))
	}
	if n := utf8.RuneCountInString(p.Summary().String()); n > 400 {
		t.Errorf("the summary has %d characters", n)
	}
	for key, text := range (stonetowers.Game{}).Texts() {
		label := key == "stone-towers.tagline" || strings.HasPrefix(key, "stone-towers.option.")
		if n := utf8.RuneCountInString(text.Other); label && n > 100 {
			t.Errorf("%s has %d characters", key, n)
		}
	}
}
