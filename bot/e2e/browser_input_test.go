package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/trails"
	"castellan/storage"
)

// The tests below try to make the page play a turn that nobody wants.

// types types a turn into /move, and presses Enter until the command is sent.
func (p *browserPlayer) types(turn string) {
	p.w.t.Helper()
	p.command("mo", "move")
	p.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), turn))
	const fresh = `document.querySelector('[data-testid="suggestions"]:not([hidden])[data-busy="false"]')`
	p.Until(fresh + ` && [...document.querySelectorAll('[data-testid="suggestion"]')].length > 0`)
	p.Shot("typed")
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Until(`!(` + fresh + `)`)
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Until(`!document.querySelector('[data-testid="command-form"]') && !document.querySelector('[data-outgoing]')`)
}

// A move that is not legal is refused with the reason. Enter does not play another
// move instead.
func TestBrowserIllegalMove(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "stone-towers")
	w.move(anna.person, "f6")
	ben.types("f6")
	ben.sees("You cannot build on f6: ")
	ben.sees("’s castle stands there")
	if seq := w.view(1).Match.Seq(); seq != 1 {
		t.Errorf("%d entries: a move was played that nobody typed", seq)
	}
	ben.check("refused")
}

// TestBrowserOffers makes an offer by the private message after a turn, declines it,
// and agrees on a draw.
func TestBrowserOffers(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "trails")
	w.move(anna.person, "right")
	ben.sees("Ben to move")
	ben.press("Offer…")
	ben.sees("What do you want to offer?")
	ben.check("offer-menu")
	ben.press("Draw")
	ben.sees("Your offer stands until the next turn.")
	anna.sees("Ben offers a draw.")
	anna.check("offer-board")
	anna.press("Decline")
	ben.sees("The draw was declined.")
	ben.check("offer-declined")
	ben.press("Left")
	anna.sees("2. ◆ Ben: left")
	anna.press("Offer…")
	anna.press("Draw")
	ben.sees("Anna offers a draw.")
	ben.press("Accept")
	for _, p := range []*browserPlayer{anna, ben} {
		p.sees("A draw between")
		p.check("offer-drawn")
	}
}

// In a game whose turns have no explicit end, the panel asks people who confirm
// every turn.
func TestBrowserConfirm(t *testing.T) {
	t.Parallel()
	w, anna, _ := startBrowserMatch(t, "stone-towers")
	must(t, account.New(w.host).SetPreferences(t.Context(), storage.Preferences{Person: w.annaID, ConfirmTurn: true}))
	a, err := w.view(1).Match.Position().Parse("d4")
	must(t, err)
	anna.openPanel()
	for _, answer := range []string{"Not yet", "Play it"} {
		anna.choose(1, a)
		anna.sees("Do you want to play d4?")
		if seq := w.view(1).Match.Seq(); seq != 0 {
			t.Fatalf("%d entries before the turn is confirmed", seq)
		}
		anna.check("confirm")
		anna.press(answer)
	}
	anna.sees("You played d4")
}

// Ending a turn in which nothing was played is a pass. The button says so, and
// the bot asks before a pass that ends the match.
func TestBrowserPass(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "towers")
	anna.openPanel()
	anna.sees("if both players pass in a row, the match is a draw")
	if buttonShown(anna, "End turn") {
		t.Error("a pass is called End turn")
	}
	anna.check("pass")
	anna.press("Pass")
	anna.sees("Do you want to pass?")
	anna.check("pass-asked")
	anna.press("Play it")
	anna.sees("You passed")
	ben.sees("1. ● Anna: passed")
	ben.openPanel()
	ben.press("Pass")
	ben.sees("This turn ends the match in a draw")
	ben.check("last-pass")
	if _, over := w.view(1).Match.Over(); over {
		t.Error("the match ended without a question")
	}
	ben.press("Not yet")
	a, err := w.view(1).Match.Position().Parse("b4-b3")
	must(t, err)
	ben.choose(1, a)
	if w.view(1).Match.Seat() == 2 && !buttonShown(ben, "End turn") {
		t.Error("after an action the turn does not end by End turn")
	}
}

