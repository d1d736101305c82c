package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/gif"
	"slices"
	"strings"
	"testing"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/engine/record"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offer()
	w.wantMentions(w.ben, 0, 1)
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	w.wantMentions(w.anna, 0, 1)

	// Turns are played by button and by command alternately.
	people := []*sandbox.Person{w.anna, w.ben}
	notified := []int{w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)}
	turns := strings.Fields(winningMatch)[:6]
	for i, turn := range turns {
		mover, next := i%2, (i+1)%2
		if i%4 < 2 {
			w.click(people[mover], strings.ToUpper(turn[:1])+turn[1:])
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
	m := w.board()
	if !strings.Contains(text(m), "to move") {
		t.Errorf("the board does not say whose turn it is: %s", text(m))
	}
}

func TestEndNotifiesOpponent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	for i, turn := range strings.Fields(winningMatch) {
		w.move([]*sandbox.Person{w.anna, w.ben}[i%2], turn)
	}
	m := w.board()
	if !strings.Contains(text(m), "wins") || !onlyRematch(m) {
		t.Errorf("the last board says %q with buttons %v", text(m), buttons(m))
	}
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "up")))
	w.wantPrivate(w.anna, "no match in this channel")
}

// The end of a match shows the score, and nothing of the turn that was to play.
func TestFinalStatus(t *testing.T) {
	t.Parallel()
	for game, words := range map[string][2]string{"towers": {"move points left", "Reserve: "}, "stone-towers": {"Turn 1 of", "Squares: "}} {
		w := newWorld(t)
		w.startWith(game)
		wantText(t, w.board(), words[0])
		w.resigns(w.anna, "Call it off")
		w.answered(w.anna.Command(w.channel, "board"))
		for _, m := range []sandbox.Message{w.board(), w.private(w.anna)} {
			_, alt := w.seen(m)
			if shown := text(m) + alt; strings.Contains(shown, words[0]) || !strings.Contains(shown, words[1]) {
				t.Errorf("%s: %s", game, shown)
			}
		}
	}
}

// Replay under a finished match shows a frame for each turn to one person, who
// can post it. Nobody is notified.
func TestReplayPosted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	for i, turn := range strings.Fields(winningMatch) {
		w.move([]*sandbox.Person{w.anna, w.ben}[i%2], turn)
	}
	replay := func(m sandbox.Message) (data []byte) {
		t.Helper()
		each(m, func(c sandbox.Component) {
			for _, item := range c.Items {
				f, ok := w.chat.Attachment(item.Media.AttachmentID)
				g, err := gif.DecodeAll(bytes.NewReader(f.Data))
				if !ok || err != nil || len(g.Image) != 8 || !strings.HasPrefix(*item.Description, "A replay of 7 turns. The end: Trails and Towers") {
					t.Fatalf("a file %t with %d bytes, %v, %q", ok, len(f.Data), err, *item.Description)
				}
				data = f.Data
			}
		})
		return data
	}
	final := w.board()
	mentions := w.anna.Mentions(w.channel)
	w.answered(w.chloe.Click(w.channel, final.ID, w.press(final, "Replay")))
	seen := w.private(w.chloe)
	private := replay(seen)
	w.answered(w.chloe.Click(w.channel, seen.ID, w.press(seen, "Post it here")))
	w.wantPrivate(w.chloe, "I have posted the replay.")
	all := w.ben.Messages(w.channel)
	posted := all[len(all)-1]
	wantText(t, posted, "wins against", "Ratings:", "match 1")
	if !bytes.Equal(replay(posted), private) {
		t.Error("another picture is posted")
	}
	w.wantMentions(w.anna, mentions, 0)
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
	w.answered(w.ben.Command(w.channel, "record", sandbox.Opt("match", 1)))
	w.wantPrivate(w.ben, "The record of match 1, Trails and Towers")
	data := w.file(w.private(w.ben))
	for _, line := range []string{"Castellan record 1\n", "Seat 1 (blue): Anna\n", "7. blue: down\n", "Result: won by seat 1"} {
		if !strings.Contains(string(data), line) {
			t.Errorf("no %q in\n%s", line, data)
		}
	}
	elsewhere := sandbox.DefaultWorld().Channels[1].ID
	open := func(data []byte) sandbox.Message {
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
		w.answered(w.chloe.Click(elsewhere, m.ID, buttons(m)["◀"]))
		all := w.chloe.Messages(elsewhere)
		m = all[len(all)-1]
		wantText(t, m, fmt.Sprintf("After turn %d of 7", n))
		picture, _ := w.seen(m)
		seen[picture] = true
	}
	if len(seen) != len(turns) || string(w.file(m)) != string(data) {
		t.Errorf("%d pictures of %d turns; the message has the file %q", len(seen), len(turns), w.file(m))
	}
	unsealed := strings.SplitAfter(string(data), "\n")
	unsealed = slices.DeleteFunc(unsealed, func(line string) bool { return strings.HasPrefix(line, "Digest") })
	wantText(t, open([]byte(strings.Join(unsealed, ""))), "After turn 7 of 7", "no checksum")
	for _, c := range []struct{ data, says string }{
		{strings.Replace(string(data), "4. red: up", "4. red: sideways", 1), `turn 4: “sideways”`},
		{strings.Replace(string(data), "Anna", "Hanna", 1), "The record was altered"},
		{"\x89PNG", "Line 1: The line is not UTF-8 text."},
		{strings.Repeat("; x\n", record.MaxBytes/4+1), "at most 1024 KiB"},
	} {
		wantText(t, open([]byte(c.data)), c.says)
	}
	if _, err := w.host.Match(t.Context(), 2); !errors.Is(err, host.ErrNoMatch) {
		t.Errorf("an opened record is stored: %v", err)
	}
}

