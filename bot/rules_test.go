package bot

import (
	"castellan/imaging"
	trailspainter "castellan/imaging/trails"
	"encoding/json"
	"strings"
	"testing"

	"castellan/engine/trails"
)

func TestRulesThatAreNotThere(t *testing.T) {
	r := newRig(t)
	last := len(trails.Game{}.Rulebook())
	for _, c := range []struct{ id, says string }{
		{"rules/trails/1", "page 1 of"},
		{"rules/trails/0", "page 1 of"}, // beyond the book: the nearest page
		{"rules/trails/-7", "page 1 of"},
		{"rules/trails/99", "page " + string(rune('0'+last)) + " of"},
		{"rules/trails/x", "do not know this button"},
		{"rules/trails/99999999999999999999", "do not know this button"},
		{"rules/chess/1", "do not know this game"},
		{"rules/trails", "do not know this button"},
		{"rules/trails/1/2", "do not know this button"},
	} {
		all := r.serve(r.click(anna, "8000", c.id))
		if len(all) != 1 || !strings.Contains(all[0].text(), c.says) {
			t.Errorf("%s: %s", c.id, inShort(all))
			continue
		}
		turned := strings.HasPrefix(c.says, "page")
		if (all[0].typ == 7) != turned || !turned && !all[0].private() || (all[0].files == 1) != turned {
			t.Errorf("%s: %s with %d pictures, private %t", c.id, inShort(all), all[0].files, all[0].private())
		}
	}
	for _, c := range []struct{ game, says string }{{"trails", "page 1 of"}, {"chess", "do not know this game"}} {
		all := r.serve(r.command(anna, "rules", "game", c.game))
		if len(all) != 1 || all[0].typ != 4 || !all[0].private() || !strings.Contains(all[0].text(), c.says) {
			t.Errorf("/rules %s: %s", c.game, inShort(all))
		}
	}
}

// A page whose picture nobody can draw is our fault, and says so.
func TestRulesThatCannotBeDrawn(t *testing.T) {
	r := newRig(t)
	renderer, err := imaging.New(trailspainter.Painter()) // none for the sample game
	must(t, err)
	r.bot.config.Pictures = renderer
	all := r.serve(r.command(anna, "rules", "game", "sample"))
	if len(all) != 1 || !strings.Contains(all[0].text(), "Something went wrong") {
		t.Errorf("%s", inShort(all))
	}
	if log := r.book.take(); !strings.Contains(log, "drawing page 1 of the rules of sample") {
		t.Errorf("the log: %s", log)
	}
}

// No two components of a message share an id, and nothing is longer than
// Discord takes, on any page of any game.
func TestPagesKeepWithinDiscordsLimits(t *testing.T) {
	r := newRig(t)
	say := r.bot.texts.Printer()
	for _, g := range r.bot.games.Games() {
		if g.Key() == "sample" {
			continue // nothing draws it here
		}
		for n := range g.Rulebook() {
			m, err := r.bot.rulesPage(t.Context(), say, g.Key(), n+1)
			must(t, err)
			data, err := json.Marshal(m.Components)
			must(t, err)
			seen := map[string]bool{}
			characters := 0
			var walk func(any)
			walk = func(v any) {
				switch v := v.(type) {
				case []any:
					for _, e := range v {
						walk(e)
					}
				case map[string]any:
					if id, ok := v["custom_id"].(string); ok {
						if seen[id] || len(id) > maxPath {
							t.Errorf("%s page %d: the id %s", g.Key(), n+1, id)
						}
						seen[id] = true
					}
					if s, ok := v["content"].(string); ok {
						characters += len([]rune(s))
					}
					walk(v["components"])
				}
			}
			var all any
			must(t, json.Unmarshal(data, &all))
			walk(all)
			if len(seen) != 2 || characters > 4000 || len([]rune(m.Files[0].Description)) > 1024 {
				t.Errorf("%s page %d: %d ids, %d characters", g.Key(), n+1, len(seen), characters)
			}
		}
	}
}
