package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/publish"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
)

// The tests below play the first day of a server with the bot. Anna has a desktop
// and Ben a phone.

// openBrowsers opens a channel for Anna at a desktop and for Ben on a phone.
func openBrowsers(t *testing.T, w *world, channel string) (wide, phone *browserPlayer) {
	t.Helper()
	chrome := browser.Start(t)
	wide = &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.annaID, channel, browser.Wide), w: w, person: w.anna}
	phone = &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.benID, channel, browser.Phone), w: w, person: w.ben}
	return wide, phone
}

// pressed clicks a button, wherever the log has moved it, and does not wait for
// the response.
func (p *browserPlayer) pressed(id string) {
	p.w.t.Helper()
	button := fmt.Sprintf(`document.querySelector('button[data-custom-id=%q]')`, id)
	p.Until(button)
	browser.Read[bool](p.Tab, `(`+button+`.click(), true)`)
}

// TestBrowserOpenChallenge has two people join an open challenge at once. The
// first one plays, and the other is told so.
func TestBrowserOpenChallenge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wide, phone := openBrowsers(t, w, w.channel)
	w.answered(w.chloe.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("size", 7), sandbox.Opt("towers", 1))))
	for _, p := range []*browserPlayer{wide, phone} {
		p.sees("wants to play Trails and Towers")
		p.check("open")
	}
	id := w.press(w.newest(w.ben, "Join"), "Join")
	release := w.gate("POST", postRoute)
	wide.pressed(id)
	phone.pressed(id)
	w.deferReply()
	w.deferReply()
	release()
	first := func() string {
		all, err := w.host.RunningIn(t.Context(), w.channel)
		must(t, err)
		if len(all) != 1 {
			return ""
		}
		return all[0].Seats[0].ID + all[0].Seats[1].ID
	}
	w.wait("the match", func() bool { return first() != "" && len(w.boards(w.anna)) == 1 })
	late, name := phone, "Anna"
	if !strings.Contains(first(), w.annaID) {
		late, name = wide, "Ben"
	}
	late.sees(name + " was quicker")
	for _, p := range []*browserPlayer{wide, phone} {
		p.sees(name + " accepted Chloé’s challenge")
		p.Until(boards + `.length === 1`)
		p.check("joined")
	}
	if n := w.anna.Mentions(w.channel) + w.ben.Mentions(w.channel) + w.chloe.Mentions(w.channel); n != 1 {
		t.Errorf("%d notifications of the first turn", n)
	}
}

// TestBrowserThread plays two matches in one thread. Each button acts on its own
// match, and a person who presses another player's button is refused.
func TestBrowserThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	channel, thread := w.channel, offer.ID
	w.inThread(thread)
	w.beginPair(w.ben, w.anna)
	wide, phone := openBrowsers(t, w, thread)
	for _, p := range []*browserPlayer{wide, phone} {
		p.Until(boards + `.length === 2`)
		p.check("two")
	}
	wrong := w.boardOf(2)
	wide.pressed(w.press(wrong, "Right"))
	wide.sees("It is Ben’s turn")
	own := w.boardOf(1)
	wide.pressed(w.press(own, "Right"))
	w.wait("the next board", func() bool {
		now := w.boards(w.anna)
		return len(now) == 2 && now[0].ID != own.ID && now[1].ID != own.ID
	})
	phone.sees("1. ● Anna: right")
	if seq := w.view(2).Match.Seq(); seq != 0 {
		t.Errorf("the other match has %d entries", seq)
	}
	// In the thread Ben was notified of the second match and of one turn in the
	// first, Anna of her first turn and of the second challenge.
	if a, b := w.anna.Mentions(thread), w.ben.Mentions(thread); a != 2 || b != 2 {
		t.Errorf("Anna was notified %d times, Ben %d times", a, b)
	}
	for _, p := range []*browserPlayer{wide, phone} {
		p.Until(boards + `.length === 2`)
		p.check("moved")
	}
	// The channel shows the challenge with its thread.
	above := &browserPlayer{Tab: browser.Open(t, browser.Start(t), w.chat.Base(), w.chloeID, channel, browser.Phone), w: w, person: w.chloe}
	above.sees("played in")
	above.Until(`document.querySelector('[data-testid="thread-card"]')`)
	above.check("channel")
}

