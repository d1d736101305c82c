package e2e_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// manualTimers holds timers that fire only when a test says so, however busy the
// machine is. The zero value is ready to use.
type manualTimers struct {
	mu   sync.Mutex
	all  map[*manualTimer]bool
	last time.Duration // duration of the newest timer
	news chan struct{} // closed when another timer has been set
}

type manualTimer struct {
	after time.Duration
	ring  func()
}

func (a *manualTimers) after(d time.Duration, ring func()) (stop func() bool) {
	one := &manualTimer{d, ring}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[*manualTimer]bool{}
	}
	a.all[one], a.last = true, d
	if a.news != nil {
		close(a.news)
		a.news = nil
	}
	return func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		was := a.all[one]
		delete(a.all, one)
		return was
	}
}

// fire fires the timers that are set for one of the given durations, or all timers
// if none is given, and returns their number.
func (a *manualTimers) fire(times ...time.Duration) (n int) {
	a.mu.Lock()
	var due []*manualTimer
	for one := range a.all {
		if len(times) == 0 || slices.Contains(times, one.after) {
			due = append(due, one)
			delete(a.all, one)
		}
	}
	a.mu.Unlock()
	for _, one := range due {
		one.ring()
	}
	return len(due)
}

// changed returns a channel that is closed when another timer is set.
func (a *manualTimers) changed() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.news == nil {
		a.news = make(chan struct{})
	}
	return a.news
}

// expireInteractions lets the three seconds pass of every unanswered
// interaction.
func (w *world) expireInteractions() { w.interactionTimers.fire() }

func (a *manualTimers) newest() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// The time between two heartbeats at the sandbox's interval, and the time in which
// each must be acknowledged.
const (
	nextHeartbeat = 41250 * time.Millisecond
	missingAck    = nextHeartbeat / 4
)

// opening is the time in which a connection to the gateway must open.
const opening = 20 * time.Second

// expireHandshake lets that time pass for a silent connection.
func (w *world) expireHandshake() { w.gatewayTimers.fire(opening) }

// expireHeartbeats lets heartbeats pass without an acknowledgement, until the bot
// reconnects.
func (w *world) expireHeartbeats() {
	w.t.Helper()
	for {
		set := w.gatewayTimers.changed()
		w.gatewayTimers.fire(nextHeartbeat, missingAck)
		select {
		case <-set:
			if w.gatewayTimers.newest() == opening {
				return
			}
		case <-time.After(patience):
			w.t.Fatal("a silent connection is not replaced")
		}
	}
}

// gatewayTimer is the timer of the gateway connection. Delays before a
// reconnect pass at once; timeouts fire when the test says so, and heartbeats are
// sent in real time, too.
func (w *world) gatewayTimer(d time.Duration) (c <-chan time.Time, release func()) {
	at := make(chan time.Time, 1)
	if d <= time.Minute && d != opening && d != nextHeartbeat && d != missingAck {
		at <- w.now()
		return at, func() {}
	}
	stop := w.gatewayTimers.after(d, func() { at <- w.now() })
	if d != nextHeartbeat {
		return at, func() { stop() }
	}
	real := time.AfterFunc(d, func() { // the sandbox ends a session without heartbeats
		if stop() {
			at <- w.now()
		}
	})
	return at, func() { real.Stop(); stop() }
}

// TestOffers makes and answers offers by commands and buttons. Each offer is one new
// board, which notifies those who are asked, once; an answer edits it.
func TestOffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("trails", sandbox.Opt("clock", "1d"))
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	anna, ben, first := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel), w.board().ID
	press := func(p *sandbox.Person, m api.Message, button string) {
		t.Helper()
		w.answered(p.Click(w.channel, m.ID, w.press(m, button)))
	}

	wantText(t, w.command(w.anna, "draw"), "offer.made")
	asked := w.board()
	if wantText(t, asked, "offer.open.draw", "board.turn"); asked.ID == first {
		t.Error("the offer posts no board")
	}
	w.restart()
	w.wantMentions(w.ben, ben, 1)
	w.wantMentions(w.anna, anna, 0)
	w.click(w.ben, "offer.answer.decline")
	w.wantPrivate(w.ben, "offer.declined")
	if got := w.board(); got.ID != asked.ID {
		t.Error("the answer posts a board")
	}
	wantText(t, w.board(), "offer.refused.draw")

	// Ben gives time, once he has seen the clocks.
	w.click(w.ben, "offer.button")
	w.press(w.private(w.ben), "resign.yes")
	menu := w.command(w.ben, "time")
	wantText(t, menu, "time.ask")
	press(w.ben, menu, "offer.button.give")
	w.wantPrivate(w.ben, "offer.given")
	wantText(t, w.board(), "clock.until", "clock.given")
	w.wantMentions(w.anna, anna, 0)

	// Anna takes her turn back after Ben's reply.
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	anna, ben = w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)
	press(w.anna, w.command(w.anna, "undo"), "takeback.button")
	wantText(t, w.board(), "offer.open.takeback")
	question := w.private(w.anna)
	w.click(w.ben, "offer.answer.accept")
	wantText(t, w.board(), "<@"+w.annaID+"> to move", "takeback.agreed")
	w.wantMentions(w.anna, anna, 1)
	w.wantMentions(w.ben, ben, 1)
	if n := len(w.view(1).Match.Turns()); n != 2 {
		t.Errorf("%d turns", n)
	}
	// A press on Withdraw that comes too late removes the button.
	press(w.anna, question, "offer.answer.withdraw")
	if m := w.message(w.anna, question.ID); len(buttons(m)) != 0 {
		t.Errorf("the message of an answered offer says %q with buttons %v", bottest.Text(m), buttons(m))
	}

	// An offer lapses with the next turn. A draw ends the match.
	w.command(w.anna, "time")
	w.press(w.board(), "offer.answer.accept")
	w.move(w.anna, "right")
	if _, ok := buttons(w.board())[english("offer.answer.accept")]; ok {
		t.Error("the offer stands after the next turn")
	}
	press(w.anna, w.command(w.anna, "draw"), "offer.answer.withdraw")
	w.wantPrivate(w.anna, "offer.withdrawn")
	w.command(w.ben, "draw")
	w.click(w.anna, "offer.answer.accept")
	wantText(t, w.board(), "end.agreement")
}
