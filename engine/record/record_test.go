package record_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/record"
	"castellan/engine/trails"
)

// A record that is read again gives the same match, whatever game it is of and
// however it went, and the same names, date and seed.
func TestRecordReadAgainIsTheSameMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMatch(t)
		want := &record.Record{Match: m}
		for range m.Settings().Seats {
			want.Names = append(want.Names, rapid.StringN(0, 40, -1).Draw(t, "name"))
		}
		if rapid.Bool().Draw(t, "dated") {
			want.Date = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "date"), 0).UTC()
		}
		if rapid.Bool().Draw(t, "seeded") {
			seed := rapid.Uint64().Draw(t, "seed")
			want.Seed = &seed
		}
		text := written(t, want)
		got := read(t, text)
		if a, b := view(m), view(got.Match); a != b {
			t.Fatalf("the match\n%s\nis read as\n%s\nfrom\n%s", a, b, text)
		}
		if !slices.Equal(got.Names, want.Names) || !got.Date.Equal(want.Date) {
			t.Fatalf("%q of %s are read as %q of %s", want.Names, want.Date, got.Names, got.Date)
		}
		if (got.Seed == nil) != (want.Seed == nil) || got.Seed != nil && *got.Seed != *want.Seed {
			t.Fatalf("the seed changes\n%s", text)
		}
		if again := written(t, got); again != text {
			t.Fatalf("\n%s\nis written again as\n%s", text, again)
		}
		for line := range strings.Lines(text) {
			if strings.ContainsAny(line, "\u202e\u2066\x00\x1b") {
				t.Fatalf("%q would harm a reader", line)
			}
		}
	})
}

const played = `Castellan record 1
Game: trails
Rules: 1
Options: size=5 towers=1 distance=1
Seat 1 (blue): Anna
Seat 2 (red): Ben
Date: 2026-05-01T12:00:00Z
Result: won by seat 2, by resignation

1. blue: right
2. red: left
- blue: resign
`

