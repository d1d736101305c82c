package towers_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
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

// The examples in an error are legal in the position.
func TestExamplesAreLegal(t *testing.T) {
	p := play(t, read(t, quiet), "+1")
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

// Taking a pawn out has a step more than moving the whole tower, so that a
// picker can tell them apart.
func TestSteps(t *testing.T) {
	p := position(t, "")
	for token, want := range map[string][]string{
		"b2-b4": {"b2", "b4"},
		"e1/f1": {"e1", "/", "f1"},
		"+2":    {"+", "2"},
		"end":   {"end"},
	} {
		a, err := p.Parse(token)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Steps(); !slices.Equal(got, want) {
			t.Errorf("%s has the steps %q, not %q", token, got, want)
		}
	}
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
	back := play(t, read(t, quiet), "a1-a2 a2-a1")
	enginetest.Descriptions(t, back, map[string]string{"end": "everything is back where it was: this counts as a pass"})
	if got := (towers.Action{}).Describe(p); !got.IsZero() {
		t.Errorf("no action: %q", got)
	}
}

func TestIllegalReasons(t *testing.T) {
	for _, c := range []struct{ change, to, token, want string }{
		{"", "", "e2-b3", "You cannot move from e2 to b3: moves go straight up, down, left or right."},
		{"", "", "b3-b1", ""},
		{"points=4/5", "points=3/5", "b3-b1", "b3-b1 costs 4. You have 3 move points left."},
		{"points=4/5", "points=1/5", "b3-b2", "b3-b2 costs 2. You have 1 move point left."},
		{"", "", "a5-a4", "You have no pawn or tower on a5."},
		{"", "", "a1-a2", "a1 is locked until the end of the turn. Nothing moves from it, onto it or out of it."},
		{"", "", "e1-c1", "You cannot move from e1 to c1: d1 is in the way."},
		{"", "", "j10-j9", "There is no square j10: this board is 5 by 5."},
		{"rules=tower-out ", "", "b3/b2", "You cannot move a pawn out of b3: only the master’s tower gives pawns, unless the rule tower-out applies."},
		{"", "", "e2/d2", "You cannot move a pawn out of e2: only one stands there."},
		{"b2r", "b2b3", "b3-c3", "A tower of 2 cannot go onto your own tower on c3. Only a single pawn can."},
		{"rb", "r2b", "e1-d1", "The tower on d1 is 2 high. A pawn takes only pawns."},
		{"B2r", "B2r3", "c1-d1", "The tower on d1 is 3 high. Yours takes towers up to its own height, 2."},
		{"B2r", "Bb2", "c1-d1", "A master can go only onto a single pawn. The tower on d1 is 2 high."},
	} {
		text := middle
		if c.change != "" {
			text = enginetest.ReplaceOnce(t, text, c.change, c.to)
		}
		_, err := try(read(t, text), c.token)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.token, err)
			}
		} else if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.token, err, c.want)
		}
	}
	for _, a := range []engine.Action{
		towers.Action{}, towers.NewAction(9, towers.Square{}, towers.Square{}, 0),
		towers.NewAction(towers.Import, towers.Square{}, towers.Square{}, 0), enginetest.Foreign{}, nil,
	} {
		_, err := position(t, "").Apply(a)
		if a, ok := a.(towers.Action); ok && a.Kind() == towers.Import {
			_, err = play(t, position(t, ""), "end").Apply(a)
		}
		refused(t, err, "illegal.foreign")
	}
}

func TestStatusAndSummary(t *testing.T) {
	p := read(t, middle)
	if got := p.Status().String(); got != "Blue has 4 of 5 move points left. Reserve: Blue 4, Red 1." {
		t.Errorf("status %q", got)
	}
	const want = "Towers, a board of 5 by 5. Blue has the master on c1 in a tower of 2, a tower on b3 (2), pawns on a1, e1, e2. " +
		"Red has the master on c5, no tower, pawns on d1, c3, b4, a5. " +
		"Blue has 4 of 5 move points left. Reserve: Blue 4, Red 1. Blue is to move."
	if got := p.Summary().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p = play(t, read(t, strings.Replace(quiet, "/...../...../", "/...../..b../", 1)), "c3-c5")
	if got := p.Status().String(); got != "Reserve: Blue 2, Red 2." {
		t.Errorf("status at the end %q", got)
	}
	if got := p.Summary().String(); !strings.HasSuffix(got, "Blue wins. The master of Red has been taken.") ||
		!strings.Contains(got, "Red has no master any more, no tower, a pawn on a5.") {
		t.Errorf("summary at the end %q", got)
	}
	if got := play(t, read(t, quiet), "end end").Summary().String(); !strings.HasSuffix(got, "A draw. Both players passed in a row. A turn that changes nothing is a pass.") {
		t.Errorf("summary of a draw %q", got)
	}
}

func TestDescribe(t *testing.T) {
	var lines []string
	for _, l := range read(t, middle).Describe() {
		lines = append(lines, l.String())
	}
	const want = `A board of 5 by 5 squares.
Extra rule tower-out: a pawn can be moved out of any of your towers, not only the master’s.
Blue has the master on c1 in a tower of 2, a tower on b3 (2), pawns on a1, e1, e2.
Red has the master on c5, no tower, pawns on d1, c3, b4, a5.
Locked until the end of the turn: a1.
Blue has 4 of 5 move points left. Reserve: Blue 4, Red 1.
Blue is to move.
 5 r  .  R  .  .
 4 .  r  .  .  .
 3 .  b2 r  .  .
 2 .  .  .  .  b
 1 b# .  B2 r  b
   a  b  c  d  e
b is a pawn of Blue, r one of Red; B and R are their masters. A number is the height of a tower, # a lock, a dot an empty square.`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The summary of the largest board full of towers stays below the limit.
func TestSummaryIsShort(t *testing.T) {
	b := towers.Board{Size: 10, Mover: 1, Points: 26, Reserve: [2]int{26, 26}, Towers: map[towers.Square]towers.Tower{}}
	for x := range 10 {
		for y := range 10 {
			seat := engine.Seat(1 + y/5)
			height := 1
			if y != 0 && y != 9 && x%3 == 0 {
				height = 2
			}
			b.Towers[towers.Square{X: x, Y: y}] = towers.Tower{Owner: seat, Height: height, Master: x == 5 && (y == 0 || y == 9)}
		}
	}
	p, err := towers.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(p.Summary().String()); n > 900 {
		t.Errorf("%d characters", n)
	}
}

// Every rule has a label.
func TestRuleLabels(t *testing.T) {
	texts := towers.Game{}.Texts()
	rules, _ := towers.Game{}.Options().Lookup("rules")
	for _, r := range rules.Choices {
		if n := utf8.RuneCountInString(texts["towers.rule."+r].Other); n == 0 || n > 100 {
			t.Errorf("the label of the rule %s has %d characters", r, n)
		}
	}
}
