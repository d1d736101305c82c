package e2e_test

import (
	"bytes"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"castellan/bot/host"
	"castellan/bot/host/verify"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/storage"
)

// drawCounters draws the sample game as docs/adding-a-game.md describes it: the
// piles as rows of counters, and the players' cards.
func drawCounters(d *imaging.Drawing, p *sample.Position) {
	d.Cards(2, 820, 40, 340)
	row := 0
	for _, line := range p.Describe() {
		name, counters, ok := strings.Cut(line.String(), " ")
		if len(name) != 1 || ok && strings.Trim(counters, " o") != "" {
			continue // a sentence, not a pile
		}
		y := 100 + 160*float64(row)
		row++
		d.SetColor(d.Theme.Dim)
		d.Write(name, 60, y, 36, draw.Middle)
		d.SetColor(d.Theme.Neutral)
		for i := range strings.Count(counters, "o") {
			d.DrawCircle(150+110*float64(i), y, 44)
			d.Fill()
		}
	}
}

// withSample returns a world whose bot hosts the sample game too.
func withSample(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.stopBot()
	w.extraGames = []hostedGame{{sample.Game{}, imaging.Plain(sample.Key, 1200, 900, drawCounters)}}
	w.startBot()
	return w
}

// TestAddGame follows docs/adding-a-game.md: a new game conforms, is
// registered, challenged to, drawn and played to its end, and its rules can be
// read.
func TestAddGame(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, sample.Game{})
	w := withSample(t)

	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(sample.Key, sandbox.Opt("opponent", w.benID),
		sandbox.Opt("piles", 2), sandbox.Opt("counters", 4))))
	offer := w.offerMessage()
	wantText(t, offer, "Counters", "counters 4")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	pictures := map[string]bool{}
	look := func() {
		t.Helper()
		picture, words := w.seen(w.board())
		if !strings.Contains(words, "left. Scores: ") {
			t.Errorf("the picture is described as %q", words)
		}
		pictures[picture] = true
	}
	look()

	// Nine counters minus one, and every kind of turn. Ends and passes that are
	// formalities are played automatically.
	for _, turn := range []string{
		"a2 b1", // a whole turn, its end left out
		"a1",    // one action of several
		"end",
		"b2 end",
		"a b", // the last counters, in short form: all pass
	} {
		by := w.player(1) // the seats are drawn by lot
		w.move(by, turn)
		if ask := w.private(by); strings.Contains(text(ask), "You lose with this turn.") {
			w.answered(by.Click(w.channel, ask.ID, w.press(ask, "Play it")))
		}
		w.wantPrivate(by, "layed")
		look()
	}
	end := text(w.board())
	if !strings.Contains(end, "wins against") || !strings.Contains(end, "Everybody has passed.") || !onlyRematch(w.board()) {
		t.Errorf("the last board says %q with buttons %v", end, buttons(w.board()))
	}
	if all := w.transcript(w.chloe); !strings.Contains(all, ": **a2 b1**") {
		t.Errorf("the channel does not read like a score sheet:\n%s", all)
	}
	if len(pictures) < 5 {
		t.Errorf("%d different pictures of six positions", len(pictures))
	}
	w.answered(w.chloe.Command(w.channel, "rules", sandbox.Opt("game", sample.Key)))
	w.wantPrivate(w.chloe, "Take the most counters")
}

// seen fetches the picture of a message as a client does, and returns it with
// its description.
func (w *world) seen(m sandbox.Message) (picture, description string) {
	w.t.Helper()
	each(m, func(c sandbox.Component) {
		for _, item := range c.Items {
			answer, err := http.Get(item.Media.URL)
			must(w.t, err)
			defer answer.Body.Close()
			data, err := io.ReadAll(answer.Body)
			must(w.t, err)
			_, err = png.DecodeConfig(bytes.NewReader(data))
			must(w.t, err)
			picture = string(data)
			if item.Description != nil {
				description = *item.Description
			}
		}
	})
	return picture, description
}

// hostSample restarts the bot with a version of the sample game, as an upgrade
// does.
func (w *world) hostSample(g sample.Game) {
	w.t.Helper()
	w.stopBot()
	w.extraGames = []hostedGame{{g, imaging.Plain(sample.Key, 1200, 900, drawCounters)}}
	w.startBot()
}

// beginSample starts a match of the sample game between Anna and an opponent.
func (w *world) beginSample(opponent string, options ...sandbox.CommandOption) storage.MatchID {
	w.t.Helper()
	options = append([]sandbox.CommandOption{
		sandbox.Opt("opponent", opponent), sandbox.Opt("piles", 1), sandbox.Opt("counters", 4),
	}, options...)
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(sample.Key, options...)))
	if opponent == w.benID {
		m := w.offerMessage()
		w.answered(w.ben.Click(w.channel, m.ID, w.press(m, "Accept")))
	}
	return w.running()[0].Record.ID
}