// A turn that was prepared has a comment, which readers skip: the record is still
// verified.
func TestPreparedTurns(t *testing.T) {
	m, err := match.Start(trails.Game{}, read(t, played).Match.Settings())
	if err != nil {
		t.Fatal(err)
	}
	for i, token := range strings.Fields("right left right left") {
		interaction := "x"
		if i%2 == 1 {
			interaction = match.PreparedBy + "1"
		}
		entries, err := m.Act(m.Seat(), token, match.Cause{At: time.Unix(0, 0), Interaction: interaction})
		if err == nil {
			m, err = m.With(entries...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, err := m.Resign(1, match.Cause{})
	if err == nil {
		m, err = m.With(entries...)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, &record.Record{Match: m})
	if want := "\n\n1. blue: right\n2. red: left ; prepared\n3. blue: right\n4. red: left ; prepared\n- blue: resign\n"; !strings.HasSuffix(text, want) {
		t.Errorf("written as\n%s", text)
	}
	if got := read(t, text); !got.Verified || view(got.Match) != view(m) {
		t.Errorf("read as\n%s, verified: %v", view(got.Match), got.Verified)
	}
}

// Decisions are written as they are read, with the result, and read back. What is
// taken back by agreement leaves no trace, with the time that was given for it.
func TestDecisions(t *testing.T) {
	const head = "Castellan record 1\nGame: "
	for _, tt := range []struct{ tags, turns, result string }{
		{"trails\n", "1. blue: right\n2. red: left\n- red: claim\n", "won by seat 2, by claim"},
		{"rings\nOptions: side=3\nSeat 3: C\n", "1. blue: F1 end\n- gold: claim\n2. gold: pass end\n", "open"},
		{"trails\nClock: 2d+1h/4d\n", "1. blue: right\n2. red: left\n- blue: timeout\n", "won by seat 2, by timeout"},
		{"trails\nClock: 1d\n", "1. blue: right\n- blue: time 1d\n2. red: left\n- blue: draw\n", "drawn, by agreement"},
		{"trails\n", "1. blue: right\n- red: abort agreed\n", "called off, by abort"},
	} {
		m := read(t, head+tt.tags+tt.turns).Match
		text := written(t, &record.Record{Match: m})
		if !strings.HasSuffix(text, "\n"+tt.turns) || !strings.Contains(text, "\nResult: "+tt.result+"\n") {
			t.Errorf("written as\n%s", text)
		}
		if again := read(t, text).Match; view(again) != view(m) || again.Settings().Clock != m.Settings().Clock {
			t.Errorf("the match differs: %s", view(again))
		}
	}
	const timed = head + "trails\nClock: 1d\n"
	r := read(t, timed+"1. blue: right\n- blue: time 1d\n2. red: left\n- red: time 2d\n3. blue: right\n- blue: time 3d\n")
	entries, err := r.Match.AgreeTakeback(2, match.Cause{At: r.Date})
	if err == nil {
		r.Match, err = r.Match.With(entries...)
	}
	if text := written(t, r); err != nil || !strings.HasSuffix(text, "\n1. blue: right\n- blue: time 1d\n") {
		t.Errorf("%v, written as\n%s", err, text)
	}
	for _, turns := range []string{"- blue: draw now\n", "- blue: resign agreed\n", "- red: time soon\n", "- blue: time 1d\n", "- blue: claim\n"} {
		if _, err := record.Read(strings.NewReader(timed+turns), games(t)); err == nil {
			t.Errorf("%q is accepted", turns)
		}
	}
}

func TestReadThenWrite(t *testing.T) {
	if got := withoutDigest(written(t, read(t, played))); got != played {
		t.Errorf("written as\n%s\nwant\n%s", got, played)
	}
}

// Records written by hand have comments, short forms, other cases, Windows line
// ends, or nothing but the game.
func TestHandwrittenRecords(t *testing.T) {
	for name, text := range map[string]string{
		"short forms": strings.NewReplacer("blue: right", "R", "red: left", "RED: Left").Replace(played),
		"comments":    strings.NewReplacer("Game:", "; who knows\n\n  ;\nGAME :", "2. red", "; hm\n2.   red", "left", "left;!").Replace(played),
		"Windows":     "\ufeff" + strings.ReplaceAll(played, "\n", "\r\n"),
		"no end":      strings.TrimSuffix(played, "\n"),
		"other order": strings.Replace(strings.Replace(played, "Game: trails\n", "", 1), "Rules: 1\n", "Rules:1\nGame:trails\n", 1),
		"a day":       strings.Replace(played, "T12:00:00Z", "", 1),
		"no result":   strings.Replace(played, "Result: won by seat 2, by resignation\n", "", 1),
	} {
		r := read(t, text)
		r.Date = read(t, played).Date
		if got := withoutDigest(written(t, r)); got != played {
			t.Errorf("%s: written as\n%s", name, got)
		}
	}
	bare := read(t, "Castellan record 1\nGame: rings")
	if s := bare.Match.Settings(); s.Seats != 2 || len(bare.Names) != 2 || bare.Names[0] != "" || bare.Match.Seq() != 0 {
		t.Errorf("%+v", bare)
	}
	if m := read(t, "Castellan record 1\nGame: stone-towers\n1. a1\n2. b2\n").Match; len(m.Turns()) != 2 {
		t.Errorf("%d turns", len(m.Turns()))
	}
}

// A record that was altered after it was written is refused, even if it is legal.
func TestDigest(t *testing.T) {
	text := written(t, read(t, played))
	read(t, strings.Replace(text, "1. blue:", "; a comment\n1.  Blue:", 1))
	for _, change := range [][2]string{
		{"1. blue: right", "1. blue: down"}, {"size=5", "size=7"}, {"Anna", "Hanna"}, {"12:00:00", "12:00:01"}, {"Checksum: ", "Checksum: 0"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("no %q in\n%s", change[0], text)
		}
		altered := strings.Replace(text, change[0], change[1], 1)
		if _, err := record.Read(strings.NewReader(altered), games(t)); err == nil || !strings.Contains(err.Error(), "line 9: The record was altered") {
			t.Errorf("%s: %v", change[1], err)
		}
		read(t, withoutDigest(altered))
	}
	if r := read(t, strings.Replace(text, "\nChecksum: ", "\nDigest: ", 1)); !r.Verified { // as earlier versions wrote it
		t.Error("a record of an earlier version is not verified")
	}
}

// A record with any one byte broken is refused with the line, or means the same:
// only its layout changed, or the digest became a comment, which Verified tells.
func TestBrokenBytes(t *testing.T) {
	text := written(t, read(t, played))
	want := read(t, text)
	refused := 0
	for at := range text {
		for _, b := range []byte{text[at] ^ 1, text[at] ^ 0x20, ' ', ';', '\n', '1', 0, 0xFF} {
			broken := text[:at] + string([]byte{b}) + text[at+1:]
			got, err := record.Read(strings.NewReader(broken), games(t))
			var wrong *record.Error
			switch {
			case errors.As(err, &wrong) && wrong.Line >= 1 && wrong.Line <= strings.Count(broken, "\n")+1:
				refused++
			case err != nil:
				t.Fatalf("byte %d as %q: %v", at, b, err)
			case got.Verified && (view(got.Match) != view(want.Match) || !slices.Equal(got.Names, want.Names) || !got.Date.Equal(want.Date)):
				t.Fatalf("byte %d as %q: another match\n%s", at, b, broken)
			case !got.Verified && strings.Contains(broken, "\nChecksum: "):
				t.Fatalf("byte %d as %q: read without its digest\n%s", at, b, broken)
			}
		}
	}
	if refused < 7*len(text) {
		t.Errorf("%d of %d are refused", refused, 8*len(text))
	}
}

// Errors name the line and say what would be right.
func TestReadErrors(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(played, from) {
			t.Fatalf("no %q in the record", from)
		}
		return strings.Replace(played, from, to, 1)
	}
	unsaid := maps.Clone(record.Texts())
	delete(unsaid, "record.turn.many") // needs 10,000 turns
	var said func(engine.Phrase)
	said = func(p engine.Phrase) {
		delete(unsaid, p.ID)
		for _, arg := range p.Args {
			if why, ok := arg.(engine.Phrase); ok {
				said(why)
			}
		}
	}
	for _, c := range []struct {
		name, text string
		line, turn int
		parts      []string
	}{
		{"nothing", "", 1, 0, []string{"begins with", "Castellan record 1"}},
		{"another file", "\x89PNG", 1, 0, []string{"UTF-8"}},
		{"another text", "Dear diary\n", 1, 0, []string{"Castellan record 1"}},
		{"a later version", change("record 1", "record 2"), 1, 0, []string{"version 2", "version 1"}},
		{"no number", change("record 1", "record"), 1, 0, []string{"Castellan record 1"}},
		{"no game", change("Game: trails\n", ""), 9, 0, []string{"Game: stone-towers"}},
		{"an unknown game", change("trails", "chess"), 2, 0, []string{"“chess”", "trails"}},
		{"a later version of the rules", change("Rules: 1", "Rules: 2"), 3, 0, []string{"version 2", "version 1"}},
		{"an option of a later version", "Castellan record 1\nGame: sample\nRules: 1\nOptions: most=2\n", 4, 0, []string{"most", "limit"}},
		{"no rules", change("Rules: 1", "Rules: one"), 3, 0, []string{"“one”"}},
		{"an unknown option", change("size=5", "sise=5"), 4, 0, []string{"sise", "size, towers, distance"}},
		{"a bad value", change("size=5", "size=6"), 4, 0, []string{"5, 7, 9"}},
		{"options that do not go together", change("towers=1", "towers=9"), 4, 0, []string{"at most"}},
		{"too many seats", change("Seat 2", "Seat 3"), 6, 0, []string{"played by 2, not by 3"}},
		{"seat 0", change("Seat 2", "Seat 0"), 6, 0, []string{"from 1 to 6"}},
		{"another colour", change("(red)", "(gold)"), 6, 0, []string{"Seat 2 is “red”", "gold"}},
		{"an open quotation mark", change("Ben", `"Ben`), 6, 0, []string{"quotation mark"}},
		{"a long name", change("Ben", strings.Repeat("B", 101)), 6, 0, []string{"100"}},
		{"no date", change("2026-05-01T12:00:00Z", "yesterday"), 7, 0, []string{"2026-05-01", "yesterday"}},
		{"no seed", change("Date", "Seed"), 7, 0, []string{"seed"}},
		{"another result", change("seat 2, by", "seat 1, by"), 8, 0, []string{"Result: won by seat 2, by resignation"}},
		{"scores where there are none", change("Result", "Scores: 1 2\nResult"), 8, 0, []string{"Leave the tag out"}},
		{"a tag twice", change("Rules", "Game"), 3, 0, []string{"line 2"}},
		{"an unknown tag", change("Rules", "Event"), 3, 0, []string{"“Event”", "Options"}},
		{"no tag", change("Rules: 1", "Rules 1"), 3, 0, []string{"Name: value"}},
		{"a turn left out", change("2. red", "3. red"), 11, 0, []string{"turn 2", "turn 3"}},
		{"no full stop", change("2. red", "2 red"), 11, 2, []string{"“2.”"}},
		{"a huge number", change("2. red", "99999999999999999999. red"), 11, 2, []string{"“2.”"}},
		{"another's turn", change("red: left", "blue: left"), 11, 2, []string{"turn of “red” (seat 2)", "“blue”"}},
		{"no action", change(" red: left", ""), 11, 2, []string{"no actions"}},
		{"an illegal turn", change("2. red: left", "2. red: left\n3. blue: left"), 12, 3, []string{"“left”", "taken"}},
		{"a typo", change("left", "lfet"), 11, 2, []string{"Did you mean left?"}},
		{"two turns in one", change("left", "left right"), 11, 2, []string{"turn ends before"}},
		{"no decision", change("- blue: resign", "- blue resign"), 12, 0, []string{"- blue: resign"}},
		{"an unknown decision", change("resign\n", "surrender\n"), 12, 0, []string{"“surrender”", "resign, claim"}},
		{"an unknown seat", change("- blue", "- green"), 12, 0, []string{"blue, red"}},
		{"an action as a decision", change("blue: resign", "blue: action right"), 12, 0, []string{"Actions are part of turns"}},
		{"too late to call off", change("blue: resign", "blue: abort"), 12, 0, []string{"Everybody has moved"}},
		{"another digest", change("Date", "Digest: 00\nDate"), 7, 0, []string{"Leave the line out"}},
		{"a clock", change("Date", "Clock"), 7, 0, []string{"2d+1h/4d"}},
		{"too few seats", change("trails", "rings") + "Seat 1: A\n", 4, 0, nil},
		{"one seat", "Castellan record 1\nGame: sample\nSeat 1: A\n", 3, 0, []string{"2 to"}},
		{"an incomplete turn", "Castellan record 1\nGame: sample\n1. a1\n", 3, 1, []string{"can go on with"}},
		{"a draw of three", "Castellan record 1\nGame: sample\nSeat 3: A\n- blue: draw\n", 4, 0, []string{"two players"}},
		{"time without a clock", change("blue: resign", "blue: time 1d"), 12, 0, []string{"no clock"}},
		{"time for oneself", "Castellan record 1\nGame: trails\nClock: 1d\n- blue: time 1d\n", 4, 0, []string{"own turn"}},
		{"too much time", "Castellan record 1\nGame: trails\nClock: 1d\n- red: time 1000d\n- red: time 1000d\n", 5, 0, []string{"no more time"}},
		{"another's timeout", "Castellan record 1\nGame: trails\nClock: 1d\n- red: timeout\n", 4, 0, []string{"possible here"}},
		{"a player who has left", "Castellan record 1\nGame: rings\nOptions: side=3\nSeat 3: C\n1. F1\n- blue: resign\n- blue: claim\n", 7, 0, []string{"has left"}},
		{"a turn after the end", played + "3. blue: up\n", 13, 3, []string{"over before"}},
		{"a decision after the end", played + "- red: resign\n", 13, 0, []string{"over"}},
		{"something else among the turns", change("2. red", "left"), 11, 0, []string{"“2. …”"}},
		{"a long line", played + ";" + strings.Repeat("x", record.MaxLine), 13, 0, []string{"4096"}},
		{"a long file", played + strings.Repeat(strings.Repeat(";", 1023)+"\n", 1024), 1036, 0, []string{"1048576"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := record.Read(strings.NewReader(c.text), games(t))
			var wrong *record.Error
			if r != nil || !errors.As(err, &wrong) {
				t.Fatalf("%v, %v", r, err)
			}
			said(wrong.Why)
			if wrong.Line != c.line || wrong.Turn != c.turn {
				t.Errorf("line %d, turn %d, want line %d, turn %d", wrong.Line, wrong.Turn, c.line, c.turn)
			}
			for _, p := range c.parts {
				if !strings.Contains(err.Error(), p) {
					t.Errorf("%q does not say %q", err, p)
				}
			}
			if strings.Contains(err.Error(), "match: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q mentions internals", err)
			}
		})
	}
	for key := range unsaid {
		t.Errorf("no error says %s", key)
	}
}

func TestErrorWrapsItsReason(t *testing.T) {
	_, err := record.Read(strings.NewReader(strings.Replace(played, "red: left", "red: right", 1)), games(t))
	var illegal *engine.IllegalError
	if !errors.As(err, &illegal) || illegal.Action.String() != "right" {
		t.Errorf("%v", err)
	}
	_, err = record.Read(strings.NewReader(strings.Replace(played, "resign\n", "abort\n", 1)), games(t))
	if !errors.Is(err, match.ErrTooLate) {
		t.Errorf("%v", err)
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := record.Read(iotest.ErrReader(broken), games(t))
	var wrong *record.Error
	if !errors.Is(err, broken) || errors.As(err, &wrong) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriteFails(t *testing.T) {
	full := errors.New("no room")
	if err := record.Write(failing{full}, read(t, played)); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// A record leaves out the open turn, but not a decision during it.
func TestOpenTurnIsLeftOut(t *testing.T) {
	r := read(t, "Castellan record 1\nGame: rings\nOptions: side=3\nSeat 1: A\nSeat 2: B\nSeat 3: C\n1. F1\n")
	m := r.Match
	now := match.Cause{Confirms: func(engine.Seat) bool { return true }}
	for _, decide := range []func() ([]match.Entry, error){
		func() ([]match.Entry, error) { return m.Act(2, m.Position().Legal()[0].String(), now) },
		func() ([]match.Entry, error) { return m.Resign(3, now) },
	} {
		entries, err := decide()
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.With(entries...); err != nil {
			t.Fatal(err)
		}
	}
	r.Match = m
	text := written(t, r)
	if !strings.HasSuffix(text, "\n- gold: resign\n") || strings.Contains(text, "\n2. ") {
		t.Errorf("written as\n%s", text)
	}
	if again := read(t, text).Match; again.Playing(3) || len(again.Turns()) != 1 || again.Seat() != 2 {
		t.Errorf("the match differs: %s", view(again))
	}
}

// A record says how an organiser ended a match. It leaves out what they have taken back,
// and whether the result counts for ratings.
func TestAdjudicatedMatch(t *testing.T) {
	r := read(t, "Castellan record 1\nGame: towers\nOptions: size=5 rules=none\n1. blue: end\n")
	for _, decide := range []func(*match.Match, match.Cause) ([]match.Entry, error){
		func(m *match.Match, now match.Cause) ([]match.Entry, error) {
			return m.Adjudicate(match.VerdictDraw, now)
		},
		(*match.Match).Revert,
		func(m *match.Match, now match.Cause) ([]match.Entry, error) {
			return m.Adjudicate(match.VerdictWin(2), now)
		},
		(*match.Match).Void,
	} {
		entries, err := decide(r.Match, match.Cause{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Match, err = r.Match.With(entries...); err != nil {
			t.Fatal(err)
		}
	}
	text := written(t, r)
	if !strings.HasSuffix(text, "\n1. blue: end\n- organiser: adjudicate 2\n") {
		t.Errorf("written as\n%s", text)
	}
	if out, _ := read(t, text).Match.Over(); out.Ending != match.ByAdjudication || !slices.Equal(out.Result.Winners, []engine.Seat{2}) {
		t.Errorf("read as %+v", out)
	}
}

func TestWriteCutsLongNames(t *testing.T) {
	m, err := match.Start(trails.Game{}, match.Settings{Game: "trails", Version: 1, Options: trails.Game{}.Options().Defaults(), Seats: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, written(t, &record.Record{Match: m, Names: []string{strings.Repeat("\u0301", 10_000)}}))
	if r.Names[0] != strings.Repeat("\u0301", record.MaxName) || r.Names[1] != "" {
		t.Errorf("%q", r.Names)
	}
}

// examples are handwritten records of the other games and of earlier versions.
var examples = []string{
	"Castellan record 1\nGame: rings\nOptions: side=3\nSeat 4: D\nSeed: 7\n1. F1\n- gold: resign\n2. pass\n3. green: pass",
	"Castellan record 1\nGame: towers\nOptions: size=5 rules=none\n1. blue: end\n- red: abort\n",
	"Castellan record 1\nGame: towers\nOptions: size=5 rules=none\n1. blue: end\n- organiser: adjudicate draw\n",
	"Castellan record 1\nGame: stone-towers\nOptions: width=4 height=4 turns=14\nSeat 2 (blue): \"\\u202e\"\n1. d4\n2. a1\n3. d4+ ; up\n",
	"Castellan record 1\nGame: sample\nOptions: piles=3\nSeat 3: C\n1. a1 end\n2. red: b1 end",
	"Castellan record 1\nGame: sample\nRules: 1\nOptions: piles=3 limit=1\n1. a1\n2. red: b1 end",
}

// FuzzRead checks that every text gives either an error that names a line, or a
// record that can be written and read back.
func FuzzRead(f *testing.F) {
	f.Add(played)
	f.Add(strings.ReplaceAll(played, "\n", "\r\n"))
	f.Add(strings.Replace(played, "blue: resign", "red: claim", 1))
	for _, text := range examples {
		f.Add(text)
	}
	f.Add("Castellan record 1\nGame: sample\n1. a1 end\n- 1: claim x\n")
	f.Add("Castellan record 1\nGame: sample\n- organiser: adjudicate 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := record.Read(strings.NewReader(text), games(t))
		if err != nil {
			var wrong *record.Error
			if r != nil || !errors.As(err, &wrong) || wrong.Line < 1 || wrong.Line > 1+strings.Count(text, "\n") || wrong.Error() == "" {
				t.Fatalf("%+v, %v", r, err)
			}
			return
		}
		var b bytes.Buffer
		if err := record.Write(&b, r); err != nil {
			if len(text) < record.MaxBytes/64 {
				t.Fatalf("it cannot be written: %v", err)
			}
			return
		}
		again := read(t, b.String())
		if view(again.Match) != view(r.Match) || !slices.Equal(again.Names, r.Names) || !again.Date.Equal(r.Date) {
			t.Fatalf("%q is written as\n%s\nand read as another match", text, b.String())
		}
	})
}
