package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/storage"
)

// logs returns the number of entries of each match.
func (w *world) logs(matches int) string {
	var all []string
	for id := storage.MatchID(1); int(id) <= matches; id++ {
		all = append(all, fmt.Sprint(w.view(id).Match.Seq()))
	}
	return strings.Join(all, " ")
}

// beginPair starts a match in which one person challenges another and moves
// first.
func (w *world) beginPair(by, against *sandbox.Person, options ...sandbox.CommandOption) {
	w.t.Helper()
	options = append([]sandbox.CommandOption{
		sandbox.Opt("opponent", against.ID()), sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"),
	}, options...)
	w.answered(by.Command(w.channel, "challenge", sandbox.Sub("trails", options...)))
	offer := w.newest(against, "Accept")
	w.answered(against.Click(w.channel, offer.ID, w.press(offer, "Accept")))
}

// clickRefused fails unless a click is answered privately with a text and
// changes no match.
func (w *world) clickRefused(matches int, p *sandbox.Person, message, button, want string) {
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

// TestTenMatchesInOneChannel presses every button of ten boards by everybody
// who is not to move in that match, including those who are to move in another,
// and checks superseded boards.
func TestTenMatchesInOneChannel(t *testing.T) {
	t.Parallel()
	const matches = 10
	w := newWorld(t)
	pairs := [][2]*sandbox.Person{{w.anna, w.ben}, {w.ben, w.chloe}, {w.chloe, w.anna}}
	names := map[string]string{w.annaID: "Anna", w.benID: "Ben", w.chloeID: "Chloé"}
	people := []*sandbox.Person{w.anna, w.ben, w.chloe}
	for i := range matches {
		w.beginPair(pairs[i%3][0], pairs[i%3][1])
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
					want = "You are not playing in this match"
				}
				if p.ID() != mover.ID() {
					for label, button := range buttons(board) {
						if label == "Take back" || label == "Prepare" || label == "Offer…" { // they are for those who wait
							continue
						}
						w.clickRefused(matches, p, board.ID, button, want)
						clicks++
					}
				}
			}
			if m, ok := old[id]; ok && len(buttons(w.message(mover, m.ID))) > 0 {
				t.Errorf("match %d: the old board has buttons", id)
			}
			// A command that could mean several matches says so. An option names one.
			before := w.logs(matches)
			w.answered(mover.Command(w.channel, "move", sandbox.Opt("turn", "xyzzy")))
			if got := text(w.private(mover)); !strings.Contains(got, "In which match") && !strings.Contains(got, "xyzzy") || w.logs(matches) != before {
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

// unusualNames are five people with names that Discord, or a client, might let
// through.
func unusualNames(w *sandbox.World) {
	w.Users[0].GlobalName = "**[x](https://e.vil)** <@99> @everyone\n# `z`"
	w.Users[1].GlobalName = "\u202elive\u2066 ||x||"
	w.Users[2].GlobalName = "Z" + strings.Repeat("\u0301\u0489", 5_000)
	w.Users[3].GlobalName, w.Users[3].Username = "\u3164\u200b\u2800", "\u202e"
	w.Users[4].GlobalName, w.Users[4].Nick = "", strings.Repeat("**W🏰", 40)
}

// harmless fails if a name takes effect as markdown or a mention in a message that
// a person sees, or if a message is too long for Discord.
func (w *world) harmless(p *sandbox.Person) (names int) {
	w.t.Helper()
	for _, m := range p.Messages(w.channel) {
		all := text(m)
		names += strings.Count(all, "e.vil")
		if n := len(utf16.Encode([]rune(all))); n > 4000 {
			w.t.Errorf("a message of %d characters: %.200s…", n, all)
		}
		for _, bad := range []string{"**[x]", "](https://e.vil", "<@99>", " @everyone", "\n# ", "\u202e", "\u2066", "||x||", strings.Repeat("\u0301\u0489", 3)} {
			if strings.Contains(all, bad) {
				w.t.Errorf("%q in %.300q", bad, all)
			}
		}
		each(m, func(c sandbox.Component) {
			for _, item := range c.Items {
				if item.Description == nil {
					w.t.Error("a picture is not described")
					continue
				}
				if n := len(utf16.Encode([]rune(*item.Description))); n > 1024 || strings.ContainsAny(*item.Description, "\n\u202e\u2066") {
					w.t.Errorf("a picture is described in %d characters: %.200q", n, *item.Description)
				}
			}
		})
	}
	return names
}

func TestUnusualNames(t *testing.T) {
	t.Parallel()
	for _, h := range allGames() {
		key := h.game.Key()
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, unusualNames)
			people := []*sandbox.Person{w.anna, w.ben, w.chloe}
			for _, u := range sandbox.DefaultWorld().Users[3:] {
				people = append(people, w.chat.As(u.ID))
			}
			if _, most := h.game.Seats(); most > 2 {
				w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(key, sandbox.Opt("players", 5), sandbox.Opt("opponent", w.benID))))
				lobby := w.anna.Messages(w.channel)[0]
				for _, p := range people[1:] {
					w.answered(p.Click(w.channel, lobby.ID, w.press(lobby, "Join")))
				}
			} else {
				people = people[:2]
				offer := w.offerOf(key)
				w.answered(w.chloe.Click(w.channel, offer.ID, w.press(offer, "Accept"))) // refused by name
				w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
			}
			v := w.view(1)
			for _, s := range v.Record.Seats {
				if n := len([]rune(s.Name)); n > 32 || strings.ContainsAny(s.Name, "\n\u202e") {
					t.Errorf("the name %q is on record", s.Name)
				}
			}
			who := func(v *host.View) *sandbox.Person {
				p, _ := v.ToMove()
				for _, person := range people {
					if person.ID() == p.ID {
						return person
					}
				}
				t.Fatalf("%v is to move", p)
				return nil
			}
			for n := 0; n < 2*len(people) && v.Match.Seat() != engine.Nobody; n++ {
				legal := v.Match.Position().Legal()
				w.move(who(v), legal[len(legal)/2].String())
				for seat := v.Match.Seat(); w.view(1).Match.Seat() == seat; {
					w.answered(who(v).Command(w.channel, "end"))
					if now := w.view(1); now.Match.Seat() == seat {
						legal := now.Match.Position().Legal()
						w.move(who(v), legal[0].String())
					}
				}
				v = w.view(1)
			}
			for _, p := range people {
				w.answered(p.Command(w.channel, "move", sandbox.Opt("turn", "<@99> **x**"))) // refused
				w.answered(p.Command(w.channel, "board", sandbox.Opt("text", true)))
				w.answered(p.Command(w.channel, "claim"))
			}
			w.pass(host.ClaimAfter)
			w.wait("the reminder", func() bool {
				all := w.boards(w.anna)
				return len(all) == 1 && buttons(all[0])["Claim"] != ""
			})
			for len(people) > 0 && w.view(1).Match.Seat() != engine.Nobody {
				v := w.view(1)
				var other *sandbox.Person
				for _, p := range people {
					if seat := v.SeatOf(p.ID()); v.Match.Playing(seat) && seat != v.Match.Seat() {
						other = p
					}
				}
				w.advanceClock(host.ClaimAfter)
				w.answered(other.Command(w.channel, "claim"))
				ask := w.private(other)
				for label, id := range buttons(ask) {
					if label != "Keep waiting" {
						w.answered(other.Click(w.channel, ask.ID, id))
					}
				}
			}
			names := 0
			for _, p := range []*sandbox.Person{w.anna, w.ben, w.chloe} {
				names += w.harmless(p)
			}
			if names < 4 {
				t.Errorf("the name was seen %d times: this test looks in the wrong place\n%s", names, w.transcript(w.anna))
			}
		})
	}
}

// TestLongNamesInLists checks that a list of matches, and the question which
// one is meant, fit a message.
func TestLongNamesInLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unusualNames)
	w.limits = host.Limits{MadeByPerson: -1, OpenByPerson: -1}
	w.restart()
	eve := storage.Person{ID: sandbox.DefaultWorld().Users[4].ID, Name: strings.Repeat("*", 32)}
	for n := range 20 {
		cause := func(p storage.Person, what string) host.Actor {
			return host.Actor{Person: p, Interaction: what + string(rune('a'+n))}
		}
		ch, err := w.host.CreateChallenge(t.Context(), cause(storage.Person{ID: w.annaID, Name: "Anna"}, "c"), host.Proposal{
			Place: storage.Place{Guild: sandbox.DefaultWorld().Guild.ID, Channel: w.channel}, Opponents: []storage.Person{eve}, Game: "trails",
		})
		must(t, err)
		_, _, err = w.host.Accept(t.Context(), cause(eve, "a"), ch.ID)
		must(t, err)
	}
	w.answered(w.anna.Command(w.channel, "resign"))
	w.wantPrivate(w.anna, "You are playing several matches here")
	w.harmless(w.anna)
}
