package host_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/engine/trails"
	"castellan/storage"
)

var (
	casual   = host.Computer("casual", "Casual (computer)")
	newcomer = host.Computer("newcomer", "Newcomer (computer)")
	master   = host.Computer("master", "Master (computer)")
)

// brains is how computers play in a world: all levels as w.player does.
func (w *world) brains() (all []search.Engine) {
	for _, g := range []engine.Game{trails.Game{}, sample.Game{}} {
		b := search.Engine{Game: g}
		for _, key := range search.LevelKeys {
			b.Levels = append(b.Levels, search.Level{Key: key, Player: player{w}, Limits: search.Limits{Nodes: 1}, MoveTime: time.Minute})
		}
		all = append(all, b)
	}
	return all
}

// player plays as the world's player does.
type player struct{ w *world }

func (p player) Think(ctx context.Context, at engine.Position, limits search.Limits) (search.Decision, error) {
	if p.w.player == nil {
		return search.Random{}.Think(ctx, at, limits)
	}
	return p.w.player.Think(ctx, at, limits)
}

// thinker is a player made of a function.
type thinker func(context.Context, engine.Position, search.Limits) (search.Decision, error)

func (f thinker) Think(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
	return f(ctx, p, l)
}

// against has Anna, who moves first, play a game against computers.
func (w *world) against(game string, opponents ...storage.Person) *host.View {
	w.t.Helper()
	o := host.Offer{Place: here, Opponents: opponents, Game: game}
	if len(opponents) == 1 {
		o.First = host.FirstMe
	}
	return w.begun(o)
}

// begun is the match of a challenge of Anna's that begins at once.
func (w *world) begun(o host.Offer) *host.View {
	w.t.Helper()
	ch, err := w.host.Challenge(w.t.Context(), w.by(anna), o)
	must(w.t, err)
	v, err := w.host.Match(w.t.Context(), ch.Match)
	must(w.t, err)
	return v
}

// replies has every computer play that is to, until a person is.
func (w *world) replies(v *host.View) *host.View {
	w.t.Helper()
	for {
		if _, ok := v.Computer(); !ok {
			return v
		}
		t, err := w.host.Think(w.t.Context(), v.Record.ID, 0)
		must(w.t, err)
		v, err = w.host.PlayThought(w.t.Context(), t)
		must(w.t, err)
	}
}

// waiting is the matches that wait for a computer.
func (w *world) waiting() []storage.MatchID {
	w.t.Helper()
	all, err := w.host.Thinking(w.t.Context(), 100)
	must(w.t, err)
	return all
}

func TestAMatchAgainstTheComputerBeginsAtOnce(t *testing.T) {
	w := newWorld(t)
	cause := w.by(anna)
	o := host.Offer{Place: here, Opponents: []storage.Person{casual}, Game: "trails", First: host.FirstThem}
	ch, err := w.host.Challenge(t.Context(), cause, o)
	must(t, err)
	v, err := w.host.Match(t.Context(), ch.Match)
	must(t, err)
	if ch.State != storage.ChallengeAccepted || !host.BegunAtOnce(ch) || v.Record.Seats[0] != casual || v.Record.Seats[1] != anna || v.Board.State != storage.BoardDue {
		t.Errorf("%+v, %+v", ch, v.Record)
	}
	if p, ok := v.Computer(); !ok || p != casual || !slices.Equal(w.waiting(), []storage.MatchID{ch.Match}) {
		t.Errorf("to move is %+v", p)
	}
	again, err := w.host.Challenge(t.Context(), cause, o)
	if err != nil || again.ID != ch.ID || again.Match != ch.Match {
		t.Errorf("delivered again: %+v, %v", again, err)
	}
}

func TestWhatTheComputerCannotBeAskedFor(t *testing.T) {
	w := newWorld(t)
	o := host.Offer{Place: here, Opponents: []storage.Person{host.Computer("divine", "x")}, Game: "trails"}
	_, err := w.host.Challenge(t.Context(), w.by(anna), o)
	refused(t, err, host.ErrNoLevel)
	games, err := engine.NewRegistry(trails.Game{})
	must(t, err)
	h := host.New(host.Config{Store: w.store, Games: games, Now: w.now, Seed: func() uint64 { return 1 }, Logger: slog.New(slog.DiscardHandler)})
	o.Opponents = []storage.Person{casual}
	_, err = h.Challenge(t.Context(), w.by(anna), o)
	refused(t, err, host.ErrNoComputer)
	if got := h.Levels("trails"); got != nil {
		t.Errorf("it plays at %v", got)
	}
	if got := w.host.Levels("trails"); !slices.Equal(got, host.AllLevels()) {
		t.Errorf("levels %v, want %v", got, host.AllLevels())
	}
}

