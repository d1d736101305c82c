package e2e_test

import (
	"bytes"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"castellan/bot/bottest"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/storage"
)

// drawCounters draws the sample game as a painter without sprites does: the
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

// TestAddGame adds a game of several actions a turn: it conforms, is
// registered, challenged to, drawn and played to its end, and its rules can be
// read.
func TestAddGame(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, sample.Game{})
	w := withSample(t)

	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(sample.Key, sandbox.Opt("opponent", w.benID),
		sandbox.Opt("piles", 2), sandbox.Opt("counters", 4))))
	offer := w.offerMessage()
	wantText(t, offer, "Counters", "piles of 4")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
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
	// forced actions are played automatically.
	for _, turn := range []string{
		"a2 b1", // a whole turn, its end left out
		"a1",    // one action of several
		"end",
		"b2 end",
		"a b", // the last counters, in short form: all pass
	} {
		by := w.player(1) // the seats are drawn by lot
		w.move(by, turn)
		if ask := w.private(by); buttons(ask)[english("confirm.yes")] != "" {
			w.answered(by.Click(w.channel, ask.ID, w.press(ask, "confirm.yes")))
		}
		w.wantPrivate(by, "layed")
		look()
	}
	end := bottest.Text(w.board())
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
func (w *world) seen(m api.Message) (picture, description string) {
	w.t.Helper()
	bottest.Each(m, func(c api.Component) {
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
	if got := bottest.Text(m); !strings.Contains(got, "layed") {
		w.t.Fatalf("%s in match %d: %s", turn, id, got)
	}
}
