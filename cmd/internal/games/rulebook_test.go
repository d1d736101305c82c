package games

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/bot/catalogue"
	"castellan/engine"
)

// shown lists what the text of a page says about its picture, as the game
// describes the position; "can" lists actions that are legal in it.
var shown = []struct{ page, says, can, cannot string }{
	{page: "towers.points", says: "has 1 of 3 move points left"},
	{page: "towers.raise", says: "Locked until the end of the turn: c2.", can: "a2-a3", cannot: "c2-c3"},
	{page: "towers.attack", can: "b3-a3 b3-c3 b3-b2 b3-b4"},
	{page: "towers.master", says: "the master on d1 in a tower of 3", can: "d1/d2"},
	{page: "towers.reserve", says: "the master on d1 in a tower of 2", can: "a2-a3", cannot: "d1/d2 +1"},
	{page: "towers.end", says: "no master any more"},
	{page: "towers.hints", can: "d3-d1", cannot: "d3-b3"},
	{page: "stone-towers.turn", can: "b3 c2+"},
	{page: "stone-towers.influence", says: "Blue has a castle of level 2 on c2.", can: "c3"},
	{page: "stone-towers.taking", says: "Blue has a castle of level 3 on c2.", cannot: "c3"},
	{page: "stone-towers.end", says: "Squares: Red 7, Blue 9."},
	{page: "stone-towers.options", says: "6 squares wide and 5 high"},
	{page: "stone-towers.hints", says: "Squares: Red 19, Blue 19."},
	{page: "rings.turn", can: "10 end"},
	{page: "rings.majority", can: "10"},
	{page: "rings.convert", can: "end", cannot: "10"},
	{page: "rings.ring", says: "a ring on circle 10"},
	{page: "rings.end", says: "Blue wins."},
	{page: "rings.options", says: "A board of 37 circles"},
	{page: "rings.hints", can: "G7 F7"},
	{page: "trails.moving", can: "right down", cannot: "up left"},
	{page: "trails.jumping", can: "down"},
	{page: "trails.edge", can: "down"},
	{page: "trails.towers", can: "right"},
	{page: "trails.options", says: "11 by 11 squares with 5 towers"},
	{page: "trails.hints", says: "Blue’s head is on a4.", can: "right"},
}

// The pictures of the rules show what their pages say.
func TestRulesShowWhatTheySay(t *testing.T) {
	for _, c := range shown {
		key, name, _ := strings.Cut(c.page, ".")
		at := illustrate(t, key, name)
		var words []string
		for _, line := range append(at.Describe(), at.Status()) {
			words = append(words, line.String())
		}
		if text := strings.Join(words, "\n"); !strings.Contains(text, c.says) {
			t.Errorf("the picture of %s does not show %q:\n%s", c.page, c.says, text)
		}
		var legal []string
		for _, a := range at.Legal() {
			legal = append(legal, a.String())
		}
		for _, token := range strings.Fields(c.can) {
			if !slices.Contains(legal, token) {
				t.Errorf("in the picture of %s, %s is not legal: %s", c.page, token, legal)
			}
		}
		for _, token := range strings.Fields(c.cannot) {
			if slices.Contains(legal, token) {
				t.Errorf("in the picture of %s, %s is legal", c.page, token)
			}
		}
	}
}

func illustrate(t *testing.T, key, name string) engine.Position {
	t.Helper()
	i := slices.IndexFunc(All, func(g Game) bool { return g.Rules.Key() == key })
	for _, page := range All[i].Rules.Rulebook() {
		if page.Title.ID == key+".rules."+name {
			at, err := page.Illustrate(All[i].Rules)
			if err != nil {
				t.Fatal(err)
			}
			return at.Position
		}
	}
	t.Fatalf("%s has no page %s", key, name)
	return nil
}

// Every rulebook ends with the options, whose text names each value that is
// rated, and advice, in every language.
func TestRulesNameRatedOptions(t *testing.T) {
	texts, err := catalogue.New(collect(func(g Game) engine.Game { return g.Rules })...)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range All {
		book := g.Rules.Rulebook()
		options, hints := book[len(book)-2], book[len(book)-1]
		if !strings.HasSuffix(options.Title.ID, ".rules.options") || !strings.HasSuffix(hints.Title.ID, ".rules.hints") {
			t.Fatalf("the rules of %s end with %s and %s", g.Rules.Key(), options.Title.ID, hints.Title.ID)
		}
		for _, language := range texts.Languages() {
			text := texts.Printer(language).Text(options.Text)
			numbers := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
			for _, o := range g.Rules.Options() {
				for _, value := range o.Standard {
					if _, err := strconv.Atoi(value); err == nil && !slices.Contains(numbers, value) {
						t.Errorf("%s: the options of %s do not name the rated %s %s", language, g.Rules.Key(), o.Key, value)
					}
				}
			}
		}
	}
}
