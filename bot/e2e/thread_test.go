package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/storage"
)

const (
	threading = "/channels/{channel_id}/messages/{message_id}/threads"
	noThreads = sandbox.PermissionPublicThreads
)

// offerThread has Anna challenge Ben to a match in a thread. The thread has the
// identifier of the message.
func (w *world) offerThread() sandbox.Message {
	w.t.Helper()
	return w.offer(sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"), sandbox.Opt("thread", true))
}

// inThread makes a thread the world's channel, until back is called.
func (w *world) inThread(thread string) (back func()) {
	channel := w.channel
	w.channel = thread
	return func() { w.channel = channel }
}

// asBot sends a request with the bot's token and returns the response.
func (w *world) asBot(method, path, body string) []byte {
	w.t.Helper()
	request, err := http.NewRequest(method, w.chat.Base()+"/api/v10"+path, strings.NewReader(body))
	must(w.t, err)
	request.Header.Set("Authorization", "Bot "+w.chat.Token())
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(w.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(w.t, err)
	if response.StatusCode/100 != 2 {
		w.t.Fatalf("%s %s: status %d: %s", method, path, response.StatusCode, text)
	}
	return text
}

// says waits until a message contains a text.
func (w *world) says(id, want string) {
	w.t.Helper()
	w.wait(want, func() bool { return strings.Contains(text(w.message(w.anna, id)), want) })
}

func TestThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	if n := len(w.boards(w.anna)); n != 0 {
		t.Errorf("%d boards in the channel", n)
	}
	w.says(offer.ID, "played in <#"+offer.ID+">")
	if a, b := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel); a != 0 || b != 1 {
		t.Errorf("in the channel Anna was notified %d times, Ben %d times", a, b)
	}

	back := w.inThread(offer.ID)
	if a, b := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel); a != 1 || b != 0 {
		t.Errorf("in the thread Anna was notified %d times, Ben %d times", a, b)
	}
	w.click(w.anna, "Right")
	w.move(w.ben, "left")
	w.answered(w.chloe.Command(w.channel, "board"))
	wantText(t, w.board(), "2. ◆ Ben: **left**")
	if a, b := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel); a != 2 || b != 1 {
		t.Errorf("after two turns Anna was notified %d times, Ben %d times", a, b)
	}
	w.resigns(w.ben, "Resign")
	// The final board can still be looked at where the match was played.
	w.answered(w.anna.Command(w.channel, "board"))
	if m := w.private(w.anna); !strings.Contains(text(m), "After turn 2 of 2") || buttons(m)["|◀"] == "" {
		t.Errorf("the final board says %q with buttons %v", text(m), buttons(m))
	}
	w.answered(w.chloe.Command(w.channel, "board"))
	w.wantPrivate(w.chloe, "You have no match in this channel")
	back()
	w.pass(time.Second)
	w.says(offer.ID, "resigned: ● **<@"+w.annaID+">** wins")
	w.says(offer.ID, "<#"+offer.ID+">")
}

// TestMoveInThread gives commands in the channel and in its thread: they find the
// match of the thread, and in the thread no other. The receipt names the match
// that waits next.
func TestMoveInThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.accept(offer)
	w.move(w.anna, "right")
	w.wantPrivate(w.anna, "You played **right**")
	w.answered(w.chloe.Command(w.channel, "board")) // Chloé does not play
	w.wantPrivate(w.chloe, "match 1")
	w.answered(w.anna.Command(w.channel, "resign"))
	w.wantPrivate(w.anna, "Call it off? Match 1") // match 1 is in the channel's thread
	w.challenge()
	w.move(w.anna, "down")
	if got := w.view(2).Match.Seq(); got != 1 {
		t.Errorf("match 2 has %d entries", got)
	}
	w.answered(w.ben.Command(w.channel, "resign")) // Ben plays in the channel and in its thread
	w.wantPrivate(w.ben, "Match 1", "Match 2")
	w.move(w.anna, "down")
	w.wantPrivate(w.anna, "It is Ben’s turn")
	w.moveIn(2, "left")
	w.wantPrivate(w.ben, "Next: Match 1 · Trails and Towers with Anna · your turn. [Go to the board](https://discord.com/channels/")
	defer w.inThread(offer.ID)()
	w.resigns(w.ben, "Call it off")
	w.move(w.ben, "right")
	w.wantPrivate(w.ben, "This match is over. `/rematch` starts another.")
	w.answered(w.ben.Command(w.channel, "record")) // of the match of this thread
	w.wantPrivate(w.ben, "atch 1")
}

