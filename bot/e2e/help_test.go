package e2e_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// newest returns the newest message with an enabled button.
func (w *world) newest(p *sandbox.Person, label string) api.Message {
	w.t.Helper()
	all := p.Messages(w.channel)
	for i := len(all) - 1; i >= 0; i-- {
		if _, ok := buttons(all[i])[english(label)]; ok {
			return all[i]
		}
	}
	w.t.Fatalf("nothing says %q\n%s", label, w.transcript(p))
	return api.Message{}
}

func (w *world) help(p *sandbox.Person, channel string) api.Message {
	w.t.Helper()
	w.answered(p.Command(channel, "help"))
	all := p.Messages(channel)
	return all[len(all)-1]
}

// A person's first match of a game has its options for that, by the buttons of /help and
// by /challenge. A later one has the default.
func TestFirstMatchOfAGame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	help := w.help(w.anna, w.channel)
	w.answered(w.anna.Click(w.channel, help.ID, w.press(help, "rings.name")))
	w.challengeComputer("rings")
	w.challengeComputer("rings", sandbox.Opt("side", 3))
	for id, want := range map[storage.MatchID]string{1: "side=4", 2: "side=4", 3: "side=3"} {
		if got := w.view(id).Record.Options; got != want {
			t.Errorf("match %d has %s, not %s", id, got, want)
		}
	}
	v := w.awaitPerson(3)
	w.moveIn(3, anyTurn(v))
	w.awaitPerson(3)
	m := w.command(w.anna, "resign", sandbox.Opt("match", 3))
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "resign.yes")))
	w.challengeComputer("rings")
	if got := w.view(4).Record.Options; got != "side=6" {
		t.Errorf("after the first, a match has %s", got)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := sandbox.DefaultWorld().Channels[1].ID
	says := func(p *sandbox.Person, channel, want, not string) {
		t.Helper()
		m := w.help(p, channel)
		if mention := regexp.MustCompile(`</(help|board):\d+>`); !mention.MatchString(bottest.Text(m)) {
			t.Errorf("no command can be clicked: %s", bottest.Text(m))
		}
		got := regexp.MustCompile(`<(/[a-z]+):\d+>`).ReplaceAllString(bottest.Text(m), "`$1`")
		if !strings.Contains(got, fragment(want)) || strings.Contains(got, fragment(not)) || m.Flags&api.FlagEphemeral == 0 || len([]rune(got)) > 1500 {
			t.Errorf("it has %s, is public or long:\n%s", not, got)
		}
	}
	says(w.anna, w.channel, "help.new", "help.more")
	m := w.help(w.anna, w.channel)
	if got := buttons(m); len(got) != 8 { // one to play each game, and one to its rules
		t.Errorf("the buttons: %v", got)
	}
	// Another level is picked in the menu, and a button leads back from the rules.
	w.answered(w.anna.Select(w.channel, m.ID, bottest.Find(m, "help/"), "master"))
	if custom := w.press(w.private(w.anna), "trails.name"); !strings.HasPrefix(custom, "duel/trails/level-grandmaster/") {
		t.Errorf("it starts %q", custom)
	}
	w.answered(w.anna.Click(w.channel, m.ID, bottest.Find(w.private(w.anna), "rules/trails")))
	w.answered(w.anna.Click(w.channel, m.ID, w.press(w.private(w.anna), "rules.help")))
	// One tap starts an unrated match, in which hints are allowed.
	w.answered(w.anna.Click(w.channel, m.ID, w.press(w.private(w.anna), "trails.name")))
	if v := w.view(1); !v.Record.Unrated || v.Game.Key() != "trails" || v.SeatOf(w.annaID) == 0 {
		t.Errorf("%+v", v.Record)
	}
	w.awaitPerson(1)
	w.resigns(w.anna, "abort.yes")
	w.challenge()
	says(w.anna, w.channel, "help.turn", "help.new")
	says(w.ben, w.channel, "help.wait", "help.new")
	says(w.chloe, w.channel, "help.new", "help.turn")
	says(w.anna, other, "help.elsewhere", "help.turn")
	says(w.ben, other, "help.start", "help.elsewhere")
	w.answered(w.ben.Command(w.channel, "abort"))
	ask := w.private(w.ben)
	wantText(t, ask, "abort.ask")
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "abort.yes")))
	says(w.ben, w.channel, "help.start", "help.new") // who has played before
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
	says("the challenge", bottest.Text(offer), "fordert")
	says("the receipt", bottest.Text(w.private(w.anna)), "défi")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Annehmen")))
	says("the board", bottest.Text(w.board()), "am Zug")
	w.answered(w.ben.Command(w.channel, "move", sandbox.Opt("turn", "up")))
	says("a refusal", bottest.Text(w.private(w.ben)), "vez")
	must(t, account.New(w.host).SetPreferences(t.Context(), storage.Preferences{Person: w.annaID, Reminders: storage.RemindDirectly}))
	direct, err := w.anna.DirectMessages()
	must(t, err)

	w.stopBot()
	w.startBot()
	if n := w.checker.Count("PUT /applications/{application_id}/commands"); n != 1 {
		t.Errorf("the commands were registered %d times", n)
	}
	w.run(36 * time.Hour)
	w.wait("the reminder", func() bool { return len(w.anna.Messages(direct)) == 1 })
	says("a reminder after a restart", bottest.Text(w.anna.Messages(direct)[0]), "Ton temps")
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "down")))
	says("the board after a restart", bottest.Text(w.board()), "am Zug")
}

