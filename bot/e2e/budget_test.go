package e2e_test

import (
	"sync"
	"testing"

	"castellan/bot/sandbox"
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

// measure counts the work of what do does.
func (w *world) measure(do func()) measured {
	w.t.Helper()
	<-w.bot.Idle()
	w.work.mu.Lock()
	w.work.updates, w.work.views, w.work.statements, w.work.updatesToAck, w.work.acks = 0, 0, 0, 0, 0
	w.work.mu.Unlock()
	before := w.host.Replays()
	do()
	<-w.bot.Idle()
	w.work.mu.Lock()
	defer w.work.mu.Unlock()
	if w.work.acks == 0 {
		w.t.Error("nothing was acknowledged")
	}
	return measured{
		int(w.host.Replays() - before), w.work.updatesToAck, w.work.updates - w.work.updatesToAck, w.work.views, w.work.statements,
	}
}

// TestWorkPerInteraction enforces the budget of an interaction: at most one
// replay of the whole log on a cold cache and none on a warm one; one write
// transaction before the acknowledgement and two after it; 15 statements. Lists
// and suggestions replay nothing that is in the cache.
func TestWorkPerInteraction(t *testing.T) {
	t.Parallel()
	button := func(w *world) { w.click(w.anna, "Right") }
	for name, c := range map[string]struct {
		game  string
		do    func(w *world)
		limit measured
	}{
		"button":       {"trails", button, measured{updatesToAck: 1, updatesAfter: 2, views: 1, statements: 15}},
		"move":         {"trails", func(w *world) { w.move(w.anna, "right") }, measured{updatesToAck: 3, views: 2, statements: 18}},
		"autocomplete": {"trails", func(w *world) { w.suggestTurn("r") }, measured{views: 2, statements: 3}},
		"help":         {"trails", func(w *world) { w.answered(w.anna.Command(w.channel, "help")) }, measured{views: 4, statements: 12}},
		"games":        {"trails", func(w *world) { w.answered(w.anna.Command(w.channel, "games")) }, measured{views: 3, statements: 10}},
		"panel":        {"towers", func(w *world) { w.openPanel(w.anna, 1) }, measured{views: 3, statements: 6}},
		"panel pick": {"stone-towers", func(w *world) {
			panel := w.openPanel(w.anna, 1)
			m := w.measure(func() { w.pickAction(w.anna, 1, panel, w.view(1).Match.Position().Legal()[0]) })
			t.Logf("picks %+v", m)
		}, measured{updatesToAck: 9, updatesAfter: 9, views: 20, statements: 90}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			offer := w.offerOf(c.game, sandbox.Opt("first", "me"))
			w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
			check := func(cache string, got measured, replays int) {
				t.Logf("%s, %s cache: %+v", name, cache, got)
				if got.replays > replays {
					t.Errorf("%d replays of the whole log on a %s cache", got.replays, cache)
				}
				l := c.limit
				if got.updatesToAck > l.updatesToAck || got.updatesAfter > l.updatesAfter || got.views > l.views || got.statements > l.statements {
					t.Errorf("%s cache: %+v, at most %+v", cache, got, l)
				}
			}
			if name == "button" || name == "move" {
				cold := newWorld(t)
				offer := cold.offerOf(c.game, sandbox.Opt("first", "me"))
				cold.answered(cold.ben.Click(cold.channel, offer.ID, cold.press(offer, "Accept")))
				cold.stopBot()
				cold.startBot()
				check("cold", cold.measure(func() { c.do(cold) }), 1)
			}
			check("warm", w.measure(func() { c.do(w) }), 0)
		})
	}
}

// suggestTurn types the beginning of a turn.
func (w *world) suggestTurn(typed string) {
	w.t.Helper()
	_, err := w.anna.Autocomplete(w.t.Context(), w.channel, "move", sandbox.Focused("turn", typed))
	must(w.t, err)
}
