package e2e_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// card returns the message of the only tournament.
func (w *world) card() api.Message {
	w.t.Helper()
	var found api.Message
	w.wait("the message of the tournament", func() bool {
		for _, m := range w.anna.Messages(w.channel) {
			if m.Flags&api.FlagEphemeral == 0 && strings.Contains(bottest.Text(m), "organised by") {
				found = m
			}
		}
		return found.ID != ""
	})
	return found
}

// pressCard presses a button of the tournament.
func (w *world) pressCard(p *sandbox.Person, label string) {
	w.t.Helper()
	m := w.card()
	w.answered(p.Click(w.channel, m.ID, w.press(m, label)))
}

// tournament returns the only tournament.
func (w *world) tournament() storage.Tournament {
	w.t.Helper()
	e, err := w.host.Tournament(w.t.Context(), 1)
	must(w.t, err)
	return e
}

// shownCard waits until the message shows the tournament as it is, and returns it.
func (w *world) shownCard() api.Message {
	w.t.Helper()
	w.wait("the tournament as it is", func() bool { e := w.tournament(); return e.ShownRevision == e.Revision })
	return w.card()
}

// TestTournament plays a tournament from its announcement to the final table, with a restart
// at every stage. Everybody gets one notification besides those of their matches.
func TestTournament(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dmitri := w.chat.As(sandbox.DefaultWorld().Users[3].ID)
	people := []*sandbox.Person{w.anna, w.ben, w.chloe, dmitri}
	restart := func() { w.stopBot(); w.startBot() }

	wantText(t, w.command(w.anna, "tournament", sandbox.Sub("list")), "tournament.none")
	wantText(t, w.command(w.anna, "tournament", sandbox.Sub("create", sandbox.Opt("game", "trails"), sandbox.Opt("format", "robin"), sandbox.Opt("start", 60), sandbox.Opt("name", "Friday *Trails*"))),
		"announced", `Friday \*Trails\*`)
	wantText(t, w.card(), "tournament.nobody", "round robin", "10 minutes + 20 seconds a turn", "rated")
	restart()
	for _, p := range people {
		w.pressCard(p, "lobby.join")
	}
	w.pressCard(w.ben, "lobby.join")
	wantText(t, w.private(w.ben), "error.tournament.in")
	wantText(t, w.shownCard(), "**4** joined: Anna, Ben, Chloé and Dmitri")
	w.pressCard(w.ben, "tournament.organise")
	wantText(t, w.private(w.ben), "error.tournament.organiser")
	first := w.card()

	w.pass(45 * time.Minute)
	restart()
	w.wait("another message", func() bool { return w.card().ID != first.ID })
	call := w.shownCard()
	if len(call.Mentions) != 4 || slices.ContainsFunc(w.anna.Messages(w.channel), func(m api.Message) bool { return m.ID == first.ID }) {
		t.Errorf("the second message mentions %d people, and the first is still there", len(call.Mentions))
	}
	for _, p := range people[:3] {
		w.pressCard(p, "tournament.present")
	}
	wantText(t, w.shownCard(), "**3** of 4 are here", "✓ Anna")
	w.pass(15 * time.Minute)
	restart()

	for round := 1; round <= 3; round++ {
		w.wait("the round", func() bool { return host.Event(w.tournament()).Round() == round })
		e := w.tournament()
		wantText(t, w.shownCard(), "round "+string(rune('0'+round))+" of 3", "no opponent this round", " – ")
		g := e.Games[len(e.Games)-1]
		for _, other := range e.Games {
			if other.Outcome == "" {
				g = other
			}
		}
		w.wait("the board", func() bool { return w.view(g.Match).Board.Message != "" })
		wantText(t, w.message(w.anna, w.view(g.Match).Board.Message), "Friday \\*Trails\\* · round")
		loser := w.chat.As(host.SeedOf(e, g.First).Person.ID)
		w.press(w.command(loser, "resign", sandbox.Opt("match", int(g.Match))), "resign.yes")
		ask := w.private(loser)
		w.answered(loser.Click(w.channel, ask.ID, w.press(ask, "resign.yes")))
		w.pass(time.Second)
		if round == 2 {
			restart()
		}
	}
	w.wait("the end", func() bool { return !w.tournament().EndedAt.IsZero() })
	end := w.shownCard()
	wantText(t, end, "🏆", "is won by")
	if len(buttons(end)) > 0 {
		t.Errorf("what is over has the buttons %v", buttons(end))
	}
	wantText(t, w.command(w.ben, "tournament", sandbox.Sub("list")), "Friday", "ended")
	for _, p := range people {
		mentions := 0
		for _, m := range w.anna.Messages(w.channel) {
			if strings.Contains(bottest.Text(m), "Friday") && m.ID != call.ID && !isBoard(m) && slices.ContainsFunc(m.Mentions, func(u api.User) bool { return w.chat.As(u.ID) == p }) {
				mentions++
			}
		}
		if mentions > 0 {
			t.Errorf("%d messages of the tournament besides the call mention somebody", mentions)
		}
	}
}

