package trails_test

import (
	"strings"
	"testing"

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
	const want = "You can’t go left: c7 is taken."
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = position(t, "").Apply(trails.Up)
	if err == nil || err.Error() != "You can’t go up: a11 is at the edge of the board." {
		t.Errorf("beyond the edge: %v", err)
	}
	for _, c := range []struct {
		position, reason string
		to               trails.Direction
	}{
		{"towers=3 blue=down:1 red=left:0 b....../b....../b...T../bbBT.../..T..../......./.....Rr", "tower", trails.Right},
		{"blue=right:1 red=up:2 bbbBR/....r/..T.r/....r/....r", "edge", trails.Right},
		{"towers=2 distance=2 blue=right:0 red=up:0 bbbBT/...../...../....R/T...r", "edge.tower", trails.Right},
		{"blue=right:2 red=up:0 bbbbB/...../..T../....R/....r", "beyond", trails.Right},
		{"blue=right:0 red=left:0 bB.r./..r../..T../...../...Rr", "jump", trails.Right},
	} {
		_, err := read(t, c.position).Apply(c.to)
		enginetest.Refused(t, err, "trails.illegal."+c.reason)
	}
	over := enginetest.Play(t, read(t, "move=blue blue=down:0 bbbbb/....b/..T.b/....b/..B.R"), "right")
	_, err = over.Apply(trails.Up)
	enginetest.Refused(t, err, "trails.illegal.over")
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

// A square that a direction leads to means that direction, because descriptions of the
// directions name it.
func TestParseTarget(t *testing.T) {
	p := position(t, "size=5 towers=1")
	for _, a := range p.Legal() {
		d, ok := a.(trails.Direction)
		to, reachable := p.Target(d)
		got, err := p.Parse(" " + strings.ToUpper(to.String()))
		if !ok || !reachable || err != nil || got != a {
			t.Errorf("%s leads to %s, which means %v, %v", a, to, got, err)
		}
	}
	if a, err := p.Parse("c3"); err == nil {
		t.Errorf("a square out of reach means %s", a)
	}
}
