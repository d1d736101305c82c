package e2e_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/storage/dbtest"
)

// openOffer has Anna make an open challenge, and returns the public message.
func (w *world) openOffer(options ...sandbox.CommandOption) sandbox.Message {
	w.t.Helper()
	options = append([]sandbox.CommandOption{sandbox.Opt("size", 7), sandbox.Opt("towers", 1)}, options...)
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", options...)))
	return w.newest(w.ben, "Join")
}

func TestOpenChallenge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.openOffer(sandbox.Opt("first", "them"))
	wantText(t, m, "wants to play **Trails and Towers** · anyone may join", "whoever joins moves first")
	if got := buttons(m); len(got) != 2 || got["Join"] == "" || got["Cancel"] == "" {
		t.Errorf("buttons %v", got)
	}
	w.wantPrivate(w.anna, "I have posted your open challenge")

	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Join")))
	w.wantPrivate(w.anna, "This is your own challenge")
	w.answered(w.chloe.Click(w.channel, m.ID, w.press(m, "Cancel")))
	w.wantPrivate(w.chloe, "Only Anna can withdraw")

	join := w.press(m, "Join")
	w.answered(w.ben.Click(w.channel, m.ID, join))
	v := w.running()[0]
	if v.Record.Seats[0].ID != w.benID || v.Record.Seats[1].ID != w.annaID {
		t.Errorf("Ben, who joined, moves first: %v", v.Record.Seats)
	}
	wantText(t, w.message(w.anna, m.ID), "Ben accepted Anna’s challenge")
	if a, b := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel); a != 0 || b != 1 {
		t.Errorf("Anna was notified %d times, Ben %d times", a, b)
	}
	w.board()
}

// TestOpenChallengeSimultaneousJoin has two people join at once. The post of the
// board is held, so that the second click arrives before the first is answered.
func TestOpenChallengeSimultaneousJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.openOffer()
	join := w.press(m, "Join")
	open := w.gate("POST", postRoute)
	ids := []string{w.begin(w.ben.Click(w.channel, m.ID, join)), w.begin(w.chloe.Click(w.channel, m.ID, join))}
	w.deferReply()
	w.deferReply()
	w.wait("both acknowledgements", func() bool { return len(w.callbacks(ids[0])) == 1 && len(w.callbacks(ids[1])) == 1 })
	open()
	w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 })
	if n := len(w.running()); n != 1 {
		t.Fatalf("%d matches have begun", n)
	}
	other, name := w.chloe, "Ben"
	if w.running()[0].SeatOf(w.chloeID) != 0 {
		other, name = w.ben, "Chloé"
	}
	w.wait("the word to the other", func() bool {
		all := other.Messages(w.channel)
		return strings.Contains(text(all[len(all)-1]), name+" was quicker")
	})
	notices := w.anna.Mentions(w.channel) + w.ben.Mentions(w.channel) + w.chloe.Mentions(w.channel)
	if notices != 1 || other.Mentions(w.channel) != 0 {
		t.Errorf("%d notifications, %d of whoever came late", notices, other.Mentions(w.channel))
	}
	w.board()
}

func TestOpenChallengeEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.openOffer()
	join := w.press(m, "Join")
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Cancel")))
	wantText(t, w.message(w.ben, m.ID), "Anna withdrew the open challenge")
	m = w.openOffer()
	w.pass(host.ChallengeLifetime)
	w.wait("the end of its time", func() bool { return strings.Contains(text(w.message(w.ben, m.ID)), "has expired") })
	if _, err := w.ben.Click(w.channel, m.ID, join); err == nil {
		t.Error("an expired challenge can be clicked")
	}
	w.advanceClock(time.Minute)
	if n := len(w.running()); n != 0 {
		t.Errorf("%d matches", n)
	}
}

// onlyRematch reports whether the buttons of a board are those of a match that
// is over: to play it again and to look back.
func onlyRematch(m sandbox.Message) bool {
	all := buttons(m)
	delete(all, "◀ Look back")
	delete(all, "Replay")
	return len(all) == 1 && all["Rematch"] != ""
}

// finish starts a match in which Anna moves first, and has Ben resign it.
func (w *world) finish() {
	w.t.Helper()
	w.challenge()
	w.move(w.anna, "right")
	w.resigns(w.ben, "Call it off")
}

