package trails_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// Parse reads every spelling of the rules page, in any case, with white space,
// and arrows as telephones write them.
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
	enginetest.BadNotation(t, p, []string{"up, down, left or right"},
		"", " ", "uo", "rigth", "up up", "north", "ud", "\ufe0f", "↕", "0", "nowhere")
}

func FuzzParse(f *testing.F) {
	enginetest.FuzzParse(f, position(f, "size=5 towers=1"), "up", " U ", "⬆️", "→", "dwon", "left\x00")
}

const middle = "towers=3 distance=1 move=blue blue=right:1 red=up:0 b......../b......../bbbBr.T../..r....../....T..../........./..T....../........R/........r"

func TestMoveDescriptions(t *testing.T) {
	p := read(t, middle)
	enginetest.Descriptions(t, p, map[string]string{
		"up": "reaches d8", "down": "reaches d6", "right": "takes the tower on g7", "left": "",
	})
	for boost, want := range map[string]string{"2": "jumps to h7", "4": "stops at the edge on i7"} {
		p := read(t, strings.Replace(middle, "blue=right:1", "blue=right:"+boost, 1))
		enginetest.Descriptions(t, p, map[string]string{"right": want})
	}
	if got := trails.Direction(9).Describe(p); !got.IsZero() {
		t.Errorf("no direction: %q", got)
	}
}

func TestIllegalReasons(t *testing.T) {
	_, err := read(t, middle).Apply(trails.Left)
	const want = "You cannot go left: c7 is taken."
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = position(t, "").Apply(trails.Up)
	if err == nil || err.Error() != "You cannot go up: a11 is at the edge of the board." {
		t.Errorf("beyond the edge: %v", err)
	}
	for _, a := range []engine.Action{trails.Direction(4), trails.Direction(255), enginetest.Foreign{}} {
		_, err := position(t, "").Apply(a)
		enginetest.Refused(t, err, "trails.illegal.foreign")
	}
}

// Directions that are closed for a reason that the board does not show are
// explained.
func TestExplain(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		position  string
		direction trails.Direction
	}{
		"": {middle, trails.Left}, // taken, beside the head
		"the tower on g7 needs a boost: the same direction twice in a row": {strings.NewReplacer("bbbBr.", "bbbbbB", "blue=right:1", "blue=up:0").Replace(middle), trails.Right},
		"the move is 3 squares long, and f7 is taken":                      {strings.Replace(middle, "bbbBr.", "bbB.rr", 1), trails.Right},
	} {
		if got := read(t, c.position).Explain(c.direction).String(); got != want {
			t.Errorf("%v: %q, want %q", c.direction, got, want)
		}
	}
}

func TestStatusAndSummary(t *testing.T) {
	p := read(t, middle)
	if got := p.Status().String(); got != "Towers: Blue 0, Red 0. Two towers are needed to win." {
		t.Errorf("status %q", got)
	}
	if got := position(t, "towers=1").Status().String(); got != "Towers: Blue 0, Red 0. One tower is needed to win." {
		t.Errorf("status with one tower %q", got)
	}
	const want = "Trails and Towers, a board of 9 by 9. The head of Blue is on d7, that of Red on i2. " +
		"Free towers: c3, e5, g7. Towers: Blue 0, Red 0. Two towers are needed to win. Blue can go up to d8, down to d6, right to g7."
	if got := p.Summary().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The description contains the board.
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
	if !strings.Contains(text, "Blue’s head is on d7. Blue went right last, has a boost of 1 and has taken no tower.") {
		t.Errorf("Blue is missing in\n%s", text)
	}
	p = apply(t, p, trails.Right)
	if got := p.Describe()[1].String(); got != "Blue’s head is on g7. Blue went right last, has a boost of 2 and has taken the tower on g7." {
		t.Errorf("after taking: %s", got)
	}
	if got := position(t, "").Describe()[1].String(); got != "Blue has not moved yet. Their head is on a11." {
		t.Errorf("at the start: %s", got)
	}
}

// The longest summary, with nine towers, stays below the limit.
func TestSummaryIsShort(t *testing.T) {
	if n := utf8.RuneCountInString(position(t, "size=21 towers=9").Summary().String()); n > 500 {
		t.Errorf("%d characters", n)
	}
}
