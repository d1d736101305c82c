package e2e_test

import (
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

// help is what /help says to a person in a channel.
func (w *world) help(p *sandbox.Person, channel string) sandbox.Message {
	w.t.Helper()
	w.answered(p.Command(channel, "help"))
	all := p.Messages(channel)
	return all[len(all)-1]
}

func TestHelpFitsPlaceAndMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := sandbox.DefaultWorld().Channels[1].ID
	says := func(p *sandbox.Person, channel, why string, want, not []string) {
		t.Helper()
		m := w.help(p, channel)
		got := text(m)
		for _, s := range want {
			if !strings.Contains(got, s) {
				t.Errorf("%s: it does not say %q:\n%s", why, s, got)
			}
		}
		for _, s := range not {
			if strings.Contains(got, s) {
				t.Errorf("%s: it says %q:\n%s", why, s, got)
			}
		}
		if m.Flags&sandbox.FlagEphemeral == 0 || len([]rune(got)) > 1500 {
			t.Errorf("%s: public or long:\n%s", why, got)
		}
	}
	says(w.anna, w.channel, "new", []string{"Welcome!", "**Trails and Towers**: ", "/challenge"}, []string{"your turn"})
	if got := buttons(w.help(w.anna, w.channel)); len(got) != 4 {
		t.Errorf("the ways to the rules: %v", got)
	}

	w.challenge()
	says(w.anna, w.channel, "to move", []string{"**It is your turn here:**", "match 1", "Ben", "/move", "[Board]"}, []string{"Welcome"})
	says(w.ben, w.channel, "waiting", []string{"**You play here:**", "Anna to move", "/claim"}, []string{"Welcome", "/move"})
	says(w.chloe, w.channel, "a new spectator", []string{"Welcome!"}, nil)
	says(w.anna, other, "elsewhere", []string{"**It is your turn elsewhere:**", "/rematch"}, []string{"turn here"})
	says(w.ben, other, "nothing waits", []string{"/rematch"}, []string{"elsewhere", "Welcome"})

	// The rules of what is played here are a tap away.
	m := w.help(w.chloe, w.channel)
	w.answered(w.chloe.Click(w.channel, m.ID, w.press(m, "Rules of Trails and Towers")))
	if got := text(w.message(w.chloe, m.ID)); !strings.Contains(got, "page 1 of") {
		t.Errorf("the rules: %s", got)
	}

	w.answered(w.ben.Command(w.channel, "resign"))
	ask := w.private(w.ben)
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "Call it off")))
	says(w.ben, w.channel, "who has played before", []string{"/rematch"}, []string{"Welcome"})
}
