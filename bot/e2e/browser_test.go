package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	"castellan/bot/sandbox/faults"
)

// browserPlayer is a person at a browser.
type browserPlayer struct {
	*browser.Tab
	w       *world
	person  *sandbox.Person
	notices int // notifications that are expected so far
}

// openBrowsers opens the channel for Anna at a desktop and for Ben on a phone.
func openBrowsers(t *testing.T, w *world) (anna, ben *browserPlayer) {
	t.Helper()
	chrome := browser.Start(t)
	return &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.annaID, w.channel, browser.Wide), w: w, person: w.anna},
		&browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.benID, w.channel, browser.Phone), w: w, person: w.ben}
}

// Selectors of the page's contract for tests.
const (
	composer = `[data-testid="composer"]`
	finder   = `[data-testid="more-options"]`
	boards   = `[...document.querySelectorAll("[data-message-id]")].filter(m => m.querySelector('[data-testid="picture"] img') && !m.dataset.ephemeral)`
)

func chosen(name string) string { return fmt.Sprintf(`[data-testid="suggestion"][data-name=%q]`, name) }

func field(option string) string { return fmt.Sprintf(`[data-option=%q] input`, option) }

// command begins a command: a slash, the first letters, and a click on its
// name.
func (p *browserPlayer) command(typed, name string) {
	p.w.t.Helper()
	p.Do(browser.Click(composer), chromedp.SendKeys(composer, "/"+typed))
	p.Until(`document.querySelector('` + chosen("/"+name) + `')`)
	p.Do(browser.Click(chosen("/" + name)))
	p.Until(fmt.Sprintf(`document.querySelector('[data-command=%q]')`, name))
}

// fill types into an open option and takes the suggestion of that name.
func (p *browserPlayer) fill(option, typed, name string) {
	p.w.t.Helper()
	p.Do(browser.Click(field(option)), chromedp.SendKeys(field(option), typed))
	p.Until(`document.querySelector('` + chosen(name) + `')`)
	p.Do(browser.Click(chosen(name)))
	p.Until(fmt.Sprintf(`document.querySelector('%s')?.value === %s`, field(option), browser.Quote(name)))
}

// add opens an optional option.
func (p *browserPlayer) add(option string) {
	p.w.t.Helper()
	p.Do(browser.Click(finder), chromedp.SendKeys(finder, option))
	p.Until(`document.querySelector('` + chosen(option) + `')`)
	p.Do(browser.Click(chosen(option)))
	p.Until(fmt.Sprintf(`document.querySelector('%s')`, field(option)))
}

// send sends the command and waits for its response.
func (p *browserPlayer) send() {
	p.w.t.Helper()
	p.Do(browser.Click(`[data-testid="send"]`))
	p.Until(`!document.querySelector('[data-testid="command-form"]') && !document.querySelector('[data-outgoing]')`)
}

// press presses the newest button with a label.
func (p *browserPlayer) press(label string) {
	p.w.t.Helper()
	newest := fmt.Sprintf(`[...document.querySelectorAll("button[data-custom-id]:not([disabled])")].filter(b => b.textContent.includes(%q)).at(-1)`, english(label))
	p.Until(newest)
	id := browser.Read[string](p.Tab, newest+`.dataset.customId`)
	p.Do(browser.Click(fmt.Sprintf(`button[data-custom-id=%q]`, id)))
	p.Until(`!document.querySelector('[data-pending="true"]')`)
}

// sees waits until the log contains a text.
func (p *browserPlayer) sees(text string) {
	p.w.t.Helper()
	p.Until(fmt.Sprintf(`document.querySelector('[data-testid="messages"]').textContent.includes(%s)`, browser.Quote(text)))
}

// check checks that the page fits its window, and takes a screenshot.
func (p *browserPlayer) check(name string) {
	p.w.t.Helper()
	p.Fits(name)
	p.Shot(name)
}

func TestBrowserMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	anna, ben := openBrowsers(t, w)
	notified := func(p *browserPlayer, why string) {
		t.Helper()
		p.notices++
		w.wait(why, func() bool { return p.person.Mentions(w.channel) >= p.notices })
		for _, q := range []*browserPlayer{anna, ben} {
			if got := q.person.Mentions(w.channel); got != q.notices {
				t.Fatalf("%s: %d notifications of %s, not %d", why, got, q.person.ID(), q.notices)
			}
		}
	}

	// Challenge by slash command, options filled from their suggestions.
	anna.command("chal", "challenge trails")
	anna.add("opponent")
	anna.fill("opponent", "Be", "Ben")
	for _, o := range [][2]string{{"size", "7"}, {"towers", "1"}, {"first", "me"}} {
		anna.add(o[0])
		anna.fill(o[0], o[1], o[1])
	}
	anna.Shot("command")
	anna.send()
	notified(ben, "the challenge")
	anna.sees("Ben has been asked")
	anna.check("challenge")
	ben.check("challenge")

	ben.press("challenge.accept")
	notified(anna, "the first board")
	ben.sees("Ben accepted")
	anna.sees("to move")
	anna.check("start")
	ben.check("start")

	// The first turns, by button and by /move with the suggestion's name.
	anna.press("trails.step.right")
	notified(ben, "turn 1")
	ben.command("mo", "move")
	ben.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), "l"))
	const suggested = `[data-testid="suggestion"][data-value="left"]`
	ben.Until(`document.querySelector('` + suggested + `')`)
	name := browser.Read[string](ben.Tab, `document.querySelector('`+suggested+`').dataset.name`)
	if !strings.HasPrefix(name, "left · ") {
		t.Errorf("the suggestion is called %q", name)
	}
	ben.Shot("suggestion")
	ben.Do(browser.Click(suggested))
	ben.Until(fmt.Sprintf(`document.querySelector('%s').value === %s`, field("turn"), browser.Quote(name)))
	ben.send()
	notified(anna, "turn 2, by the name of a suggestion")
	ben.sees("You played left")

	// A wrong move changes nothing and says what is right.
	anna.command("mo", "move")
	anna.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), "rigth"), chromedp.KeyEvent(kb.Escape))
	anna.send()
	anna.sees("Did you mean right?")
	anna.check("wrong")

	// An old button: the board that it is on could not be collapsed.
	w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "PATCH", Route: editRoute, Status: 500, Message: internal})
	anna.command("mo", "move")
	anna.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), "right"))
	anna.Until(`document.querySelector('[data-testid="suggestion"][data-value="right"]')`)
	anna.Do(browser.Click(`[data-testid="suggestion"][data-value="right"]`))
	anna.send()
	notified(ben, "turn 3")
	ben.Until(boards + `.length === 2`)
	old := browser.Read[string](ben.Tab, boards+`[0].querySelector('button[data-custom-id]:not([disabled])').dataset.customId`)
	ben.Do(browser.Click(fmt.Sprintf(`button[data-custom-id=%q]`, old)))
	ben.sees("The match has moved on since then")
	ben.check("old-button")
	w.pass(5e9)
	ben.Until(boards + `.length === 1`)

	// To the end, by buttons.
	for i, turn := range strings.Fields(winningMatch)[3:] {
		mover, next := ben, anna
		if i%2 == 1 {
			mover, next = anna, ben
		}
		mover.Until(fmt.Sprintf(`document.querySelector('button[data-custom-id^="match/1/%d/act/"]')`, w.view(1).Match.Seq()))
		mover.press("trails.step." + turn)
		notified(next, fmt.Sprintf("turn %d", i+4))
		if i == 1 {
			ben.Until(boards + `.length === 1`)
			ben.check("middle")
			anna.check("middle")
		}
	}
	for _, p := range []*browserPlayer{anna, ben} {
		p.sees("wins against")
		p.Until(boards + `.length === 1`)
		p.check("end")
		if n := browser.Read[int](p.Tab, `[...document.querySelectorAll('[data-message-id]:not([data-ephemeral="true"]) button[data-custom-id]:not([disabled])')].filter(b => !["Rematch", "◀ Look back", "Replay"].includes(b.textContent)).length`); n != 0 {
			t.Errorf("%d buttons besides Rematch, Look back and Replay can be pressed after the end", n)
		}
	}
	w.wantMentions(w.chloe, 0, 0)
}
