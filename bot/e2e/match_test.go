package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offer()
	w.wantMentions(w.ben, 0, 1)
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
	w.wantMentions(w.anna, 0, 1)

	// Turns are played by button and by command alternately.
	people := []*sandbox.Person{w.anna, w.ben}
	notified := []int{w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)}
	turns := strings.Fields(winningMatch)[:6]
	for i, turn := range turns {
		mover, next := i%2, (i+1)%2
		if i%4 < 2 {
			w.click(people[mover], "trails.step."+turn)
		} else {
			w.move(people[mover], turn)
		}
		notified[next]++
		for j, p := range people {
			if got := p.Mentions(w.channel); got != notified[j] {
				t.Fatalf("after turn %d, %s: %d notifications of player %d, not %d", i+1, turn, got, j+1, notified[j])
			}
		}
	}
	w.wantMentions(w.chloe, 0, 0)
	// The collapsed boards list the turns.
	all := w.transcript(w.chloe)
	for _, line := range []string{"1. ● Anna: **right**", "4. ◆ Ben: **up**", "6. ◆ Ben: **left**"} {
		if !strings.Contains(all, line) {
			t.Errorf("the channel does not say %q:\n%s", line, all)
		}
	}
	wantText(t, w.board(), "board.turn")
}

// /record gives the match as a file, and opens it again for anybody, anywhere.
// The message carries the file, so that paging needs nothing stored.
func TestRecordFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	turns := strings.Fields(winningMatch)
	for i, turn := range turns {
		w.move([]*sandbox.Person{w.anna, w.ben}[i%2], turn)
	}
	given := w.command(w.ben, "record", sandbox.Opt("match", 1))
	wantText(t, given, "record.given")
	data := w.file(given)
	for _, line := range []string{"Castellan record 1\n", "Seat 1 (blue): Anna\n", "7. blue: down\n", "Result: won by seat 1"} {
		if !strings.Contains(string(data), line) {
			t.Errorf("no %q in\n%s", line, data)
		}
	}
	elsewhere := sandbox.DefaultWorld().Channels[1].ID
	open := func(data []byte) api.Message {
		t.Helper()
		id, err := w.chloe.Upload("match.txt", data)
		must(t, err)
		w.answered(w.chloe.Command(elsewhere, "record", sandbox.Opt("file", id)))
		all := w.chloe.Messages(elsewhere)
		return all[len(all)-1]
	}
	m := open(data)
	wantText(t, m, "After turn 7 of 7 · Trails and Towers: Anna – Ben", "● **Anna** wins against ◆ Ben", "\n● Anna: **down**")
	seen := map[string]bool{}
	for n := len(turns) - 1; n >= 0; n-- {
		w.answered(w.chloe.Click(elsewhere, m.ID, w.press(m, "games.back")))
		all := w.chloe.Messages(elsewhere)
		m = all[len(all)-1]
		wantText(t, m, fmt.Sprintf("After turn %d of 7", n))
		picture, _ := w.seen(m)
		seen[picture] = true
	}
	if len(seen) != len(turns) || string(w.file(m)) != string(data) {
		t.Errorf("%d pictures of %d turns; the message has the file %q", len(seen), len(turns), w.file(m))
	}
	wantText(t, open(bytes.Replace(data, []byte("\nChecksum: "), []byte("\n; "), 1)), "record.unverified")
	wantText(t, open([]byte("\x89PNG")), "error.record")
	if _, err := w.host.Match(t.Context(), 2); !errors.Is(err, host.ErrNoMatch) {
		t.Errorf("an opened record is stored: %v", err)
	}
}

func (w *world) file(m api.Message) (data []byte) {
	w.t.Helper()
	bottest.Each(m, func(c api.Component) {
		if c.Type == api.ComponentFile {
			f, ok := w.chat.Attachment(c.File.AttachmentID)
			if !ok {
				w.t.Fatalf("the file of message %s is gone", m.ID)
			}
			data = f.Data
		}
	})
	return data
}

// winningMatch is a short match on seven by seven with one tower, on d4, that
// Blue wins by taking it: a7 b7 d7 d6 d4.
const winningMatch = "right left right up down left down"

func TestSuggestionsByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	choices, err := w.anna.Autocomplete(ctx, w.channel, "move", sandbox.Focused("turn", "r"))
	must(t, err)
	if len(choices) != 1 || choices[0].Value != "right" || !strings.HasPrefix(choices[0].Name, "right · ") {
		t.Fatalf("suggestions for r: %v", choices)
	}
	w.move(w.anna, choices[0].Name)
	if got := w.transcript(w.ben); !strings.Contains(got, "1. ● Anna: **right**") {
		t.Errorf("the name of a suggestion was not played:\n%s", got)
	}
	if choices, err = w.anna.Autocomplete(ctx, w.channel, "move", sandbox.Focused("turn", "")); err != nil || len(choices) != 1 || !strings.Contains(choices[0].Name, "Ben") {
		t.Errorf("suggestions out of turn: %v, %v", choices, err)
	}
	if choices, err = w.ben.Autocomplete(ctx, w.channel, "resign", sandbox.Focused("match", "")); err != nil || len(choices) != 1 {
		t.Errorf("suggestions for the match: %v, %v", choices, err)
	}
}
