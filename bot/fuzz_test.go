package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/engine/enginetest/sample"
	"castellan/storage"
)

// A person who plays no match clicks custom IDs of any bytes. They are refused
// privately and logged, without a panic, and nothing changes.
func FuzzCustomID(f *testing.F) {
	r := bottest.New(f, bottest.Options{})
	v := r.Act(r.Start("trails"), "right")
	open := r.Offer("trails")
	_, err := r.Bot.Publisher().Show(context.Background(), v)
	must(f, err)
	r.Take()
	for _, s := range []string{
		"", "/", "match", "match/1/1/act/up", "match/1/1/act/", "match/1/0/act/up", "match/1/1/act/⟨up⟩", "match/1/1/act/\x00\xff",
		"match/1/-1/act/up", "match/0/1/act/up", "match/-1/1/act/up", "match/99999999999999999999/1/act/up", "match/1/99999999999999999999/resign",
		"match/1/1/resign", "match/x/y/stay", "match//1/stay", "challenge/2/accept", "challenge/2/decline", "challenge/2/cancel", "challenge/-2/accept",
		"challenge/1/accept", "challenge/99/accept", "challenge/2/accept/", "challenge/+2/accept", "challenge/ 2/accept", "challenge/٢/accept",
		"match/1/1/act/" + strings.Repeat("up ", 60), strings.Repeat("ä", 100), strings.Repeat("/", 100), "move", "../../x", "{match}", "\r\n level=ERROR msg=forged",
		"match/1/1/pick/x/a~", "match/1/1/undo/x", "match/1/1/confirm/up",
	} {
		f.Add(s)
	}
	type state struct {
		entries []storage.Entry
		boards  []storage.Board
		open    storage.Challenge
	}
	stored := func(t testing.TB) (s state) {
		must(t, r.Store.View(context.Background(), func(tx storage.Reader) (err error) {
			if s.entries, err = tx.Entries(v.Record.ID); err != nil {
				return err
			}
			if s.boards, err = tx.Boards(v.Record.ID); err != nil {
				return err
			}
			s.open, err = tx.Challenge(open.ID)
			return err
		}))
		return s
	}
	before := stored(f)
	f.Fuzz(func(t *testing.T, id string) {
		r.SetTB(t)
		r.Log.Take()
		r.Bot.Serve(context.Background(), r.Click(chloe, "8000", id))
		got, log := r.Take(), r.Log.Take()
		if strings.Contains("\n"+log, "\nERROR") {
			t.Fatalf("log: %s", log)
		}
		if discordtest.Summary(got) == "callback 7" && strings.HasSuffix(id, "/stay") {
			return // "keep playing" changes nothing
		}
		if discordtest.Summary(got) != "callback 4" || !got[0].Private() || got[0].Text() == "" || !strings.Contains(log, "refused") {
			t.Fatalf("%q: %v, log %s", id, got, log)
		}
		if after := stored(t); !reflect.DeepEqual(before, after) {
			t.Fatalf("%q changed %+v to %+v", id, before, after)
		}
	})
}

// player is a rig with a match of the sample game, in which the player to move
// does whatever a fuzzer says.
type player struct {
	*bottest.Rig
	match storage.MatchID
}

func newPlayer(f *testing.F) *player {
	r := bottest.New(f, bottest.Options{})
	return &player{r, r.Start(sample.Key).Record.ID}
}

// begin returns the match, a new one if it is over.
func (p *player) begin(t *testing.T) *host.View {
	p.SetTB(t)
	v := p.Match(p.match)
	if _, over := v.Match.Over(); over {
		v = p.Start(sample.Key)
		p.match = v.Record.ID
	}
	p.Take()
	p.Log.Take()
	return v
}

