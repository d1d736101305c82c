package e2e_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/sandbox"
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

// after sets a timer.
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

// newest returns the duration of the timer that was set last.
func (a *manualTimers) newest() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// The times in which the first heartbeat must be acknowledged, and another after
// an acknowledgement, at the sandbox's interval.
const (
	firstAck = 41250 * time.Millisecond / 4
	nextAck  = 41250 * time.Millisecond * 5 / 4
)

// opening is the time in which a connection to the gateway must open.
const opening = 20 * time.Second

// expireHandshake lets that time pass for a silent connection.
func (w *world) expireHandshake() { w.gatewayTimers.fire(opening) }

// expireHeartbeats lets two heartbeats pass without an acknowledgement, until
// the bot reconnects. An acknowledgement in flight starts them anew.
func (w *world) expireHeartbeats() {
	w.t.Helper()
	for {
		set := w.gatewayTimers.changed()
		w.gatewayTimers.fire(firstAck, nextAck)
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
// reconnect pass at once; timeouts fire when the test says so.
func (w *world) gatewayTimer(d time.Duration) (c <-chan time.Time, release func()) {
	at := make(chan time.Time, 1)
	if d <= time.Minute && d != opening && d != firstAck && d != nextAck {
		at <- w.now()
		return at, func() {}
	}
	stop := w.gatewayTimers.after(d, func() { at <- w.now() })
	return at, func() { stop() }
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

	w.answered(w.anna.Command(w.channel, "draw"))
	w.wantPrivate(w.anna, "I have asked")
	asked := w.board()
	wantText(t, asked, "<@"+w.benID+">: Anna offers a draw.", "<@"+w.annaID+"> to move")
	w.wantMentions(w.ben, ben, 1)
	w.wantMentions(w.anna, anna, 0)
	if asked.ID == first {
		t.Error("the offer posts no board")
	}
	w.answered(w.anna.Command(w.channel, "draw"))
	w.wantPrivate(w.anna, "You have offered this already.")
	w.click(w.anna, "Accept")
	w.wantPrivate(w.anna, "This is your own offer.")
	w.click(w.chloe, "Accept") // who does not play
	w.restart()
	w.wantMentions(w.ben, ben, 1)
	w.click(w.ben, "Decline")
	w.wantPrivate(w.ben, "You declined.")
	if got := w.board(); got.ID != asked.ID {
		t.Error("the answer posts a board")
	} else {
		wantText(t, got, "The draw was declined.")
	}

	// Ben gives time, by the list of offers.
	w.click(w.ben, "Offer…")
	menu := w.private(w.ben)
	w.answered(w.ben.Click(w.channel, menu.ID, w.press(menu, "Give more time")))
	w.wantPrivate(w.ben, "the time of Anna runs out <t:1777809600:R>")
	wantText(t, w.board(), "time runs out <t:1777809600:R>", "1 day more was given")
	w.wantMentions(w.anna, anna, 0)

	// Anna takes her turn back after Ben's reply.
	w.move(w.anna, "right")
	w.move(w.ben, "left")
	anna, ben = w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)
	w.answered(w.anna.Command(w.channel, "takeback"))
	wantText(t, w.board(), "<@"+w.benID+">: Anna wants to take back **right** and everything played since.")
	question := w.private(w.anna)
	w.click(w.ben, "Accept")
	wantText(t, w.board(), "<@"+w.annaID+"> to move", "Anna took a turn back by agreement")
	w.wantMentions(w.anna, anna, 1)
	w.wantMentions(w.ben, ben, 1)
	if n := len(w.view(1).Match.Turns()); n != 2 {
		t.Errorf("%d turns", n)
	}
	// A press on Withdraw that comes too late removes the button.
	w.answered(w.anna.Click(w.channel, question.ID, w.press(question, "Withdraw")))
	if m := w.message(w.anna, question.ID); !strings.Contains(text(m), "no longer stands") || len(buttons(m)) != 0 {
		t.Errorf("the message of an answered offer says %q with buttons %v", text(m), buttons(m))
	}

	// An offer lapses with the next turn. A draw ends the match.
	w.answered(w.anna.Command(w.channel, "time"))
	w.press(w.board(), "Accept")
	w.move(w.anna, "right")
	if _, ok := buttons(w.board())["Accept"]; ok {
		t.Error("the offer stands after the next turn")
	}
	w.answered(w.anna.Command(w.channel, "draw"))
	ask := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "Withdraw")))
	w.wantPrivate(w.anna, "You withdrew your offer.")
	w.answered(w.ben.Command(w.channel, "draw"))
	w.click(w.anna, "Accept")
	wantText(t, w.board(), "**A draw** between ", ", by agreement.")
	w.restart()
	w.pass(0)
	if got := w.transcript(w.chloe); strings.Count(got, "A draw") != 2 { // on the last board, and in the line of the collapsed one
		t.Errorf("the channel reads:\n%s", got)
	}
}
