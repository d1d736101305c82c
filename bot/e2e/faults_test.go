package e2e_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/storage"
	"castellan/storage/dbtest"
)

// The routes that faults are put on.
const (
	postRoute = "/channels/{channel_id}/messages"
	editRoute = "/channels/{channel_id}/messages/{message_id}"
	internal  = "Internal Server Error"
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
	w.wantPrivate(w.anna, "You played **right**")
	w.wantMentions(w.ben, before, 1)
	w.board()
}

func TestSlowClickNotifiesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	open := w.gate("POST", postRoute)
	before := w.ben.Mentions(w.channel)
	m := w.board()
	id := w.begin(w.anna.Click(w.channel, m.ID, w.press(m, "Right")))
	w.deferReply()
	w.wait("the acknowledgement", func() bool { return slices.Equal(w.callbacks(id), []int{6}) })
	open()
	w.wait("the old board to collapse", func() bool { return len(w.boards(w.anna)) == 1 && w.boards(w.anna)[0].ID != m.ID })
	w.wantMentions(w.ben, before, 1)
}

func TestRefusedBoardIsPostedLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	w.chat.FailNext("POST", postRoute, 403, 50013, "Missing Permissions")
	w.chat.FailNext("POST", postRoute, 500, 0, internal)
	w.move(w.anna, "right")
	w.wantPrivate(w.anna, "Your turn was played", "Attach Files", w.channel)
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
	w.click(w.ben, "Left")
}

func TestRestartPostsPendingBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	w.chat.FailNext("POST", postRoute, 500, 0, internal)
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
	wantText(t, w.board(), "wins")
}

func TestRepeatedDeliveryCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(40060)
	offer := w.offer()
	accept := w.begin(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
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

func TestDroppedGatewayResumes(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	w.chat.DropGateway()
	w.move(w.anna, "right") // waits in the session until the bot is back
	w.move(w.ben, "left")
}

func TestDeletedBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(10008)
	w.challenge()
	must(t, w.chat.Remove(w.channel, w.board().ID))
	w.answered(w.anna.Command(w.channel, "board"))
	w.click(w.anna, "Right")
	must(t, w.chat.Remove(w.channel, w.board().ID))
	w.move(w.ben, "left")
	w.board()
	work, err := w.host.PendingWork(t.Context(), 10)
	must(t, err)
	if len(work.Boards)+len(work.Challenges) != 0 {
		t.Errorf("still behind: %+v", work)
	}
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	const hostile = "**Ann** @everyone <@1120000000000000012> [x](https://example.org) `y` <#1>"
	w := newWorld(t, func(world *sandbox.World) { world.Users[0].Nick = hostile })
	w.challenge()
	w.move(w.anna, "[x](https://example.org)<@"+w.benID+">")
	w.move(w.anna, "right")
	w.move(w.anna, "left") // refused: it is Ben's turn
	w.answered(w.anna.Command(w.channel, "resign"))
	for _, m := range w.anna.Messages(w.channel) {
		for _, live := range []string{"**Ann", " @everyone", "](https://example", " <@1120000000000000012> [", " `y`", " <#1>"} {
			if strings.Contains(text(m), live) {
				t.Errorf("%q is live in: %s", live, text(m))
			}
		}
	}
	w.wantMentions(w.ben, 0, 2) // challenge, turn 2
}

// TestLostAnswerStillCollapsesBoard loses Discord's answer to a post. A player
// presses a button of the board before the bot has recorded it. No second board
// stays, and nobody is notified twice.
func TestLostAnswerStillCollapsesBoard(t *testing.T) {
	t.Parallel()
	lose := func(p *lobbyWorld) {
		p.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultCut, Method: "POST", Route: postRoute, After: true})
	}
	for _, c := range []struct {
		name string
		act  func(p *lobbyWorld, first *sandbox.Person)
	}{
		{"by command", func(p *lobbyWorld, first *sandbox.Person) { p.move(first, "a1 end") }},
		{"by asking for the board", func(p *lobbyWorld, first *sandbox.Person) {
			p.answered(first.Command(p.channel, "board"))
			p.board()
			p.expectNotified("the board again")
			p.move(first, "a1 end")
		}},
		{"by a panel", func(p *lobbyWorld, first *sandbox.Person) { p.byPanel(first, 1, "a1 end") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newLobbyWorld(t)
			p.open(sandbox.Opt("players", 3))
			p.click(ben, "Join")
			lose(p)
			p.click(chloe, "Join")
			p.expectNotified("the start", p.order()[0])
			seats := p.order()
			c.act(p, p.people[seats[0]])
			p.board()
			p.expectNotified("turn 1", seats[1])
			lose(p)
			p.move(p.people[seats[1]], "a1 end")
			p.expectNotified("turn 2", seats[2])
			p.resigns(p.people[seats[0]], "Leave")
			p.board()
			p.expectNotified("retired out of turn")
		})
	}
}

