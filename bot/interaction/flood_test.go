package interaction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/storage"
)

func TestFlood(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 300_000_000, time.UTC)
	g := newFloodGuard(Flood{Burst: 3, Rate: 0.5, ChannelBurst: 5, ChannelRate: 1}, nil)
	admitted := func(person, channel string, c Class, at time.Time, n int) {
		t.Helper()
		for i := range n {
			if err := g.admit(person, channel, c, at); err != nil {
				t.Fatalf("request %d: %v", i+1, err)
			}
		}
	}
	refused := func(person, channel string, c Class, byChannel bool) time.Time {
		t.Helper()
		err := g.admit(person, channel, c, now)
		var e *FloodError
		if !errors.As(err, &e) || e.Channel != byChannel {
			t.Fatalf("%v, want a refusal", err)
		}
		if e.Again.Nanosecond() != 0 || !e.Again.After(now) {
			t.Fatalf("to try again at %s, now %s", e.Again, now)
		}
		return e.Again
	}
	admitted("1", "c", Ordinary, now, 3)
	var again time.Time
	for range 5 { // a refusal does not make it later
		again = refused("1", "c", Ordinary, false)
	}
	if want := now.Add(2 * time.Second).Truncate(time.Second).Add(time.Second); !again.Equal(want) {
		t.Errorf("again at %s, want %s", again, want)
	}
	// Leaving and typing have budgets of their own.
	admitted("1", "c", Leaving, now, 3)
	refused("1", "c", Leaving, false)
	admitted("1", "c", Typing, now, 3*typingFactor)
	refused("1", "c", Typing, false)
	// Other people have budgets of their own, until the channel's is used up.
	admitted("2", "c", Ordinary, now, 2)
	refused("2", "c", Ordinary, true)
	admitted("3", "d", Ordinary, now, 1)
	admitted("2", "c", Leaving, now, 1)
	// At the announced time the person is admitted.
	admitted("1", "c", Ordinary, again, 1)
}

// Whoever a full channel refuses has their budget for other channels.
func TestFloodOfChannelCostsThePersonNothing(t *testing.T) {
	g := newFloodGuard(Flood{Burst: 3, Rate: 0.001, ChannelBurst: 1, ChannelRate: 0.001}, nil)
	now := time.Unix(0, 0)
	must(t, g.admit("other", "busy", Ordinary, now))
	for range 3 {
		if g.admit("anna", "busy", Ordinary, now) == nil {
			t.Fatal("the channel has budget left")
		}
	}
	for _, quiet := range []string{"a", "b", "c"} {
		must(t, g.admit("anna", quiet, Ordinary, now))
	}
}

// The memory is bounded, and active people keep their budgets.
func TestFloodDropsLeastRecentlyUsed(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	g := newFloodGuard(Flood{Burst: 1, Rate: 0.001, ChannelBurst: 1 << 30, MaxBudgets: 10}, nil)
	must(t, g.admit("anna", "c", Ordinary, now))
	for n := range 1000 {
		must(t, g.admit(fmt.Sprint(n), "c", Ordinary, now))
		if err := g.admit("anna", "c", Ordinary, now); err == nil {
			t.Fatalf("after %d others Anna has a new budget", n+1)
		}
	}
	if len(g.budgets) != 10 || g.recent.Len() != 10 {
		t.Errorf("%d budgets are kept", len(g.budgets))
	}
}

