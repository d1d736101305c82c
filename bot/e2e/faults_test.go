package e2e_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/faults"
	"castellan/storage"
	"castellan/storage/dbtest"
)

// The routes that faults are put on.
const (
	callbackRoute = "/interactions/{interaction_id}/{interaction_token}/callback" // of first responses
	postRoute     = "/channels/{channel_id}/messages"
	editRoute     = "/channels/{channel_id}/messages/{message_id}"
	internal      = "Internal Server Error"
)

// begin returns the identifier of an interaction that was sent. It does not wait
// for the answer.
func (w *world) begin(i sandbox.Interaction, err error) string {
	w.t.Helper()
	must(w.t, err)
	return i.ID
}

// deferReply fires the timer after which a reply is deferred. The deferral may
// still be on its way to Discord.
func (w *world) deferReply() {
	w.t.Helper()
	select {
	case w.deferrals <- w.now():
	case <-time.After(patience):
		w.t.Fatal("no reply waits to be deferred")
	}
}

// callbacks returns the types of the responses to an interaction.
func (w *world) callbacks(id string) []int {
	i, _ := w.chat.Interaction(id)
	return i.Callbacks
}

func TestSlowCommandNotifiesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	open := w.gate("POST", postRoute)
	before := w.ben.Mentions(w.channel)
	id := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	w.deferReply()
	w.awaitState(id, sandbox.StateDeferred)
	open()
	w.awaitState(id, sandbox.StateAnswered)
	if got := w.callbacks(id); !slices.Equal(got, []int{5}) {
		t.Errorf("callbacks %v, not 5 alone", got)
	}
	w.wantPrivate(w.anna, "move.played")
	w.wantMentions(w.ben, before, 1)
	w.board()
}

func TestRefusedBoardIsPostedLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute, Status: 403, Code: 50013, Message: "Missing Permissions"})
	w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute, Status: 500, Message: internal})
	w.move(w.anna, "right")
	w.wantPrivate(w.anna, "move.kept", "error.permission", w.channel)
	w.pass(time.Minute - time.Second) // too early: the channel is left alone
	w.pass(time.Second)               // Discord has a fault
	w.pass(host.Backoff(0))           // too early: the second wait is twice as long
	w.wantMentions(w.ben, before, 0)
	w.pass(host.Backoff(1) - host.Backoff(0))
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 })
	w.wait("the old board to collapse", func() bool { return len(w.boards(w.anna)) == 1 })
	w.pass(time.Hour)
	w.pass(time.Hour)
	w.wantMentions(w.ben, before, 1)
	w.click(w.ben, "trails.step.left")
}

func TestRestartPostsPendingBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute, Status: 500, Message: internal})
	w.move(w.anna, "right")
	w.stopBot()
	w.advanceClock(host.Backoff(0))
	w.startBot()
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 && len(w.boards(w.anna)) == 1 })

	// No work is left: another restart changes nothing.
	was := w.transcript(w.ben)
	w.restart()
	w.pass(time.Hour)
	if now := w.transcript(w.ben); now != was {
		t.Errorf("a restart changed the channel from\n%s to\n%s", was, now)
	}
	// The match goes on to its end.
	for i, turn := range strings.Fields(winningMatch)[1:] {
		w.move([]*sandbox.Person{w.ben, w.anna}[i%2], turn)
	}
	wantText(t, w.board(), "wins against")
}

func TestRepeatedDeliveryCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(40060)
	offer := w.offer()
	accept := w.begin(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
	w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 })
	must(t, w.chat.Redeliver(accept))
	move := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	w.awaitState(move, sandbox.StateAnswered)
	must(t, w.chat.Redeliver(move))
	must(t, w.chat.Redeliver(move))
	w.move(w.ben, "left")
	must(t, w.chat.Redeliver(move))
	w.move(w.anna, "right")
	w.stopBot() // every delivery has been served
	if got := len(w.boards(w.anna)); got != 1 {
		t.Errorf("%d boards\n%s", got, w.transcript(w.anna))
	}
	if got := w.transcript(w.chloe); strings.Count(got, "-# 1. ● Anna: **right**") != 1 || strings.Count(got, "⏎ -# 3. ● Anna: **right**") != 1 || strings.Contains(got, "4. ") {
		t.Errorf("the turns:\n%s", got)
	}
	w.wantMentions(w.ben, 0, 3) // challenge, turns 2 and 4
}

