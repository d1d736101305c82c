package e2e_test

import (
	"testing"

	"castellan/bot/sandbox"
)

// TestLobbyOfFour fills a table of four. Each turn notifies the next player alone, also
// when people leave.
func TestLobbyOfFour(t *testing.T) {
	t.Parallel()
	w := withSample(t)
	people, told := map[string]*sandbox.Person{}, map[string]int{}
	for _, u := range sandbox.DefaultWorld().Users {
		people[u.ID] = w.chat.As(u.ID)
	}
	dmitri := people[sandbox.DefaultWorld().Users[3].ID]
	notified := func(why string, who ...*sandbox.Person) {
		t.Helper()
		for _, p := range who {
			told[p.ID()]++
		}
		for id, p := range people {
			if got := p.Mentions(w.channel); got != told[id] {
				t.Fatalf("%s: %s was notified %d times, want %d\n%s", why, id, got, told[id], w.transcript(p))
			}
		}
	}
	press := func(p *sandbox.Person, button string) {
		t.Helper()
		table := w.newest(w.anna, "lobby.join")
		w.answered(p.Click(w.channel, table.ID, w.press(table, button)))
	}
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("sample", sandbox.Opt("players", 4), sandbox.Opt("opponent", w.benID))))
	notified("the table", w.ben)
	table := w.newest(w.anna, "lobby.join")
	wantText(t, table, "lobby.offer", "◆ reserved for <@"+w.benID+">", "▲ *free*")
	press(w.chloe, "lobby.join")
	press(dmitri, "lobby.join")
	press(dmitri, "lobby.leave")
	press(w.chloe, "lobby.start")
	w.wantPrivate(w.chloe, "error.starter")
	press(dmitri, "lobby.join")
	if w.newest(w.anna, "lobby.join").ID != table.ID {
		t.Error("the table is another message")
	}
	notified("joining and leaving")
	press(w.ben, "lobby.join") // the last seat
	var seats []*sandbox.Person
	for _, p := range w.view(1).Record.Seats {
		seats = append(seats, people[p.ID])
	}
	notified("the start", seats...)
	wantText(t, w.message(w.anna, table.ID), "play Counters: match 1")
	wantText(t, w.board(), "board.order")

	w.move(seats[0], "a1 end")
	notified("turn 1", seats[1])
	w.resigns(seats[3], "retire.yes")
	notified("left out of turn")
	wantText(t, w.board(), "board.retired", "◆ <@"+seats[1].ID()+"> to move")
	w.resigns(seats[1], "retire.yes")
	notified("left in turn", seats[2])
	w.move(seats[2], "a1 end")
	notified("turn 2", seats[0])
	w.answered(seats[1].Command(w.channel, "move", sandbox.Opt("turn", "a1")))
	w.wantPrivate(seats[1], "error.retired")
	w.resigns(seats[0], "resign.yes")
	notified("the end", seats[1:]...)
	wantText(t, w.board(), "end.places", "end.resignation")
}
