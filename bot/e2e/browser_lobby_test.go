package e2e_test

import (
	"strings"
	"testing"

	"castellan/bot/sandbox/browser"
)

// A table at a browser: opened by the command's options, filled by clicks,
// started, and left by one.
func TestBrowserATable(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	p := newParty(t)
	tab := func(who int, s browser.Screen) *player {
		return &player{Tab: browser.Open(t, chrome, p.chat.Base(), p.ids[who], p.channel, s), w: p.world, person: p.people[who]}
	}
	wide, phone := tab(anna, browser.Wide), tab(ben, browser.Phone)
	both := func(name string, sees ...string) {
		t.Helper()
		for _, v := range []*player{wide, phone} {
			for _, text := range sees {
				v.sees(text)
			}
			v.check(name)
		}
	}

	wide.command("chal", "challenge sample")
	for _, o := range [][2]string{{"players", "4"}, {"opponent", "Ben"}} {
		wide.add(o[0])
		wide.fill(o[0], o[1], o[1])
	}
	wide.Shot("command")
	wide.send()
	wide.sees("Your table is open")
	p.tells("the table", ben)
	both("open", "1 of 4 seats taken", "kept for")

	p.at(chloe, "Join")
	p.at(dmitri, "Join")
	both("three", "3 of 4 seats taken")
	const start = `[...document.querySelectorAll("button[data-custom-id$='/start']")].at(-1)`
	if browser.Read[bool](wide.Tab, start+`.disabled`) {
		t.Error("Start cannot be pressed with three at the table")
	}
	p.at(eve, "Join")
	phone.press("Join")
	p.tells("the start", anna, ben, chloe, dmitri)
	both("begun", "The match begins", "to move")

	// Who is next leaves, by command and confirmation, on the phone or not.
	seats := p.order()
	p.resigns(seats[0], "Leave")
	p.tells("a retirement", seats[1])
	both("retired", " retired")
	phone.Until(boards + `.length === 1`)
	if got := browser.Read[string](wide.Tab, `document.querySelector('[data-testid="messages"]').textContent`); strings.Contains(got, "The match begins") {
		t.Errorf("the first board is still there: %s", got)
	}
}