// check checks the effects of an interaction: one answer, no fault of the bot, and
// a match that can be replayed and that a refusal leaves unchanged.
func (p *player) check(what string, before *host.View, got []discordtest.Request) {
	p.T.Helper()
	log := p.Log.Take()
	if strings.Contains("\n"+log, "\nERROR") {
		p.T.Fatalf("%q: log: %s", what, log)
	}
	if strings.Count(discordtest.Summary(got), "callback") != 1 { // there may be posts, too
		p.T.Fatalf("%q: %v", what, got)
	}
	was, is := before.Match.Seq(), p.Match(before.Record.ID).Match.Seq()
	if is < was || is > was && strings.Contains(log, "refused") {
		p.T.Fatalf("%q: from entry %d to %d: %v, log %s", what, was, is, got, log)
	}
}

// The player to move clicks custom IDs of any bytes, in which {m} and {s} stand for
// the match and its number of entries.
func FuzzOwnCustomID(f *testing.F) {
	p := newPlayer(f)
	for _, s := range []string{
		"match/{m}/{s}/turn", "match/{m}/{s}/act/a1", "match/{m}/{s}/act/a1 b2", "match/{m}/{s}/act/end", "match/{m}/{s}/act/a99999999999999999999",
		"match/{m}/{s}/pick/x/", "match/{m}/{s}/pick/x/a~", "match/{m}/{s}/pick/x/a~1~", "match/{m}/{s}/pick//a~1~", "match/{m}/{s}/pick/x/a~1~a~1~",
		"match/{m}/{s}/pick/x/~", "match/{m}/{s}/pick/x/ä~\xff~", "match/{m}/{s}/pick/x/" + strings.Repeat("~", 70), "match/{m}/{s}/undo/x", "match/{m}/{s}/undo/",
		"match/{m}/{s}/confirm/a1", "match/{m}/{s}/confirm/a1 end", "match/{m}/{s}/confirm/", "match/{m}/{s}/confirm/a1/b1", "match/{m}/{s}/resign",
		"match/{m}/{s}/stay", "match/{m}/0/resign", "match/{m}/-1/turn", "match/0{m}/{s}/turn", "match/{m}/{s}{s}{s}/act/a1",
		"preferences/confirms/on", "preferences/ends/off", "preferences/x/y", "preferences//", "rules/sample/1", "rules/sample/nothing", "rules//", "rules/chess/1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		v := p.begin(t)
		id = strings.NewReplacer("{m}", fmt.Sprint(v.Record.ID), "{s}", fmt.Sprint(v.Match.Seq())).Replace(id)
		person, _ := v.ToMove()
		p.Bot.Serve(context.Background(), p.Click(person, "8000", id))
		p.check(id, v, p.Take())
	})
}

// For any text in /move, the suggestions keep to Discord's limits, and the turn is
// played or refused.
func FuzzMoveText(f *testing.F) {
	p := newPlayer(f)
	for _, s := range []string{
		"", " ", "a1", "A1 end", "a1 · remove one", "a1 end · ends the turn", "·", "a1·b1", "a", "b", "end end end", "\x00", "\xff\xfe", "\u202ea1", "é1",
		"a1\u00a0b1", "a99999999999999999999", strings.Repeat("a1 ", 66), strings.Repeat("界", 200), "{{.}}", "@everyone <@1> `a1`",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := p.begin(t)
		person, _ := v.ToMove()
		p.Bot.Serve(context.Background(), p.Suggest(person, "move", "turn", text))
		got := p.Take()
		p.check(text, v, got)
		var body struct {
			Data struct {
				Choices []struct{ Name, Value string }
			}
		}
		must(t, json.Unmarshal([]byte(got[0].Body), &body))
		if got[0].Type != 8 || len(body.Data.Choices) > discord.MaxChoices {
			t.Fatalf("%q: %s", text, got[0].Body)
		}
		for _, c := range body.Data.Choices {
			if n := utf8.RuneCountInString(c.Name); n < 1 || n > discord.MaxChoiceName || utf8.RuneCountInString(c.Value) > discord.MaxChoiceValue || c.Value == "" {
				t.Fatalf("%q suggests %+v", text, c)
			}
		}
		p.Bot.Serve(context.Background(), p.Command(person, "move", "turn", text))
		p.check(text, v, p.Take())
	})
}
