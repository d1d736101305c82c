package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/bot/host"
	"castellan/engine/enginetest/sample"
)

// table is a rig with a match whose turns have several actions, in which the
// player to move does whatever a fuzzer says.
type table struct {
	*rig
	match *host.View
}

func newTable(t testing.TB) *table {
	r := newRig(t)
	return &table{r, r.start(sample.Key, nil)}
}

// sit makes sure that there is a match that goes on, and returns it.
func (t *table) sit() *host.View {
	t.t.Helper()
	v, err := t.host.Match(context.Background(), t.match.Record.ID)
	must(t.t, err)
	if _, over := v.Match.Over(); over {
		v = t.start(sample.Key, nil)
	}
	t.match = v
	return v
}

// check looks at what an interaction of the player has left: one answer, no
// fault of the program's, and a match that its log rebuilds. Where it was
// refused, nothing has changed.
func (t *table) check(what string, before *host.View, got []sent) {
	t.t.Helper()
	log := t.book.take()
	if strings.Contains("\n"+log, "\nERROR") {
		t.t.Fatalf("%q: log: %s", what, log)
	}
	if strings.Count(inShort(got), "callback") != 1 { // besides boards
		t.t.Fatalf("%q: %s", what, inShort(got))
	}
	after, err := t.host.Match(context.Background(), before.Record.ID)
	if err != nil {
		t.t.Fatalf("%q: %v", what, err)
	}
	if was, is := before.Match.Seq(), after.Match.Seq(); is < was || is > was && strings.Contains(log, "refused") {
		t.t.Fatalf("%q: from entry %d to %d: %s, log %s", what, was, is, inShort(got), log)
	}
}

// Custom ids of any bytes, clicked by the player to move: {m} and {s} stand for
// the match and its number of entries.
func FuzzOwnCustomID(f *testing.F) {
	table := newTable(f)
	for _, s := range []string{
		"match/{m}/{s}/turn", "match/{m}/{s}/act/a1", "match/{m}/{s}/act/a1 b2", "match/{m}/{s}/act/end", "match/{m}/{s}/act/a99999999999999999999",
		"match/{m}/{s}/pick/x/", "match/{m}/{s}/pick/x/a~", "match/{m}/{s}/pick/x/a~1~", "match/{m}/{s}/pick//a~1~", "match/{m}/{s}/pick/x/a~1~a~1~",
		"match/{m}/{s}/pick/x/~", "match/{m}/{s}/pick/x/ä~\xff~", "match/{m}/{s}/pick/x/" + strings.Repeat("~", 70), "match/{m}/{s}/undo/x", "match/{m}/{s}/undo/",
		"match/{m}/{s}/confirm/a1", "match/{m}/{s}/confirm/a1 end", "match/{m}/{s}/confirm/", "match/{m}/{s}/confirm/a1/b1", "match/{m}/{s}/resign",
		"match/{m}/{s}/stay", "match/{m}/0/resign", "match/{m}/-1/turn", "match/0{m}/{s}/turn", "match/{m}/{s}{s}{s}/act/a1",
		"preferences/confirm/on", "preferences/end/off", "preferences/x/y", "preferences//", "rules/sample/idea", "rules/sample/nothing", "rules//", "rules/chess/idea",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		table.t, table.book.t = t, t
		v := table.sit()
		table.take()
		table.book.take()
		id = strings.NewReplacer("{m}", fmt.Sprint(v.Record.ID), "{s}", fmt.Sprint(v.Match.Seq())).Replace(id)
		player, _ := v.ToMove()
		table.bot.serve(context.Background(), table.click(player, "8000", id))
		table.check(id, v, table.take())
	})
}

// Whatever somebody types into /move: the suggestions keep within Discord's
// limits, and the turn is played or refused.
func FuzzMoveText(f *testing.F) {
	table := newTable(f)
	for _, s := range []string{
		"", " ", "a1", "A1 end", "a1 · remove one", "a1 end · ends the turn", "·", "a1·b1", "a", "b", "end end end", "\x00", "\xff\xfe", "\u202ea1", "é1",
		"a1\u00a0b1", "a99999999999999999999", strings.Repeat("a1 ", 66), strings.Repeat("界", 200), "{{.}}", "@everyone <@1> `a1`",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table.t, table.book.t = t, t
		v := table.sit()
		table.take()
		table.book.take()
		player, _ := v.ToMove()
		table.bot.serve(context.Background(), table.suggest(player, "move", "turn", text))
		got := table.take()
		table.check(text, v, got)
		var body struct {
			Data struct {
				Choices []struct{ Name, Value string }
			}
		}
		must(t, json.Unmarshal([]byte(got[0].body), &body))
		if got[0].typ != 8 || len(body.Data.Choices) > maxChoices {
			t.Fatalf("%q: %s", text, got[0].body)
		}
		for _, c := range body.Data.Choices {
			if n := utf8.RuneCountInString(c.Name); n < 1 || n > 100 || utf8.RuneCountInString(c.Value) > maxValue || c.Value == "" {
				t.Fatalf("%q suggests %+v", text, c)
			}
		}
		table.bot.serve(context.Background(), table.command(player, "move", "turn", text))
		table.check(text, v, table.take())
	})
}
