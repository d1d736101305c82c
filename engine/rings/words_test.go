package rings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

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

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		a    rings.Action
		want string
	}{
		{place(12, 11), "[M 11]"}, {convert(45), "[45]"}, {rings.Action{Kind: rings.Pass}, "[pass]"}, {rings.Action{Kind: rings.End}, "[end]"},
	} {
		if got := fmt.Sprint(c.a.Steps()); got != c.want {
			t.Errorf("%v: %s, want %s", c.a, got, c.want)
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

// A refusal says what is wrong in this position.
func TestIllegalReasons(t *testing.T) {
	p := read(t, "seats=2 move=red"+" "+small)
	converting := play(t, p, "pass")
	for _, c := range []struct {
		p    *rings.Position
		a    engine.Action
		want string
	}{
		{p, place(12, 4), "There is no point M4: the columns are A to L."},
		{p, place(3, 5), "There is no point D5: column D has every second row from D2 to D10."},
		{p, place(0, 2), "There is no point A2: column A has every second row from A4 to A8."},
		{p, place(5, 5), "F5 is taken by a stone of Blue."},
		{p, convert(20), "There is no circle 20: the circles are numbered from 1 to 19."},
		{p, convert(0), "There is no circle 0: the circles are numbered from 1 to 19."},
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

func TestStatusAndSummary(t *testing.T) {
	p := read(t, "seats=3 move=blue passed=gold"+" "+small)
	if got := p.Status().String(); got != "Circles held: ● Blue 5, ◆ Red 1, ▲ Gold 0." {
		t.Errorf("status %q", got)
	}
	for _, c := range []struct {
		p    *rings.Position
		want string
	}{
		{p, "40 points are empty. Passed in a row: Gold. Blue can place a stone or pass."},
		{play(t, p, "A4"), "39 points are empty. Blue can convert circles 12, 15 or end the turn."},
		{play(t, p, "A4 12"), "39 points are empty. Blue can convert circle 15 or end the turn."},
		{play(t, p, "A4 12 15"), "39 points are empty. Blue has nothing to convert and can only end the turn."},
		{play(t, p, "pass end pass end"), "40 points are empty. Passed in a row: Blue, Red, Gold. Blue wins. Everybody has passed."},
		{play(t, start(t, 3, 2), "pass end pass end"), "54 points are empty. Passed in a row: Blue, Red. Blue, Red share the win. Everybody has passed."},
	} {
		want := "Rings, a board of 19 circles. " + c.p.Status().String() + " " + c.want
		if got := c.p.Summary().String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	p := read(t, "seats=4 move=blue convert passed=gold retired=green"+" "+small)
	const want = `A board of 19 circles for 4 players; of its 54 points 40 are empty.
Blue has 9 stones, a ring on circle 10 and the majority on 5 circles (5, 7, 10, 12, 15).
Red has 5 stones, no ring and the majority on 1 circle (17).
Gold has 0 stones, no ring and no majority.
Green has left the match and still has 0 stones, no ring and no majority.
Passed in a row: Gold.
Blue can convert circles 12, 15 or end the turn.
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . b   5 . .   6 .
 5   . .   7 B B   8 . .
 6 .   9 b B  10 B .  11 .
 7   . .  12 B B  13 . .
 8 .  14 r b  15 . .  16 .
 9   . r  17 r .  18 . .
10       r r  19 . .
11           . .
Letters are stones, capitals are safe in a ring: b Blue, r Red, g Gold, n Green. A dot is an empty point, a number the middle of a circle.`
	var lines []string
	for _, l := range p.Describe() {
		lines = append(lines, l.String())
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestSummaryIsShort(t *testing.T) {
	longest := 0
	random := enginetest.Random(8)
	for p := start(t, 6, 6); p.Seat() != engine.Nobody; p = play(t, p, choose(p, &random).String()) {
		longest = max(longest, utf8.RuneCountInString(p.Summary().String()))
	}
	if longest > 700 {
		t.Errorf("a summary has %d characters", longest)
	}
}
