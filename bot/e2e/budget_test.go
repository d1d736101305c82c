package e2e_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"castellan/bot/sandbox"
	"castellan/storage/dbtest"
	"castellan/storage/sqlite"
)

// work counts the transactions and statements of the store.
type work struct {
	mu             sync.Mutex
	updates, views int
	statements     int
	updatesToAck   int // write transactions that had begun before the acknowledgement
	acks           int
}

func (w *work) trace(k sqlite.TraceKind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch k {
	case sqlite.TraceUpdate:
		w.updates++
	case sqlite.TraceView:
		w.views++
	case sqlite.TraceStatement:
		w.statements++
	}
}

func (w *work) acknowledged() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.acks++; w.acks == 1 {
		w.updatesToAck = w.updates
	}
}

// measured is the work of one interaction.
type measured struct{ replays, updatesToAck, updatesAfter, views, statements int }

// measure counts the work that do causes.
func (w *world) measure(do func()) measured {
	w.t.Helper()
	<-w.bot.Interactions.Idle()
	w.work.mu.Lock()
	w.work.updates, w.work.views, w.work.statements, w.work.updatesToAck, w.work.acks = 0, 0, 0, 0, 0
	w.work.mu.Unlock()
	before := w.host.Replays()
	do()
	<-w.bot.Interactions.Idle()
	w.work.mu.Lock()
	defer w.work.mu.Unlock()
	if w.work.acks == 0 {
		w.t.Error("nothing was acknowledged")
	}
	return measured{
		int(w.host.Replays() - before), w.work.updatesToAck, w.work.updates - w.work.updatesToAck, w.work.views, w.work.statements,
	}
}

// within reports whether no number exceeds that of a limit.
func (m measured) within(l measured) bool {
	return m.replays <= l.replays && m.updatesToAck <= l.updatesToAck && m.updatesAfter <= l.updatesAfter &&
		m.views <= l.views && m.statements <= l.statements
}

// TestWorkPerInteraction enforces the budget of an interaction: at most one
// replay of the whole log on a cold cache and none on a warm one; one write
// transaction before the acknowledgement and two after it; 15 statements. Lists
// and suggestions replay nothing that is in the cache.
func TestWorkPerInteraction(t *testing.T) {
	if os.Getenv("CASTELLAN_RERUN") != "" {
		t.Skip("updates run twice")
	}
	t.Parallel()
	if dbtest.Postgres() {
		t.Skip("PostgreSQL counts no statements")
	}
	command := func(name string) func(w *world) {
		return func(w *world) { w.answered(w.anna.Command(w.channel, name)) }
	}
	for name, c := range map[string]struct {
		game  string
		do    func(w *world)
		limit measured
		cold  bool // measured on a cold cache too
	}{
		"button":       {"trails", func(w *world) { w.click(w.anna, "trails.step.right") }, measured{updatesToAck: 1, updatesAfter: 2, views: 2, statements: 15}, true},
		"move":         {"trails", func(w *world) { w.move(w.anna, "right") }, measured{updatesToAck: 3, views: 4, statements: 18}, true}, // the last view is of the next match
		"autocomplete": {"trails", func(w *world) { w.suggestTurn("r") }, measured{views: 3, statements: 3}, false},
		"help":         {"trails", command("help"), measured{views: 5, statements: 12}, false},
		"games":        {"trails", command("games"), measured{views: 4, statements: 10}, false},
		"panel":        {"towers", func(w *world) { w.openPanel(w.anna, 1) }, measured{views: 4, statements: 6}, false},
		"panel pick": {"stone-towers", func(w *world) {
			w.pickAction(w.anna, 1, w.openPanel(w.anna, 1), w.view(1).Match.Position().Legal()[0])
		}, measured{updatesToAck: 9, updatesAfter: 9, views: 20, statements: 90}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// After each interaction, and after the start, the scheduler queries the
			// store once for matches in which a computer is to move. The limits include
			// one such query. If the query after an earlier interaction falls into a
			// measurement, the measurement is repeated.
			check := func(cache string, limit measured, prepare func(w *world)) {
				t.Helper()
				var got measured
				for range 12 {
					w := newWorld(t)
					w.startWith(c.game)
					prepare(w)
					if got = w.measure(func() { c.do(w) }); got.within(limit) {
						break
					}
				}
				t.Logf("%s cache: %+v", cache, got)
				if !got.within(limit) {
					t.Errorf("%s cache: %+v, at most %+v", cache, got, limit)
				}
			}
			check("warm", c.limit, func(*world) {})
			if c.cold {
				limit := c.limit
				limit.replays = 1
				// Preferences, settings, and the locales of person and guild once each; and once
				// for the process whom operators have banned, and their notice.
				limit.views += 5
				limit.statements += 6
				check("cold", limit, func(w *world) { w.stopBot(); w.startBot(); w.awaitReconciler() })
			}
		})
	}
}

func (w *world) suggestTurn(typed string) {
	w.t.Helper()
	_, err := w.anna.Autocomplete(w.t.Context(), w.channel, "move", sandbox.Focused("turn", typed))
	must(w.t, err)
}

// TestRequestsPerTurn counts the requests of a turn that count towards Discord's
// global limit, which are all but those about interactions. lab plan and
// docs/host/scaling.md compute with them.
func TestRequestsPerTurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		game string
		do   func(w *world)
		want int
	}{
		"button": {"trails", func(w *world) { w.click(w.anna, "trails.step.right") }, 1},
		"typed":  {"trails", func(w *world) { w.move(w.anna, "right") }, 2},
		"panel": {"stone-towers", func(w *world) {
			w.pickAction(w.anna, 1, w.openPanel(w.anna, 1), w.view(1).Match.Position().Legal()[0])
		}, 2},
		"button and the computer's answer": {"", func(w *world) {
			w.click(w.anna, "trails.step.right")
			<-w.bot.Interactions.Idle() // the board of the computer's turn has been posted
			w.computerPlayer.(*blockingPlayer).open <- struct{}{}
			w.awaitPerson(1)
		}, 1 + 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *world
			if c.game == "" {
				w = withPlayer(t, newBlockingPlayer(), 1)
				w.challengeComputer("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"), sandbox.Opt("thread", false))
			} else {
				w = newWorld(t)
				w.startWith(c.game)
			}
			count := func() (sent []string) {
				<-w.bot.Interactions.Idle()
				w.awaitReconciler()
				w.mu.Lock()
				defer w.mu.Unlock()
				for _, x := range w.sent {
					if !strings.HasPrefix(x.Route, "/interactions/") && !strings.HasPrefix(x.Route, "/webhooks/") {
						sent = append(sent, x.Method+" "+x.Route)
					}
				}
				return sent
			}
			before := len(count())
			c.do(w)
			if sent := count()[before:]; len(sent) != c.want {
				t.Errorf("%d requests, not %d: %v", len(sent), c.want, sent)
			}
		})
	}
}