// TestPendingBoardWhenGuildReturns restarts the bot, which then posts a guild's
// pending boards at once, however long the backoff.
func TestPendingBoardWhenGuildReturns(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.ben.Mentions(w.channel)
	w.chat.FailNext("POST", postRoute, 403, 50001, "Missing Access")
	w.move(w.anna, "right")
	for tries := range 8 {
		w.chat.FailNext("POST", postRoute, 403, 50001, "Missing Access")
		w.pass(time.Minute << tries)
	}
	w.pass(time.Second) // the next attempt is an hour away
	w.wantMentions(w.ben, before, 0)
	w.restart()
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 && len(w.boards(w.anna)) == 1 })
	w.click(w.ben, "Left")
}

// TestMatchMovesToAnotherChannel deletes the channel of a match. The match goes
// on in another, where its players are notified.
func TestMatchMovesToAnotherChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	hall := sandbox.DefaultWorld().Channels[1].ID
	w.chat.FailNext("POST", postRoute, 404, 10003, "Unknown Channel")
	w.move(w.anna, "right")
	w.wantPrivate(w.anna, "The channel is gone", "`/board` there with the option `match`")
	w.chat.FailNext("GET", "/channels/{channel_id}", 404, 10003, "Unknown Channel")
	w.answered(w.anna.Command(hall, "board", sandbox.Opt("match", 1)))
	if got := w.ben.Mentions(hall); got != 1 {
		t.Errorf("Ben was notified %d times", got)
	}
	w.channel = hall
	w.click(w.ben, "Left")
	w.move(w.anna, "right")
	wantText(t, w.board(), "<@"+w.benID+"> to move")
}

// The bot stops while people wait for a slow disk. They are told at once, and the
// bot ends as soon as the running transaction has been written.
func TestStopWhilePeopleWaitForTheDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.view(1).Match.Seq()
	// The disk is busy with another transaction.
	begun, gate, held := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		held <- w.store.Update(context.Background(), func(storage.Tx) error {
			close(begun)
			<-gate
			return nil
		})
	}()
	<-begun
	var ids []string
	for range 5 {
		ids = append(ids, w.begin(w.anna.Command(w.channel, "board")), w.begin(w.ben.Command(w.channel, "board")))
	}
	w.wait("all to arrive", func() bool { return w.bot.InProgress() == len(ids) })
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
			if strings.Contains(text(m), "I am being restarted") {
				restarting++
			}
		}
	}
	if restarting != len(ids) {
		t.Errorf("%d of %d were told that the bot is being restarted", restarting, len(ids))
	}
	close(gate)
	must(t, <-held)
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

	begun, gate := make(chan struct{}), make(chan struct{})
	held, closed, stopped := make(chan error, 1), make(chan error, 1), make(chan struct{})
	release := sync.OnceFunc(func() { close(gate) })
	defer release()
	store, stop := w.store, w.stop
	w.stop = nil
	go func() {
		held <- store.Update(context.Background(), func(storage.Tx) error {
			close(begun)
			<-gate
			return nil
		})
	}()
	<-begun
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
	must(t, <-held)
	<-stopped
	w.startBot()
	w.pass(time.Minute)
	w.click(w.ben, "Left")
	if got := w.ben.Mentions(w.channel); got != before+1 {
		t.Errorf("Ben was notified %d times of his turn", got-before)
	}
}
