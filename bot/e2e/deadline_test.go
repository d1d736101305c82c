package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// advanceClock rests, and advances the clock without running the reconciler.
func (w *world) advanceClock(d time.Duration) {
	w.t.Helper()
	w.rest()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// restart restarts the bot with the world's present configuration, and rests.
func (w *world) restart() {
	w.t.Helper()
	w.stopBot()
	w.startBot()
	w.rest()
}

// edits returns how often a message of the channel has been edited.
func (w *world) edits() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.sent {
		if x.Method == "PATCH" && x.Route == "/channels/{channel_id}/messages/{message_id}" {
			n++
		}
	}
	return n
}

func TestChallengeExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offer()
	wantText(t, offer, "expires <t:1777723200:R>")
	// The challenge has expired, whether or not the reconciler has recorded it.
	w.advanceClock(host.ChallengeLifetime)
	for _, label := range []string{"Accept", "Decline", "Cancel"} {
		who := map[bool]*sandbox.Person{true: w.anna, false: w.ben}[label == "Cancel"]
		w.answered(who.Click(w.channel, offer.ID, w.press(offer, label)))
		w.wantPrivate(who, "This challenge expired")
	}
	notified := w.ben.Mentions(w.channel)
	w.pass(0)
	now := func() sandbox.Message { return w.message(w.ben, offer.ID) }
	w.wait("the challenge to say so", func() bool {
		return strings.Contains(text(now()), "Anna’s challenge to Ben (Trails and Towers) has expired")
	})
	if got := buttons(now()); len(got) != 0 {
		t.Errorf("it still has the buttons %v", got)
	}
	// The message is edited once, and notifies nobody.
	edits := w.edits()
	for range 3 {
		w.pass(time.Hour)
	}
	w.restart()
	if w.edits() != edits || w.ben.Mentions(w.channel) != notified {
		t.Errorf("%d edits after %d, %d notifications after %d", w.edits(), edits, w.ben.Mentions(w.channel), notified)
	}
	// A challenge that was answered in time does not expire.
	w.challenge()
	w.pass(2 * host.ChallengeLifetime)
	w.restart()
	if got := w.transcript(w.chloe); strings.Count(got, "has expired") != 1 {
		t.Errorf("the channel reads:\n%s", got)
	}
}

func TestClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	w.answered(w.ben.Command(w.channel, "claim"))
	w.wantPrivate(w.ben, "Anna has until <t:1778241600:f>")
	w.answered(w.anna.Command(w.channel, "claim"))
	w.wantPrivate(w.anna, "If you do not move by <t:1778241600:f>")

	anna, ben := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)
	w.pass(host.ClaimAfter)
	w.wait("a board with a way to claim", func() bool {
		all := w.boards(w.anna)
		return len(all) == 1 && buttons(all[0])["Claim"] != ""
	})
	board := w.board()
	wantText(t, board, "Anna has not moved for seven days")
	if w.anna.Mentions(w.channel) != anna+1 || w.ben.Mentions(w.channel) != ben {
		t.Errorf("%d and %d notifications", w.anna.Mentions(w.channel)-anna, w.ben.Mentions(w.channel)-ben)
	}
	// There is one reminder in each turn.
	w.pass(host.ClaimAfter)
	w.restart()
	if w.board().ID != board.ID {
		t.Error("there is another board")
	}
	for _, c := range []struct {
		who  *sandbox.Person
		says string
	}{{w.chloe, "are not playing in this match"}, {w.anna, "until you move"}} {
		w.answered(c.who.Click(w.channel, board.ID, w.press(board, "Claim")))
		w.wantPrivate(c.who, c.says)
	}
	w.answered(w.ben.Click(w.channel, board.ID, w.press(board, "Claim")))
	ask := w.private(w.ben)
	wantText(t, ask, "Claim the win?")
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "Keep waiting")))
	w.answered(w.ben.Command(w.channel, "claim"))
	ask = w.private(w.ben)
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "Claim the win")))
	end := w.board()
	if got := text(end); !strings.Contains(got, "<@"+w.annaID+"> did not move for seven days.") || !strings.Contains(got, "<@"+w.benID+">** claimed the match") || !onlyRematch(end) {
		t.Errorf("the end: %s %v", got, buttons(end))
	}
	if w.anna.Mentions(w.channel) != anna+2 || w.ben.Mentions(w.channel) != ben {
		t.Errorf("the end tells Anna %d times, Ben %d times", w.anna.Mentions(w.channel)-anna-1, w.ben.Mentions(w.channel)-ben)
	}
	if got := w.transcript(w.chloe); strings.Count(got, "claimed the match") != 2 { // on the last board, and in the line of the collapsed one
		t.Errorf("the channel reads:\n%s", got)
	}
}

func TestMoveBeforeClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	w.advanceClock(host.ClaimAfter)
	w.answered(w.ben.Command(w.channel, "claim"))
	ask := w.private(w.ben)
	w.move(w.anna, "right")
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "Claim the win")))
	w.wantPrivate(w.ben, "has moved on")
	if got := buttons(w.board()); got["Claim"] != "" {
		t.Errorf("the new board has the buttons %v", got)
	}
}

// A claim before both have moved aborts the match.
func TestClaimAbortsUnstartedMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.move(w.anna, "right")
	w.advanceClock(host.ClaimAfter)
	w.answered(w.anna.Command(w.channel, "claim"))
	ask := w.private(w.anna)
	wantText(t, ask, "only be called off")
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "Call it off")))
	w.wantPrivate(w.anna, "called off")
	wantText(t, w.board(), "It has no result")
}

func TestClaimRemovesPlayer(t *testing.T) {
	t.Parallel()
	p := newLobbyWorld(t)
	p.open(sandbox.Opt("players", 3))
	p.click(ben, "Join")
	p.click(chloe, "Join")
	p.expectNotified("the start", p.order()[0])
	seats := p.order()
	p.advanceClock(host.ClaimAfter)
	p.answered(p.people[seats[2]].Command(p.channel, "claim"))
	ask := p.private(p.people[seats[2]])
	p.answered(p.people[seats[2]].Click(p.channel, ask.ID, p.press(ask, "Remove them")))
	p.wantPrivate(p.people[seats[2]], "The others play on")
	p.expectNotified("the next turn", seats[1])
	board := text(p.board())
	if !strings.Contains(board, "was removed after not moving for seven days") || !strings.Contains(board, "<@"+p.ids[seats[1]]+"> to move · <t:1778241600:R>") {
		t.Errorf("the board: %s", board)
	}
	p.answered(p.people[seats[0]].Command(p.channel, "claim"))
	p.wantPrivate(p.people[seats[0]], "left this match")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits = host.Limits{MadeByPerson: 3, OpenByPerson: 2, Running: 1}
	w.restart()
	w.challenge()
	resigned := func() {
		t.Helper()
		w.resigns(w.anna, "Call it off")
	}
	again := func() {
		t.Helper()
		w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
	}
	again()
	w.wantPrivate(w.anna, "You are already playing 1 matches")
	resigned()
	again()
	again()
	again()
	w.wantPrivate(w.anna, "2 of your challenges are waiting for an answer")
	offer := w.offerMessage()
	w.answered(w.anna.Click(w.channel, offer.ID, w.press(offer, "Cancel"))) // cancelling is never limited
	again()
	w.wantPrivate(w.anna, "You can make another <t:1777637400:R>")
	w.advanceClock(10 * time.Minute)
	again()
	w.wantPrivate(w.anna, "Ben has been asked")
}

func TestFlood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.flood = interaction.Flood{Burst: 4, Rate: 1}
	w.restart()
	w.challenge()
	for range 3 {
		w.answered(w.anna.Command(w.channel, "board", sandbox.Opt("text", true)))
	}
	boards := w.board().ID
	w.answered(w.anna.Command(w.channel, "board"))
	w.wantPrivate(w.anna, "That is too fast for me. Try again <t:1777636802:R>.")
	if w.board().ID != boards {
		t.Error("it was carried out all the same")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for n := range 22 {
		choices, err := w.anna.Autocomplete(ctx, w.channel, "move", sandbox.Focused("turn", "r"))
		must(t, err)
		if (len(choices) > 0) != (n < 20) {
			t.Fatalf("question %d for suggestions: %v", n+1, choices)
		}
	}
	w.resigns(w.anna, "Call it off")
	w.wantPrivate(w.anna, "called off")
	w.advanceClock(2 * time.Second)
	w.answered(w.anna.Command(w.channel, "board"))
	w.wantPrivate(w.anna, "called off the match")
}

