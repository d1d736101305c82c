package e2e_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
	"castellan/storage"
)

func TestRulesPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered(w.anna.Command(w.channel, "rules", sandbox.Opt("game", "trails")))
	book := trails.Game{}.Rulebook()
	id := w.private(w.anna).ID
	seen := map[string]bool{}
	look := func(n int) sandbox.Message {
		t.Helper()
		m := w.private(w.anna)
		if m.ID != id {
			t.Fatalf("page %d is another message", n)
		}
		page := book[n-1]
		for _, part := range []string{"## " + page.Title.String() + "\n", page.Text.String(), "page " + string(rune('0'+n)) + " of "} {
			if !strings.Contains(text(m), part) {
				t.Errorf("page %d does not say %q:\n%s", n, part, text(m))
			}
		}
		picture, words := w.seen(m)
		if !strings.HasPrefix(words, "An example. Trails and Towers, a board of ") {
			t.Errorf("the picture of page %d is described as %q", n, words)
		}
		seen[picture] = true
		return m
	}
	for n := 1; n < len(book); n++ {
		m := look(n)
		if _, back := buttons(m)["‹ Back"]; back != (n > 1) {
			t.Errorf("page %d: one can go back: %t", n, back)
		}
		w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Next")))
	}
	m := look(len(book))
	if _, next := buttons(m)["Next ›"]; next {
		t.Error("the last page has a next one")
	}
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Back")))
	look(len(book) - 1)
	if len(seen) != len(book) {
		t.Errorf("%d pictures for %d pages", len(seen), len(book))
	}
	if got := len(w.ben.Messages(w.channel)); got != 0 {
		t.Errorf("Ben sees %d messages", got)
	}
}

func TestRulesOfChannel(t *testing.T) {
	t.Parallel()
	w := withSample(t)
	// No match is played in the channel, so the person chooses the game.
	w.answered(w.chloe.Command(w.channel, "rules"))
	ask := w.private(w.chloe)
	if got := buttons(ask); len(got) != len(allGames())+1 || !strings.Contains(text(ask), "Which game") {
		t.Fatalf("%s %v", text(ask), got)
	}
	w.answered(w.chloe.Click(w.channel, ask.ID, w.press(ask, "Counters")))
	if m := w.private(w.chloe); m.ID != ask.ID || !strings.Contains(text(m), sample.Game{}.Rulebook()[0].Text.String()) {
		t.Errorf("after choosing: %s", text(m))
	}
	w.challenge()
	w.challenge()
	w.answered(w.chloe.Command(w.channel, "rules"))
	w.wantPrivate(w.chloe, "Trails and Towers · page 1 of")
	w.answered(w.ben.Command(w.channel, "challenge", sandbox.Sub(sample.Key, sandbox.Opt("opponent", w.chloeID))))
	offer := w.newest(w.chloe, "Accept")
	w.answered(w.chloe.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	w.answered(w.chloe.Command(w.channel, "rules"))
	w.wantPrivate(w.chloe, "Which game")
}

// newest returns the newest message with an enabled button.
func (w *world) newest(p *sandbox.Person, label string) sandbox.Message {
	w.t.Helper()
	all := p.Messages(w.channel)
	for i := len(all) - 1; i >= 0; i-- {
		if _, ok := buttons(all[i])[label]; ok {
			return all[i]
		}
	}
	w.t.Fatalf("nothing says %q\n%s", label, w.transcript(p))
	return sandbox.Message{}
}

// help returns the text of /help for a person in a channel.
func (w *world) help(p *sandbox.Person, channel string) sandbox.Message {
	w.t.Helper()
	w.answered(p.Command(channel, "help"))
	all := p.Messages(channel)
	return all[len(all)-1]
}

func TestHelp(t *testing.T) {
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
	says(w.anna, w.channel, "new", []string{"Welcome!", "Play the computer now", "**Trails and Towers**: ", "/challenge"}, []string{"your turn"})
	m := w.help(w.anna, w.channel)
	if got := buttons(m); len(got) != 8 { // one to play each game, and one to its rules
		t.Errorf("the buttons: %v", got)
	}
	// Another level is picked in the menu, and a button leads back from the rules.
	each(m, func(c sandbox.Component) {
		if c.Type == sandbox.ComponentStringSelect {
			w.answered(w.anna.Select(w.channel, m.ID, c.CustomID, "master"))
		}
	})
	w.wantPrivate(w.anna, "**Play the computer now** (Master")
	if got := buttons(w.private(w.anna))["Trails and Towers"]; got != "duel/trails/level-master/Computer (Master)" {
		t.Errorf("it starts %q", got)
	}
	w.answered(w.anna.Click(w.channel, m.ID, w.press(w.private(w.anna), "Rules of Trails and Towers")))
	w.answered(w.anna.Click(w.channel, m.ID, w.press(w.private(w.anna), "Help")))
	w.wantPrivate(w.anna, "**Play the computer now** (Beginner")
	// One tap starts an unrated match, in which hints are allowed.
	w.answered(w.anna.Click(w.channel, m.ID, "duel/trails/level-beginner/Computer (Beginner)"))
	if v := w.view(1); !v.Record.Unrated || v.Game.Key() != "trails" || v.SeatOf(w.annaID) == 0 {
		t.Errorf("%+v", v.Record)
	}
	w.awaitPerson(1)
	w.resigns(w.anna, "Call it off")

	w.challenge()
	says(w.anna, w.channel, "to move", []string{"**It is your turn here:**", "match 2", "Ben", "/move", "[Board]"}, []string{"Welcome", "`/hint` suggests", "/claim"})
	says(w.ben, w.channel, "waiting", []string{"**You are playing here:**", "Anna to move", "/claim"}, []string{"Welcome", "type `/move`"})
	says(w.chloe, w.channel, "a new spectator", []string{"Welcome!"}, nil)
	says(w.anna, other, "elsewhere", []string{"**It is your turn elsewhere:**", "/rematch"}, []string{"turn here"})
	says(w.ben, other, "nothing waits", []string{"/rematch"}, []string{"elsewhere", "Welcome"})

	// A button opens the rules of the game played in the channel.
	m = w.help(w.chloe, w.channel)
	w.answered(w.chloe.Click(w.channel, m.ID, w.press(m, "Rules of Trails and Towers")))
	wantText(t, w.message(w.chloe, m.ID), "page 1 of")

	w.resigns(w.ben, "Call it off")
	says(w.ben, w.channel, "who has played before", []string{"/rematch"}, []string{"Welcome"})
}

// TestHelpInThreads: in a channel, the matches of its threads are here; in a thread,
// only its own is.
func TestHelpInThreads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.accept(offer)
	w.challenge()
	const here, elsewhere = "**It is your turn here:**\n", "**It is your turn elsewhere:**\n"
	lists := func(channel, under string) string {
		_, after, _ := strings.Cut(text(w.help(w.anna, channel)), under)
		list, _, _ := strings.Cut(after, "\n\n")
		return list
	}
	for _, c := range []struct {
		channel, under string
		first, second  bool // which matches are listed
	}{
		{w.channel, here, true, true},
		{w.channel, elsewhere, false, false},
		{offer.ID, here, true, false},
		{offer.ID, elsewhere, false, true},
	} {
		list := lists(c.channel, c.under)
		if strings.Contains(list, "match 1") != c.first || strings.Contains(list, "match 2") != c.second {
			t.Errorf("in %s, under %q:\n%s", c.channel, c.under, list)
		}
	}
}