// TestBrowserContextMenu challenges the author of a message by its context
// menu.
func TestBrowserContextMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.ben.Say(w.channel, "Who is up for a match?")
	must(t, err)
	wide, phone := openBrowsers(t, w, w.channel)
	wide.Do(browser.Click(`[data-message-id] [data-testid="message-menu"]`))
	wide.Until(`document.querySelector('[data-testid="menu"] [data-menu-item="Challenge"]')`)
	wide.check("menu")
	wide.Do(browser.Click(`[data-menu-item="Challenge"]`))
	wide.sees("Which game do you want to play against Ben?")
	wide.check("which")
	wide.press("Trails and Towers")
	wide.sees("Ben has been asked")
	phone.sees("Anna challenges")
	phone.press("Accept")
	for _, p := range []*browserPlayer{wide, phone} {
		p.Until(boards + `.length === 1`)
		p.check("begun")
	}
}

// TestBrowserHelp reads /help before, during and after a match.
func TestBrowserHelp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wide, phone := openBrowsers(t, w, w.channel)
	help := func(p *browserPlayer, name, sees string) {
		t.Helper()
		p.command("hel", "help")
		p.send()
		p.sees(sees)
		p.check(name)
	}
	help(wide, "new", "Welcome!")
	help(phone, "new", "Welcome!")
	w.challenge()
	help(wide, "turn", "It is your turn here:")
	help(phone, "wait", "You are playing here:")
	w.answered(w.ben.Command(w.channel, "resign"))
	ask := w.newest(w.ben, "Call it off")
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "Call it off")))
	help(phone, "known", "/rematch plays your last match here again")
}

// TestBrowserMissingPermission takes a permission away: the response names it and
// the channel. Then it gives the permission back, and deletes a board, which is
// posted again.
func TestBrowserMissingPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(10008) // a board is deleted
	w.challenge()
	wide, phone := openBrowsers(t, w, w.channel)
	app := sandbox.DefaultWorld().Application.ID
	must(t, w.chat.Deny(w.channel, app, sandbox.PermissionAttachFiles))
	wide.press("Right")
	wide.sees("Your turn was played, but I could not post the board")
	wide.sees("Attach Files")
	wide.sees("castle-yard")
	wide.check("permission")
	must(t, w.chat.Deny(w.channel, app, 0))
	phone.command("boa", "board")
	phone.send()
	phone.sees("1. ● Anna: right")
	w.wait("one board", func() bool { return len(w.boards(w.ben)) == 1 && w.ben.Mentions(w.channel) == 2 })
	phone.check("again")

	must(t, w.chat.Remove(w.channel, w.board().ID))
	phone.Until(boards + `.length === 0`)
	phone.command("boa", "board")
	phone.send()
	for _, p := range []*browserPlayer{wide, phone} {
		p.Until(boards + `.length === 1`)
		p.check("posted")
	}
	w.wantMentions(w.ben, 0, 2) // the challenge and one turn
	phone.press("Left")
	wide.sees("2. ◆ Ben: left")
}