// Of a match against the computer people do not notice but by its turns: it
// ends, is rated on its own list and can be counted again.
func TestAMatchAgainstTheComputerToItsEnd(t *testing.T) {
	for _, game := range []string{"trails", "sample"} {
		t.Run(game, func(t *testing.T) {
			w := newWorld(t)
			v := w.against(game, casual)
			for range 500 {
				v = w.replies(v)
				if _, over := v.Match.Over(); over {
					break
				}
				if got := w.waiting(); len(got) != 0 {
					t.Fatalf("while a person is to move %v wait for a computer", got)
				}
				v = w.act(v, v.Match.Position().Legal()[0].String())
			}
			if _, over := v.Match.Over(); !over || len(w.waiting()) != 0 {
				t.Fatalf("it goes on: %s", v.Match.Position().Status())
			}
			if len(v.Changes) != 2 || v.Changes[0].List != storage.AgainstComputer {
				t.Errorf("changes %+v", v.Changes)
			}
			if _, ok := w.rating(game, anna); ok {
				t.Error("it is rated among people")
			}
			l, err := w.host.Leaders(t.Context(), anna.ID, game, storage.AgainstComputer, "1", 1, 10)
			if err != nil || l.Total != 2 || l.Own == nil {
				t.Errorf("the list is %+v, %v", l, err)
			}
			c, err := w.host.RebuildRatings(t.Context())
			if err != nil || c.Rated != 1 || c.Ratings != 2 || len(c.Differences) != 0 {
				t.Errorf("counted anew: %+v, %v", c, err)
			}
			if f := w.verify().Faults; len(f) != 0 {
				t.Errorf("faults %+v", f)
			}
			p, err := w.host.Profile(t.Context(), anna.ID, "", anna.ID)
			if err != nil || len(p.Games) != 1 || p.Games[0].List != storage.AgainstComputer || p.Games[0].Rating == nil || p.Now.Length != 0 {
				t.Errorf("profile %+v, %v", p, err)
			}
		})
	}
}

// Computers take seats of a table, at the word of whoever opened it.
func TestComputersAtATable(t *testing.T) {
	w := newWorld(t)
	ch := w.table(5)
	fill := func(p, computer storage.Person) (storage.Challenge, *host.View, error) {
		return w.host.Fill(t.Context(), w.by(p), ch.ID, computer)
	}
	_, _, err := fill(ben, casual)
	refused(t, err, host.ErrNotChallenger)
	_, _, err = fill(anna, host.Computer("divine", "x"))
	refused(t, err, host.ErrNoLevel)
	_, err = w.host.Clear(t.Context(), w.by(anna), ch.ID)
	refused(t, err, host.ErrNoneToRemove)
	for _, c := range []storage.Person{casual, master, casual, newcomer} {
		if ch, _, err = fill(anna, c); err != nil {
			t.Fatal(err)
		}
		if c == master {
			_, _, err := w.host.Join(t.Context(), w.by(ben), ch.ID)
			must(t, err)
			if _, err = w.host.Clear(t.Context(), w.by(ben), ch.ID); !errors.Is(err, host.ErrNotChallenger) {
				t.Errorf("%v", err)
			}
			ch, err = w.host.Clear(t.Context(), w.by(anna), ch.ID)
			if err != nil || !slices.Equal(ch.Joined, []storage.Person{anna, casual, ben}) {
				t.Errorf("after one was removed: %+v, %v", ch.Joined, err)
			}
		}
	}
	if ch.Match == 0 || len(ch.Joined) != 5 {
		t.Fatalf("the last seat does not start it: %+v", ch)
	}
	v, err := w.host.Match(t.Context(), ch.Match)
	must(t, err)
	if v.Rated() { // a level would win and lose at once
		t.Error("two computers of one level are rated")
	}
	_, _, err = fill(anna, casual)
	refused(t, err, host.ErrAnswered)
}