// A direction that leaves the player without a move is marked and asks first.
func TestBrowserStuck(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "trails", sandbox.Opt("size", 5), sandbox.Opt("towers", 1))
	people := []*browserPlayer{anna, ben}
	line := losingTurn(w.view(1).Match)
	for i, turn := range line {
		w.move(people[i%2].person, turn)
	}
	p := people[len(line)%2]
	p.press("⚠")
	p.sees("You lose with this turn.")
	p.check("stuck")
	if got := w.view(1).Match.Seq(); got != len(line) {
		t.Fatalf("%d entries, not %d", got, len(line))
	}
	p.press("Play it")
	anna.sees("wins against")
}

// losingTurn returns turns after which the seat to act has a choice and can lose
// by its own turn; nil if there are none.
func losingTurn(m *match.Match) []string {
	for _, a := range m.Position().Legal() {
		after, _, err := m.Try(m.Seat(), a.String(), match.Moment{})
		if err != nil {
			return nil
		}
		if m.Risk(m.Seat(), after, nil) == match.Loses {
			return []string{}
		}
		if line := losingTurn(after); line != nil {
			return append([]string{a.String()}, line...)
		}
	}
	return nil
}

// A turn after which the player's own master can be taken is marked and must be
// confirmed. Board and panel say that the master can be taken.
func TestBrowserThreat(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "towers")
	w.stopBot()
	w.warns = true
	w.startBot()
	w.move(w.anna, "c2-c3")
	a, err := w.view(1).Match.Position().Parse("c5-c4")
	must(t, err)
	ben.openPanel()
	ben.choose(1, a) // the master steps before a tower of Anna's
	ben.sees("After this turn your master can be taken.")
	ben.check("asked")
	if turns := len(w.view(1).Match.Turns()); turns != 1 {
		t.Fatalf("%d turns before it is confirmed", turns)
	}
	ben.press("Play it")
	ben.sees("You played c5-c4")
	w.move(w.anna, "a2-a3")
	anna.sees("Ben, your master can be taken.")
	ben.openPanel()
	ben.sees("As it stands, your master can be taken.")
	if !buttonShown(ben, "⚠ Pass") {
		t.Error("the pass is not marked")
	}
	ben.check("threat")
}

// The second of two quick taps hits the board of the computer's reply, which has
// just appeared there. It plays nothing.
func TestBrowserTwoTaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stopBot()
	w.settles = time.Second
	w.startBot()
	anna := &browserPlayer{Tab: browser.Open(t, browser.Start(t), w.chat.Base(), w.annaID, w.channel, browser.Phone), w: w, person: w.anna}
	w.challengeComputer("trails", sandbox.Opt("first", "me"))
	w.advanceClock(2 * time.Second)
	anna.press("Down") // the first turn
	v := w.awaitPerson(1)
	next := fmt.Sprintf(`button[data-custom-id^="match/1/%d/act/"]:not([disabled])`, v.Match.Seq())
	anna.Until(`document.querySelector('` + next + `')`)
	for range 2 {
		browser.Read[bool](anna.Tab, `(document.querySelector('`+next+`').click(), true)`)
		anna.sees("The board changed just before you pressed")
		if seq := w.view(1).Match.Seq(); seq != v.Match.Seq() {
			t.Fatalf("%d entries, not %d: the second tap played a turn", seq, v.Match.Seq())
		}
	}
	anna.check("two-taps")
	w.advanceClock(time.Second)
	browser.Read[bool](anna.Tab, `(document.querySelector('`+next+`').click(), true)`)
	w.wait("the next turn", func() bool { return w.view(1).Match.Seq() > v.Match.Seq() })
}

