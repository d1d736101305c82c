package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"castellan/bot/sandbox/browser"
	"castellan/storage"
)

// Lists and ratings as people read them, at both widths: a leaderboard of three
// pages, a profile with its plot, and one's matches.
func TestBrowserRatings(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	w := newWorld(t)
	anna, ben := storage.Person{ID: w.annaID, Name: "Anna"}, storage.Person{ID: w.benID, Name: "Ben"}
	people := []storage.Person{anna, ben}
	for i := range 22 {
		people = append(people, storage.Person{ID: fmt.Sprint(2000 + i), Name: fmt.Sprintf("Player %02d", i+1)})
	}
	for i := 1; i < len(people); i++ {
		w.later(time.Hour)
		w.beat("trails", people[i-1], people[i])
	}
	for i := range 9 {
		w.later(40 * time.Hour)
		winner, loser := anna, ben
		if i%3 == 1 {
			winner, loser = ben, anna
		}
		w.beat("trails", winner, loser)
	}
	w.start("trails")
	for _, c := range []struct {
		user   string
		screen browser.Screen
	}{{w.annaID, browser.Wide}, {w.benID, browser.Phone}} {
		p := &player{Tab: browser.Open(t, chrome, w.chat.Base(), c.user, w.channel, c.screen), w: w}
		p.command("leader", "leaderboard")
		p.send()
		for page := 1; page <= 3; page++ {
			p.sees(fmt.Sprintf("page %d of 3", page))
			p.check(fmt.Sprintf("leaderboard-%d", page))
			if page < 3 {
				p.press("Next")
			}
		}
		p.command("prof", "profile")
		p.send()
		p.sees("Rating in Trails and Towers")
		p.Until(`[...document.querySelectorAll('[data-testid="picture"] img')].some(i => i.src.includes("rating-trails-") && i.complete && i.naturalWidth > 0)`)
		p.check("profile")
		p.command("game", "games")
		p.send()
		p.sees("Your matches")
		p.check("games")
	}
}