// pick picks values in a menu of the private message of a person.
func (w *world) pick(p *sandbox.Person, id string, values ...string) {
	w.t.Helper()
	w.answered(p.Select(w.channel, w.private(p).ID, id, values...))
}

// TestSettings changes settings of a server, and checks what each one does where
// matches are started.
func TestSettings(t *testing.T) {
	t.Parallel()
	var other string
	w := newWorld(t, func(all *sandbox.World) { other = all.Channels[1].ID })
	// Only people who may manage the server see the command.
	for _, p := range []*sandbox.Person{w.anna, w.ben} {
		sees := slices.ContainsFunc(p.CommandsIn(w.channel), func(c api.ApplicationCommand) bool { return c.Name == "settings" })
		if sees != (p == w.anna) {
			t.Errorf("%s sees /settings: %t", p.ID(), sees)
		}
	}
	w.challenge()
	dark, _ := w.seen(w.boardOf(1))
	m := w.command(w.anna, "settings")
	w.pick(w.anna, "settings/clock/menu", "3d")
	w.pick(w.anna, "settings/theme/menu", "light")
	w.pick(w.anna, "settings/leaderboard/menu", "players")
	w.answered(w.anna.Click(w.channel, m.ID, "settings/rated/off"))
	o := w.offer()
	w.wantPrivate(w.anna, "challenge.default.clock", "challenge.default.unrated")
	w.accept(o)
	if light, _ := w.seen(w.boardOf(2)); light == dark {
		t.Error("the public picture is as before")
	}
	if v := w.view(2); v.Record.Clock != "3d" || !v.Record.Unrated {
		t.Errorf("the match has the clock %q, unrated %t", v.Record.Clock, v.Record.Unrated)
	}
	wantText(t, w.command(w.ben, "leaderboard"), "error.leaderboard.players")
	// Games can be started in the chosen channels alone, and /help says so.
	w.command(w.anna, "settings")
	w.pick(w.anna, "settings/channels/menu", other)
	for _, channel := range []string{w.channel, other} {
		w.answered(w.ben.Command(channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.chloeID))))
	}
	w.wantPrivate(w.ben, "error.settings.channel")
	wantText(t, w.last(w.chloe, other), "**Ben** challenges")
	wantText(t, w.help(w.chloe, w.channel), "<#"+other+">")
}

// TestVacation starts and ends a vacation, which the board shows to everybody, and
// chooses quiet hours, a language and a theme.
func TestVacation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers", sandbox.Opt("clock", "1d"))
	dark, _ := w.seen(w.openPanel(w.anna, 1))
	w.command(w.anna, "preferences")
	w.pick(w.anna, "preferences/theme/menu", "contrast")
	if own, _ := w.seen(w.openPanel(w.anna, 1)); own == dark {
		t.Error("the private picture is as before")
	}
	w.command(w.anna, "preferences")
	w.pick(w.anna, "preferences/vacation/menu", "3")
	ask := w.private(w.anna)
	wantText(t, ask, "vacation.ask")
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "vacation.yes")))
	w.wantPrivate(w.anna, "preferences.vacation.now")
	w.pass(time.Second)
	w.wait("the board", func() bool {
		return strings.Contains(bottest.Text(w.last(w.ben, w.channel)), fragment("vacation.board"))
	})
	if left := w.view(1).TimeoutAt().Sub(w.now()); left <= 95*time.Hour || left > 96*time.Hour {
		t.Errorf("Anna has %s", left)
	}
	w.pick(w.anna, "preferences/language/menu", "fr")
	w.wantPrivate(w.anna, "Tu es en vacances")
	w.pick(w.anna, "preferences/language/menu", "default")
	w.pick(w.anna, "preferences/zone/menu", "Asia/Tokyo")
	w.pick(w.anna, "preferences/from/menu", "23")
	w.pick(w.anna, "preferences/to/menu", "6")
	w.answered(w.anna.Click(w.channel, w.private(w.anna).ID, "preferences/vacation/back"))
	w.wantPrivate(w.anna, "preferences.vacation")
	p, err := host.Read(t.Context(), w.host, func(r storage.Reader) (storage.Preferences, error) { return r.Preferences(w.annaID) })
	must(t, err)
	if p.Theme != "contrast" || p.Zone != "Asia/Tokyo" || p.QuietFrom != 23 || p.QuietTo != 6 {
		t.Errorf("the preferences are %+v", p)
	}
}
