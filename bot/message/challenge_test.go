package message

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

// buttonLabels returns the labels of a message's buttons, disabled ones in
// parentheses.
func buttonLabels(m discord.Message) string {
	var all []string
	for _, c := range m.Components[0].(discord.Container).Components {
		if row, ok := c.(discord.ActionRow); ok {
			for _, b := range row.Buttons {
				if b.Disabled {
					b.Label = "(" + b.Label + ")"
				}
				all = append(all, b.Label)
			}
		}
	}
	return strings.Join(all, " ")
}

func TestTableButtons(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	joined, _ := w.Join(w.Table(4), hosttest.Ben)
	for _, c := range []struct {
		name  string
		table storage.Challenge
		want  string
	}{
		{"alone", w.Table(4), "Join Leave (Start) Cancel"},
		{"a seat is kept", w.Table(4, hosttest.Ben), "Join Leave (Start) Decline Cancel"},
		{"enough for the game", joined, "Join Leave Start Cancel"},
		{"for two", w.Offer("sample"), "Accept Decline Cancel"},
		{"for two, public", w.Challenge(host.Proposal{Seats: 2, Game: "sample"}), "Join Cancel"},
	} {
		d := ChallengeData{Challenge: c.table, CanStart: w.Host.CanStart(c.table)}
		var err error
		d.Game, d.Options, d.Start, err = w.Host.ChallengeSetup(c.table)
		hosttest.Must(t, err)
		if got := buttonLabels(Challenge(w.Say, d, discord.File{})); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestOpponentIDs(t *testing.T) {
	for _, name := range []string{"B", strings.Repeat("🏰", 32), strings.Repeat("é", 32), "a" + strings.Repeat("🏰", 31), strings.Repeat("x", 32)} {
		p := storage.Person{ID: "1120000000000000012", Name: name}
		id := opponentID("stone-towers", p)
		kept := id[strings.LastIndex(id, "/")+1:]
		if len(id) > discord.MaxCustomID || !utf8.ValidString(id) || !strings.HasPrefix(name, kept) || kept == "" {
			t.Errorf("%d bytes: %q", len(id), id)
		}
		if len(id)-len(kept)+len(name) <= discord.MaxCustomID && kept != name {
			t.Errorf("%q was cut to %q", name, kept)
		}
	}
}

// Custom IDs have room for the largest numbers, and no token of a board's
// buttons has a slash.
func TestCustomIDLimits(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	for _, id := range []string{
		challengeID(1<<62, "accept"), challengeID(1<<62, "computer/1000000"), matchID(1<<62, 1<<31, "resign"), rulesID("stone-towers", 1<<31),
		actionID(1<<62, 1<<31, w.Start("trails").Match.Position().Legal()[0]),
	} {
		if len(id) > discord.MaxCustomID {
			t.Errorf("%s has %d characters", id, len(id))
		}
	}
	for _, g := range w.Games.Games() {
		for _, a := range g.Direct() {
			if strings.Contains(a.String(), "/") {
				t.Errorf("the token %s of %s cannot be in a custom ID", a, g.Key())
			}
		}
	}
	v := w.Start("sample")
	if id, ok := confirmID(v, "a2 b1 end"); !ok || id != "match/2/0/confirm/a2 b1 end" {
		t.Errorf("%s, %v", id, ok)
	}
	if _, ok := confirmID(v, strings.Repeat("a1 ", 30)); ok {
		t.Error("a long turn has an ID")
	}
}

func TestListedName(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	if got := listedName(w.Say, storage.Person{Name: "Computer (Großmeister)", Level: "grandmaster"}); got != `Computer \(Grandmaster\)` {
		t.Errorf("a computer is %q", got)
	}
	for name, want := range map[string]string{
		"Anna":                   "Anna",
		"*x*":                    `\*x\*`,
		strings.Repeat("é", 20):  strings.Repeat("é", 20),
		strings.Repeat("é", 21):  strings.Repeat("é", 19) + "…",
		strings.Repeat("a ", 20): strings.TrimSpace(strings.Repeat("a ", 10)) + "…",
	} {
		if got := listedName(w.Say, storage.Person{Name: name}); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// The components of a page have different custom IDs, and the page keeps to
// Discord's limits.
func TestRulesLimits(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	for _, g := range w.Games.Games() {
		for n := 1; n <= len(g.Rulebook()); n++ {
			picture, err := DrawRules(t.Context(), Themed{Renderer: hosttest.Renderer{}}, w.Say, g, n)
			hosttest.Must(t, err)
			var ids []string
			characters := 0
			for _, c := range Rules(w.Say, g, g.Key(), n, picture).Components[0].(discord.Container).Components {
				switch c := c.(type) {
				case discord.TextDisplay:
					characters += len([]rune(c.Content))
				case discord.ActionRow:
					for _, b := range c.Buttons {
						ids = append(ids, b.CustomID)
					}
				}
			}
			slices.Sort(ids)
			if len(slices.Compact(ids)) != 3 || characters > discord.MaxTextDisplay || len([]rune(picture.Description)) > discord.MaxAltText {
				t.Errorf("%s page %d: IDs %v, %d characters", g.Key(), n, ids, characters)
			}
		}
	}
}