// TestLanguages: everybody reads the language of the server, each person alone
// their own, also after a restart, in which the commands stay as they are.
func TestLanguages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(all *sandbox.World) {
		all.Guild.Locale = "de"
		all.Users[0].Locale, all.Users[1].Locale = "fr", "pt-BR"
	})
	says := func(what, got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID), sandbox.Opt("size", 5), sandbox.Opt("first", "me"), sandbox.Opt("clock", "2d+1h/4d"))))
	offer := w.ben.Messages(w.channel)[len(w.ben.Messages(w.channel))-1]
	says("the challenge", text(offer), "fordert")
	says("the receipt", text(w.private(w.anna)), "défi")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Annehmen")))
	says("the board", text(w.board()), "am Zug")
	w.answered(w.ben.Command(w.channel, "move", sandbox.Opt("turn", "up")))
	says("a refusal", text(w.private(w.ben)), "vez")
	must(t, account.New(w.host).SetPreferences(t.Context(), storage.Preferences{Person: w.annaID, Reminders: storage.RemindDirectly}))
	direct, err := w.anna.DirectMessages()
	must(t, err)

	w.stopBot()
	w.startBot()
	if n := w.oracle.Count("PUT /applications/{application_id}/commands"); n != 1 {
		t.Errorf("the commands were registered %d times", n)
	}
	w.run(36 * time.Hour)
	w.wait("the reminder", func() bool { return len(w.anna.Messages(direct)) == 1 })
	says("a reminder after a restart", text(w.anna.Messages(direct)[0]), "Ton temps")
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "down")))
	says("the board after a restart", text(w.board()), "am Zug")
}

// pick picks values in a menu of the private message of a person.
func (w *world) pick(p *sandbox.Person, id string, values ...string) {
	w.t.Helper()
	w.answered(p.Select(w.channel, w.private(p).ID, id, values...))
}

