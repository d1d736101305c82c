package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	"castellan/engine"
)

// A person plays the bot in the page: the bot is named as opponent, with a
// level, and the match is played to its end; a hint comes on the way.
func TestBrowserAgainstTheComputer(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	w := newWorld(t)
	anna := &player{Tab: browser.Open(t, chrome, w.chat.Base(), w.annaID, w.channel, browser.Phone), w: w, person: w.anna}
	anna.command("chal", "challenge trails")
	name := sandbox.DefaultWorld().Application.Name
	for _, o := range [][3]string{{"opponent", name[:4], name}, {"level", "New", "Newcomer"}, {"size", "7", "7"}, {"first", "me", "me"}, {"rated", "F", "False"}} {
		anna.add(o[0])
		anna.fill(o[0], o[1], o[2])
	}
	anna.Shot("command")
	anna.send()
	anna.sees("The match begins.")
	anna.check("start")

	anna.command("hi", "hint")
	anna.send()
	anna.sees("I would play")
	anna.check("hint")
	for turns := 0; ; turns++ {
		v := w.yours(1)
		if v.Match.Seat() == engine.Nobody {
			break
		}
		if turns > 100 {
			t.Fatal("it does not end")
		}
		anna.command("mo", "move")
		anna.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), anyTurn(v)+" "))
		anna.send()
		if turns == 0 {
			anna.sees("Newcomer (computer)")
			w.yours(1)
			anna.check("answered")
		}
	}
	anna.sees("match 1")
	anna.Until(boards + `.length === 1`)
	anna.check("end")
	for _, n := range w.chat.Notifications() {
		if n.UserID != w.annaID {
			t.Errorf("%s was told something", n.UserID)
		}
	}
}