// A turn that one tap completed can be taken back until the next player begins,
// also after a restart. The board is corrected in place and notifies nobody.
func TestBrowserTakeback(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "trails")
	anna.press("Down")
	ben.sees("1. ● Anna: down")
	w.awaitTurn(1, nil)
	board, told := w.board(), w.ben.Mentions(w.channel)
	w.stopBot()
	w.startBot()
	anna.check("can-take-back")
	anna.press("Take back")
	anna.sees("Your turn has been taken back")
	ben.sees("Anna took their turn back")
	if now := w.board(); now.ID != board.ID || w.ben.Mentions(w.channel) != told {
		t.Errorf("the board is message %s, not %s; %d notifications", now.ID, board.ID, w.ben.Mentions(w.channel)-told)
	}
	if v := w.view(1); v.Match.Seat() != 1 || !v.Match.TookBack(v.Match.Seq()) {
		t.Errorf("seat %d is to move", v.Match.Seat())
	}
	ben.check("taken-back")
	anna.press("Right")
	ben.sees("1. ● Anna: right")
	ben.sees("(after a turn was taken back) · match 1")
	w.awaitTurn(1, nil)
	if w.ben.Mentions(w.channel) != told+1 {
		t.Errorf("%d notifications of the turn played instead", w.ben.Mentions(w.channel)-told)
	}

	// In a game with a panel the private message has the button.
	w.startWith("stone-towers")
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "d4"), sandbox.Opt("match", 2)))
	anna.Until(`document.querySelector('[data-ephemeral="true"] button[data-custom-id^="match/2/"][data-custom-id$="/takeback"]')`) // match 1 has one, too
	anna.press("Take back")
	anna.sees("Your turn in match 2")
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "d5"), sandbox.Opt("match", 2)))
	w.answered(w.ben.Command(w.channel, "move", sandbox.Opt("turn", "e1"), sandbox.Opt("match", 2)))
	anna.press("Take back") // Ben has moved
	anna.sees("The match has moved on")
	if n := browser.Read[int](anna.Tab, `document.querySelectorAll('[data-ephemeral="true"] button[data-custom-id$="/takeback"]').length`); n != 0 {
		t.Errorf("%d private messages still have the button", n)
	}
}

// TestBrowserLanguages plays a match in other languages than English: with the
// command's own suggestions, buttons, typed turns, and to its end.
func TestBrowserLanguages(t *testing.T) {
	for _, locale := range []string{"de", "ja"} {
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			chrome := browser.Start(t)
			w := newWorld(t, func(all *sandbox.World) {
				all.Guild.Locale = locale
				for i := range all.Users {
					all.Users[i].Locale = locale
				}
			})
			anna := &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.annaID, w.channel, browser.Wide), w: w, person: w.anna}
			ben := &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.benID, w.channel, browser.Phone), w: w, person: w.ben}
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
			anna.Until(fmt.Sprintf(`document.body.textContent.includes(%s)`, browser.Quote(say.Say(trails.Game{}.Texts().Phrase("trails.tagline")))))
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
					p.press(say.Say(engine.Phrase{ID: "trails.step." + a.String()}))
				}
				w.wait("the turn or its question", func() bool {
					return w.view(1).Match.PublicSeq() > v.Match.PublicSeq() || browser.Read[bool](p.Tab, asks)
				})
				if w.view(1).Match.PublicSeq() == v.Match.PublicSeq() {
					p.Shot(locale + "-question")
					p.press(say.T("confirm.yes"))
				}
				w.awaitTurn(n+1, nil)
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

// Ben prepares turns on a phone, Anna at a desktop, and Anna's first turn has all of
// them played. Each press waits for what it changes.
func TestBrowserPrepare(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "towers")
	ben.press("Move") // the private look at the board
	ben.press("Prepare")
	ben.sees("What may ●\u00a0Anna play?")
	ben.check("condition")
	ben.press("b2")
	ben.press("b3")
	ben.sees("What do you play then?")
	ben.check("reply")
	ben.press("b4")
	ben.press("b3")
	ben.sees("Prepared.")
	ben.press("Any turn")
	ben.sees("The board shows the position before")
	ben.check("any")
	ben.press("c4")
	ben.press("c3")
	ben.sees("whatever ●\u00a0Anna plays, you play c4-c3")
	ben.press("All lines")
	ben.sees("Add a turn")
	ben.check("lines")
	w.answered(anna.person.Command(w.channel, "prepare", sandbox.Opt("if", "b2-b3 > b4-b3"), sandbox.Opt("then", "c2-c3")))
	anna.sees("If you play b2-b3 now:")
	anna.check("own")
	w.move(anna.person, "b2-b3")
	for _, p := range []*browserPlayer{anna, ben} {
		p.sees("4. ◆ Ben: c4-c3")
		p.Until(boards + `.length === 1`)
		p.check("played")
	}
	if turns := w.view(1).Match.Turns(); len(turns) != 4 || !turns[3].Prepared {
		t.Errorf("%d turns were played", len(turns))
	}
}
