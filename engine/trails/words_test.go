package trails_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/trails"
)

// Every spelling that the rules page names, in any case, with white space and
// as telephones write arrows.
func TestParse(t *testing.T) {
	p := position(t, "")
	for want, spellings := range map[trails.Direction][]string{
		trails.Up:    {"up", "u", "U", " Up\n", "↑", "⬆", "⬆️", "⬆\ufe0e"},
		trails.Down:  {"down", "d", "DOWN", "\tdown ", "↓", "⬇", "⬇️"},
		trails.Left:  {"left", "l", "Left", "←", "⬅", "⬅️"},
		trails.Right: {"right", "r", "riGHT", "→", "➡", "➡️", " ➡️ "},
	} {
		for _, s := range spellings {
			if got, err := p.Parse(s); err != nil || got != want {
				t.Errorf("%q is read as %v, %v, want %v", s, got, err, want)
			}
		}
	}
	for _, s := range []string{"", " ", "uo", "rigth", "up up", "north", "ud", "\ufe0f", "↕", "0", "nowhere"} {
		got, err := p.Parse(s)
		var bad *engine.NotationError
		if !errors.As(err, &bad) || got != nil {
			t.Errorf("%q is read as %v, error %v", s, got, err)
			continue
		}
		for _, part := range []string{"up, down, left or right", "u, d, l, r", "↑ ↓ ← →"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v does not say %q", s, err, part)
			}
		}
	}
}

// FuzzParse: any text is a direction, printed as one of the four tokens and
// read back as itself, or an *engine.NotationError in valid UTF-8.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"up", " U ", "⬆️", "→", "", "dwon", "\xff\xfe", "{{.Token}}", "left\x00"} {
		f.Add(s)
	}
	p := position(f, "size=5 towers=1")
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
		again, err := p.Parse(a.String())
		if err != nil || again != a {
			t.Fatalf("%q is %v, which is read as %v, %v", text, a, again, err)
		}
		if _, err := p.Apply(a); err != nil {
			var illegal *engine.IllegalError
			if !errors.As(err, &illegal) || illegal.Action != a {
				t.Fatalf("%v: %v", a, err)
			}
		}
	})
}

const middle = `
towers=3 distance=1 move=blue blue=right:1 red=up:0
 9 b . . . . . . . .
 8 b . . . . . . . .
 7 b b b B r . T . .
 6 . . r . . . . . .
 5 . . . . T . . . .
 4 . . . . . . . . .
 3 . . T . . . . . .
 2 . . . . . . . . R
 1 . . . . . . . . r`

// What a suggestion says of each move, and what a refusal says.
func TestWordsOfMoves(t *testing.T) {
	p := read(t, middle)
	for _, c := range []struct {
		d    trails.Direction
		want string
	}{
		{trails.Up, "reaches d8"},
		{trails.Down, "reaches d6"},
		{trails.Right, "takes the tower on g7"},
		{trails.Left, ""},
	} {
		if got := c.d.Describe(p).String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.d, got, c.want)
		}
	}
	p = read(t, strings.Replace(middle, "blue=right:1", "blue=right:2", 1))
	if got := trails.Right.Describe(p).String(); got != "jumps to h7" {
		t.Errorf("right with a boost of 3: %q", got)
	}
	p = read(t, strings.Replace(middle, "blue=right:1", "blue=right:4", 1))
	if got := trails.Right.Describe(p).String(); got != "to the edge at i7" {
		t.Errorf("right with a boost of 5: %q", got)
	}
	if got := trails.Up.Describe(nil); !got.IsZero() {
		t.Errorf("up in no position: %q", got)
	}
	if got := trails.Direction(9).Describe(p); !got.IsZero() {
		t.Errorf("no direction: %q", got)
	}
}

func TestSentencesOfRefusals(t *testing.T) {
	_, err := read(t, middle).Apply(trails.Left)
	const want = "You cannot go left: c7 is occupied, and without a boost you only reach a free square next to your head."
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = position(t, "").Apply(trails.Up)
	if err == nil || err.Error() != "You cannot go up: a11 is at the edge, and there is nothing beyond it." {
		t.Errorf("beyond the edge: %v", err)
	}
	for _, a := range []engine.Action{trails.Direction(4), trails.Direction(255), other{}} {
		_, err := position(t, "").Apply(a)
		refused(t, err, "trails.illegal.foreign")
	}
}

// other is an action of another game.
type other struct{}

func (other) String() string  { return "b2-b4" }
func (other) Steps() []string { return []string{"b2", "b4"} }

func TestStatusAndSummary(t *testing.T) {
	p := read(t, middle)
	if got := p.Status().String(); got != "Towers taken: Blue 0, Red 0; 2 win." {
		t.Errorf("status %q", got)
	}
	if got := position(t, "towers=1").Status().String(); got != "Towers taken: Blue 0, Red 0; one wins." {
		t.Errorf("status with one tower %q", got)
	}
	const want = "Trails and Towers on 9 by 9. The head of Blue is on d7, that of Red on i2. " +
		"Free towers: c3, e5, g7. Towers taken: Blue 0, Red 0; 2 win. Blue can go up to d8, down to d6, right to g7."
	if got := p.Summary().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The description ends with the board, by which the position can be drawn.
func TestDescribe(t *testing.T) {
	p := read(t, middle)
	var lines []string
	for _, l := range p.Describe() {
		lines = append(lines, l.String())
	}
	text := strings.Join(lines, "\n") + "\n"
	if !strings.Contains(text, "\n"+p.Text()) {
		t.Errorf("the board is missing in\n%s", text)
	}
	if !strings.Contains(text, "Blue has the head on d7, went right last, has a boost of 1 and has taken no tower.") {
		t.Errorf("Blue is missing in\n%s", text)
	}
	p = apply(t, p, trails.Right)
	if got := p.Describe()[1].String(); got != "Blue has the head on g7, went right last, has a boost of 2 and has taken the tower on g7." {
		t.Errorf("after taking: %s", got)
	}
	if got := position(t, "").Describe()[1].String(); got != "Blue has not moved yet; the base and head is on a11." {
		t.Errorf("at the start: %s", got)
	}
}

// The longest summary, with nine towers, stays far below the limit.
func TestSummaryIsShort(t *testing.T) {
	if n := utf8.RuneCountInString(position(t, "size=21 towers=9").Summary().String()); n > 500 {
		t.Errorf("%d characters", n)
	}
}
