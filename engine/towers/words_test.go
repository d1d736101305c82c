package towers_test

import (
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// Parse reads the notation of the rules page, in any case and with white space.
func TestParse(t *testing.T) {
	p := position(t, "")
	for want, spellings := range map[string][]string{
		"b2-b4":  {"b2-b4", "B2-B4", " b2-b4\n"},
		"e1/f1":  {"e1/f1", "E1/F1"},
		"a10-j1": {"a10-j1"},
		"+1":     {"+1", "\t+1 "},
		"+12":    {"+12"},
		"end":    {"end", "END", " End "},
	} {
		for _, s := range spellings {
			if got, err := p.Parse(s); err != nil || got.String() != want {
				t.Errorf("%q is read as %v, %v, want %s", s, got, err, want)
			}
		}
	}
	enginetest.BadNotation(t, p, []string{"a1-b1 (move), or end"},
		"", " ", "b2", "b2b4", "b2-", "-b4", "b2-b4-b6", "b2-b4/b6", "b0-b1", "b2-b11", "k1-k2", "b02-b4", "b2 - b4", "b2--b4",
		"+", "+0", "+01", "++1", "+-1", "+100", "+1.5", "-1", "1", "e1/", "/f1", "pass", "ende", "e", "nothing", "a１-a2")
}

// quiet is a position in which both players can shuttle a pawn.
const quiet = "move=blue points=2 reserve=2,2 r.R../...../...../...../b.B.."

// The examples in an error are legal in the position.
func TestExamplesAreLegal(t *testing.T) {
	p := enginetest.Play(t, read(t, quiet), "+1")
	enginetest.BadNotation(t, p, []string{"a1-b1 (move), c1/b1 (move a pawn out), +1 (import), or end"}, "e9", "x")
}

func FuzzParse(f *testing.F) {
	enginetest.FuzzParse(f, position(f, "rules=tower-out"), "b2-b4", " E1/F1 ", "+2", "end", "j10-a1", "+99", "b2 b4", "a1-a1\x00")
}

// Each token is played or refused, and the reference implementation agree.
func FuzzTurn(f *testing.F) {
	f.Add("a2-a3 end c5-b5 end", uint8(0))
	f.Add("+1 c1/c2 end", uint8(16))
	f.Add("end end", uint8(127))
	f.Fuzz(func(t *testing.T, text string, rules uint8) {
		o := towers.Game{}.Options()
		all, _ := o.Lookup("rules")
		var names []string
		for i, name := range all.Choices {
			if rules>>i&1 != 0 {
				names = append(names, name)
			}
		}
		p, want := position(t, "size=6 rules="+strings.Join(names, "+")), newReference(6, names...)
		for i, token := range strings.Fields(text) {
			if i == 60 {
				break
			}
			a, err := p.Parse(token)
			if err != nil {
				continue
			}
			next, err := p.Apply(a)
			if legal := want.legal(); (err == nil) != slices.Contains(legal, a.String()) {
				t.Fatalf("%v: %v, but legal are %v in\n%s", a, err, legal, draw(p))
			}
			if err != nil {
				continue
			}
			p = next.(*towers.Position)
			want.play(a.String())
			if d := differences(p, want); d != nil {
				t.Fatalf("after %v: %v in\n%s", a, d, draw(p))
			}
		}
	})
}

const middle = "rules=tower-out move=blue points=4/5 reserve=4,1 r.R../.r.../.b2r../....b/b#.B2rb"

func TestActionDescriptions(t *testing.T) {
	p := read(t, middle)
	enginetest.Descriptions(t, p, map[string]string{
		"e2-d2": "pawn, costs 1",
		"b3-b1": "tower of 2, costs 4",
		"b3-b4": "tower of 2, takes the pawn on b4, costs 2",
		"b3/c3": "pawn out of the tower, takes the pawn on c3, costs 1",
		"b3/b2": "pawn out of the tower, costs 1",
		"e2-e1": "pawn, raises e1 to 2, costs 1",
		"c1-c2": "master’s tower of 2, costs 2",
		"c1-d1": "master’s tower of 2, captures the pawn on d1, costs 2",
		"c1/b1": "pawn out of the tower, costs 1",
		"+1":    "puts 1 pawn on the master",
		"+3":    "puts 3 pawns on the master",
		"end":   "wastes 4 move points",
		"+5":    "", // not legal
		"b3-a3": "tower of 2, costs 2",
	})
	for _, c := range []struct{ board, token, want string }{
		{quiet, "end", "play nothing; if both players pass in a row, the match is a draw"},
		{strings.Replace(quiet, "points=2", "points=0/2", 1), "end", ""},
		{strings.Replace(quiet, "points=2", "points=1/2", 1), "end", "wastes 1 move point"},
		{strings.Replace(quiet, "/...../...../", "/...../..r2../", 1), "c1-b1", "master, costs 1"},
		{strings.Replace(quiet, "/...../...../", "/...../..b../", 1), "c3-c5", "pawn, takes the master on c5 and wins, costs 2"},
	} {
		enginetest.Descriptions(t, read(t, c.board), map[string]string{c.token: c.want})
	}
	back := enginetest.Play(t, read(t, quiet), "a1-a2 a2-a1")
	enginetest.Descriptions(t, back, map[string]string{"end": "everything is back where it was: this counts as a pass"})
	if got := (towers.Action{}).Describe(p); !got.IsZero() {
		t.Errorf("no action: %q", got)
	}
}

func TestIllegalReasons(t *testing.T) {
	for _, c := range []struct{ change, to, token, want string }{
		{"", "", "e2-b3", "You can’t move from e2 to b3: moves go straight up, down, left or right."},
		{"", "", "b3-b1", ""},
		{"points=4/5", "points=3/5", "b3-b1", "b3-b1 costs 4. You have 3 move points left."},
		{"points=4/5", "points=1/5", "b3-b2", "b3-b2 costs 2. You have 1 move point left."},
		{"", "", "a5-a4", "You have no pawn or tower on a5."},
		{"", "", "a1-a2", "a1 is locked until the end of the turn. Nothing moves from it, onto it or out of it."},
		{"", "", "e1-c1", "You can’t move from e1 to c1: d1 is in the way."},
		{"", "", "j10-j9", "There’s no square j10: this board is 5 by 5."},
		{"rules=tower-out ", "", "b3/b2", "You can’t move a pawn out of b3: only the master’s tower gives pawns, unless the rule tower-out applies."},
		{"", "", "e2/d2", "You can’t move a pawn out of e2: only one stands there."},
		{"b2r", "b2b3", "b3-c3", "A tower of 2 can’t go onto your own tower on c3. Only a single pawn can."},
		{"rb", "r2b", "e1-d1", "The tower on d1 is 2 high. A pawn takes only pawns."},
		{"B2r", "B2r3", "c1-d1", "The tower on d1 is 3 high. Yours takes towers up to its own height, 2."},
		{"B2r", "Bb2", "c1-d1", "A master can go only onto a single pawn. The tower on d1 is 2 high."},
	} {
		text := middle
		if c.change != "" {
			text = enginetest.ReplaceOnce(t, text, c.change, c.to)
		}
		_, err := enginetest.Try(read(t, text), c.token)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.token, err)
			}
		} else if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.token, err, c.want)
		}
	}
	for _, c := range []struct{ position, before, token, reason string }{
		{"move=blue points=3 reserve=3,1 ..R../...../...../...../.bB..", "b1-c1", "+1", "locked"},
		{"move=blue points=3 reserve=3,1 ..R../...../b#.b../...../..B..", "", "c3-a3", "locked"},
		{"rules=lock-split-tower move=blue points=3/5 reserve=3,1 ..R../...../...../...../..B3..", "c1/c2", "c1/d1", "locked"},
		{"rules=import-first move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..", "a2-a3", "+1", "import.first"},
		{"rules=no-master-win move=blue points=3 reserve=3,1 ...../...../..R../...../..B..", "", "c1-c3", "master"},
		{quiet, "end end", "a1-a2", "over"},
	} {
		_, err := enginetest.Try(enginetest.Play(t, read(t, c.position), c.before), c.token)
		enginetest.Refused(t, err, "towers.illegal."+c.reason)
	}
	_, err := enginetest.Try(position(t, "size=6"), "d1-e1")
	enginetest.Refused(t, err, "towers.illegal.locked.first")
	for _, a := range []engine.Action{
		towers.Action{}, towers.ActionOf(board.NewMove(board.Import, 0, 0)), enginetest.Foreign{}, nil,
	} {
		_, err := position(t, "").Apply(a)
		if a, ok := a.(towers.Action); ok && a.Kind() == towers.Import {
			_, err = enginetest.Play(t, position(t, ""), "end").Apply(a)
		}
		enginetest.Refused(t, err, "towers.illegal.foreign")
	}
}
