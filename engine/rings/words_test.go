package rings_test

import (
	"errors"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

func place(column, row int) rings.Action {
	return rings.Action{Kind: rings.Place, Point: rings.Point{Column: column, Row: row}}
}

func convert(n int) rings.Action { return rings.Action{Kind: rings.Convert, Circle: n} }

// Parse reads every spelling, in any case and with white space. The error for
// other texts names a point and a circle of the board as examples.
func TestParse(t *testing.T) {
	p := start(t, 6, 2)
	for want, spellings := range map[rings.Action][]string{
		place(12, 11):      {"M11", "m11", " M11\n"},
		place(0, 7):        {"A7", "a7"},
		place(25, 99):      {"Z99"}, // no point of any board, but what one looks like
		convert(45):        {"45", "\t45 "},
		convert(1):         {"1"},
		convert(99):        {"99"},
		{Kind: rings.Pass}: {"pass", "PASS", " Pass "},
		{Kind: rings.End}:  {"end", "End"},
	} {
		for _, s := range spellings {
			if got, err := p.Parse(s); err != nil || got != want {
				t.Errorf("%q is read as %v, %v, want %v", s, got, err, want)
			}
		}
	}
	enginetest.BadNotation(t, p, []string{"M11", "46", "pass", "end"},
		"", " ", "M", "12M", "M011", "M0", "M 11", "M111", "045", "0", "100", "-1", "+1", "4.5", "passe", "e", "ÄM1", "M１", "Ⅿ11")
	// The examples exist on every board.
	for side := 3; side <= 6; side++ {
		p := start(t, side, 2)
		_, err := p.Parse("?")
		point := err.(*engine.NotationError).Why.Args["Point"].(string)
		if a, err := p.Parse(point); err != nil {
			t.Error(err)
		} else if _, err := p.Apply(a); err != nil {
			t.Errorf("side %d: the example %s: %v", side, point, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	enginetest.FuzzParse(f, start(f, 3, 2), "M11", " a4 ", "45", "pass", "END", "M", "M99", "0", "99", "ſ1")
}

// Bytes choose side, seats and actions: the State agrees with the reference
// implementation, and taking a move back restores it.
func FuzzGame(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte("\x00\x03the quick brown fox jumps over the lazy dog, and the dog does not mind"))
	f.Add([]byte{1, 4, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) < 2 || len(choices) > 300 {
			return
		}
		side, seats := 3+int(choices[0]%2), 2+int(choices[1]%5)
		p, want := start(t, side, seats), newReference(side, seats)
		for _, b := range choices[2:] {
			if p.Seat() == engine.Nobody {
				break
			}
			legal := p.Legal()
			a := legal[int(b)%len(legal)].(rings.Action)
			m, _ := p.Move(a)
			s := p.State()
			s.Play(m)
			p = play(t, p, a.String())
			want.play(a.String())
			if s != p.State() {
				t.Fatalf("%v in the state and in the position differ", a)
			}
			if found := endDifferences(p, want); found != nil {
				t.Fatalf("after %v: %v", a, found)
			}
		}
		if found := differences(p, want); found != nil {
			t.Fatal(found)
		}
	})
}

func TestActionDescriptions(t *testing.T) {
	const board = "b=E6,F5,F7,G5,G7,J7 r=I6"
	p := read(t, "seats=2 move=blue "+board)
	enginetest.Descriptions(t, p, map[string]string{
		"H6":   "closes ring 10",
		"D6":   "on circles 7, 9, 12",
		"E8":   "on circles 12, 15, 17",
		"F1":   "on circle 1",
		"pass": "place no stone; when everybody passes in a row, the game ends",
		"13":   "", // not yet
		"E6":   "", // occupied
		"U6":   "", // nowhere
	})
	enginetest.Descriptions(t, play(t, p, "H6"), map[string]string{"13": "converts 1 stone", "end": ""})
	for position, want := range map[string]map[string]string{
		"convert " + strings.Replace(board, "r=I6", "b=I6", 1): {"10": ""},
		"b=E6,F7,G7,J7 r=I6": {"H6": "wins the majority on 10"},
		"convert " + strings.Replace(board, "r=I6", "r=H6,I6", 1): {"10": "converts 1 stone, closes ring 10"},
	} {
		enginetest.Descriptions(t, read(t, "seats=2 move=blue "+position), want)
	}
	if got := (rings.Action{9, rings.Point{}, 0}).Describe(p); !got.IsZero() {
		t.Errorf("no action: %q", got)
	}
}

// small has a ring of Blue on circle 10. Blue has the majority on 5, 7, 12 and
// 15 too and can convert 12 and 15; Red has the majority on 17.
const small = "b=D6,E4,E6,E8,F5,F7,G5,G7,H6 r=C9,D8,D10,E10,F9"

// A refusal says what is wrong in this position.
func TestIllegalReasons(t *testing.T) {
	p := read(t, "seats=2 move=red"+" "+small)
	converting := play(t, p, "pass")
	for _, c := range []struct {
		p    *rings.Position
		a    engine.Action
		want string
	}{
		{p, place(12, 4), "There’s no point M4: the columns are A to L."},
		{p, place(3, 5), "There’s no point D5: column D has every second row from D2 to D10."},
		{p, place(0, 2), "There’s no point A2: column A has every second row from A4 to A8."},
		{p, place(5, 5), "F5 is taken by a stone of Blue."},
		{p, convert(20), "There’s no circle 20: the circles are numbered from 1 to 19."},
		{p, convert(0), "There’s no circle 0: the circles are numbered from 1 to 19."},
		{converting, convert(10), "You have no majority on circle 10: your influence is 0, that of the others and the empty points is 6."},
		{converting, convert(15), "You have no majority on circle 15: your influence is 1, that of the others and the empty points is 6."},
		{play(t, p, "pass end pass end"), place(0, 4), "The game is over."},
		{p, rings.Action{Kind: 7}, "I don’t understand “nothing”. Try G5 (place a stone), 10 (convert that circle), pass or end."},
		{p, enginetest.Foreign{}, "I don’t understand “b2=b4”. Try G5 (place a stone), 10 (convert that circle), pass or end."},
	} {
		_, err := c.p.Apply(c.a)
		var illegal *engine.IllegalError
		if !errors.As(err, &illegal) || err.Error() != c.want {
			t.Errorf("%v:\ngot  %v\nwant %s", c.a, err, c.want)
		}
	}
	for _, c := range []struct{ position, before, token, reason string }{
		{"move=blue b=E6,F5,G5,H6 r=F7,G7", "", "10", "first"},
		{"move=blue", "", "end", "end"},
		{"move=blue", "A4", "A6", "placed"},
		{"move=blue", "A4", "pass", "pass"},
		{"move=blue b=E6,F5,G5", "H6", "10", "nothing"},
		{"move=red b=C5,D4,D6,E4,E6,F5 r=E8,F7,F9,G5,G7,G9,H6,H8,I6,I8,J7", "pass", "10", "safe"},
	} {
		_, err := enginetest.Try(play(t, read(t, "seats=2 "+c.position), c.before), c.token)
		enginetest.Refused(t, err, "rings.illegal."+c.reason)
	}
	if _, err := p.Apply(nil); err == nil {
		t.Error("no action at all is applied")
	}
	// An action with a field that does not belong to its kind is not well-formed.
	for _, a := range []rings.Action{{rings.Pass, rings.Point{Row: 1}, 0}, {rings.Place, rings.Point{Column: 0, Row: 4}, 3}} {
		if _, err := p.Apply(a); err == nil {
			t.Errorf("%#v is applied", a)
		} else {
			enginetest.Refused(t, err, "rings.illegal.foreign")
		}
	}
}