// TestThreadCreatedOnce interrupts the creation of a thread at each step. In the
// end there is one thread with one board, and one notification.
func TestThreadCreatedOnce(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"the request is lost":            {Kind: sandbox.FaultCut},
		"the answer is lost":             {Kind: sandbox.FaultCut, After: true},
		"Discord has a fault of its own": {Kind: sandbox.FaultError, Status: 500},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restart %v", name, restart), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.mayRefuse(160004)
				offer := w.offerThread()
				planned := fault // each has its own
				planned.Method, planned.Route = "POST", threading
				w.chat.MustPlan(planned)
				w.settled(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
				if restart {
					w.stopBot()
					w.advanceClock(host.Backoff(0))
					w.startBot()
				} else {
					w.pass(host.Backoff(0))
				}
				back := w.inThread(offer.ID)
				w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 && w.anna.Mentions(w.channel) == 1 })
				w.click(w.anna, "Right")
				back()
				w.pass(time.Second)
				w.says(offer.ID, "played in")
				if n := len(w.boards(w.anna)); n != 0 {
					t.Errorf("%d boards in the channel", n)
				}
				if a, b := w.anna.Mentions(w.channel), w.ben.Mentions(w.channel); a != 0 || b != 1 {
					t.Errorf("in the channel Anna was notified %d times, Ben %d times", a, b)
				}
			})
		}
	}
}

func TestNoThreadPermission(t *testing.T) {
	app := sandbox.DefaultWorld().Application.ID
	for name, c := range map[string]struct {
		denied int64
		before bool // the challenge
		says   string
	}{
		"known before, none can be made":       {noThreads, true, "I need Create Public Threads in"},
		"known before, none can be written":    {sandbox.PermissionSendInThreads, true, "I need Send Messages in Threads in"},
		"found out later, none can be made":    {noThreads, false, ""},
		"found out later, none can be written": {sandbox.PermissionSendInThreads, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.mayRefuse(50013)
			if c.before {
				must(t, w.chat.Deny(w.channel, app, c.denied))
			}
			offer := w.offerThread()
			if c.before {
				w.wantPrivate(w.anna, c.says)
			} else {
				must(t, w.chat.Deny(w.channel, app, c.denied))
			}
			w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
			if got := text(w.message(w.anna, offer.ID)); strings.Contains(got, "Create Public Threads") == c.before {
				t.Errorf("the challenge says: %s", got)
			}
			w.wantMentions(w.anna, 0, 1)
			w.click(w.anna, "Right")
			w.move(w.ben, "left")
			if n := w.view(1).Record.Place; n != (storage.Place{Guild: sandbox.DefaultWorld().Guild.ID, Channel: w.channel}) {
				t.Errorf("it is played at %v", n)
			}
		})
	}
}

// TestChallengeInThread makes a challenge within a thread, where the match is then
// played.
func TestChallengeInThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	w.inThread(offer.ID)
	second := w.offerThread()
	w.answered(w.ben.Click(w.channel, second.ID, w.press(second, "Accept")))
	if got := w.view(2).Record.Place.Channel; got != offer.ID {
		t.Errorf("it is played in %s", got)
	}
	if got := text(w.message(w.anna, second.ID)); strings.Contains(got, "permission") {
		t.Errorf("the challenge says: %s", got)
	}
	// Each board acts on its own match.
	for match := storage.MatchID(1); match <= 2; match++ {
		board := w.boardOf(match)
		w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "Right")))
		for other := storage.MatchID(1); other <= 2; other++ {
			if want := map[bool]int{true: 1, false: 0}[other <= match]; w.view(other).Match.Seq() != want {
				t.Errorf("after match %d match %d has %d entries", match, other, w.view(other).Match.Seq())
			}
		}
	}
}

func TestArchivedThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	// The player types in the parent channel.
	w.move(w.anna, "right")
	w.wantPrivate(w.anna, "You played **right**")
	w.inThread(offer.ID)
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	w.pass(time.Second)
	w.wait("the old board to collapse", func() bool { return len(w.boards(w.anna)) == 1 })
	w.click(w.ben, "Left")
}

// TestLockedThread locks the thread of a match, so that nobody can click there.
// The match goes on in the channel, at once or with its next board.
func TestLockedThread(t *testing.T) {
	for name, known := range map[string]bool{"told by an event": true, "found out later": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if known {
				needsGateway(t)
			}
			w := newWorld(t)
			w.mayRefuse(160005, 50013)
			offer := w.offerThread()
			w.accept(offer)
			if !known {
				w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultLate, Event: "THREAD_UPDATE"})
			}
			must(t, w.chat.SetThread(offer.ID, !known, true))
			if !known {
				w.move(w.anna, "right")
				w.wantPrivate(w.anna, "You played **right**")
			}
			w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 })
			w.pass(time.Second)
			w.says(offer.ID, "played in the channel: its thread was locked")
			if known {
				w.click(w.anna, "Right")
			}
			w.click(w.ben, "Left")
		})
	}
}

// last returns the newest message that a person sees in a channel.
func (w *world) last(p *sandbox.Person, channel string) sandbox.Message {
	w.t.Helper()
	all := p.Messages(channel)
	if len(all) == 0 {
		w.t.Fatalf("%s sees nothing", p.ID())
	}
	return all[len(all)-1]
}

// TestDirectMessages continues matches of guilds in the bot's direct messages,
// where no match between people can be started.
func TestDirectMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	says := func(want string, command string, options ...sandbox.CommandOption) {
		t.Helper()
		w.answered(w.anna.Command(direct, command, options...))
		wantText(t, w.last(w.anna, direct), want)
	}
	says("In direct messages you play against me", "help")
	says("/oauth2/authorize?client_id=", "help")
	says("Use `/challenge` on a server where I am a member", "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID)))
	says("no match in this channel", "move", sandbox.Opt("turn", "right"))

	w.challenge()
	says("**It is your turn elsewhere:**", "help")
	says("You played **right**", "move", sandbox.Opt("turn", "right"))
	says("Anna: **right**", "board")
	says("◆ Ben to move", "games")
	w.wantMentions(w.ben, 0, 2) // the challenge and one turn
	w.answered(w.anna.Command(direct, "resign"))
	ask := w.last(w.anna, direct)
	w.answered(w.anna.Click(direct, ask.ID, w.press(ask, "Call it off")))
	says("Use `/challenge` on a server", "rematch")
	if _, over := w.view(1).Match.Over(); !over {
		t.Error("the match goes on")
	}
	if n := len(w.boards(w.ben)); n != 1 {
		t.Errorf("%d boards in the channel", n)
	}
}

// TestChannelWithoutBot uses the bot in private channels, and in a guild of which
// it is not a member. The bot says why there is no board, and how to invite it.
func TestChannelWithoutBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(t, w.anna.Install())
	outpost := sandbox.DefaultWorld().Guilds[0]
	must(t, w.chat.RemoveBotFrom(outpost.ID))
	camp := sandbox.DefaultWorld().Channels[3].ID
	private, err := w.anna.DirectMessagesWith(w.benID)
	must(t, err)
	for channel, want := range map[string]string{camp: "I am not a member of this server", private: "Here Discord shows my answers only to you"} {
		for _, ask := range []func() (sandbox.Interaction, error){
			func() (sandbox.Interaction, error) {
				return w.anna.Command(channel, "challenge", sandbox.Sub("trails"))
			},
			func() (sandbox.Interaction, error) { return w.anna.Command(channel, "rematch") },
			func() (sandbox.Interaction, error) { return w.anna.CommandOnUser(channel, "Challenge", w.benID) },
		} {
			w.answered(ask())
			if m := w.last(w.anna, channel); !strings.Contains(text(m), want) || !strings.Contains(text(m), "[Invite me](") || m.Flags&sandbox.FlagEphemeral == 0 {
				t.Errorf("it says %q, not %q", text(m), want)
			}
		}
		if got := text(w.help(w.anna, channel)); got == "" {
			t.Error("there is no help")
		}
	}
	w.challenge() // works in a guild of which it is a member
	w.move(w.anna, "right")
}