// The organiser starts a tournament at once, takes somebody out, and calls it off.
func TestTournamentOrganiser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dmitri := w.chat.As(sandbox.DefaultWorld().Users[3].ID)
	w.command(w.anna, "tournament", sandbox.Sub("create", sandbox.Opt("game", "towers"), sandbox.Opt("format", "knockout"), sandbox.Opt("start", 1440), sandbox.Opt("clock", "1d")))
	for _, p := range []*sandbox.Person{w.ben, w.chloe, dmitri, w.anna} {
		w.pressCard(p, "lobby.join")
	}
	w.pressCard(w.chloe, "lobby.leave")
	wantText(t, w.private(w.chloe), "You’ve left")
	w.pressCard(w.chloe, "lobby.join")
	w.pressCard(w.anna, "tournament.organise")
	panel := w.private(w.anna)
	menu := ""
	bottest.Each(panel, func(c api.Component) {
		if c.Type == api.ComponentStringSelect {
			menu = c.CustomID
		}
	})
	w.answered(w.anna.Select(w.channel, panel.ID, menu, w.annaID))
	wantText(t, w.shownCard(), "**3** joined")
	panel = w.private(w.anna)
	w.answered(w.anna.Click(w.channel, panel.ID, w.press(panel, "tournament.start")))
	wantText(t, w.private(w.anna), "has begun")
	w.wait("the first round", func() bool { return host.Event(w.tournament()).Round() == 1 })
	wantText(t, w.shownCard(), "round 1 of 2")
	w.pressCard(w.anna, "tournament.organise")
	panel = w.private(w.anna)
	w.answered(w.anna.Click(w.channel, panel.ID, w.press(panel, "tournament.cancel")))
	wantText(t, w.shownCard(), "was called off")
	running, err := w.host.RunningIn(t.Context(), w.channel)
	if must(t, err); len(running) != 1 {
		t.Errorf("%d matches go on, want 1", len(running))
	}
}

// Who misses a round of a Swiss tournament leaves, and joins again after it.
func TestTournamentMissedRound(t *testing.T) {
	t.Parallel()
	world := sandbox.DefaultWorld()
	w := newWorld(t, func(all *sandbox.World) {
		all.Users = append(all.Users, sandbox.User{ID: "1120000000000000020", Username: "farid", GlobalName: "Farid"})
		world = *all
	})
	w.command(w.anna, "tournament", sandbox.Sub("create", sandbox.Opt("game", "trails"), sandbox.Opt("format", "swiss"), sandbox.Opt("rounds", 3), sandbox.Opt("start", 1440), sandbox.Opt("clock", "1d")))
	for _, u := range world.Users {
		w.pressCard(w.chat.As(u.ID), "lobby.join")
	}
	w.pressCard(w.anna, "tournament.organise")
	panel := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, panel.ID, w.press(panel, "tournament.start")))
	play := func(round int) {
		w.wait("the round", func() bool { return host.Event(w.tournament()).Round() == round })
		e := w.tournament()
		for _, g := range e.Games {
			if g.Outcome != "" {
				continue
			}
			loser := w.chat.As(host.SeedOf(e, g.First).Person.ID)
			ask := w.command(loser, "resign", sandbox.Opt("match", int(g.Match)))
			w.answered(loser.Click(w.channel, ask.ID, w.press(ask, "resign.yes")))
			w.pass(time.Second)
		}
	}
	w.wait("the first round", func() bool { return host.Event(w.tournament()).Round() == 1 })
	w.pressCard(w.ben, "lobby.leave")
	play(1)
	w.wait("the second round", func() bool { return host.Event(w.tournament()).Round() == 2 })
	if e := w.tournament(); host.Event(e).MayJoin() {
		t.Fatal("newcomers can join in the second round of three")
	}
	w.shownCard()
	w.pressCard(w.ben, "lobby.join")
	wantText(t, w.private(w.ben), "tournament.in")
	if _, asks := buttons(w.shownCard())["Join"]; asks {
		t.Error("everybody is in, and the message asks to join")
	}
	play(2)
	w.wait("the third round", func() bool { return host.Event(w.tournament()).Round() == 3 })
	e := w.tournament()
	ben, _ := host.PlayerIn(e, w.benID)
	for round, plays := range []bool{true, false, true} {
		if got := slices.ContainsFunc(e.Games, func(g storage.TournamentGame) bool {
			return g.Round == round+1 && g.Match != 0 && (g.First == ben.Seed || g.Second == ben.Seed)
		}); got != plays {
			t.Errorf("Ben plays in round %d: %t", round+1, got)
		}
	}
	w.pressCard(w.ben, "lobby.leave")
	if _, asks := buttons(w.shownCard())["Join"]; asks {
		t.Error("nobody can come back for another round, and the message asks to join")
	}
	if _, err := w.host.JoinTournament(t.Context(), host.Actor{Person: ben.Person, Interaction: "late"}, e.ID); !errors.Is(err, host.ErrTournamentBegun) {
		t.Errorf("coming back after the last pairing: %v", err)
	}
}