// TestBrowserLobby opens a lobby by the command's options, fills it, starts the
// match and lets one player resign.
func TestBrowserLobby(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	p := newLobbyWorld(t)
	tab := func(who int, s browser.Screen) *browserPlayer {
		return &browserPlayer{Tab: browser.Open(t, chrome, p.chat.Base(), p.ids[who], p.channel, s), w: p.world, person: p.people[who]}
	}
	wide, phone := tab(anna, browser.Wide), tab(ben, browser.Phone)
	both := func(name string, sees ...string) {
		t.Helper()
		for _, v := range []*browserPlayer{wide, phone} {
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
	wide.sees("I have posted your table")
	p.expectNotified("the table", ben)
	both("open", "1 of 4 seats taken", "reserved for")

	p.click(chloe, "Join")
	p.click(dmitri, "Join")
	both("three", "3 of 4 seats taken")
	const start = `[...document.querySelectorAll("button[data-custom-id$='/start']")].at(-1)`
	if browser.Read[bool](wide.Tab, start+`.disabled`) {
		t.Error("Start cannot be pressed with three at the table")
	}
	p.click(eve, "Join")
	phone.press("Join")
	p.expectNotified("the start", p.order()[0])
	both("begun", "The match begins", "to move")

	// The player to move leaves, by command and confirmation.
	seats := p.order()
	p.resigns(p.people[seats[0]], "Leave")
	p.expectNotified("a retirement", seats[1])
	both("retired", " left the match")
	phone.Until(boards + `.length === 1`)
	if got := browser.Read[string](wide.Tab, `document.querySelector('[data-testid="messages"]').textContent`); !strings.Contains(got, "The match begins") {
		t.Errorf("the order of play is gone: %s", got)
	}
}

// TestBrowserClock chooses a clock, sees it on the challenge and the board, and lets
// it run out: nobody has lost a second before the deadline, and the next run of the
// reconciler announces the loss.
func TestBrowserClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	anna, ben := openBrowsers(t, w, w.channel)
	anna.command("chal", "challenge trails")
	for _, o := range [][3]string{{"opponent", "Be", "Ben"}, {"first", "me", "me"}, {"clock", "2 days", "2 days each, plus 1 hour a turn (saved time at most 4 days)"}} {
		anna.add(o[0])
		anna.fill(o[0], o[1], o[2])
	}
	anna.send()
	ben.sees("plus 1 hour a turn")
	ben.check("clock-challenge")
	ben.press("Accept")
	anna.sees("time runs out")
	anna.press("Right")
	ben.sees("Anna has 2 days 1 hour left")
	ben.check("clock-board")
	ben.press("Left")
	anna.sees("Ben has 2 days 1 hour left")
	w.run(49*time.Hour - time.Second)
	if got := w.transcript(w.chloe); strings.Contains(got, "ran out of time") {
		t.Errorf("a second before the deadline the channel reads:\n%s", got)
	}
	for _, p := range []*browserPlayer{anna, ben} {
		p.check("clock-last-second")
	}
	w.run(publish.ReconcileInterval) // four seconds after the deadline
	for _, p := range []*browserPlayer{anna, ben} {
		p.sees("ran out of time.")
		p.check("clock-end")
	}
}

// pick picks a value in the menu with an ID, and waits until the response shows it.
// A menu for several values is closed with Done.
func (p *browserPlayer) pick(id, value, label string) {
	p.w.t.Helper()
	menu := fmt.Sprintf(`button[data-select][data-custom-id=%q]`, id)
	box := fmt.Sprintf(`.select-box:has(%s) `, menu)
	p.Do(browser.Click(menu))
	option := box + fmt.Sprintf(`[data-testid="suggestion"][data-value=%q]`, value)
	p.Until(`document.querySelector('` + option + `')`)
	p.responds(menu, func() {
		p.Do(browser.Click(option))
		if done := box + ".select-done:not([hidden])"; browser.Read[bool](p.Tab, `Boolean(document.querySelector('`+done+`'))`) {
			p.Until(`document.querySelector('` + option + `[data-picked="true"]')`)
			p.Do(browser.Click(done))
		}
	})
	p.sees(label)
	p.Until(`document.querySelector('` + menu + `').textContent.includes(` + browser.Quote(label) + `)`)
}

// responds acts, and waits until the response has replaced an element.
func (p *browserPlayer) responds(selector string, act func()) {
	p.w.t.Helper()
	element := `document.querySelector('` + selector + `')`
	p.Until(element)
	browser.Read[string](p.Tab, element+`.dataset.before = "true"`)
	act()
	p.Until(`!document.querySelector('[data-pending="true"]') && !` + element + `?.dataset.before`)
}

// checkParts takes screenshots of the beginning and the end of a message that may
// be higher than the window, by the ID of a menu in it.
func (p *browserPlayer) checkParts(name, id string) {
	p.w.t.Helper()
	for _, part := range []string{"start", "end"} {
		browser.Read[bool](p.Tab, fmt.Sprintf(`(document.querySelector('button[data-custom-id=%q]').closest("[data-message-id]").scrollIntoView({block: %q}), true)`, id, part))
		p.check(name + "-" + part)
	}
}

// TestBrowserSettings has Anna choose how the server plays. A challenge then has
// the clock of the server. Ben chooses how he likes to play, and the board shows
// his vacation to both until he ends it.
func TestBrowserSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	anna, ben := openBrowsers(t, w, w.channel)
	anna.command("set", "settings")
	anna.send()
	anna.sees("How this server plays")
	anna.checkParts("settings-new", "settings/clock/menu")
	anna.pick("settings/clock/menu", "3d", "3 days a turn")
	anna.pick("settings/theme/menu", "light", "Light")
	anna.pick("settings/channels/menu", w.channel, "castle-yard")
	anna.checkParts("settings", "settings/clock/menu")
	phone := &browserPlayer{Tab: browser.Open(t, browser.Start(t), w.chat.Base(), w.annaID, w.channel, browser.Phone), w: w, person: w.anna}
	phone.sees("3 days a turn") // her private messages are on both screens
	phone.checkParts("settings", "settings/clock/menu")
	phone.Close()
	anna.command("chal", "challenge trails")
	for _, o := range [][3]string{{"opponent", "Be", "Ben"}, {"first", "them", "them"}} {
		anna.add(o[0])
		anna.fill(o[0], o[1], o[2])
	}
	anna.send()
	anna.sees("Clock: 3 days a turn, as this server prefers.")
	anna.check("challenge")
	ben.sees("3 days a turn")
	ben.check("challenge")
	ben.press("Accept")
	anna.sees("to move")
	anna.Until(boards + `.length === 1`)
	anna.check("board")
	if v := w.view(1); v.Record.Clock != "3d" {
		t.Errorf("the match has the clock %q", v.Record.Clock)
	}

	ben.command("pref", "preferences")
	ben.send()
	ben.sees("How you like to play")
	ben.checkParts("preferences-new", "preferences/theme/menu")
	ben.pick("preferences/theme/menu", "contrast", "High contrast")
	const direct = `button[data-custom-id="preferences/reminders/direct"]`
	ben.responds(direct, func() { ben.Do(browser.Click(direct)) })
	ben.Until(`document.querySelector('` + direct + `[disabled]')`)
	ben.pick("preferences/from/menu", "22", "From 22:00")
	ben.sees("To 07:00")
	ben.checkParts("preferences", "preferences/theme/menu")
	const away = "Ben is on vacation until"
	const vacation, back = `button[data-custom-id="preferences/vacation/menu"]`, `button[data-custom-id="preferences/vacation/back"]`
	ben.Do(browser.Click(vacation))
	const three = `.select-box:has(` + vacation + `) [data-testid="suggestion"][data-value="3"]`
	ben.Until(`document.querySelector('` + three + `')`)
	ben.Do(browser.Click(three))
	ben.sees("You are on vacation")
	w.pass(time.Second)
	for _, p := range []*browserPlayer{anna, ben} {
		p.sees(away)
		p.Until(boards + `.length === 1`)
		p.check("vacation")
	}
	ben.checkParts("vacation-preferences", "preferences/theme/menu")
	ben.Do(browser.Click(back))
	ben.sees("You have 19 days left this year")
	w.pass(time.Second)
	for _, p := range []*browserPlayer{anna, ben} {
		p.Until(fmt.Sprintf(`!document.querySelector('[data-testid="messages"]').textContent.includes(%q) && %s.length === 1`, away, boards))
		p.check("back")
	}
	anna.command("pref", "preferences")
	anna.send()
	anna.sees("How you like to play")
	anna.checkParts("preferences", "preferences/theme/menu")
	if n := w.ben.Mentions(w.channel); n != 2 {
		t.Errorf("Ben was notified %d times, not of the challenge and of his turn alone", n)
	}
}