// TestThreadEnds archives a thread some time after the result of its match was
// shown, unless the players play again there.
func TestThreadEnds(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.accept(offer)
	archived := func() bool {
		var ch struct {
			Metadata struct{ Archived bool } `json:"thread_metadata"`
		}
		must(t, json.Unmarshal(w.asBot("GET", "/channels/"+offer.ID, ""), &ch))
		return ch.Metadata.Archived
	}
	back := w.inThread(offer.ID)
	w.click(w.anna, "Right")
	w.move(w.ben, "left")
	w.resigns(w.ben, "Resign")
	w.pass(9 * time.Minute)
	if archived() {
		t.Error("the thread was archived at once")
	}
	last := w.last(w.anna, offer.ID)
	for _, m := range w.boards(w.anna) {
		last = m
	}
	w.answered(w.anna.Click(offer.ID, last.ID, w.press(last, "Rematch")))
	again := w.newest(w.ben, "Accept")
	w.answered(w.ben.Click(offer.ID, again.ID, w.press(again, "Accept")))
	w.pass(time.Hour)
	if archived() {
		t.Error("the thread was archived while a match is played in it")
	}
	w.resigns(w.player(2), "Call it off")
	back()
	w.pass(10 * time.Minute)
	if !archived() {
		t.Error("the thread was not archived")
	}
	w.says(offer.ID, "resigned: ● **<@"+w.annaID+">** wins") // the challenge still shows the result
	requests := len(w.sent)
	w.pass(time.Hour)
	if len(w.sent) != requests {
		t.Errorf("%d more requests", len(w.sent)-requests)
	}
}

// TestTooManyThreads starts a match in a guild that has all the threads that
// Discord allows: it is played in the channel, and the challenge says why.
func TestTooManyThreads(t *testing.T) {
	t.Parallel()
	w := newLimitedWorld(t, sandbox.Limits{ActiveThreads: 1})
	w.mayRefuse(160006)
	first := w.offerThread()
	w.accept(first)
	second := w.offerThread()
	w.accept(second)
	w.says(second.ID, "played in the channel: this server has too many active threads")
	if got := w.view(2).Record.Place.Channel; got != w.channel {
		t.Errorf("it is played in %s", got)
	}
	board := w.boardOf(2)
	w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "Right")))
}

// TestForgetInThreads: after somebody has deleted their data, the threads of their
// matches no longer name them. One that was archived is archived afterwards.
func TestForgetInThreads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(50083) // to edit a message in an archived thread
	ended := w.offerThread()
	w.accept(ended)
	back := w.inThread(ended.ID)
	w.click(w.anna, "Right")
	w.move(w.ben, "left")
	w.resigns(w.ben, "Resign")
	back()
	w.pass(11 * time.Minute)
	running := w.offerThread()
	w.accept(running)
	thread := func(id string) (name string, archived bool) {
		var ch struct {
			Name     string
			Metadata struct{ Archived bool } `json:"thread_metadata"`
		}
		must(t, json.Unmarshal(w.asBot("GET", "/channels/"+id, ""), &ch))
		return ch.Name, ch.Metadata.Archived
	}
	w.wait("an archived thread with Anna’s name", func() bool {
		name, archived := thread(ended.ID)
		return archived && strings.Contains(name, "Anna")
	})
	m := w.command(w.anna, "privacy")
	for _, button := range []string{"Delete my data", "Delete my data now"} {
		w.answered(w.anna.Click(w.channel, m.ID, w.press(w.message(w.anna, m.ID), button)))
	}
	w.wait("threads without Anna’s name", func() bool {
		one, archived := thread(ended.ID)
		two, open := thread(running.ID)
		return archived && !open && one == "1 · Trails and Towers: a former player – Ben" && two == "2 · Trails and Towers: a former player – Ben"
	})
}
