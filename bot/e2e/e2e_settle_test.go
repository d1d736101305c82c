package e2e_test

import (
	"testing"

	"castellan/bot/sandbox"
)

// A board whose post Discord has carried out without saying so stands in the
// channel. Who acts on it at once, before it is on record, leaves no second
// board, and nobody is told twice of what it has told them.
func TestABoardWhoseAnswerWasLostIsSupersededAllTheSame(t *testing.T) {
	t.Parallel()
	lose := func(p *party) {
		p.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultCut, Method: "POST", Route: posting, After: true})
	}
	for _, c := range []struct {
		name string
		act  func(p *party, first *sandbox.Person)
	}{
		{"by command", func(p *party, first *sandbox.Person) { p.move(first, "a1 end") }},
		{"by asking for the board", func(p *party, first *sandbox.Person) {
			p.answered(first.Command(p.channel, "board"))
			p.board()
			p.tells("the board again")
			p.move(first, "a1 end")
		}},
		{"by a panel", func(p *party, first *sandbox.Person) { p.byPanel(first, 1, "a1 end") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newParty(t)
			p.open(sandbox.Opt("players", 3))
			p.at(ben, "Join")
			lose(p)
			p.at(chloe, "Join")
			p.tells("the start", anna, ben, chloe)
			seats := p.order()
			c.act(p, p.people[seats[0]])
			p.board()
			p.tells("turn 1", seats[1])
			lose(p)
			p.move(p.people[seats[1]], "a1 end")
			p.tells("turn 2", seats[2])
			p.resigns(seats[0], "Leave")
			p.board()
			p.tells("retired out of turn")
		})
	}
}
