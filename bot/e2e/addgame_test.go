package e2e_test

import (
	"bytes"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"castellan/bot/sandbox"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// drawCounters is a painter's drawing as docs/adding-a-game.md describes it:
// the piles of the sample game as rows of counters, and its players' cards.
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

// withSample is a world whose bot hosts the sample game too: the game and its
// painter are all that it is given.
func withSample(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.stopBot()
	w.more = []hosted{{sample.Game{}, imaging.Plain(sample.Key, 1200, 900, drawCounters)}}
	w.startBot()
	return w
}

// A game that the bot has never heard of conforms, is registered, is
// challenged to, drawn, and played to its end, and its rules can be read. This
// is docs/adding-a-game.md, followed.
func TestAGameIsAddedByItsFolderPainterAndOneLine(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, sample.Game{})
	w := withSample(t)

	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(sample.Key, sandbox.Opt("opponent", w.benID),
		sandbox.Opt("piles", 2), sandbox.Opt("counters", 4))))
	offer := w.offerMessage()
	if got := text(offer); !strings.Contains(got, "Counters") || !strings.Contains(got, "counters 4") {
		t.Errorf("the challenge says %q", got)
	}
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

	// Nine counters minus one: every kind of turn there is. The ends and
	// passes that are formalities are played by themselves.
	for i, turn := range []string{
		"a2 b1", // a whole turn, its end left out
		"a1",    // one action of several
		"end",
		"b2 end",
		"a b", // the last counters, in short form: all pass
	} {
		by := w.player(1) // the seats are drawn by lot
		w.move(by, turn)
		if got := text(w.private(by)); !strings.Contains(got, "layed") {
			t.Fatalf("move %d, %s: %s", i+1, turn, got)
		}
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
	if got := text(w.private(w.chloe)); !strings.Contains(got, "Take the most counters") {
		t.Errorf("the rules: %s", got)
	}
}

// seen is the picture of a message as a client fetches it, and its
// description.
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
