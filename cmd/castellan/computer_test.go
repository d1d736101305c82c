package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// shortest is the shortest match of each game that one person plays against the
// computer, in the channel.
func shortest(w *town, game, level string) []sandbox.CommandOption {
	all := map[string][]sandbox.CommandOption{
		"stone-towers": {sandbox.Opt("width", 4), sandbox.Opt("height", 4), sandbox.Opt("turns", 5)},
		"towers":       {sandbox.Opt("size", 5)},
		"rings":        {sandbox.Opt("side", 3)},
		"trails":       {sandbox.Opt("size", 7)},
	}[game]
	return append(all, sandbox.Opt("opponent", w.chat.ApplicationID()), sandbox.Opt("level", level), sandbox.Opt("thread", false))
}

// answered waits until an interaction has its answer.
func (w *town) answered(i sandbox.Interaction, err error) {
	w.t.Helper()
	must(w.t, err)
	w.wait("an answer", w.is(i.ID, sandbox.StateAnswered))
}

// read looks into the database, whoever has it open.
func (w *town) read(fn func(h *host.Host, s *sqlite.Store) error) {
	w.t.Helper()
	games, err := registry()
	must(w.t, err)
	must(w.t, sqlite.Read(w.t.Context(), w.db, func(s *sqlite.Store) error {
		return fn(host.New(host.Config{Store: s, Games: games, Now: now, Logger: slog.New(slog.DiscardHandler)}), s)
	}))
}

// first is the first match as it stands.
func (w *town) first() (v *host.View) {
	w.t.Helper()
	w.read(func(h *host.Host, _ *sqlite.Store) (err error) {
		v, err = h.Match(w.t.Context(), 1)
		return err
	})
	return v
}

// yours waits until a person is to move in it, and the channel shows that, or it
// is over.
func (w *town) yours() (v *host.View) {
	w.t.Helper()
	w.wait("a person's turn", func() bool {
		v = w.first()
		_, thinks := v.Computer()
		return !thinks && v.Board.State == storage.BoardPosted
	})
	return v
}

// anyTurn is some legal turn, as people write it.
func anyTurn(t *testing.T, p engine.Position, nth int) string {
	t.Helper()
	var tokens []string
	for turns := p.Turns(); p.Seat() != engine.Nobody && p.Turns() == turns; nth++ {
		legal := p.Legal()
		a := legal[nth*7%len(legal)]
		next, err := p.Apply(a)
		must(t, err)
		p, tokens = next, append(tokens, a.String())
	}
	return strings.Join(tokens, " ")
}

// moves has Anna play some turn.
func (w *town) moves(v *host.View) {
	w.t.Helper()
	turn := anyTurn(w.t, v.Match.Position(), v.Match.Seq())
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", turn)))
}

// A person plays each game against its computer to the end, in the chat.
func TestAPersonPlaysEachGameAgainstTheComputer(t *testing.T) {
	for _, g := range games {
		t.Run(g.rules.Key(), func(t *testing.T) {
			t.Parallel()
			w := newTown(t)
			w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(g.rules.Key(), shortest(w, g.rules.Key(), "newcomer")...)))
			for turns := 0; ; turns++ {
				v := w.yours()
				if _, over := v.Match.Over(); over {
					if len(v.Changes) != 2 || v.Changes[0].List != storage.ComputerList {
						t.Errorf("changes %+v", v.Changes)
					}
					return
				}
				if turns > 200 {
					t.Fatal("it does not end")
				}
				w.moves(v)
			}
		})
	}
}

// Killed while the computer thinks, nothing is lost and nothing counts twice.
func TestAKillWhileTheComputerThinks(t *testing.T) {
	for _, g := range games {
		t.Run(g.rules.Key(), func(t *testing.T) {
			t.Parallel()
			w := newTown(t)
			w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(g.rules.Key(), shortest(w, g.rules.Key(), "expert")...)))
			moves, thinking := 0, 0
			for range 3 {
				v := w.yours()
				if v.Match.Seat() == engine.Nobody {
					break // the computer has won
				}
				w.moves(v)
				moves++
				w.kill()
				w.read(func(h *host.Host, s *sqlite.Store) error {
					waiting, err := h.Thinking(t.Context(), 10)
					thinking += len(waiting)
					return err
				})
				w.start()
			}
			v := w.yours()
			t.Logf("%d of %d kills while it thought; %s", thinking, moves, v.Match.Position().Status())
			own, others := 0, 0
			for _, turn := range v.Match.Turns() {
				if v.Person(turn.Seat).Level == "" {
					own++
				} else {
					others++
				}
			}
			last, _ := v.Match.Last()
			told := moves
			if v.Person(last.Seat).Level != "" { // who ends a match is not told of it
				told++
			}
			if own != moves || others < moves-1 || others > moves+1 {
				t.Errorf("%d turns of the person and %d of the computer after %d", own, others, moves)
			}
			if got := w.anna.Mentions(w.channel); got != told {
				t.Errorf("Anna was notified %d times, not %d", got, told)
			}
			w.read(func(_ *host.Host, s *sqlite.Store) error {
				games, err := registry()
				must(t, err)
				found, err := host.Verify(context.Background(), s, games)
				if len(found.Faults) > 0 {
					t.Errorf("faults %+v", found.Faults)
				}
				return err
			})
		})
	}
}