func TestATableOfComputersAlone(t *testing.T) {
	w := newWorld(t)
	v := w.against("sample", casual, master, casual)
	if got := len(v.Record.Seats); got != 4 {
		t.Fatalf("%d seats", got)
	}
	kept, err := w.host.Challenge(t.Context(), w.by(anna), host.Offer{Place: here, Opponents: []storage.Person{casual, ben}, Game: "sample"})
	if err != nil || kept.Match != 0 || len(kept.Joined) != 2 || len(kept.Invited) != 1 {
		t.Errorf("with a person: %+v, %v", kept, err)
	}
}

// When the last person leaves a table, the computers do not play on alone: the
// strongest is left.
func TestComputersDoNotPlayAmongThemselves(t *testing.T) {
	for _, c := range []struct {
		name   string
		turns  int
		ending match.Ending
	}{{"at the start", 0, match.ByAbort}, {"when all have moved", 1, match.ByResignation}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.replies(w.begun(host.Offer{
				Place: here, Opponents: []storage.Person{casual, master, newcomer}, Game: "sample",
				Options: map[string]string{"piles": "4", "counters": "20"},
			}))
			for range c.turns {
				v = w.replies(w.act(v, "a1 end"))
			}
			v, err := w.host.Resign(t.Context(), w.by(anna), v.Record.ID, host.Anywhere)
			must(t, err)
			out, over := v.Match.Over()
			if !over || out.Ending != c.ending {
				t.Fatalf("%+v, %t", out, over)
			}
			if c.ending == match.ByResignation && (len(out.Result.Winners) != 1 || v.Person(out.Result.Winners[0]) != master || out.Result.Ranks[v.SeatOf(anna.ID)-1] != 4) {
				t.Errorf("%+v", out.Result)
			}
			if f := w.verify().Faults; len(f) != 0 || len(w.waiting()) != 0 {
				t.Errorf("faults %+v, waiting %v", f, w.waiting())
			}
		})
	}
}

func TestARematchAgainstTheComputerBeginsAtOnce(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.against("trails", master), "right")
	v = w.replies(v)
	_, err := w.host.Resign(t.Context(), w.by(anna), v.Record.ID, host.Anywhere)
	must(t, err)
	cause := w.by(anna)
	for range 2 { // delivered again
		_, next, err := w.host.Rematch(t.Context(), cause, v.Record.ID, there, false)
		must(t, err)
		if next == nil || next.Record.Seats[0] != master || next.Record.Seats[1] != anna || next.Record.Place != there {
			t.Fatalf("%+v", next)
		}
	}
	if got := len(w.waiting()); got != 1 {
		t.Errorf("%d matches wait for a computer", got)
	}
}

// The computer claims nothing and nothing is claimed from it; a match that only
// it waits in is given up after thirty days.
func TestSilenceTowardsTheComputer(t *testing.T) {
	for _, c := range []struct {
		name   string
		turns  int
		ending match.Ending
	}{{"before both have moved", 0, match.ByAbort}, {"when both have moved", 1, match.ByResignation}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.against("trails", casual)
			for range c.turns {
				v = w.replies(w.act(v, "right"))
			}
			at := v.AbandonedAt()
			if want := w.clock.Add(30 * 24 * time.Hour); !at.Equal(want) || !v.Record.Deadline.Equal(want) || !v.ClaimAt().IsZero() {
				t.Fatalf("given up at %v, looked at %v, claimed at %v", at, v.Record.Deadline, v.ClaimAt())
			}
			w.pass(30*24*time.Hour - time.Second)
			must(t, w.host.Remind(t.Context(), v.Record.ID)) // too early
			if got := w.states(v.Record.ID); strings.Count(got, "due") != 1 || strings.Contains(got, fmt.Sprint(len(v.Match.Log())+1)) {
				t.Errorf("boards %s", got)
			}
			w.pass(time.Second)
			o, err := w.host.Overdue(t.Context(), 10)
			must(t, err)
			if !slices.Equal(o.Matches, []storage.MatchID{v.Record.ID}) {
				t.Fatalf("overdue %+v", o)
			}
			must(t, w.host.Remind(t.Context(), v.Record.ID))
			v, err = w.host.Match(t.Context(), v.Record.ID)
			must(t, err)
			if out, over := v.Match.Over(); !over || out.Ending != c.ending || v.Person(out.By) != anna {
				t.Errorf("%+v, %t", out, over)
			}
			must(t, w.host.Remind(t.Context(), v.Record.ID)) // and once
			if f := w.verify().Faults; len(f) != 0 {
				t.Errorf("faults %+v", f)
			}
		})
	}
	w := newWorld(t)
	v := w.act(w.against("trails", casual), "right")
	w.pass(40 * 24 * time.Hour) // the bot was off
	if o, err := w.host.Overdue(t.Context(), 10); err != nil || len(o.Matches) != 0 {
		t.Errorf("while the computer is to move: %+v, %v", o, err)
	}
	_, err := w.host.Claim(t.Context(), w.by(anna), v.Record.ID, host.Anywhere)
	refused(t, err, host.ErrComputerTurn)
}