// The route decides the class, whatever the path ends in: a person whose name is
// the last part of a leaving route is counted like everybody else.
func TestFloodClassIsTheRoutes(t *testing.T) {
	k := newKitWith(t, func(c *Config) {
		c.Flood = Flood{Burst: 100, ChannelBurst: 2, ChannelRate: 0.001}
		var err error
		c.Router, err = NewRouter(
			Route{Kind: Component, Pattern: "duel/{game}/{person}/{name...}", Handler: respond(PrivateText("Hello"), nil)},
			Route{Kind: Component, Pattern: "match/{match}/{seq}/resign", Handler: respond(PrivateText("Bye"), nil), Class: Leaving})
		must(t, err)
	})
	for _, c := range []struct{ id, want string }{
		{"duel/trails/1/resign", "Hello"},
		{"duel/trails/1/x/cancel", "Hello"},
		{"duel/trails/1/resign", "Slower."},
		{"match/1/2/resign", "Bye"}, // leaving is possible however full the channel is
	} {
		if got := k.serve(k.Click(anna, "8000", c.id)); len(got) != 1 || !strings.Contains(got[0].Text(), c.want) {
			t.Errorf("%s: %v, want %s", c.id, got, c.want)
		}
	}
}

// Several processes hold somebody who floods them to little more than one would, and
// hear nothing of people who do not.
func TestFloodOfProcesses(t *testing.T) {
	for _, tt := range []struct {
		name      string
		processes int
		interval  time.Duration // between requests
		most      int           // admitted in a minute
		reports   bool
	}{
		{"a flood of one process", 1, 50 * time.Millisecond, 30 + 2*60, true},
		{"a flood of three", 3, 50 * time.Millisecond, 30 + 2*60 + 2*7 + 60, true},
		{"a busy person", 3, time.Second, 60, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			var guards []*floodGuard
			reports := 0
			for i := range tt.processes {
				guards = append(guards, newFloodGuard(Flood{}, func(budget string, n int) {
					reports++
					for j, other := range guards {
						if j != i {
							other.spend(budget, n, now)
						}
					}
				}))
			}
			admitted := 0
			for n := range int(time.Minute / tt.interval) {
				if guards[n%tt.processes].admit("1", "c", Ordinary, now) == nil {
					admitted++
				}
				now = now.Add(tt.interval)
			}
			if admitted > tt.most || admitted < min(tt.most, int(time.Minute/tt.interval))*3/4 || (reports > 0) != tt.reports {
				t.Errorf("%d requests are admitted, at most %d expected; %d reports", admitted, tt.most, reports)
			}
		})
	}
	k := newKitWith(t, func(c *Config) { c.Flood = Flood{} })
	k.Invalidate(storage.Signal{Kind: storage.BudgetSpent, ID: "nonsense", N: 1})
	if len(k.flood.budgets) > 0 {
		t.Error("nonsense makes a budget")
	}
	k.Invalidate(storage.Signal{Kind: storage.BudgetSpent, ID: budgetKey{id: "1"}.String(), N: 30})
	if err := k.flood.admit("1", "c", Ordinary, time.Now()); err == nil {
		t.Error("what another process has spent is not taken")
	}
}

// A person who floods the bot keeps nobody else waiting: what goes beyond their budget
// takes no room, and what is within it is carried out in turn with others.
func TestFloodTakesNoRoomFromOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bruno := storage.Person{ID: "12", Name: "Bruno"}
		gate, begun := make(chan struct{}), []string{}
		k := newKit(t, func(_ context.Context, r *Request) (Response, error) {
			begun = append(begun, r.Person.Name)
			<-gate
			return PrivateText("done"), nil
		})
		k.config.Observe = nil
		k.flood = newFloodGuard(Flood{Burst: 20, Rate: 0.001}, nil)
		k.admission.limit = 1
		for range 2 * (maxQueued + maxBusy) {
			k.Accept(t.Context(), k.Subcommand(anna, "test", "y", nil))
		}
		synctest.Wait()
		for _, r := range k.Take() {
			if !r.Private() || !strings.Contains(r.Text(), "Slower.") {
				t.Fatalf("the flood is answered by %s", r.Body)
			}
		}
		k.Accept(t.Context(), k.Subcommand(bruno, "test", "y", nil))
		for range 2 {
			synctest.Wait()
			gate <- struct{}{}
		}
		synctest.Wait()
		if got := begun[:2]; !slices.Equal(got, []string{"Anna", "Bruno"}) {
			t.Errorf("carried out are %v", begun)
		}
		close(gate)
		<-k.Idle()
	})
}
