package e2e_test

import (
	"strings"
	"testing"
	"time"

	"castellan/bot/discord/gateway"
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
	}{
		{"nothing more", nil},
		{"opcode 7 in place of RESUMED", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 7}}},
		{"opcode 9, resumable", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 9, Resumable: true}}},
		{"opcode 11 before RESUMED", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 11}}},
		{"opcode 1 before RESUMED", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Op: 1}}},
		{"closed with 4000", []sandbox.Fault{{Kind: sandbox.FaultHandshake, Code: 4000}}},
		{"refused, then opcode 7", []sandbox.Fault{{Kind: sandbox.FaultRefuse, Status: 503, Count: 2}, {Kind: sandbox.FaultHandshake, Op: 7}}},
		{"refused without an answer", []sandbox.Fault{{Kind: sandbox.FaultRefuse, Count: 3}}},
	} {
		for _, f := range c.faults {
			w.chat.MustPlan(f)
		}
		w.pass(time.Minute) // a steady connection
		w.chat.DropGateway()
		player := []*sandbox.Person{w.anna, w.ben}[n%2]
		turn := w.view(1).Match.Position().Legal()[0].String()
		if state := w.settled(player.Command(w.channel, "move", sandbox.Opt("turn", turn))); state != "answered" {
			t.Fatalf("%s: the move is %s\n%s", c.name, state, w.transcript(w.anna))
		}
		w.board()
		s := w.bot.Connection()
		if !s.Connected || s.Kind != gateway.Resumed || s.Connections != n+2 || s.Failures != 0 || s.Reason == nil {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	if got := w.transcript(w.chloe); strings.Count(got, "-# 7. ") != 1 || !strings.Contains(got, "-# 8. ") || strings.Contains(got, "-# 9. ") {
		t.Errorf("not eight turns, each once:\n%s", got)
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
