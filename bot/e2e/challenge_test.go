package e2e_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"castellan/bot/bottest"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/storage/dbtest"
)

// openOffer has Anna make an open challenge, and returns the public message.
func (w *world) openOffer(options ...sandbox.CommandOption) api.Message {
	w.t.Helper()
	options = append([]sandbox.CommandOption{sandbox.Opt("size", 7), sandbox.Opt("towers", 1)}, options...)
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", options...)))
	return w.newest(w.ben, "lobby.join")
}

// onlyRematch reports whether the buttons of a board are those of a match that
// is over: to play it again and to look back.
func onlyRematch(m api.Message) bool {
	all := buttons(m)
	delete(all, "◀ Look back")
	delete(all, "Replay")
	return len(all) == 1 && all["Rematch"] != ""
}

// command has a person type a command and returns the private answer.
func (w *world) command(p *sandbox.Person, name string, options ...sandbox.CommandOption) api.Message {
	w.t.Helper()
	w.answered(p.Command(w.channel, name, options...))
	return w.private(p)
}

// Who has deleted their data is in no board or challenge any more, and not in the
// database. Their opponents have won.
func TestForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	open := w.openOffer()
	m := w.command(w.anna, "privacy")
	wantText(t, m, "1 running, 0 finished")
	press := func(button string) api.Message {
		t.Helper()
		w.answered(w.anna.Click(w.channel, m.ID, w.press(w.message(w.anna, m.ID), button)))
		return w.message(w.anna, m.ID)
	}
	press("privacy.export")
	if export := string(w.file(w.private(w.anna))); !strings.Contains(export, `"format": "castellan-person"`) || !strings.Contains(export, w.annaID) {
		t.Errorf("export: %s", export)
	}
	wantText(t, press("privacy.delete"), "privacy.ask")
	wantText(t, press("privacy.no"), "privacy.title")
	press("privacy.delete")
	wantText(t, press("privacy.yes"), "privacy.deleted")
	w.wait("the board and the challenge without Anna", func() bool {
		all := w.boards(w.ben)
		now := bottest.Text(all[len(all)-1]) + bottest.Text(w.message(w.ben, open.ID))
		return len(w.running()) == 0 && strings.Count(now, "a former player") >= 2 && !strings.Contains(now, "Anna") && !strings.Contains(now, w.annaID)
	})
	wantText(t, w.command(w.anna, "privacy"), "0 running, 0 finished")
	wantText(t, w.command(w.ben, "privacy"), "0 running, 1 finished")
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
	wantText(t, w.command(w.anna, "block"), "block.none")
	m := w.command(w.anna, "block", sandbox.Opt("user", w.benID))
	wantText(t, m, "block.done")
	w.answered(w.ben.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.annaID))))
	w.wantPrivate(w.ben, "error.unchallengeable")
	offer := w.openOffer(sandbox.Opt("first", "them"))
	wantText(t, offer, "open.begins")
	join := func(p *sandbox.Person) {
		t.Helper()
		w.answered(p.Click(w.channel, offer.ID, w.press(offer, "lobby.join")))
	}
	join(w.anna)
	w.wantPrivate(w.anna, "error.own.open")
	join(w.ben)
	w.wantPrivate(w.ben, "error.unjoinable")
	wantText(t, w.command(w.anna, "block"), "block.list")
	w.answered(w.anna.Click(w.channel, m.ID, w.press(m, "block.undo")))
	wantText(t, w.message(w.anna, m.ID), "block.none")
	join(w.ben)
	w.board()
}
