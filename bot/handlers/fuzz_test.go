package handlers_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"castellan/bot/bottest"
	"castellan/bot/discord/discordtest"
	"castellan/engine/enginetest/sample"
	"castellan/storage"
)

// The player to move and a person who plays no match click custom IDs of any bytes,
// in which {m} and {s} stand for the match and its number of entries. Nothing
// panics, everybody gets one answer, a refusal is private, and neither a refusal nor
// the second person changes anything.
func FuzzCustomID(f *testing.F) {
	r := bottest.New(f, bottest.Options{})
	open, match := r.Offer("trails"), r.Start(sample.Key).Record.ID
	for _, s := range []string{
		"", "/", "match", "move", "../../x", "{match}", "\r\n level=ERROR msg=forged", strings.Repeat("ä", 100), strings.Repeat("/", 100),
		"match/{m}/{s}/turn", "match/{m}/{s}/act/a1", "match/{m}/{s}/act/a1 b2", "match/{m}/{s}/act/end", "match/{m}/{s}/act/a99999999999999999999",
		"match/{m}/{s}/act/", "match/{m}/{s}/act/⟨up⟩", "match/{m}/{s}/act/\x00\xff", "match/{m}/{s}/act/" + strings.Repeat("up ", 60),
		"match/{m}/{s}/pick/x/", "match/{m}/{s}/pick/x/a~", "match/{m}/{s}/pick/x/a~1~", "match/{m}/{s}/pick//a~1~", "match/{m}/{s}/pick/x/a~1~a~1~",
		"match/{m}/{s}/pick/x/~", "match/{m}/{s}/pick/x/ä~\xff~", "match/{m}/{s}/pick/x/" + strings.Repeat("~", 70), "match/{m}/{s}/undo/x", "match/{m}/{s}/undo/",
		"match/{m}/{s}/confirm/a1", "match/{m}/{s}/confirm/a1 end", "match/{m}/{s}/confirm/", "match/{m}/{s}/confirm/a1/b1", "match/{m}/{s}/resign",
		"match/{m}/{s}/stay", "match/{m}/0/resign", "match/{m}/-1/turn", "match/0{m}/{s}/turn", "match/{m}/{s}{s}{s}/act/a1", "match/{m}/99999999999999999999/resign",
		"match/0/1/act/up", "match/-1/1/act/up", "match/99999999999999999999/1/act/up", "match/x/y/stay", "match//1/stay",
		"challenge/1/accept", "challenge/1/decline", "challenge/1/cancel", "challenge/-1/accept", "challenge/{m}/accept", "challenge/99/accept",
		"challenge/1/accept/", "challenge/+1/accept", "challenge/ 1/accept", "challenge/١/accept",
		"preferences/confirms/on", "preferences/ends/off", "preferences/x/y", "preferences//", "rules/sample/1", "rules/sample/nothing", "rules//", "rules/chess/1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		r.SetTB(t)
		if _, over := r.Match(match).Match.Over(); over {
			match = r.Start(sample.Key).Record.ID
		}
		r.Take()
		r.Log.Take()
		v := r.Match(match)
		id := strings.NewReplacer("{m}", fmt.Sprint(match), "{s}", fmt.Sprint(v.Match.Seq())).Replace(pattern)
		mover, _ := v.ToMove()
		for _, person := range []storage.Person{chloe, mover} {
			before := state(r, open.ID, v)
			r.Bot.Serve(context.Background(), r.Click(person, "8000", id))
			got, log := r.Take(), r.Log.Take()
			if strings.Contains("\n"+log, "\nERROR") || strings.Count(discordtest.Summary(got), "callback") != 1 { // there may be posts, too
				t.Fatalf("%q: %v, log %s", id, got, log)
			}
			refused := strings.Contains(log, "refused")
			if (refused || person == chloe) && !reflect.DeepEqual(before, state(r, open.ID, v)) {
				t.Fatalf("%q by %s changed something: %v, log %s", id, person.Name, got, log)
			}
			if refused && (!got[0].Private() || got[0].Text() == "") {
				t.Fatalf("%q: %v", id, got)
			}
		}
	})
}