// At a table of several people silence is theirs to claim.
func TestSilenceAtATableWithAComputer(t *testing.T) {
	w := newWorld(t)
	ch := w.table(3)
	_, _, err := w.host.Fill(t.Context(), w.by(anna), ch.ID, casual)
	must(t, err)
	_, v, err := w.host.Join(t.Context(), w.by(ben), ch.ID)
	must(t, err)
	v = w.replies(v)
	if want := w.clock.Add(host.ClaimAfter); !v.ClaimAt().Equal(want) || !v.Record.Deadline.Equal(want) || !v.AbandonedAt().IsZero() {
		t.Errorf("claimed at %v, looked at %v", v.ClaimAt(), v.Record.Deadline)
	}
	w.pass(host.ClaimAfter)
	other := ben
	if p, _ := v.ToMove(); p == ben {
		other = anna
	}
	v, err = w.host.Claim(t.Context(), w.by(other), v.Record.ID, host.Anywhere)
	must(t, err)
	if _, over := v.Match.Over(); over {
		t.Fatal("it is over")
	}
	v = w.replies(v)
	if v.AbandonedAt().IsZero() || !v.Record.Deadline.Equal(v.AbandonedAt()) {
		t.Errorf("looked at %v, given up at %v", v.Record.Deadline, v.AbandonedAt())
	}
}

func TestHints(t *testing.T) {
	w := newWorld(t)
	start := func(unrated bool) *host.View {
		return w.begun(host.Offer{Place: here, Opponents: []storage.Person{casual}, Game: "trails", First: host.FirstMe, Unrated: unrated})
	}
	hint := func(v *host.View, p storage.Person) (string, error) { return w.host.Hint(t.Context(), v, p.ID) }
	_, err := hint(start(false), anna)
	refused(t, err, host.ErrRated)
	v := start(true)
	_, err = hint(v, ben)
	refused(t, err, host.ErrNotSeated)
	turn, err := hint(v, anna)
	must(t, err)
	after := w.act(v, turn) // it is legal
	var wrong *match.TurnError
	if _, err = hint(after, anna); !errors.As(err, &wrong) || wrong.Seat != 2 {
		t.Errorf("in the turn of the other: %v", err)
	}
	after, err = w.host.Resign(t.Context(), w.by(anna), v.Record.ID, host.Anywhere)
	must(t, err)
	_, err = hint(after, anna)
	refused(t, err, match.ErrOver)
}

// A computer may play any number of matches.
func TestComputersHaveNoLimit(t *testing.T) {
	w := newWorld(t, host.Limits{Running: 2, MadeByPerson: -1})
	w.against("trails", casual)
	w.against("trails", casual)
	for _, p := range []storage.Person{ben, chloe} {
		_, err := w.host.Challenge(t.Context(), w.by(p), host.Offer{Place: here, Opponents: []storage.Person{casual}, Game: "trails"})
		must(t, err)
	}
	_, err := w.host.Challenge(t.Context(), w.by(anna), host.Offer{Place: here, Opponents: []storage.Person{casual}, Game: "trails"})
	var limit *host.LimitError
	if !errors.As(err, &limit) || limit.Person.ID != anna.ID {
		t.Errorf("%v", err)
	}
}

// Verify sees a match of which nobody knows that a computer is to move.
func TestVerifySeesWhoIsForgotten(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.against("trails", casual), "right")
	w.update(func(tx storage.Tx) error { return tx.SetThinking(v.Record.ID, time.Time{}) })
	if f := w.verify().Faults; len(f) != 1 || !strings.Contains(f[0].Reasons[0], "waits for a computer") {
		t.Errorf("%+v", f)
	}
}