func TestRematchByButton(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.finish()
	final := w.board()
	button := w.press(final, "Rematch")
	w.answered(w.chloe.Click(w.channel, final.ID, button))
	w.wantPrivate(w.chloe, "You are not playing in this match")

	before := w.ben.Mentions(w.channel)
	w.answered(w.anna.Click(w.channel, final.ID, button))
	w.wantPrivate(w.anna, "Ben has been asked")
	w.wantMentions(w.ben, before, 1)
	w.answered(w.anna.Click(w.channel, final.ID, button))
	w.wantPrivate(w.anna, "You have already asked for this rematch")
	offer := w.offerMessage()
	wantText(t, offer, "asks <@"+w.benID+"> for a rematch of **Trails and Towers**", "Ben moves first")
	w.answered(w.chloe.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	w.wantPrivate(w.chloe, "This challenge is for Ben")

	// The other player's request for a rematch accepts the first.
	w.answered(w.ben.Click(w.channel, final.ID, button))
	w.wantPrivate(w.ben, "The rematch has begun")
	v := w.running()[0]
	if v.Record.Seats[0].ID != w.benID || v.Record.Seats[1].ID != w.annaID {
		t.Errorf("the seats: %v", v.Record.Seats)
	}
	wantText(t, w.message(w.anna, offer.ID), "Ben accepted Anna’s challenge")
	w.answered(w.anna.Click(w.channel, final.ID, button))
	w.wantPrivate(w.anna, "The rematch has already begun")
	board := w.boardOf(v.Record.ID)
	w.answered(w.ben.Click(w.channel, board.ID, w.press(board, "Right")))
}

func TestRematchByCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered(w.ben.Command(w.channel, "rematch"))
	w.wantPrivate(w.ben, "You have not finished a match in this channel")
	w.finish()
	w.answered(w.ben.Command(w.channel, "rematch"))
	offer := w.newest(w.anna, "Accept")
	wantText(t, offer, "**Ben** asks")
	w.answered(w.anna.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	v := w.running()[0]
	if v.Record.Seats[0].ID != w.benID {
		t.Errorf("the seats: %v", v.Record.Seats)
	}
	w.answered(w.anna.Command(w.channel, "rematch", sandbox.Opt("match", int(v.Record.ID))))
	w.wantPrivate(w.anna, "This match is not over yet")
}

// command has a person type a command and returns the private answer.
func (w *world) command(p *sandbox.Person, name string, options ...sandbox.CommandOption) sandbox.Message {
	w.t.Helper()
	w.answered(p.Command(w.channel, name, options...))
	return w.private(p)
}

// Who has deleted their data is in no board or challenge any more, and not in the
// database. Their opponents have won.
func TestForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.finish() // called off before Anna deletes her data
	old := w.board()
	w.challenge()
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	open := w.openOffer()

	m := w.command(w.anna, "privacy")
	wantText(t, m, "1 running, 1 finished", "Challenges:** 3, of which 1 open")
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Export")))
	if export := string(w.file(w.private(w.anna))); !strings.Contains(export, `"format": "castellan-person"`) || !strings.Contains(export, w.annaID) {
		t.Errorf("export: %s", export)
	}
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Delete my data")))
	m = w.message(w.anna, m.ID)
	wantText(t, m, "This cannot be undone", "matches (1) are resigned")
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Keep my data")))
	wantText(t, w.message(w.anna, m.ID), "1 running, 1 finished")
	w.answered(w.anna.Click(w.channel, m.ID, w.press(w.message(w.anna, m.ID), "Delete my data")))
	w.answered(w.anna.Click(w.channel, m.ID, w.press(w.message(w.anna, m.ID), "Delete my data now")))
	wantText(t, w.message(w.anna, m.ID), "Your data is deleted")

	w.wait("the boards and challenges without Anna", func() bool {
		now := text(w.message(w.ben, old.ID)) + text(w.message(w.ben, open.ID))
		return len(w.running()) == 0 && len(w.boards(w.ben)) == 2 && !strings.Contains(now, "Anna") && !strings.Contains(now, w.annaID) &&
			strings.Contains(text(w.boards(w.ben)[1]), "a former player")
	})
	wantText(t, w.boards(w.ben)[1], "a former player", "resigned")
	wantText(t, w.message(w.ben, open.ID), "a former player withdrew")
	wantText(t, w.command(w.anna, "privacy"), "0 running, 0 finished")
	wantText(t, w.command(w.ben, "privacy"), "0 running, 2 finished")
	w.awaitReconciler()
	w.stopBot()
	files := []string{"", "-wal"}
	if dbtest.Postgres() {
		files = nil // the server's keep deleted rows for a while
	}
	for _, suffix := range files {
		data, err := os.ReadFile(w.db + suffix)
		if err != nil && suffix == "" {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("Anna")) || bytes.Contains(data, []byte(w.annaID)) {
			t.Errorf("castellan.db%s still names Anna", suffix)
		}
	}
	w.startBot()
	w.challenge() // Anna starts anew
}

// Blocked people can neither be challenged nor join.
func TestBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wantText(t, w.command(w.anna, "block"), "You have blocked nobody")
	wantText(t, w.command(w.anna, "block", sandbox.Opt("user", w.annaID)), "You cannot block yourself")
	m := w.command(w.anna, "block", sandbox.Opt("user", w.benID))
	wantText(t, m, "You have blocked Ben")
	w.answered(w.ben.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.annaID))))
	w.wantPrivate(w.ben, "You cannot challenge this person.")
	offer := w.openOffer()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Join")))
	w.wantPrivate(w.ben, "You cannot join this table.")
	list := w.command(w.anna, "block")
	wantText(t, list, "People you have blocked:** 1")
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "Unblock")))
	wantText(t, w.message(w.anna, m.ID), "You have blocked nobody")
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Join")))
	if n := len(w.running()); n != 1 {
		t.Errorf("%d matches", n)
	}
	w.board()
}
