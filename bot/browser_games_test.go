package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/storage"
)

// panelOf is the newest panel in the page.
const panelOf = `[...document.querySelectorAll('[data-message-id][data-ephemeral="true"]')].filter(m => m.querySelector('[data-custom-id*="/pick/"]')).at(-1)`

// openPanel presses Your turn on the newest board.
func (p *player) openPanel() {
	p.w.t.Helper()
	p.press("Your turn")
	p.Until(panelOf)
}

// choose plays an action choice by choice in the open panel: buttons and menus
// as the page draws them.
func (p *player) choose(match storage.MatchID, a engine.Action) {
	p.w.t.Helper()
	target := strings.Join(a.Steps(), "~") + "~"
	seq := p.w.view(match).Match.Seq()
	for range 10 {
		// The button that leads furthest; a menu where none does.
		id := browser.Read[string](p.Tab, fmt.Sprintf(`(() => {
			const target = %s;
			let best = "", id = "";
			for (const b of %s.querySelectorAll('button[data-custom-id*="/pick/"]:not([data-select])')) {
				const path = b.dataset.customId.split("/pick/")[1].split("/").slice(1).join("/");
				if (target.startsWith(path) && path.length > best.length) { best = path; id = b.dataset.customId; }
			}
			return id || %s.querySelector('button[data-select]')?.dataset.customId || "";
		})()`, browser.Quote(target), panelOf, panelOf))
		if id == "" {
			p.Shot("stuck")
			p.w.t.Fatalf("the panel offers no way to %s", a)
		}
		p.Do(chromedp.Click(fmt.Sprintf(`button[data-custom-id=%q]`, id)))
		if strings.HasSuffix(id, "/.menu") {
			value := fmt.Sprintf(`[...document.querySelectorAll('[data-testid="suggestion"]')].filter(s => %s.startsWith(s.dataset.value)).at(-1)`, browser.Quote(target))
			p.Until(value)
			v := browser.Read[string](p.Tab, value+`.dataset.value`)
			p.Do(chromedp.Click(fmt.Sprintf(`[data-testid="suggestion"][data-value=%q]`, v)))
		}
		p.Until(fmt.Sprintf(`!document.querySelector('button[data-custom-id=%q]')`, id))
		if p.w.view(match).Match.Seq() > seq {
			return
		}
	}
	p.w.t.Fatalf("%s is not played after ten choices", a)
}

// turnBy plays a turn in the panel, or by /move.
func (p *player) turnBy(panel bool, match storage.MatchID, turn string) {
	p.w.t.Helper()
	if !panel {
		p.command("mo", "move")
		p.Do(chromedp.Click(field("turn")), chromedp.SendKeys(field("turn"), turn+" "))
		p.send()
		return
	}
	p.openPanel()
	for _, token := range strings.Fields(turn) {
		a, err := p.w.view(match).Match.Position().Parse(token)
		must(p.w.t, err)
		p.choose(match, a)
	}
}

// two is Anna at a wide window and Ben at a phone, who have started a match.
func two(t *testing.T, game string, options ...sandbox.CommandOption) (w *world, anna, ben *player) {
	t.Helper()
	chrome := browser.Start(t)
	w = newWorld(t)
	anna = &player{Tab: browser.Open(t, chrome, w.chat.Base(), w.annaID, w.channel, browser.Wide), w: w, person: w.anna}
	ben = &player{Tab: browser.Open(t, chrome, w.chat.Base(), w.benID, w.channel, browser.Phone), w: w, person: w.ben}
	w.offerOf(game, append(options, sandbox.Opt("first", "me"))...)
	ben.press("Accept")
	anna.sees("to move")
	return w, anna, ben
}

// after waits until a turn is played and has notified the next player once.
func (w *world) after(turns int, next *player) {
	w.t.Helper()
	w.wait(fmt.Sprintf("turn %d", turns), func() bool {
		v, err := w.host.Match(context.Background(), 1)
		return err == nil && len(v.Match.Turns()) >= turns && len(w.boards(w.anna)) == 1
	})
	if next != nil {
		next.notices++
	}
}

func TestBrowserTowers(t *testing.T) {
	t.Parallel()
	w, anna, ben := two(t, "towers")
	people := []*player{anna, ben}
	anna.notices, ben.notices = w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)
	for i, turn := range towersMatch {
		p := people[i%2]
		if i == 3 { // an action of an open turn is taken back
			p.openPanel()
			a, err := w.view(1).Match.Position().Parse("b4-b3")
			must(t, err)
			p.choose(1, a)
			p.check("open-turn")
			p.press("Undo")
			p.Until(`!` + panelOf + `.textContent.includes("Played so far")`)
			if n := len(w.view(1).Match.Open().Actions); n != 0 {
				t.Fatalf("%d actions after Undo", n)
			}
		}
		if i == 5 {
			p.openPanel()
			p.check("import")
		}
		p.turnBy(i%3 != 1, 1, turn)
		w.after(i+1, people[(i+1)%2])
	}
	for _, p := range people {
		p.sees("wins against")
		p.check("end")
		if got := p.person.Mentions(w.channel); got != p.notices {
			t.Errorf("%d notifications, not %d", got, p.notices)
		}
	}
}

// A match of Stone Towers in whose last turn two castles fall at one blow.
const stoneMatch = "c4 d2 b1 c2 b4 d2+ c3 d2+ b3 a2 d4 d3 a3 d3+ a1 d3+"

func TestBrowserStoneTowers(t *testing.T) {
	t.Parallel()
	w, anna, ben := two(t, "stone-towers", sandbox.Opt("width", 4), sandbox.Opt("height", 4), sandbox.Opt("turns", 8))
	people := []*player{anna, ben}
	tokens := strings.Fields(stoneMatch)
	for i, turn := range tokens {
		before := castles(w)
		people[i%2].turnBy(i%4 < 2, 1, turn)
		w.after(i+1, nil)
		if i == len(tokens)-1 {
			if fallen := before[i%2^1] - castles(w)[i%2^1]; fallen < 2 {
				t.Errorf("%d castles fell in the last turn", fallen)
			}
		}
		if i == 9 {
			anna.openPanel()
			anna.check("panel")
			ben.check("middle")
		}
	}
	for _, p := range people {
		p.sees("wins against")
		p.check("end")
	}
}

// castles is how many castles each has.
func castles(w *world) [2]int {
	p := w.view(1).Match.Position().(*stonetowers.Position)
	return [2]int{p.Castles(1), p.Castles(2)}
}
