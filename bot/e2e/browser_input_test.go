package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"castellan/bot/catalogue"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	"castellan/engine"
	"castellan/engine/trails"
)

// asks reports whether the page asks to confirm a turn.
const asks = `document.querySelector('[data-ephemeral="true"] button[data-custom-id*="/confirm/"]') !== null`

// awaitTurn waits until a turn has been played.
func (w *world) awaitTurn(turns int) {
	w.t.Helper()
	w.wait(fmt.Sprintf("turn %d", turns), func() bool {
		v, err := w.host.Match(context.Background(), 1)
		return err == nil && len(v.Match.Turns()) >= turns && len(w.boards(w.anna)) == 1
	})
}

// TestBrowserLanguages plays a match in other languages than English: with the
// command's own suggestions, buttons, typed turns, and to its end.
func TestBrowserLanguages(t *testing.T) {
	for _, locale := range []string{"de", "ja"} {
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(all *sandbox.World) {
				all.Guild.Locale = locale
				for i := range all.Users {
					all.Users[i].Locale = locale
				}
			})
			anna, ben := openBrowsers(t, w)
			texts, err := catalogue.New(trails.Game{})
			must(t, err)
			say := texts.Printer(locale)
			// part returns the longest part of a text without its arguments and marks.
			part := func(key string) string {
				text := say.T(key, "Who", "\x00", "Mark", "\x00", "Since", "\x00", "Challenger", "\x00", "Mention", "\x00", "Game", "\x00", "Match", "\x00",
					"Winners", "\x00", "Others", "\x00", "Reason", "\x00", "Count", 1, "Turn", "\x00", "Link", "\x00", "Opponent", "\x00")
				return slices.MaxFunc(strings.Split(strings.NewReplacer("**", "\x00", "`", "\x00").Replace(text), "\x00"), func(a, b string) int { return len(a) - len(b) })
			}

			anna.Do(browser.Click(composer), chromedp.SendKeys(composer, "/chal"))
			anna.Until(fmt.Sprintf(`document.body.textContent.includes(%s)`, browser.Quote(say.Text(trails.Game{}.Texts().Phrase("trails.tagline")))))
			anna.Shot(locale + "-commands")
			anna.Do(browser.Click(chosen("/challenge trails")))
			anna.add("opponent")
			anna.fill("opponent", "Be", "Ben")
			for _, o := range [][2]string{{"size", "5"}, {"towers", "1"}, {"first", say.T("command.challenge.first.me")}} {
				anna.add(o[0])
				anna.fill(o[0], o[1], o[1])
			}
			anna.Shot(locale + "-command")
			anna.send()
			ben.sees(part("challenge.offer"))
			ben.check(locale + "-challenge")
			ben.press(say.T("challenge.accept"))
			anna.sees(part("board.turn"))
			anna.check(locale + "-start")

			people := []*browserPlayer{anna, ben}
			for n := 0; ; n++ {
				v := w.view(1)
				if v.Match.Seat() == engine.Nobody {
					break
				}
				p, legal := people[v.Match.Seat()-1], v.Match.Position().Legal()
				a := legal[n%len(legal)]
				if n == 2 {
					p.Do(browser.Click(composer))
					p.command("mo", "move")
					p.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), a.String()+" "))
					p.Shot(locale + "-suggestions")
					p.send()
				} else {
					p.press(say.Text(engine.Phrase{ID: "trails.step." + a.String()}))
				}
				w.wait("the turn or its question", func() bool {
					return w.view(1).Match.PublicSeq() > v.Match.PublicSeq() || browser.Read[bool](p.Tab, asks)
				})
				if w.view(1).Match.PublicSeq() == v.Match.PublicSeq() {
					p.Shot(locale + "-question")
					p.press(say.T("confirm.yes"))
				}
				w.awaitTurn(n + 1)
				if n == 0 {
					ben.check(locale + "-board")
				}
			}
			anna.sees(part("end.rules"))
			anna.check(locale + "-end")
			ben.check(locale + "-end")
			for _, command := range []string{"help", "rules", "games", "profile", "leaderboard", "preferences"} {
				w.answered(w.ben.Command(w.channel, command))
				ben.sees(part(map[string]string{
					"help": "help.start", "rules": "rules.which", "games": "games.none.mine", "profile": "profile.recent",
					"leaderboard": "leaders.list.computer", "preferences": "preferences.on",
				}[command]))
				ben.check(locale + "-" + command)
			}
			seen := browser.Read[string](ben.Tab, `document.querySelector('[data-testid="messages"]').textContent`)
			for _, english := range []string{"⟨", " to move", " wins", "Your ", "match 1"} {
				if strings.Contains(seen, english) {
					t.Errorf("the page shows %q: %s", english, seen)
				}
			}
		})
	}
}
