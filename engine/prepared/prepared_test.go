package prepared_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/prepared"
)

func start(t *testing.T, seats int) *match.Match {
	t.Helper()
	o, err := sample.Game{}.Options().Parse("counters=20")
	must(t, err)
	m, err := match.Start(sample.Game{}, match.Settings{Game: sample.Key, Version: 2, Options: o, Seats: seats})
	must(t, err)
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func moment(m *match.Match) match.Cause {
	return match.Cause{At: time.Unix(int64(m.Seq()), 0), Interaction: fmt.Sprint(m.Seq())}
}

// play plays turns of the seats to move; "-2" has seat 2 resign, "<" takes the last
// turn back.
func play(t *testing.T, m *match.Match, turns ...string) *match.Match {
	t.Helper()
	for _, turn := range turns {
		var entries []match.Entry
		var err error
		switch {
		case turn == "<":
			last, _ := m.Last()
			entries, err = m.Takeback(last.Seat, moment(m))
		case turn[0] == '-':
			entries, err = m.Resign(engine.Seat(turn[1]-'0'), moment(m))
		default:
			entries, err = m.Act(m.Seat(), turn, moment(m))
		}
		must(t, err)
		m, err = m.With(entries...)
		must(t, err)
	}
	return m
}

func TestTreeText(t *testing.T) {
	const text = "a1\n\tb1\n\t\ta2\n\t\t\tb2\n\t\t*\n\t\t\tb3\na2\n\ta1 b1\n"
	tree, err := prepared.Parse(3, text)
	if err != nil || tree.String() != text || tree.Turns != 3 {
		t.Errorf("%q: %v", tree, err)
	}
	want := [][]string{{"a1", "b1", "a2", "b2"}, {"a1", "b1", "*", "b3"}, {"a2", "a1 b1"}}
	if got := tree.Lines(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("lines %q", got)
	}
	for _, bad := range []string{"\ta1\n", "a1\n\t\tb1\n", "\n", "a1\na1\n", "a1  b1\n", " a1\n"} {
		if _, err := prepared.Parse(0, bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func FuzzTreeText(f *testing.F) {
	f.Add("a1\n\tb1\n\t\t*\n\t\t\tb2\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := prepared.Parse(0, text)
		if err != nil {
			return
		}
		if again, err := prepared.Parse(0, tree.String()); err != nil || again.String() != tree.String() {
			t.Errorf("%q becomes %q: %v", text, again, err)
		}
	})
}

func TestTreeEdits(t *testing.T) {
	line := func(text string) []string { return strings.Split(text, ",") }
	for _, tt := range []struct {
		name string
		own  bool
		add  []string
		drop string
		want string
		err  error
	}{
		{name: "two lines", add: []string{"a1,b1,a2,b2", "a1,b1,a3,b3"}, want: "a1\n\tb1\n\t\ta2\n\t\t\tb2\n\t\ta3\n\t\t\tb3\n"},
		{name: "another reply", add: []string{"a1,b1,a2,b2", "a1,b3"}, want: "a1\n\tb3\n"},
		{name: "after own turns", own: true, add: []string{"a1,b1,a2", "a3,b1,a2"}, want: "a1\n\tb1\n\t\ta2\na3\n\tb1\n\t\ta2\n"},
		{name: "a reply is missing", add: []string{"a1,b1,a2"}, err: prepared.ErrCondition},
		{name: "only an own turn", own: true, add: []string{"a1"}, err: prepared.ErrCondition},
		{name: "without a reply", add: []string{"a1,b1,a2,b2"}, drop: "a1,b1,a2,b2", want: "a1\n\tb1\n"},
		{name: "without a condition", add: []string{"a1,b1", "a2,b2"}, drop: "a1", want: "a2\n\tb2\n"},
		{name: "without an own turn", own: true, add: []string{"a1,b1,a2"}, drop: "a1,b1,a2", want: ""},
		{name: "too deep", add: []string{strings.Repeat("a1,b1,", 30) + "a1,b1"}, err: prepared.ErrTooMuch},
	} {
		var tree prepared.Tree
		var err error
		for _, add := range tt.add {
			if err == nil {
				tree, err = tree.With(line(add), tt.own)
			}
		}
		if tt.drop != "" {
			tree = tree.Without(line(tt.drop), tt.own)
		}
		if !errors.Is(err, tt.err) || err == nil && tree.String() != tt.want {
			t.Errorf("%s: %q, %v", tt.name, tree, err)
		}
	}
}

// What is left of a tree follows from the turns alone.
func TestTreeAt(t *testing.T) {
	const two = "a1\n\tb1\n\t\ta2\n\t\t\tb2\na1 b1\n\tb3\n*\n\ta3\n"
	for _, tt := range []struct {
		name  string
		seats int
		tree  string
		seat  engine.Seat
		turns []string
		left  string
		reply string
	}{
		{"nothing played", 2, two, 2, nil, two, ""},
		{"fulfilled", 2, two, 2, []string{"a1 end"}, "b1\n\ta2\n\t\tb2\n", "b1"},
		{"any other", 2, two, 2, []string{"a2 end"}, "a3\n", "a3"},
		{"another order", 2, two, 2, []string{"b1 a1"}, "b3\n", "b3"},
		{"reply played", 2, two, 2, []string{"a1 end", "b1 end"}, "a2\n\tb2\n", ""},
		{"another reply played", 2, two, 2, []string{"a1 end", "b2 end"}, "", ""},
		{"two deep", 2, two, 2, []string{"a1 end", "b1 end", "a2 end"}, "b2\n", "b2"},
		{"not prepared", 2, two, 2, []string{"a1 end", "b1 end", "a3 end"}, "", ""},
		{"taken back", 2, two, 2, []string{"a1 end", "b1 end", "a3 end", "<"}, "a2\n\tb2\n", ""},
		{"taken back and played otherwise", 2, two, 2, []string{"a2 end", "<", "a1 end"}, "b1\n\ta2\n\t\tb2\n", "b1"},
		{"considered", 2, "a1\n\tb1\n\t\ta2\n", 1, nil, "a1\n\tb1\n\t\ta2\n", ""},
		{"as considered", 2, "a1\n\tb1\n\t\ta2\n", 1, []string{"a1 end"}, "b1\n\ta2\n", ""},
		{"as considered, and answered", 2, "a1\n\tb1\n\t\ta2\n", 1, []string{"a1 end", "b1 end"}, "a2\n", "a2"},
		{"not as considered", 2, "a1\n\tb1\n\t\ta2\n", 1, []string{"a2 end"}, "", ""},
		{"three seats", 3, "b1\n\ta1\n", 3, []string{"a3 end"}, "b1\n\ta1\n", ""},
		{"three seats, the seat before", 3, "b1\n\ta1\n", 3, []string{"a3 end", "b1 end"}, "a1\n", "a1"},
		{"three seats, only the seat before", 3, "b1\n\ta1\n", 3, []string{"b1 end", "b2 end"}, "", ""},
		{"the seat before retires", 3, "b1\n\ta1\n*\n\ta2\n", 3, []string{"b1 end", "-2"}, "a2\n", "a2"},
		{"the seat before retires at once", 3, "b1\n\ta1\n*\n\ta2\n\t\t*\n\t\t\ta3\n", 2, []string{"-1"}, "a2\n\t*\n\t\ta3\n", "a2"},
		{"the seat before retired at once", 3, "*\n\ta2\n\t\t*\n\t\t\ta3\n", 2, []string{"-1", "a2 end"}, "*\n\ta3\n", ""},
		{"the seat before retires at once, unexpectedly", 3, "b1\n\ta1\n", 2, []string{"-1"}, "", ""},
		{"considered while a seat retires", 3, "a1\n\t*\n\t\ta2\n", 1, []string{"-3"}, "a1\n\t*\n\t\ta2\n", ""},
		{"another seat retires", 3, "b1\n\ta1\n*\n\ta2\n", 3, []string{"a1 end", "-1", "b1 end"}, "a1\n", "a1"},
		{"the player retires", 3, "b1\n\ta1\n", 3, []string{"a1 end", "-3"}, "", ""},
	} {
		tree, err := prepared.Parse(0, tt.tree)
		must(t, err)
		m := play(t, start(t, tt.seats), tt.turns...)
		left := tree.At(m, tt.seat)
		if left.String() != tt.left || left.Turns != len(m.Turns()) {
			t.Errorf("%s: %q is left", tt.name, left)
		}
		if reply, _ := tree.Reply(m); m.Seat() == tt.seat && reply != tt.reply {
			t.Errorf("%s: the reply is %q", tt.name, reply)
		}
	}
}

func TestPlay(t *testing.T) {
	m := start(t, 2)
	for turn, want := range map[string]string{"a1": "a1 end", "a1 b1": "a1 b1 end"} {
		entries, err := prepared.Play(m, turn, moment(m))
		must(t, err)
		after, err := m.With(entries...)
		must(t, err)
		if last, _ := after.Last(); last.String() != want {
			t.Errorf("%q plays %q", turn, last)
		}
	}
	if _, err := prepared.Play(m, "a9", moment(m)); err == nil {
		t.Error("an illegal turn is played")
	}
}

func TestVariation(t *testing.T) {
	for _, tt := range []struct {
		name  string
		seats int
		seat  engine.Seat
		plays []string
		line  string
		begun string
		own   bool
		exact bool
		err   bool
	}{
		{name: "their turn", seats: 2, seat: 2, exact: true},
		{name: "begun", seats: 2, seat: 2, plays: []string{"a1"}, begun: "a1", exact: true},
		{name: "a whole turn", seats: 2, seat: 2, plays: []string{"a1, end"}, line: "a1", own: true, exact: true},
		{name: "step by step", seats: 2, seat: 2, plays: []string{"a1", "b2", "a1", "end"}, line: "a1 b2/a1", exact: true},
		{name: "own turn first", seats: 2, seat: 1, plays: []string{"a1 end", "b1 end"}, line: "a1/b1", own: true, exact: true},
		{name: "any", seats: 2, seat: 2, plays: []string{"*", "a3 b3"}, line: "*/a3 b3"},
		{name: "any reply", seats: 2, seat: 2, plays: []string{"a1 end", "*"}, err: true},
		{name: "illegal", seats: 2, seat: 2, plays: []string{"a9"}, err: true},
		{name: "no notation", seats: 2, seat: 2, plays: []string{"*", "x"}, err: true},
		{name: "the seat before the last", seats: 3, seat: 3, plays: []string{"b1 end"}, line: "b1", own: true},
		{name: "the seat before", seats: 3, seat: 2, plays: []string{"b1 end", "a1 end"}, line: "b1/a1"},
		{name: "two deep for three", seats: 3, seat: 2, plays: []string{"b1 end", "a1 end", "a2 end", "*"}, err: true},
	} {
		o := prepared.From(start(t, tt.seats), tt.seat)
		var err error
		for _, text := range tt.plays {
			if err == nil {
				o, err = o.Play(text)
			}
		}
		if tt.err {
			if err == nil {
				t.Errorf("%s: no error, but %+v", tt.name, o.Line)
			}
			continue
		}
		if line, begun := strings.Join(o.Line, "/"), strings.Join(o.Begun, " "); err != nil || line != tt.line || begun != tt.begun || o.Own != tt.own || o.Exact != tt.exact || len(o.Legal()) == 0 || o.Unchecked {
			t.Errorf("%s: %q, begun %q, own %t, exact %t, unchecked %t, %d legal: %v", tt.name, line, begun, o.Own, o.Exact, o.Unchecked, len(o.Legal()), err)
		}
		if again := prepared.Open(start(t, tt.seats), tt.seat, o.Draft()); again.Draft() != o.Draft() || again.Own != o.Own || again.Exact != o.Exact {
			t.Errorf("%s: %q is opened as %q", tt.name, o.Draft(), again.Draft())
		}
		if o.Starts() != (tt.name == "own turn first") {
			t.Errorf("%s: starts with an own turn: %t", tt.name, o.Starts())
		}
	}
}

// A turn that is legal in none of the positions that were tried is kept as it is
// written.
func TestVariationUnchecked(t *testing.T) {
	o := prepared.From(start(t, 2), 2)
	for _, text := range []string{prepared.Any, "A9", "b7"} {
		var err error
		if o, err = o.Play(text); err != nil {
			t.Fatal(err)
		}
	}
	if line := strings.Join(o.Line, "/"); line != "*/a9/b7" || !o.Unchecked || o.Match().Seq() != 0 {
		t.Errorf("%q, unchecked %t", line, o.Unchecked)
	}
}

// A variation that is over offers nothing.
func TestVariationAfterTheEnd(t *testing.T) {
	m := play(t, start(t, 2), "-1")
	if _, err := prepared.From(m, 2).Play("a1"); !errors.Is(err, prepared.ErrNoVariation) {
		t.Errorf("%v", err)
	}
}