// allTournaments returns all tournaments, the newest first.
func (s *scenario) allTournaments() (all []storage.Tournament) {
	s.t.Helper()
	must(s.t, s.store.View(s.t.Context(), func(r storage.Reader) error {
		ids, err := r.Tournaments("", 1000)
		for _, id := range ids {
			var t storage.Tournament
			if err == nil {
				t, err = r.Tournament(id)
			}
			all = append(all, t)
		}
		return err
	}))
	slices.SortFunc(all, func(a, b storage.Tournament) int { return int(b.ID - a.ID) })
	return all
}

// isTournament reports whether a message shows a tournament.
func (s *scenario) isTournament(r storage.Reader, message string) bool {
	ids, err := r.Tournaments("", 1000)
	must(s.t, err)
	return slices.ContainsFunc(ids, func(id storage.TournamentID) bool {
		t, err := r.Tournament(id)
		return err == nil && t.Message == message
	})
}

// clickTournament has a person press a button of a tournament until that arrives.
func (s *scenario) clickTournament(p *sandbox.Person, id storage.TournamentID, verb string, is func(storage.Tournament) bool) {
	for came := false; !came; {
		s.catchUp()
		t, err := s.host.Tournament(s.t.Context(), id)
		must(s.t, err)
		m, ok := s.shown(p, t.Message)
		if !ok {
			return // Discord said that it is gone
		}
		_, came = s.clicks(p, m, "/"+verb)
		s.expect(came, "a tournament, after "+verb, func(r storage.Reader) (bool, error) {
			now, err := r.Tournament(id)
			return is(now), err
		})
	}
}

// playTournament announces a tournament that three people join and leave again, but for
// one; then it is called off.
func (s *scenario) playTournament() {
	before := len(s.allTournaments())
	s.command(s.anna, "tournament", sandbox.Sub("create", sandbox.Opt("game", "trails"), sandbox.Opt("format", "robin"), sandbox.Opt("start", 1440), sandbox.Opt("clock", "7d")))
	all := s.allTournaments()
	if len(all) == before {
		return
	}
	id := all[0].ID
	in := func(p *sandbox.Person) func(storage.Tournament) bool {
		return func(t storage.Tournament) bool {
			_, in := host.PlayerIn(t, p.ID())
			return in
		}
	}
	s.clickTournament(s.ben, id, "join", func(storage.Tournament) bool { return true }) // he leaves again
	s.clickTournament(s.chloe, id, "join", in(s.chloe))
	s.clickTournament(s.ben, id, "leave", func(t storage.Tournament) bool { return !in(s.ben)(t) })
	for came := false; !came; {
		s.catchUp()
		t, err := s.host.Tournament(s.t.Context(), id)
		must(s.t, err)
		m, ok := s.shown(s.anna, t.Message)
		if !ok {
			return
		}
		press, _ := s.clicks(s.anna, m, "/organise")
		if panel, ok := s.reply(s.anna, press); ok && bottest.Find(panel, "/cancel") != "" {
			_, came = s.clicks(s.anna, panel, "/cancel")
		}
	}
	s.expect(true, "a tournament, called off", func(r storage.Reader) (bool, error) {
		now, err := r.Tournament(id)
		return now.State == storage.TournamentCancelled, err
	})
}