// run lets time pass in which the bot is in contact with Discord.
func (w *world) run(d time.Duration) {
	w.t.Helper()
	w.advanceClock(d)
	must(w.t, w.store.Update(context.Background(), func(tx storage.Tx) error { return tx.RecordContact(w.now()) }))
	w.pass(0)
}

func TestClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerOf("trails", sandbox.Opt("first", "me"), sandbox.Opt("clock", "1d"))
	wantText(t, offer, "1 day a turn")
	w.accept(offer)
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	wantText(t, w.board(), "<@"+w.annaID+"> to move · time runs out <t:1777723200:R>")
	w.answered(w.ben.Command(w.channel, "claim"))
	w.wantPrivate(w.ben, "if Anna does not move, they lose when their time runs out <t:1777723200:R>")
	w.answered(w.anna.Command(w.channel, "games"))
	w.wantPrivate(w.anna, "time runs out <t:1777723200:R>")

	// One reminder at a quarter of the time, also after a restart.
	anna, ben, first := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel), w.board().ID
	w.run(18*time.Hour - time.Second)
	w.wantMentions(w.anna, anna, 0)
	w.run(time.Second)
	w.wait("a reminder", func() bool { return w.anna.Mentions(w.channel) == anna+1 && len(w.boards(w.anna)) == 1 })
	if w.board().ID == first {
		t.Error("there is no new board")
	}
	w.restart()
	w.run(6*time.Hour - time.Second)
	w.wantMentions(w.anna, anna, 1)

	// Whether or not the reconciler has come by, the time is up.
	w.advanceClock(time.Second)
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	w.wantPrivate(w.anna, "Your time ran out <t:1777723200:R>")
	w.answered(w.ben.Command(w.channel, "resign"))
	ask := w.private(w.ben)
	w.answered(w.ben.Click(w.channel, ask.ID, w.press(ask, "Resign")))
	w.wantPrivate(w.ben, "Anna ran out of time")
	w.pass(0)
	w.wait("the end", func() bool { return len(w.boards(w.chloe)) == 1 && onlyRematch(w.board()) })
	wantText(t, w.board(), "<@"+w.benID+">** wins: ", "<@"+w.annaID+"> ran out of time.")
	w.wantMentions(w.anna, anna, 2)
	w.wantMentions(w.ben, ben, 1)
	w.restart()
	w.run(24 * time.Hour)
	if got := w.transcript(w.chloe); strings.Count(got, "ran out of time") != 2 { // on the last board, and in the line of the collapsed one
		t.Errorf("the channel reads:\n%s", got)
	}
	w.answered(w.ben.Click(w.channel, w.board().ID, w.press(w.board(), "Rematch")))
	wantText(t, w.offerMessage(), "1 day a turn")
}

func TestDirectReminder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered(w.anna.Command(w.channel, "preferences"))
	m := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "By direct message")))
	w.startWith("trails", sandbox.Opt("clock", "2d+1h/4d"))
	board := w.board()
	wantText(t, board, "has 2 days left")
	direct, err := w.anna.DirectMessages()
	must(t, err)
	w.run(36 * time.Hour)
	for range 2 { // once
		w.wait("the reminder", func() bool { return len(w.anna.Messages(direct)) == 1 })
		wantText(t, w.anna.Messages(direct)[0], "It is your turn in match 1", "with Ben", "Your time runs out <t:1777809600:R>", board.ID)
		if w.board().ID != board.ID {
			t.Error("there is a new board")
		}
		w.restart()
		w.run(time.Hour)
	}
}
