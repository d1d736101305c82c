package bot_test

import (
	"strings"
	"testing"

	"castellan/bot/gateway"
	"castellan/bot/sandbox"
)

// Whatever the gateway does while the bot comes back: a move that was made
// meanwhile is delivered once, and answered.
func TestMovesDuringAnOutageAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	for n, c := range []struct {
		name   string
		faults []sandbox.Fault
		turn   string // of the person to move
	}{
		{"nothing more", nil, "right"},
		{"opcode 7 in place of RESUMED", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 7}}, "left"},
		{"opcode 9, resumable", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 9, Resumable: true}}, "right"},
		{"opcode 11 before RESUMED", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 11}}, "left"},
		{"opcode 1 before RESUMED", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 1}}, "right"},
		{"closed with 4000", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Code: 4000}}, "left"},
		{"refused, then opcode 7", []sandbox.Fault{{Kind: sandbox.FaultRefuse, Status: 503, Count: 2}, {Kind: sandbox.FaultHandshake, Op: 7}}, "right"},
		{"refused without an answer", []sandbox.Fault{{Kind: sandbox.FaultRefuse, Count: 3}}, "left"},
	} {
		for _, f := range c.faults {
			w.chat.MustPlan(f)
		}
		w.chat.DropGateway()
		player := []*sandbox.Person{w.anna, w.ben}[n%2]
		if state := w.settled(player.Command(w.channel, "move", sandbox.Opt("turn", c.turn))); state != "answered" {
			t.Fatalf("%s: the move is %s\n%s", c.name, state, w.transcript(w.anna))
		}
		w.board()
		s := w.bot.Connection()
		if !s.Connected || s.Kind != gateway.Resumed || s.Connections != n+2 || s.Failures != 0 || s.Reason == nil {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	if got := strings.Count(w.transcript(w.chloe), "-# 8. "); got != 1 {
		t.Errorf("turn 8 stands %d times\n%s", got, w.transcript(w.chloe))
	}
}

// Where Discord has ended the session, the bot begins a new one and plays on.
func TestASessionThatDiscordEndsIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultHandshake, Op: 9})
	w.chat.DropGateway()
	w.wait("a new session", w.chat.Online)
	w.move(w.anna, "right")
	if s := w.bot.Connection(); s.Kind != gateway.Identified || s.Connections != 2 {
		t.Errorf("%+v", s)
	}
}

// An event that comes twice, later or in another order after a reconnect
// counts once.
func TestOpcode7InTheMiddleOfAMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultAgain, Event: "INTERACTION_CREATE"})
	w.move(w.anna, "right")
	w.chat.Reconnect()
	w.move(w.ben, "left")
	w.move(w.anna, "right")
	if s := w.bot.Connection(); s.Kind != gateway.Resumed || s.Connections != 2 {
		t.Errorf("%+v", s)
	}
	w.stopBot()
	if got := len(w.boards(w.anna)); got != 1 {
		t.Errorf("%d boards\n%s", got, w.transcript(w.anna))
	}
}