// holdDisk keeps the disk busy with a transaction until release is called.
func (w *world) holdDisk() (release func()) {
	begun, gate, held := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	store := w.store
	go func() {
		held <- store.Update(context.Background(), func(storage.Tx) error {
			close(begun)
			<-gate
			return nil
		})
	}()
	<-begun
	return sync.OnceFunc(func() {
		close(gate)
		must(w.t, <-held)
	})
}

// The bot stops while people wait for a slow disk. They are told at once, and the
// bot ends as soon as the running transaction has been written.
func TestStopWhilePeopleWaitForTheDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.view(1).Match.Seq()
	release := w.holdDisk()
	var ids []string
	for range 5 {
		ids = append(ids, w.begin(w.anna.Command(w.channel, "board")), w.begin(w.ben.Command(w.channel, "board")))
	}
	w.wait("all to arrive", func() bool { return w.bot.Status().InProgress == len(ids) })
	stopped := make(chan struct{})
	stop := w.stop
	go func() {
		defer close(stopped)
		stop()
	}()
	for _, id := range ids {
		w.wait("an answer", func() bool {
			i, _ := w.chat.Interaction(id)
			return i.State == "answered"
		})
	}
	select {
	case <-stopped:
		t.Error("the bot has stopped before the disk was done")
	default:
	}
	restarting := 0
	for _, p := range []string{w.annaID, w.benID} {
		for _, m := range w.chat.As(p).Messages(w.channel) {
			if strings.Contains(bottest.Text(m), english("error.restarting")) {
				restarting++
			}
		}
	}
	if restarting != len(ids) {
		t.Errorf("%d of %d were told that the bot is being restarted", restarting, len(ids))
	}
	release()
	<-stopped
	w.stop = nil
	w.startBot()
	if n := w.view(1).Match.Seq(); n != before {
		t.Errorf("%d entries were added", n-before)
	}
}

// The bot stops while the disk hangs, with a board posted and not recorded. Five
// seconds later it gives up recording and ends; nothing is posted twice.
func TestStopWhileTheDiskHangs(t *testing.T) {
	t.Parallel()
	if dbtest.Postgres() {
		t.Skip("updates do not wait for each other")
	}
	w := newWorld(t)
	w.stopBot()
	const recordTimeout = 5 * time.Second
	w.stages = map[time.Duration]chan time.Time{recordTimeout: make(chan time.Time)}
	w.startBot()
	w.challenge()
	before := w.ben.Mentions(w.channel)
	open := w.gate("POST", postRoute)
	id := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel) == before+1 })

	release := w.holdDisk()
	defer release()
	closed, stopped := make(chan error, 1), make(chan struct{})
	store, stop := w.store, w.stop
	w.stop = nil
	go func() { closed <- store.Update(context.Background(), func(storage.Tx) error { return nil }) }()
	go func() {
		defer close(stopped)
		stop()
	}()
	open()
	select {
	case w.stages[recordTimeout] <- w.now():
	case <-time.After(patience):
		t.Fatal("the bot does not limit how long it waits for the store")
	}
	select {
	case err := <-closed: // the store is closed after the bot has ended
		if !errors.Is(err, storage.ErrClosed) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("the bot waits for the disk")
	}
	w.awaitState(id, sandbox.StateAnswered)
	release()
	<-stopped
	w.startBot()
	w.pass(time.Minute)
	w.click(w.ben, "trails.step.left")
	if got := w.ben.Mentions(w.channel); got != before+1 {
		t.Errorf("Ben was notified %d times of his turn", got-before)
	}
}
