package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"castellan/bot/sandbox/browser"
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

// A move that is not legal is refused with the reason: Enter plays no other one
// instead.
func TestBrowserIllegalMove(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "stone-towers")
	w.move(anna.person, "f6")
	ben.types("f6")
	ben.sees("You cannot build on f6: a castle")
	if seq := w.view(1).Match.Seq(); seq != 1 {
		t.Errorf("%d entries: a move was played that nobody typed", seq)
	}
	ben.check("refused")
}