// TestSettings changes every setting of a server, and checks what each one does
// where matches are started.
func TestSettings(t *testing.T) {
	t.Parallel()
	var other string
	w := newWorld(t, func(all *sandbox.World) { other = all.Channels[1].ID })
	// Only people who may manage the server see the command, and may use it.
	for name, p := range map[string]*sandbox.Person{"the owner": w.anna, "a member": w.ben} {
		sees := slices.ContainsFunc(p.CommandsIn(w.channel), func(c sandbox.ApplicationCommand) bool { return c.Name == "settings" })
		if sees != (p == w.anna) {
			t.Errorf("%s sees /settings: %t", name, sees)
		}
	}
	w.challenge()
	dark, _ := w.seen(w.boardOf(1))
	w.answered(w.anna.Command(w.channel, "settings"))
	w.pick(w.anna, "settings/clock/menu", "3d")
	w.pick(w.anna, "settings/theme/menu", "light")
	w.pick(w.anna, "settings/leaderboard/menu", "players")
	m := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, m.ID, "settings/rated/off"))
	o := w.offer()
	w.wantPrivate(w.anna, "Clock: 3 days a turn, as this server prefers.", "Not rated, as this server prefers.")
	w.accept(o)
	if light, _ := w.seen(w.boardOf(2)); light == dark {
		t.Error("the public picture is as before")
	}
	if v := w.view(2); v.Record.Clock != "3d" || !v.Record.Unrated {
		t.Errorf("the match has the clock %q, unrated %t", v.Record.Clock, v.Record.Unrated)
	}
	// The options of a challenge come first.
	w.challenge(sandbox.Opt("clock", "none"), sandbox.Opt("rated", true))
	if v := w.view(3); v.Record.Clock != "" || v.Record.Unrated {
		t.Errorf("the match has the clock %q, unrated %t", v.Record.Clock, v.Record.Unrated)
	}
	w.answered(w.ben.Command(w.channel, "leaderboard"))
	w.wantPrivate(w.ben, "Only people who have finished a match on this server")
	w.answered(w.ben.Command(w.channel, "leaderboard", sandbox.Opt("scope", "everywhere")))
	w.wantPrivate(w.ben, "Trails and Towers")
	// Games can be started in the chosen channels alone.
	w.answered(w.anna.Command(w.channel, "settings"))
	w.pick(w.anna, "settings/channels/menu", other)
	w.answered(w.ben.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.chloeID))))
	w.wantPrivate(w.ben, "They can be started here: <#"+other+">")
	w.answered(w.ben.CommandOnUser(w.channel, "Challenge", w.chloeID))
	w.wantPrivate(w.ben, "They can be started here: <#"+other+">")
	w.answered(w.ben.Command(other, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.chloeID))))
	if offer := w.last(w.chloe, other); !strings.Contains(text(offer), "**Ben** challenges") {
		t.Errorf("in the chosen channel: %s", text(offer))
	}
	w.answered(w.anna.Command(w.channel, "resign", sandbox.Opt("match", 3)))
	ask := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, ask.ID, "match/3/0/resign"))
	w.answered(w.ben.Command(w.channel, "rematch"))
	w.wantPrivate(w.ben, "They can be started here: <#"+other+">")
}

// TestVacation starts and ends a vacation, which the board shows to everybody, and
// chooses quiet hours and a theme.
func TestVacation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers", sandbox.Opt("clock", "1d"))
	dark, _ := w.seen(w.openPanel(w.anna, 1))
	w.answered(w.anna.Command(w.channel, "preferences"))
	w.pick(w.anna, "preferences/theme/menu", "contrast")
	if own, _ := w.seen(w.openPanel(w.anna, 1)); own == dark {
		t.Error("the private picture is as before")
	}
	w.answered(w.anna.Command(w.channel, "preferences"))
	until := strconv.FormatInt(w.now().Add(72*time.Hour).Unix(), 10)
	w.pick(w.anna, "preferences/vacation/menu", "3")
	wantText(t, w.private(w.anna), "You are on vacation")
	w.pass(time.Second)
	w.wait("the board", func() bool {
		return strings.Contains(text(w.last(w.ben, w.channel)), "Anna is on vacation until <t:"+until)
	})
	if left := w.view(1).TimeoutAt().Sub(w.now()); left <= 95*time.Hour || left > 96*time.Hour {
		t.Errorf("Anna has %s", left)
	}
	w.pick(w.anna, "preferences/language/menu", "fr")
	wantText(t, w.private(w.anna), "Tu es en vacances")
	w.pick(w.anna, "preferences/language/menu", "default")
	wantText(t, w.private(w.anna), "You are on vacation")
	w.pick(w.anna, "preferences/zone/menu", "Asia/Tokyo")
	w.pick(w.anna, "preferences/from/menu", "23")
	w.pick(w.anna, "preferences/to/menu", "6")
	m := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, m.ID, "preferences/vacation/back"))
	wantText(t, w.private(w.anna), "You have 19 days left this year")
	p, err := host.Read(t.Context(), w.host, func(r storage.Reader) (storage.Preferences, error) { return r.Preferences(w.annaID) })
	must(t, err)
	if p.Theme != "contrast" || p.Zone != "Asia/Tokyo" || p.QuietFrom != 23 || p.QuietTo != 6 {
		t.Errorf("the preferences are %+v", p)
	}
}
