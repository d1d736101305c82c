package message

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/storage"
)

// boardJSON returns the components and mentions of the board of a match.
func boardJSON(w *hosttest.World, v *host.View, notify bool) string {
	w.T.Helper()
	m := Board(w.Say, v, v.Match, discord.File{Name: "b.png", Description: "D"}, Notified(v, v.Match, storage.Board{Notify: notify}))
	text, err := json.Marshal(m.Components)
	hosttest.Must(w.T, err)
	users, err := json.Marshal(m.Mentions)
	hosttest.Must(w.T, err)
	return string(text) + string(users)
}

// finished plays a match that ends by its rules.
func finished(w *hosttest.World) *host.View {
	v := w.StartFrom(w.Challenge(host.Proposal{
		Opponents: []storage.Person{hosttest.Ben}, Game: trails.Key, First: host.FirstMe, Options: map[string]string{"size": "5", "towers": "1"},
	}))
	for n := 0; v.Match.Seat() != engine.Nobody; n++ {
		legal := v.Match.Position().Legal()
		v = w.Act(v, legal[n%len(legal)].String())
	}
	return v
}

// The line above a board, and who is notified by it.
func TestStatus(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	begun := w.Start("trails")
	played := w.Act(w.Start("trails"), "right", "left")
	one := w.Act(w.Start("trails"), "right")
	resigned, won := w.Resign(played, 1), finished(w)
	reminded := *w.Match(begun.Record.ID)
	reminded.Record.Reminded = true
	last, _ := won.Match.Last()
	out, _ := won.Match.Over()
	const score = "Towers: Anna 0, Ben 0. Two towers are needed to win"
	const final = "Towers: Anna 0, Ben 0"
	for _, c := range []struct {
		name     string
		view     *host.View
		notified string
		want     string
	}{
		{"at the start", begun, hosttest.Anna.ID, "● <@11> to move · begun <t:1777636800:R>\n-# " + score + " · match 1"},
		{"a reminder", &reminded, hosttest.Anna.ID, "⏰ **Reminder.** ● <@11> to move"},
		{"after two turns", played, hosttest.Anna.ID, "● <@11> to move · last move <t:1777636800:R>\n-# 2. ◆ Ben: **left** · " + score + " · match 2"},
		{"the next player", one, hosttest.Ben.ID, "◆ <@22> to move"},
		{"called off", w.Resign(one, 1), hosttest.Ben.ID, "● <@11> called off the match with ◆ <@22> before everyone had moved. It has no result.\n-# Last turn: 1. ● Anna: **right** · " + final + " · match 3"},
		{"resigned", resigned, hosttest.Ben.ID, "● <@11> resigned: ◆ **<@22>** wins.\nRatings: ●\u00a0<@11> 1500? → 1338? · ◆\u00a0<@22> 1500? → 1662?\n-# ? provisional: too few recent matches\n-# Last turn: 2. ◆ Ben: **left** · " + final + " · match 2"},
		{"ended by its rules", won, won.Person(3 - last.Seat).ID, mark(won, out.Result.Winners[0])},
	} {
		if got := Status(w.Say, c.view, c.view.Match); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
		if got := strings.Join(notifiedUsers(c.view, c.view.Match), " "); got != c.notified {
			t.Errorf("%s: %s is notified, want %s", c.name, got, c.notified)
		}
	}
	// The board of an earlier state.
	then, err := resigned.Match.At(1)
	hosttest.Must(t, err)
	if got := Status(w.Say, resigned, then); !strings.HasPrefix(got, "◆ <@22> to move") {
		t.Errorf("earlier: %s", got)
	}
	for notify, want := range map[bool]string{false: `{"parse":[]}`, true: `{"parse":[],"users":["11"]}`} {
		if got := boardJSON(w, begun, notify); !strings.HasSuffix(got, want) {
			t.Errorf("notify %t: %s", notify, got)
		}
	}
}

