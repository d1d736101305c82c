package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"castellan/bot/sandbox"
	"castellan/storage"
)

// logs is the number of entries of each match.
func (w *world) logs(matches int) string {
	var all []string
	for id := storage.MatchID(1); int(id) <= matches; id++ {
		all = append(all, fmt.Sprint(w.view(id).Match.Seq()))
	}
	return strings.Join(all, " ")
}

// begins starts a match in which one person challenges another and moves
// first.
func (w *world) begins(by, against *sandbox.Person, options ...sandbox.CommandOption) {
	w.t.Helper()
	options = append([]sandbox.CommandOption{
		sandbox.Opt("opponent", against.ID()), sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"),
	}, options...)
	w.answered(by.Command(w.channel, "challenge", sandbox.Sub("trails", options...)))
	offer := w.newest(against, "Accept")
	w.answered(against.Click(w.channel, offer.ID, w.press(offer, "Accept")))
}

// unmoved fails unless a click is answered privately with a sentence, and no
// match changes.
func (w *world) unmoved(matches int, p *sandbox.Person, message, button, want string) {
	w.t.Helper()
	before, private := w.logs(matches), len(p.Messages(w.channel))
	w.answered(p.Click(w.channel, message, button))
	all := p.Messages(w.channel)
	last := all[len(all)-1]
	if len(all) != private+1 || last.Flags&sandbox.FlagEphemeral == 0 || !strings.Contains(text(last), want) {
		w.t.Errorf("%s clicks %s: %q, not %q", p.ID(), button, text(last), want)
	}
	if after := w.logs(matches); after != before {
		w.t.Errorf("%s clicks %s: the matches have %s entries, before %s", p.ID(), button, after, before)
	}
}

// Ten matches in one channel. Every board is clicked by everybody who is not
// to move in its match, also by those who are to move in another; and boards
// that have been superseded by whoever is to move.
func TestTenMatchesInOneChannelAndEveryWrongPairing(t *testing.T) {
	t.Parallel()
	const matches = 10
	w := newWorld(t)
	pairs := [][2]*sandbox.Person{{w.anna, w.ben}, {w.ben, w.chloe}, {w.chloe, w.anna}}
	names := map[string]string{w.annaID: "Anna", w.benID: "Ben", w.chloeID: "Chloé"}
	people := []*sandbox.Person{w.anna, w.ben, w.chloe}
	for i := range matches {
		w.begins(pairs[i%3][0], pairs[i%3][1])
	}
	if n := len(w.boards(w.anna)); n != matches {
		t.Fatalf("%d boards", n)
	}
	clicks := 0
	old := map[storage.MatchID]sandbox.Message{}
	for round := range 2 {
		for id := storage.MatchID(1); id <= matches; id++ {
			board, mover := w.boardOf(id), w.player(id)
			for _, p := range people {
				want := names[mover.ID()] + "’s turn"
				if w.view(id).SeatOf(p.ID()) == 0 {
					want = "You do not play in this match"
				}
				if p.ID() != mover.ID() {
					for _, button := range buttons(board) {
						w.unmoved(matches, p, board.ID, button, want)
						clicks++
					}
				}
			}
			if m, ok := old[id]; ok && len(buttons(w.message(mover, m.ID))) > 0 {
				t.Errorf("match %d: the old board has buttons", id)
			}
			// A command that could mean several says so; its option decides.
			before := w.logs(matches)
			w.answered(mover.Command(w.channel, "move", sandbox.Opt("turn", "right")))
			if got := text(w.private(mover)); !strings.Contains(got, "Say which with the option") || w.logs(matches) != before {
				t.Errorf("match %d: %s", id, got)
			}
			w.answered(mover.Click(w.channel, board.ID, w.press(board, map[int]string{0: "Right", 1: "Left"}[round])))
			old[id] = board
			if seq := w.view(id).Match.Seq(); seq != round+1 {
				t.Errorf("match %d has %d entries after round %d", id, seq, round)
			}
		}
	}
	if clicks < 2*matches*4 {
		t.Errorf("only %d wrong clicks", clicks)
	}
	if n := len(w.boards(w.anna)); n != matches {
		t.Errorf("%d boards at the end", n)
	}
}