// file returns the file that a message offers.
func (w *world) file(m sandbox.Message) (data []byte) {
	w.t.Helper()
	each(m, func(c sandbox.Component) {
		if c.Type == sandbox.ComponentFile {
			f, ok := w.chat.Attachment(c.Media.AttachmentID)
			if !ok {
				w.t.Fatalf("the file of message %s is gone", m.ID)
			}
			data = f.Data
		}
	})
	return data
}

func TestIllegalMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.board()
	for _, c := range []struct{ turn, says string }{
		{"rigth", "Did you mean `right`"},
		{"up", "edge"},
		{"right right", "ends before it"},
		{"  ", "Type a move"},
	} {
		w.move(w.anna, c.turn)
		w.wantPrivate(w.anna, c.says)
		if now := w.board(); now.ID != before.ID {
			t.Errorf("%q posted a board", c.turn)
		}
	}
	w.move(w.ben, "left")
	w.wantPrivate(w.ben, "It is Anna’s turn", before.ID)
	w.answered(w.chloe.Click(w.channel, before.ID, w.press(before, "Right")))
	w.wantPrivate(w.chloe, "You are not playing in this match")
}

func TestOutdatedButton(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	old := w.board()
	// The old board cannot be collapsed at first, so its buttons stay.
	w.chat.FailNext("PATCH", "/channels/{channel_id}/messages/{message_id}", 500, 0, "Internal Server Error")
	w.move(w.anna, "right")
	all := w.boards(w.anna)
	if len(all) != 2 {
		t.Fatalf("%d boards, not 2", len(all))
	}
	w.answered(w.ben.Click(w.channel, old.ID, w.press(old, "Down")))
	w.wantPrivate(w.ben, "moved on", all[1].ID)
	w.pass(host.Backoff(0))
	w.wait("the old board to collapse", func() bool { return len(w.boards(w.anna)) == 1 })
	w.click(w.ben, "Left")
}

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
	if choices, err = w.anna.Autocomplete(ctx, w.channel, "move", sandbox.Focused("turn", "")); err != nil || len(choices) != 1 || !strings.Contains(choices[0].Name, "It is Ben’s turn") {
		t.Errorf("suggestions out of turn: %v, %v", choices, err)
	}
	if choices, err = w.ben.Autocomplete(ctx, w.channel, "resign", sandbox.Focused("match", "")); err != nil || len(choices) != 1 {
		t.Errorf("suggestions for the match: %v, %v", choices, err)
	}
}

func TestSeveralMatchesInOneChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.challenge()
	choices, err := w.anna.Autocomplete(t.Context(), w.channel, "move", sandbox.Focused("turn", ""))
	if err != nil || len(choices) != 1 || !strings.Contains(choices[0].Name, "your turn in 2 matches") {
		t.Errorf("suggestions in two matches: %v, %v", choices, err)
	}
	w.move(w.anna, choices[0].Name) // as many clients send back a suggestion
	panels := w.private(w.anna)
	wantText(t, panels, "In which match do you want to move?")
	w.answered(w.anna.Click(w.channel, panels.ID, w.press(panels, "2 ")))
	w.wantPrivate(w.anna, "**Your turn** in match 2")
	choices, err = w.anna.Autocomplete(t.Context(), w.channel, "move", sandbox.Focused("turn", "r"))
	if err != nil || len(choices) != 1 {
		t.Fatalf("suggestions in two matches: %v, %v", choices, err)
	}
	w.move(w.anna, choices[0].Name)
	w.wantPrivate(w.anna, "In which match do you want to play **r**?")
	w.move(w.anna, "r") // legal in both matches, so the bot asks for which
	ask := w.private(w.anna)
	wantText(t, ask, "In which match do you want to play **r**?")
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "2 ")))
	if v := w.view(2); v.Match.Seq() != 1 {
		t.Errorf("match 2 has %d entries", v.Match.Seq())
	}
	w.move(w.anna, "down") // only one match waits now
	w.move(w.ben, "left")
	w.wantPrivate(w.ben, "In which match")
	if got := len(w.boards(w.chloe)); got != 2 {
		t.Errorf("%d boards for two matches", got)
	}
}

func TestChallengeAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offer()
	w.answered(w.chloe.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	w.wantPrivate(w.chloe, "for Ben")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Cancel")))
	w.wantPrivate(w.ben, "Only Anna")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Decline")))
	if got := w.transcript(w.chloe); !strings.Contains(got, "Ben declined") {
		t.Errorf("declined:\n%s", got)
	}
	offer = w.offer()
	w.answered(w.anna.Click(w.channel, offer.ID, w.press(offer, "Cancel")))
	if got := w.transcript(w.chloe); !strings.Contains(got, "Anna withdrew") {
		t.Errorf("cancelled:\n%s", got)
	}
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.annaID))))
	w.wantPrivate(w.anna, "cannot challenge yourself")
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails",
		sandbox.Opt("opponent", w.benID), sandbox.Opt("size", 5), sandbox.Opt("towers", 9))))
	w.wantPrivate(w.anna, "do not fit")
}

func TestBoardCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	first, mentions := w.board(), w.anna.Mentions(w.channel)
	w.answered(w.chloe.Command(w.channel, "board"))
	second := w.board()
	if second.ID == first.ID {
		t.Error("no new board was posted")
	}
	if got := w.anna.Mentions(w.channel); got != mentions {
		t.Error("a board once more notified somebody")
	}
	w.answered(w.anna.Command(w.channel, "board", sandbox.Opt("text", true)))
	w.wantPrivate(w.anna, "Anna can go")
	w.click(w.anna, "Right") // the new board's buttons work
}

func TestResignAsksFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.resigns(w.ben, "Keep playing")
	if len(buttons(w.board())) == 0 {
		t.Fatal("the match has ended")
	}
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	w.resigns(w.ben, "Resign")
	wantText(t, w.board(), "resigned", w.annaID)
}

func TestAbort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.move(w.anna, "right")
	w.resigns(w.anna, "Call it off")
	wantText(t, w.board(), "called off the match with")
}

// winningMatch is a short match on seven by seven with one tower, on d4, that
// Blue wins by taking it: a7 b7 d7 d6 d4.
const winningMatch = "right left right up down left down"
