package e2e_test

import (
	"fmt"
	"testing"

	"castellan/bot/sandbox/browser"
	"castellan/engine/trails"
)

// shows is whether the only picture has that name and can be seen.
const shows = `(() => {
	const i = document.querySelector('[data-testid="picture"] img');
	if (!i?.src.includes(%q)) return false;
	i.decode().then(() => i.dataset.decoded = "true");
	return i.dataset.decoded;
})()`

// The rules as people read them, at both widths, each page with its picture.
func TestBrowserRules(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	w := newWorld(t)
	for _, c := range []struct {
		user   string
		screen browser.Screen
	}{{w.annaID, browser.Wide}, {w.benID, browser.Phone}} {
		p := &player{Tab: browser.Open(t, chrome, w.chat.Base(), c.user, w.channel, c.screen), w: w}
		p.command("rul", "rules")
		p.add("game")
		p.fill("game", "Trails", "Trails and Towers")
		p.send()
		book := trails.Game{}.Rulebook()
		for n, page := range book {
			p.sees(page.Title.String())
			p.sees(fmt.Sprintf("page %d of %d", n+1, len(book)))
			p.Until(fmt.Sprintf(shows, fmt.Sprintf("rules-%s-%d.png", trails.Key, n+1)))
			p.check(fmt.Sprintf("rules-%d", n+1))
			if n+1 < len(book) {
				p.press("Next")
			}
		}
		p.press("Back")
		p.sees(book[len(book)-2].Title.String())
	}
}
