package e2e_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	"castellan/storage"
)

// TestBrowserTournament plays an evening of eight people, Swiss with three rounds, from
// the announcement to the final table. Anna, at a desktop, and Ben, on a phone, do
// everything by clicks.
func TestBrowserTournament(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(all *sandbox.World) {
		for i, name := range []string{"Farid", "Grace", "Hiro"} {
			all.Users = append(all.Users, sandbox.User{ID: "112000000000000002" + string(rune('0'+i)), Username: "user" + name, GlobalName: name})
		}
	})
	w.stopBot()
	w.threads = true
	w.startBot()
	anna, ben := openBrowsers(t, w)
	anna.command("tourn", "tournament create")
	anna.fill("game", "Trails", "Trails and Towers")
	anna.fill("format", "Swiss", english("command.tournament.format.swiss"))
	anna.fill("start", "1 hour", "1 hour")
	anna.add("name")
	anna.Do(typeInto("name", "Friday Trails")...)
	anna.add("rounds")
	anna.Do(typeInto("rounds", "3")...)
	anna.Shot("command")
	anna.send()
	anna.sees("Nobody has joined yet")
	anna.press("lobby.join")
	ben.press("lobby.join")
	others := []string{"1120000000000000013", "1120000000000000014", "1120000000000000015", "1120000000000000020", "1120000000000000021", "1120000000000000022"}
	for _, id := range others {
		w.pressCard(w.chat.As(id), "lobby.join")
	}
	anna.sees("8 joined")
	anna.check("joined")
	ben.check("joined")

	w.pass(45 * time.Minute)
	ben.sees("are you there?")
	anna.press("tournament.present")
	ben.press("tournament.present")
	for _, id := range others {
		w.pressCard(w.chat.As(id), "tournament.present")
	}
	anna.sees("8 of 8 are here")
	anna.check("here")
	w.pass(15 * time.Minute)

	for round := 1; round <= 3; round++ {
		w.wait("the round", func() bool { return host.Event(w.tournament()).Round() == round })
		e := w.tournament()
		anna.sees("round " + string(rune('0'+round)) + " of 3")
		for i, g := range e.Games {
			if g.Outcome != "" {
				continue
			}
			w.wait("the board", func() bool { return w.view(g.Match).Board.Message != "" })
			back := w.inThread(w.view(g.Match).Record.Place.Channel)
			for range 2 {
				w.moveIn(g.Match, w.view(g.Match).Match.Position().Legal()[0].String())
			}
			loser := w.chat.As(host.SeedOf(e, max(g.First, g.Second)).Person.ID)
			if i == 2 && round == 2 { // a draw
				w.draw(g.Match)
			} else {
				w.resigns(loser, "resign.yes")
			}
			back()
			if i%4 == 1 {
				w.pass(time.Second)
				anna.check("round-" + string(rune('0'+round)))
				ben.check("round-" + string(rune('0'+round)))
			}
		}
		w.pass(time.Second)
	}
	ben.sees("is won by")
	anna.sees("is won by")
	w.shownCard()
	anna.check("end")
	ben.check("end")
}

// draw has both players agree to a draw.
func (w *world) draw(id storage.MatchID) {
	w.t.Helper()
	for seat := range 2 {
		w.answered(w.chat.As(w.view(id).Record.Seats[seat].ID).Command(w.channel, "draw"))
	}
}

// typeInto types into an open option.
func typeInto(option, text string) []browser.Step {
	return []browser.Step{browser.Click(field(option)), chromedp.SendKeys(field(option), text)}
}
