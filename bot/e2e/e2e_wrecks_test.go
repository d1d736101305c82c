package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
)

// wrecks is every way in which a request can go wrong for a moment, before
// and after its work.
func wrecks() map[string]sandbox.Fault {
	all := map[string]sandbox.Fault{
		"limited":               {Kind: sandbox.FaultRateLimit, RetryAfter: 10 * time.Millisecond},
		"limited altogether":    {Kind: sandbox.FaultRateLimit, Scope: sandbox.ScopeGlobal, RetryAfter: 10 * time.Millisecond},
		"limited for a channel": {Kind: sandbox.FaultRateLimit, Scope: sandbox.ScopeShared, RetryAfter: 10 * time.Millisecond},
	}
	for _, after := range []bool{false, true} {
		when := map[bool]string{false: " before", true: " after"}[after]
		all["cut"+when] = sandbox.Fault{Kind: sandbox.FaultCut, After: after}
		all["500"+when] = sandbox.Fault{Kind: sandbox.FaultError, Status: 500, After: after}
		all["502"+when] = sandbox.Fault{Kind: sandbox.FaultProxy, Status: 502, After: after}
	}
	return all
}

// Whatever becomes of a request, once or twice, on each of the routes: every
// interaction is answered, one board stands at the foot of the channel, and
// every turn notifies once.
func TestOneBoardWhateverGoesWrong(t *testing.T) {
	t.Parallel() // and its parts one by one: interactions die in real seconds
	all := wrecks()
	names := slices.Sorted(maps.Keys(all))
	for i, name := range names {
		if sparing() && i%4 != 0 {
			continue
		}
		fault := all[name]
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.challenge()
			turns := strings.Fields(winning)
			before := w.anna.Mentions(w.channel) + w.ben.Mentions(w.channel)
			played := 0
			for _, route := range []struct{ method, route string }{{"POST", posting}, {"PATCH", editing}, {"POST", answering}} {
				for count := 1; count <= 2; count++ {
					fault.Method, fault.Route, fault.Count = route.method, route.route, count
					planned := w.chat.MustPlan(fault)
					p := []*sandbox.Person{w.anna, w.ben}[played%2]
					i := w.begin(p.Command(w.channel, "move", sandbox.Opt("turn", turns[played])))
					if route.route != answering || count == 1 {
						w.wait("an answer", func() bool { now, _ := w.chat.Interaction(i); return now.State == sandbox.StateAnswered })
					}
					w.wait("the move", func() bool { v, err := w.host.Match(t.Context(), 1); return err == nil && v.Match.Seq() == played+1 })
					played++
					for tries := range 4 { // the reconciler makes up for it
						w.pass(host.Backoff(tries))
						w.pass(0)
					}
					planned.Remove()
					w.wait("one board", func() bool { return len(w.boards(w.anna)) == 1 })
				}
			}
			w.pass(time.Hour)
			w.pass(0)
			w.board()
			if got := w.anna.Mentions(w.channel) + w.ben.Mentions(w.channel) - before; got != played {
				t.Errorf("%d notifications of %d turns\n%s", got, played, w.transcript(w.chloe))
			}
			if n := len(w.chat.Interactions(sandbox.StateDeferred)); n != 0 {
				t.Errorf("%d are still thinking", n)
			}
			lag, err := w.host.DeliveryLag(t.Context())
			if err != nil || lag != 0 {
				t.Errorf("something is left to do since %v, %v", lag, err)
			}
			for n := 1; n <= played; n++ {
				if got := strings.Count(w.transcript(w.chloe), fmt.Sprintf("%d. ", n)); got == 0 {
					t.Errorf("turn %d is not in the channel\n%s", n, w.transcript(w.chloe))
				}
			}
		})
	}
}

// A bot that is removed and added back posts what waited, at once.
func TestABotThatIsAddedBackPostsWhatWaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	m := w.board()
	right := w.press(m, "Right")
	before := w.ben.Mentions(w.channel)
	open := w.gate("POST", posting) // the turn is stored while the bot is being removed
	w.chat.FailNext("POST", posting, 500, 0, internal)
	w.begin(w.anna.Click(w.channel, m.ID, right))
	w.putOff()
	must(t, w.chat.RemoveBot())
	open()
	w.wait("the move", func() bool { v, err := w.host.Match(t.Context(), 1); return err == nil && v.Match.Seq() == 1 })
	for tries := range 10 {
		w.pass(host.Failure{Blocked: true}.Backoff(tries))
		w.pass(0)
	}
	if got := w.ben.Mentions(w.channel) - before; got != 0 {
		t.Fatalf("Ben was notified %d times", got)
	}
	must(t, w.chat.AddBot())
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 && len(w.boards(w.anna)) == 1 })
}

// The missing permission is named with the channel, and when it is given the
// board is posted at once.
func TestAPermissionThatIsTakenAndGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	must(t, w.chat.Deny(w.channel, w.chat.ApplicationID(), sandbox.PermissionAttachFiles))
	w.move(w.anna, "right")
	if got := text(w.private(w.anna)); !strings.Contains(got, "What is missing: Attach Files.") || !strings.Contains(got, "<#"+w.channel+">") {
		t.Errorf("Anna is told: %s", got)
	}
	for tries := range 6 {
		w.pass(host.Failure{Blocked: true}.Backoff(tries))
		w.pass(0)
	}
	must(t, w.chat.Deny(w.channel, w.chat.ApplicationID(), 0))
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 && len(w.boards(w.anna)) == 1 })
}

// A channel that is deleted: the match goes on in another.
func TestAChannelThatIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	must(t, w.chat.RemoveChannel(w.channel))
	hall := sandbox.DefaultWorld().Channels[1].ID
	w.answered(w.ben.Command(hall, "board", sandbox.Opt("match", 1)))
	w.channel = hall
	w.board()
	w.click(w.anna, "Right")
	w.move(w.ben, "left")
	w.board()
	w.pass(time.Hour)
	w.pass(0)
	if work, err := w.host.PendingWork(t.Context(), 10); err != nil || len(work.Boards)+len(work.Challenges) != 0 {
		t.Errorf("something is left to do: %+v, %v", work, err)
	}
}