func TestOutcomes(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	trails, sample := w.Start("trails"), w.Start("sample")
	for want, out := range map[string]match.Outcome{
		"**Draw**: ● <@11> and ◆ <@22>. Everybody has passed.":                                   {Ending: match.ByRules, Result: engine.Result{Reason: "passes"}},
		"● **<@11>** and ◆ **<@22>** share the win. Everybody has passed.":                       {Ending: match.ByRules, Result: engine.Result{Winners: []engine.Seat{1, 2}, Reason: "passes"}},
		"◆ **<@22>** wins against ● <@11>. Ben has taken more than half of the towers.":          {Ending: match.ByRules, Result: engine.Result{Winners: []engine.Seat{2}, Reason: "towers"}},
		"◆ <@22> resigned: ● **<@11>** wins.":                                                    {Ending: match.ByResignation, By: 2, Result: engine.Result{Winners: []engine.Seat{1}}},
		"● <@11> called off the match with ◆ <@22> before everyone had moved. It has no result.": {Ending: match.ByAbort, By: 1},
	} {
		v := trails
		if out.Result.Reason == "passes" {
			v = sample
		}
		if got := outcome(w.Say, v, out, address); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Buttons keep their places. Their custom IDs contain the match and its number of
// log entries.
func TestActionButtons(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.Act(w.Act(w.Start("trails"), "right"), "left")
	buttons := actionButtons(w.Say, v, v.Match, risks{})
	var ids []string
	for i, b := range buttons {
		a := v.Game.Direct()[i]
		ids = append(ids, b.CustomID)
		if b.CustomID != actionID(v.Record.ID, 2, a) || b.Disabled == slices.Contains(v.Match.Position().Legal(), a) || b.Label == "" {
			t.Errorf("%+v", b)
		}
	}
	if want := []string{"match/1/2/act/left", "match/1/2/act/up", "match/1/2/act/down", "match/1/2/act/right"}; !slices.Equal(ids, want) {
		t.Errorf("%v", ids)
	}
	if rows := discord.EvenRows(buttons); count(rows) != 4+2 { // a phone would break four after three
		t.Errorf("%d components", count(rows))
	}
	over := w.Resign(v, 1)
	if shown := boardJSON(w, over, true); len(actionButtons(w.Say, over, over.Match, risks{})) != 0 || strings.Count(shown, "custom_id") != 3 || !strings.Contains(shown, "/rematch") || !strings.Contains(shown, "/look/open/1") {
		t.Errorf("a match that is over has other buttons than Rematch and Look back: %s", shown)
	}
	if other := w.Start("sample"); len(actionButtons(w.Say, other, other.Match, risks{})) != 0 {
		t.Error("a game whose turns are several actions has buttons")
	}
}

// A superseded board becomes the turn that was played on it.
func TestCollapsed(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	two := w.Act(w.Act(w.Start("trails"), "right"), "left")
	over := w.Resign(two, 1)
	for _, c := range []struct {
		name string
		view *host.View
		seq  int
		want string
	}{
		{"the first turn", two, 0, "-# 1. ● Anna: **right** · reaches b11 · match 1"},
		{"the second turn", two, 1, "-# 2. ◆ Ben: **left** · reaches j1 · match 1"},
		{"posted again", two, 2, "-# Match 1: the board was posted again below"},
		{"resigned", over, 2, "-# Match 1 has ended"},
		{"the end, posted again", over, 3, "-# Match 1: the board was posted again below"},
		{"a number that isn’t there", two, 99, "-# Match 1: the board was posted again below"},
	} {
		m := Collapsed(w.Say, c.view, c.seq)
		if got := m.Components[0].(discord.TextDisplay).Content; got != c.want || len(m.Files) != 0 || len(m.Mentions.Users) != 0 {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// The board that a takeback has corrected says so for good, whatever follows.
	back, err := w.Host.Undo(t.Context(), w.Actor(hosttest.Anna), w.Act(w.Start("trails"), "right").Record.ID, host.AnySeq)
	hosttest.Must(t, err)
	gaveUp, err := w.Host.Undo(t.Context(), w.Actor(hosttest.Anna), w.Act(w.Start("trails"), "right").Record.ID, host.AnySeq)
	hosttest.Must(t, err)
	const took = "-# ● Anna took back everything from turn 1 on\n-# "
	for _, c := range []struct {
		view *host.View
		want string
	}{
		{back, "-# Match 2: the board was posted again below"}, // posted again: the next board says it
		{w.Act(back, "down"), took + "1. ● Anna: **down** · reaches a10 · match 2"},
		{w.Resign(gaveUp, 1), took + "Match 3 has ended"},
	} {
		if got := Collapsed(w.Say, c.view, 2).Components[0].(discord.TextDisplay).Content; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	// A turn of several actions.
	v := w.Act(w.Act(w.Start("sample"), "a2"), "b1")
	if got := Collapsed(w.Say, v, 0).Components[0].(discord.TextDisplay).Content; got != "-# 1. ● Anna: **a2 b1** · a2\\: takes 2 counters · b1\\: takes 1 counter · match 4" {
		t.Errorf("%q", got)
	}
}

// A mark on a button has its sentence, and a turn's line says what matters alone.
func TestMarksAndNews(t *testing.T) {
	texts, err := catalogue.New(towers.Game{})
	hosttest.Must(t, err)
	say := texts.Printer()
	after := func(line string) *host.View {
		v := playthrough(t, towers.Game{}, []storage.Person{hosttest.Anna, hosttest.Ben})[0]
		entries, err := v.Match.Act(1, line, match.Cause{})
		hosttest.Must(t, err)
		v.Match, err = v.Match.With(entries...)
		hosttest.Must(t, err)
		return v
	}
	v := after("end")
	panel := fmt.Sprint(Panel(say, PanelState{View: v, Person: hosttest.Ben.ID, Salt: "1"}, discord.File{Name: "p.png"}))
	for _, want := range []string{"⚠ Pass ", "-# ⚠ Pass: ends the match"} {
		if !strings.Contains(panel, want) {
			t.Errorf("the panel lacks %q: %s", want, panel)
		}
	}
	for _, c := range []struct{ action, want string }{
		{"end", "end · ⚠ ends the match · play nothing"},
		{"+1", "+1 · puts 1 pawn on the master; if nothing else follows, this counts as a pass"},
	} {
		a, err := v.Match.Position().Parse(c.action)
		hosttest.Must(t, err)
		if got := suggestion(say, v, v.Match, "", a); !strings.HasPrefix(got.Name, c.want) {
			t.Errorf("%q, want %q", got.Name, c.want)
		}
	}
	if got := Collapsed(say, after("a2-a3 end"), 0).Components[0].(discord.TextDisplay).Content; got != "-# 1. ● Anna: **a2\\-a3** · match 1099511627776" {
		t.Errorf("%q", got)
	}
}

func TestScene(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	begun := w.Start("sample")
	open := w.Act(begun, "a2")
	ended := w.Act(open, "b1")
	for _, c := range []struct {
		name    string
		view    *host.View
		actions int
		open    bool
		legal   bool
	}{{"begun", begun, 0, false, true}, {"open", open, 1, true, true}, {"ended", ended, 3, false, true}} {
		s := Scene(c.view, c.view.Match)
		if len(s.Turn.Actions) != c.actions || s.Turn.Open != c.open || s.Legal != c.legal || s.Outcome != nil || !slices.Equal(s.Names, []string{"Anna", "Ben"}) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	two := w.Act(w.Act(w.Start("trails"), "right"), "left")
	resigned := w.Resign(two, 1)
	if s := Scene(resigned, resigned.Match); s.Legal || s.Outcome == nil || !slices.Equal(s.Outcome.Winners, []engine.Seat{2}) {
		t.Errorf("resigned, which the position does not say: %+v", s.Outcome)
	}
	aborted := w.Resign(w.Start("trails"), 1)
	if s := Scene(aborted, aborted.Match); s.Legal || s.Outcome == nil || !s.Outcome.Void {
		t.Errorf("called off, which is no draw: %+v", s.Outcome)
	}
	won := finished(w)
	out, _ := won.Match.Over()
	if s := Scene(won, won.Match); s.Legal || s.Outcome != nil && !slices.Equal(s.Outcome.Winners, out.Result.Winners) {
		t.Errorf("won: %+v", s.Outcome)
	}
}

// A public picture marks what has happened since the last turn of the player to
// move, a private one what has happened since the reader's.
func TestSceneSinceOwnTurn(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.StartSeveral(3)
	var numbers []int
	for _, p := range []string{"a1", "a1", "a1", "a1", "b1"} {
		v = w.Act(v, p+" end")
	}
	for _, c := range []struct {
		reader engine.Seat
		want   []int
	}{{v.Match.Seat(), []int{4, 5}}, {1, []int{5}}, {2, []int{5}}, {3, []int{4, 5}}, {engine.Nobody, []int{5}}} {
		numbers = nil
		for _, turn := range sceneFor(v, v.Match, c.reader).Marked() {
			numbers = append(numbers, turn.Number)
		}
		if !slices.Equal(numbers, c.want) {
			t.Errorf("seat %d: turns %v, want %v", c.reader, numbers, c.want)
		}
	}
	if s := Scene(v, v.Match); len(s.Earlier) != 1 || s.Earlier[0].Number != 4 {
		t.Errorf("the public picture marks %+v before the last turn", s.Earlier)
	}
}

func TestAltText(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.Start("trails")
	v.Record.Seats[1].Name = "B\n\n*n*"
	got := boardAltText(w.Say, v, v.Match)
	if want := "Anna can go down to a10, right to b11. Trails and Towers: Anna (Blue) and B *n* (Red). "; !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	// The position does not know that the match is over.
	over := w.Resign(w.Act(w.Act(w.Start("trails"), "right"), "left"), 1)
	got = boardAltText(w.Say, over, over.Match)
	if !strings.Contains(got, "● Anna resigned: ◆ Ben wins.") || strings.Contains(got, "can go") || strings.Contains(got, "**") {
		t.Errorf("after a resignation: %s", got)
	}
}

// The text of a picture says first whose turn it is or how the match ended, then the last
// turn, and the whole position unless that is too long: then where to read it.
func TestAltTextOfGames(t *testing.T) {
	var people []storage.Person
	for i, name := range []string{"Anna", "Ben", "Chloé", "Dora", "Emil", "Fay"} {
		people = append(people, storage.Person{ID: fmt.Sprint(11 + i), Name: name})
	}
	for _, c := range []struct {
		game  engine.Game
		parts []string // in the middle of a match
	}{
		{stonetowers.Game{}, []string{" owns ", "castles of level 1 on "}},
		{towers.Game{}, []string{"the master on ", "ocked"}},
		{rings.Game{}, []string{"Stones of Anna: ", "no majority"}},
		{trails.Game{}, []string{"Corners of Anna’s trail, ", "ree towers: "}},
	} {
		texts, err := catalogue.New(c.game)
		hosttest.Must(t, err)
		say := texts.Printer()
		views := playthrough(t, c.game, people)
		for i, v := range views {
			m := v.Match
			got := boardAltText(say, v, m)
			if len([]rune(got)) > mostAltText {
				t.Errorf("%s: %d characters: %s", c.game.Key(), len([]rune(got)), got)
			}
			missing := slices.DeleteFunc(sentencesOf(say, m.Position(), seatNames(say, v, PlainName)), func(s string) bool { return strings.Contains(got, s) })
			if more := strings.HasSuffix(got, " `/board` with the option `text` says the whole position."); more != (len(missing) > 0) {
				t.Errorf("%s: %q is missing: %s", c.game.Key(), missing, got)
			}
			first, _, _ := strings.Cut(got, ".")
			if _, over := m.Over(); !over && !strings.Contains(first, v.Person(m.Seat()).Name) {
				t.Errorf("%s: whose turn it is is not first: %s", c.game.Key(), got)
			}
			if n := len(m.Turns()); n > 0 && !strings.Contains(got, fmt.Sprintf(" Last turn: %d. %s, ", n, v.Person(m.Turns()[n-1].Seat).Name)) {
				t.Errorf("%s: the last turn is missing: %s", c.game.Key(), got)
			}
			if i == 0 || i == len(views)/2 || i == len(views)-1 {
				t.Logf("%s, %d turns: %s", c.game.Key(), len(m.Turns()), got)
			}
		}
		v := views[1]
		for _, part := range c.parts {
			if got := boardAltText(say, v, v.Match); !strings.Contains(got, part) {
				t.Errorf("%s: %q is missing: %s", c.game.Key(), part, got)
			}
		}
	}
}

// Sentences without room are left out from the last on, with a hint where to read them.
func TestLongAltText(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	long := strings.Repeat("a1, ", 100) + "b1."
	more := w.Say.T("board.alt.more")
	for want, rest := range map[string][]string{
		"Anna is to move. " + long + " " + long: {long, long},
		"Anna is to move. " + long + " " + more: {long, long + long},
		"Anna is to move. " + more:              {strings.Repeat("a1, ", 300), long},
		"Anna is to move.":                      nil,
	} {
		if got := withinAltText(w.Say, []string{"Anna is to move."}, rest); got != want {
			t.Errorf("%d sentences become %q, not %q", len(rest), got, want)
		}
	}
}

// A picture of the present turn shows the time of the player to move if their bank
// is short; one of an earlier turn or of an ended match shows none.
func TestClockInPictures(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		clock string
		takes []time.Duration // turns; the players move in turn
		want  time.Duration   // left in the next turn
	}{
		{"2d+1h/4d", []time.Duration{37 * hour, hour}, 0}, // 12 h, exactly a quarter
		{"2d+1h/4d", []time.Duration{37*hour + time.Second, hour}, 12*hour - time.Second},
		{"2d+1h/4d", []time.Duration{40 * hour}, 0},              // the other player is to move
		{"8d+1h/8d", []time.Duration{7*24*hour + hour, hour}, 0}, // a day
		{"8d+1h/8d", []time.Duration{7*24*hour + 2*hour, hour}, 23 * hour},
		{"1d", []time.Duration{23 * hour, hour}, 0},
		{"", []time.Duration{23 * hour, hour}, 0},
	} {
		w := hosttest.New(t, hosttest.Options{})
		v := w.StartFrom(w.Challenge(host.Proposal{Opponents: []storage.Person{hosttest.Ben}, Game: "trails", First: host.FirstMe, Clock: c.clock}))
		for i, d := range c.takes {
			w.Advance(d)
			v = w.Act(v, []string{"right", "left"}[i])
		}
		if got := Scene(v, v.Match).TimeLeft; got != c.want {
			t.Errorf("%s after %v: %v, want %v", c.clock, c.takes, got, c.want)
		}
		for what, s := range map[string]imaging.Scene{"the last turn": PastScene(v, v.Match, len(c.takes)), "an earlier turn": PastScene(v, v.Match, 1)} {
			if s.TimeLeft != 0 {
				t.Errorf("%s after %v: %s shows %v", c.clock, c.takes, what, s.TimeLeft)
			}
		}
		v = w.Resign(v, 1)
		if got := Scene(v, v.Match).TimeLeft; got != 0 {
			t.Errorf("%s: the end shows %v", c.clock, got)
		}
	}
}

// replayed draws no replay, but keeps it.
type replayed struct {
	hosttest.Renderer
	last *imaging.Replay
}

func (r replayed) Replay(ctx context.Context, p imaging.Replay, theme string) ([]byte, error) {
	*r.last = p
	return r.Renderer.Replay(ctx, p, theme)
}

// A replay notes which turns were prepared, in the language of its reader.
func TestPreparedTurnsInReplays(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.Start("sample")
	tree, err := prepared.Parse(0, "a1\n\tb2\n")
	hosttest.Must(t, err)
	_, err = w.Host.Prepare(t.Context(), w.Actor(hosttest.Ben), v.Record.ID, host.AnySeq, host.AnySeq, host.Plan{Tree: tree})
	hosttest.Must(t, err)
	v = w.Act(v, "a1 end", "a1 end")
	var p imaging.Replay
	_, err = DrawReplay(t.Context(), Themed{Renderer: replayed{last: &p}}, w.Texts.Printer("fr"), v, v.Match)
	hosttest.Must(t, err)
	if len(p.Scenes) != 4 || len(p.Notes) != 1 || p.Notes[2].String() != "(prepared)" || p.Scenes[2].Say(p.Notes[2]) != "(préparé)" {
		t.Errorf("%d scenes, notes %v", len(p.Scenes), p.Notes)
	}
}

// The picture of an end and the frames of a replay say what a picture without its
// message would not: the game, the date and the reason, in the language of the reader.
func TestFooter(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	won := finished(w)
	won.Record.Seats[0].Name, won.Record.Seats[1].Name = "a_b", "c_d"
	resigned := w.Resign(w.Act(w.Act(w.Start("trails"), "right"), "left"), 1)
	for _, language := range []string{"en", "de", "ja"} {
		say := w.Texts.Printer(language)
		for name, v := range map[string]*host.View{"by the rules": won, "by resignation": resigned} {
			out, _ := v.Match.Over()
			var shown imaging.Footer
			r := hosttest.Renderer{OnBoard: func(s imaging.Scene) error { shown = s.Footer; return nil }}
			_, err := DrawBoard(t.Context(), Themed{Renderer: r}, say, v, v.Match, Scene(v, v.Match))
			hosttest.Must(t, err)
			if want := out.At.UTC().Format(say.T("date.layout")); shown.Title != gameName(say, v.Game) || shown.Date != want || !strings.Contains(want, "2026") {
				t.Errorf("%s, %s: %+v, want the date %s", language, name, shown, want)
			}
			if shown.Reason == "" || strings.ContainsAny(shown.Reason, `\*`) {
				t.Errorf("%s, %s: the reason is %q", language, name, shown.Reason)
			}
			var p imaging.Replay
			_, err = DrawReplay(t.Context(), Themed{Renderer: replayed{last: &p}}, say, v, v.Match)
			hosttest.Must(t, err)
			for i, s := range p.Scenes {
				if s.Footer != shown {
					t.Errorf("%s, %s: frame %d has %+v", language, name, i, s.Footer)
				}
			}
		}
	}
	for name, v := range map[string]*host.View{"goes on": w.Start("trails"), "was aborted": w.Resign(w.Start("trails"), 1)} {
		if got := footer(w.Say, v, v.Match); got != (imaging.Footer{}) {
			t.Errorf("a match that %s has %+v", name, got)
		}
	}
}

// Pictures have room for short names: the only computer has no level, and seats
// that nobody has yet are named after their colours.
func TestNamesInPictures(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	var names []string
	r := hosttest.Renderer{OnBoard: func(s imaging.Scene) error { names = s.Names; return nil }}
	v := w.StartSeveral(3)
	v.Record.Seats[2] = host.ComputerPlayer("casual", "Computer (Casual)")
	_, err := DrawBoard(t.Context(), Themed{Renderer: r}, w.Say, v, v.Match, Scene(v, v.Match))
	if hosttest.Must(t, err); names[2] != "Computer" {
		t.Errorf("%v", names)
	}
	for first, want := range map[string]string{host.FirstMe: "Anna Ben", host.FirstThem: "Ben Anna", host.FirstRandom: "Blue Red"} {
		ch := storage.Challenge{Challenger: hosttest.Anna, Joined: []storage.Person{hosttest.Anna}, Invited: []storage.Person{hosttest.Ben}, Seats: 2, First: first, Game: "trails"}
		_, err := DrawChallenge(t.Context(), Themed{Renderer: r}, w.Say, ChallengeData{Challenge: ch, Game: w.Start("trails").Game, Start: w.Start("trails").Match.Position()})
		hosttest.Must(t, err)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("first %s: %s, want %s", first, got, want)
		}
	}
}

// A thread's name begins with the number of the match and lists people before
// computers.
func TestThreadName(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.StartSeveral(3)
	name := func() string { return ThreadName(w.Say, v) }
	v.Record.Seats[0] = host.ComputerPlayer("skilled", "Computer (Skilled)")
	v.Record.Seats[1].Name, v.Record.Seats[2].Name = "Anna", "*Ben*"
	if got := name(); got != "1 · Counters: Anna – *Ben* – Computer (Skilled)" {
		t.Errorf("%q", got)
	}
	if got := MatchLine(w.Say, v, v.Record.Seats[1].ID); got != "Match 1 · Counters with Computer (Skilled) and *Ben* · their turn" {
		t.Errorf("%q", got)
	}
	v.Record.Seats[1].Name = strings.Repeat("W", 200)
	if got := name(); len([]rune(got)) != discord.MaxThreadName {
		t.Errorf("%d characters: %q", len([]rune(got)), got)
	}
}

// Take back is offered only while it works: a computer's answer is taken back
// with the turn, but not in a rated match.
func TestTakebackIsOffered(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	one := w.Act(w.Start("trails"), "right")
	two := w.Act(w.Start("trails"), "right", "left")
	ended := finished(w)
	for _, c := range []struct {
		name              string
		view              *host.View
		computer, unrated bool
		want              bool
	}{
		{"a person is to move", one, false, false, true},
		{"two people", two, false, false, true},
		{"a computer thinks", one, true, true, true},
		{"a computer thinks, rated", one, true, false, false},
		{"a computer has answered", two, true, true, true},
		{"a computer has answered, rated", two, true, false, false},
		{"two people, ended", ended, false, false, false},
		{"a computer has ended it", ended, true, true, false},
	} {
		v := *c.view
		v.Record.Seats = slices.Clone(v.Record.Seats)
		if v.Record.Unrated = c.unrated; c.computer {
			v.Record.Seats[1] = host.ComputerPlayer("skilled", "Computer (Skilled)")
		}
		if got := strings.Contains(fmt.Sprint(takebackRow(w.Say, &v, v.Match)), "/takeback"); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
		offers := func(p storage.Person) bool {
			return strings.Contains(fmt.Sprint(Receipt(w.Say, &v, p.ID, nil)), "/takeback")
		}
		if got := slices.ContainsFunc(v.Record.Seats, offers); got != c.want {
			t.Errorf("%s: by a receipt: %t", c.name, got)
		}
	}
}

// The line of a board that many prepared turns have answered stays within Discord's
// limits, and shows the first and the last of them.
func TestCollapsedAfterManyTurns(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.Start("trails")
	before := v.Match.Position()
	long := strings.Repeat("right ", 60)
	for _, n := range []int{1, 3, 41, 200} {
		var turns []match.Turn
		for i := range n {
			var actions []engine.Action
			for range len(strings.Fields(long)) {
				actions = append(actions, before.Legal()[0])
			}
			turns = append(turns, match.Turn{Number: i + 1, Seat: engine.Seat(1 + i%2), Before: before, Actions: actions, Prepared: i > 0})
		}
		lines := turnLines(w.Say, v, turns)
		all := strings.Join(lines, "\n-# ")
		if len(all) > discord.MaxTextDisplay-200 || !strings.HasPrefix(lines[0], "1. ") || !strings.HasPrefix(lines[len(lines)-1], fmt.Sprintf("%d. ", n)) {
			t.Errorf("%d turns: %d bytes in %d lines", n, len(all), len(lines))
		}
		if n > 10 && !strings.Contains(all, "more turns") {
			t.Errorf("%d turns: nothing says that some are left out", n)
		}
	}
}

// A board is posted without a sound if all whom it mentions are in their quiet hours
// or on vacation, whoever is to move.
func TestSilentBoard(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.Act(w.Start("trails"), "right", "left") // Anna is to move
	night := func(p storage.Person, on bool) {
		prefs := storage.Preferences{Person: p.ID, QuietFrom: w.Now().UTC().Hour()}
		if prefs.QuietTo = prefs.QuietFrom; on {
			prefs.QuietTo = (prefs.QuietFrom + 1) % 24
		}
		hosttest.Must(t, w.Account.SetPreferences(t.Context(), prefs))
	}
	for _, c := range []struct {
		name      string
		anna, ben bool // in quiet hours
		by        storage.Person
		silent    bool
	}{
		{"Anna offers at night", true, false, hosttest.Anna, false},
		{"Anna offers at Ben’s night", false, true, hosttest.Anna, true},
		{"Ben offers at night", false, true, hosttest.Ben, false},
		{"Ben offers at Anna’s night", true, false, hosttest.Ben, true},
		{"nobody sleeps", false, false, hosttest.Ben, false},
	} {
		night(hosttest.Anna, c.anna)
		night(hosttest.Ben, c.ben)
		v = w.Posted(v, c.name)
		offered, err := w.Host.MakeOffer(t.Context(), w.Actor(c.by), v.Record.ID, host.AnySeq, offers.Draw)
		hosttest.Must(t, err)
		m := Board(w.Say, offered, offered.Match, discord.File{Name: "b.png"}, Notified(offered, offered.Match, offered.Board))
		if len(m.Mentions.Users) != 1 || m.Mentions.Users[0] == c.by.ID || m.Silent != c.silent {
			t.Errorf("%s: mentions %v, silent %t", c.name, m.Mentions.Users, m.Silent)
		}
		v = w.Act(offered, v.Match.Position().Legal()[0].String()) // the offer lapses
		v = w.Act(v, v.Match.Position().Legal()[0].String())
	}
	over := w.Resign(v, 1)
	if night(hosttest.Anna, true); Board(w.Say, over, over.Match, discord.File{Name: "b.png"}, Notified(over, over.Match, over.Board)).Silent {
		t.Error("a result is silent, although not all players sleep")
	}
}