// moveIn plays a turn of a match for the player to move.
func (w *world) moveIn(id storage.MatchID, turn string) {
	w.t.Helper()
	p := w.player(id)
	w.answered(p.Command(w.channel, "move", sandbox.Opt("turn", turn), sandbox.Opt("match", int(id))))
	m := w.private(p)
	if yes := buttons(m)["Play it"]; yes != "" { // a turn that loses asks first
		w.answered(p.Click(w.channel, m.ID, yes))
		m = w.private(p)
	}
	if got := text(m); !strings.Contains(got, "layed") {
		w.t.Fatalf("%s in match %d: %s", turn, id, got)
	}
}

// TestMatchesOfTwoVersions plays matches of two versions of a game side by side.
// Each goes on under the rules with which it began, and shows these rules.
func TestMatchesOfTwoVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hostSample(sample.V1)
	old := w.beginSample(w.benID, sandbox.Opt("limit", 2))
	oldMover := *w.player(old)
	w.moveIn(old, "a2")
	oldComputer := w.beginSample(w.chat.ApplicationID(), sandbox.Opt("limit", 2))

	w.hostSample(sample.Game{})
	now := w.beginSample(w.benID, sandbox.Opt("most", 2))
	nowMover := *w.player(now)
	w.moveIn(now, "a1")
	nowComputer := w.beginSample(w.chat.ApplicationID(), sandbox.Opt("most", 2))

	for id, version := range map[storage.MatchID]int{old: 1, oldComputer: 1, now: 2, nowComputer: 2} {
		if v := w.awaitPerson(id); v.Record.RulesVersion != version || v.Match.Game().Version() != version {
			t.Errorf("match %d is played under version %d, want %d", id, v.Match.Game().Version(), version)
		}
		if _, words := w.seen(w.boardOf(id)); !strings.Contains(words, "left. Scores: ") {
			t.Errorf("the picture of match %d is described as %q", id, words)
		}
	}
	// The rules that people read are those of their match.
	w.answered(w.anna.Command(w.channel, "help"))
	help := w.private(w.anna)
	var books []string
	each(help, func(c sandbox.Component) {
		if c.Type == sandbox.ComponentButton {
			books = append(books, c.CustomID)
		}
	})
	if slices.Sort(books); !slices.Equal(books, []string{"rules/sample/1", "rules/sample@1/1"}) {
		t.Errorf("/help leads to the rules %q", books)
	}
	w.answered(w.anna.Click(w.channel, help.ID, "rules/sample@1/1"))
	first := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, first.ID, "rules/sample@1/2"))
	w.wantPrivate(w.anna, "Take from one pile: ")

	// In version 1 taking ends the turn automatically; in version 2 the player
	// chooses.
	if *w.player(old) == oldMover {
		t.Errorf("under version 1 the turn goes on after a taking")
	}
	if *w.player(now) != nowMover {
		t.Errorf("under version 2 a taking ends the turn")
	}
	w.moveIn(old, "a2")
	w.moveIn(now, "a1")
	w.moveIn(now, "a2")
	for _, id := range []storage.MatchID{oldComputer, nowComputer} {
		for {
			v := w.awaitPerson(id)
			if _, over := v.Match.Over(); over {
				break
			}
			w.moveIn(id, anyTurn(v))
		}
	}
	if got := len(w.running()); got != 0 {
		t.Errorf("%d matches go on", got)
	}

	// A rematch of the old match has an option that only version 1 has.
	for id, version := range map[storage.MatchID]int{old: 1, now: 2} {
		place := w.view(id).Record.Place
		_, _, err := w.host.Rematch(t.Context(), host.Actor{Person: w.view(id).Record.Seats[0], Interaction: w.record(id)}, id, place, false)
		must(t, err)
		_, v, err := w.host.Rematch(t.Context(), host.Actor{Person: w.view(id).Record.Seats[1], Interaction: w.record(id) + "!"}, id, place, false)
		must(t, err)
		if v.Record.RulesVersion != version {
			t.Errorf("the rematch of match %d is played under version %d, want %d", id, v.Record.RulesVersion, version)
		}
	}

	games, err := engine.NewRegistry(sample.Game{})
	must(t, err)
	verified, err := verify.Matches(t.Context(), w.store, games, nil)
	must(t, err)
	if verified.Ended != 4 || len(verified.Faults) != 0 {
		t.Errorf("verification: %+v", verified)
	}
	ratings, err := w.host.CheckRatings(t.Context(), nil)
	must(t, err)
	if ratings.Matches != 4 || ratings.Rated != 2 /* those against the computer are not */ || len(ratings.Differences) != 0 {
		t.Errorf("ratings: %+v", ratings)
	}
}
