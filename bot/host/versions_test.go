package host_test

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/bot/host"
	"castellan/bot/host/verify"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/storage"
)

// serve replaces the host by one that hosts these versions of games, as an
// upgrade of the program does.
func (w *world) serve(games ...engine.Game) {
	w.t.Helper()
	all, err := engine.NewRegistry(games...)
	must(w.t, err)
	w.Host = host.New(host.Config{
		Store: w.Store, Games: all, Now: w.Now, Seed: func() uint64 { return w.seed },
		Logger: slog.New(slog.NewTextHandler(locked{w}, nil)), Engines: []search.Engine{search.Generic(games[0])},
	})
}

// sample starts a match of the sample game between Anna, who moves first, and
// Ben or a computer.
func (w *world) sample(options map[string]string, opponents ...storage.Person) *host.View {
	w.t.Helper()
	ch, err := w.Host.CreateChallenge(w.t.Context(), w.Actor(anna), host.Proposal{
		Place: here, Opponents: opponents, Game: sample.Key, First: host.FirstMe, Options: options,
	})
	must(w.t, err)
	if ch.Match == 0 {
		_, _, err = w.Host.Accept(w.t.Context(), w.Actor(ben), ch.ID)
		must(w.t, err)
	}
	ch, err = w.Host.FindChallenge(w.t.Context(), ch.ID)
	must(w.t, err)
	return w.current(ch.Match)
}

func (w *world) current(id storage.MatchID) *host.View {
	w.t.Helper()
	v, err := w.Host.Match(w.t.Context(), id)
	must(w.t, err)
	return v
}

func TestMatchesOfTwoVersionsSideBySide(t *testing.T) {
	w := newWorld(t)
	w.serve(sample.V1)
	limit := map[string]string{"piles": "1", "counters": "4", "limit": "2"}
	old := w.act(w.sample(limit, ben), "a2")
	oldComputer := w.act(w.sample(limit, casual), "a2")
	open, err := w.Host.CreateChallenge(t.Context(), w.Actor(anna), host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: sample.Key, Options: limit})
	must(t, err)

	w.serve(sample.Game{})
	most := map[string]string{"piles": "1", "counters": "4", "most": "2"}
	now, nowComputer := w.act(w.sample(most, ben), "a2"), w.act(w.sample(most, casual), "a2")
	if old.Record.RulesVersion != 1 || now.Record.RulesVersion != 2 {
		t.Fatalf("the matches have the versions %d and %d", old.Record.RulesVersion, now.Record.RulesVersion)
	}
	// In version 1 the taking has ended the turn, in version 2 it has not.
	old = w.current(old.Record.ID)
	if p, _ := old.ToMove(); p != ben {
		t.Errorf("under version 1 %v is to move", p)
	}
	if p, _ := now.ToMove(); p != anna {
		t.Errorf("under version 2 %v is to move", p)
	}
	nowComputer = w.act(nowComputer, "end")

	random := rand.New(rand.NewPCG(1, 1))
	for _, v := range []*host.View{old, now, w.current(oldComputer.Record.ID), nowComputer} {
		version := v.Record.RulesVersion
		for {
			if _, over := v.Match.Over(); over {
				break
			}
			if _, ok := v.ComputerToMove(); ok {
				thought, err := w.Host.ChooseTurn(t.Context(), v.Record.ID, 0, 1)
				must(t, err)
				v, err = w.Host.PlayComputerTurn(t.Context(), thought)
				must(t, err)
				continue
			}
			legal := v.Match.Position().Legal()
			v = w.act(v, legal[random.IntN(len(legal))].String())
		}
		if v.Record.RulesVersion != version || v.Match.Game().Version() != version || len(v.RatingChanges) != 2 {
			t.Errorf("a match of version %d ends under version %d with the changes %+v", version, v.Match.Game().Version(), v.RatingChanges)
		}
	}

	// A challenge with an option of version 1 starts under version 1, and so
	// does a rematch.
	_, began, err := w.Host.Accept(t.Context(), w.Actor(ben), open.ID)
	must(t, err)
	if began.Record.RulesVersion != 1 {
		t.Errorf("the challenge with %q starts under version %d", open.Options, began.Record.RulesVersion)
	}
	for _, v := range []*host.View{old, now} {
		_, _, err := w.Host.Rematch(t.Context(), w.Actor(anna), v.Record.ID, here, false)
		must(t, err)
		_, again, err := w.Host.Rematch(t.Context(), w.Actor(ben), v.Record.ID, here, false)
		must(t, err)
		if again.Record.RulesVersion != v.Record.RulesVersion || again.Record.Options != v.Record.Options {
			t.Errorf("the rematch of version %d with %q is of version %d with %q", v.Record.RulesVersion, v.Record.Options, again.Record.RulesVersion, again.Record.Options)
		}
	}

	v, err := verify.Matches(t.Context(), w.Store, registry(t, sample.Game{}), nil)
	must(t, err)
	if v.Matches != 7 || v.Ended != 4 || len(v.Faults) != 0 {
		t.Errorf("verification: %+v", v)
	}
	v, err = verify.Matches(t.Context(), w.Store, registry(t, sample.V1), nil)
	must(t, err)
	if len(v.Faults) != 3 || !slices.Contains(v.Faults[0].Reasons, "there is no version 2 of the rules of sample; the newest is version 1") {
		t.Errorf("verification by a program without version 2: %+v", v.Faults)
	}
	c, err := w.Host.RebuildRatings(t.Context(), nil)
	must(t, err)
	if c.Matches != 4 || c.Rated != 4 || len(c.Differences) != 0 {
		t.Errorf("ratings: %+v", c)
	}
	if r, ok := w.rating(sample.Key, anna); !ok || r.Matches != 2 {
		t.Errorf("one rating for both versions: %+v", r)
	}
}

func registry(t *testing.T, games ...engine.Game) *engine.Registry {
	t.Helper()
	all, err := engine.NewRegistry(games...)
	must(t, err)
	return all
}

// The newest version that has the options of a challenge is played.
func TestChallengeSetupChoosesTheVersion(t *testing.T) {
	w := newWorld(t)
	for options, want := range map[string]int{
		"": 2, "piles=1 counters=4": 2, "most=2": 2, "limit=2": 1, "limit=2 most=2": 0, "counters=2 limit=3": 0,
	} {
		g, o, start, err := w.Host.ChallengeSetup(storage.Challenge{Game: sample.Key, Options: options, Seats: 2})
		switch {
		case want == 0 && err == nil:
			t.Errorf("options %q start under version %d", options, g.Version())
		case want != 0 && (err != nil || g.Version() != want || o.String() == "" || start.Turns() != 0):
			t.Errorf("options %q: %v, want version %d", options, err, want)
		}
	}
}
