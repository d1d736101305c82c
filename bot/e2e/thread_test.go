package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
	"castellan/storage"
)

const threading = "/channels/{channel_id}/messages/{message_id}/threads"

// offerThread has Anna challenge Ben to a match in a thread. The thread has the
// identifier of the message.
func (w *world) offerThread() api.Message {
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
	w.wait(want, func() bool { return strings.Contains(bottest.Text(w.message(w.anna, id)), fragment(want)) })
}

func TestThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.accept(offer)
	if n := len(w.boards(w.anna)); n != 0 {
		t.Errorf("%d boards in the channel", n)
	}
	w.says(offer.ID, "played in <#"+offer.ID+">")
	w.wantMentions(w.anna, 0, 0)
	w.wantMentions(w.ben, 0, 1)
	back := w.inThread(offer.ID)
	w.click(w.anna, "trails.step.right")
	w.move(w.ben, "left")
	w.answered(w.chloe.Command(w.channel, "board"))
	wantText(t, w.board(), "2. ◆ Ben: **left**")
	w.wantMentions(w.anna, 0, 2)
	w.wantMentions(w.ben, 0, 1)
	// Boards and lines in the thread are of its match, which needs no number there.
	for _, m := range w.anna.Messages(w.channel) {
		if text := bottest.Text(m); strings.Contains(text, "· match 1") {
			t.Errorf("the thread of match 1 has %q", text)
		}
	}
	w.resigns(w.ben, "resign.yes")
	// The final board can still be looked at where the match was played.
	if m := w.command(w.anna, "board"); !strings.Contains(bottest.Text(m), "After turn 2 of 2") || buttons(m)[english("look.first")] == "" {
		t.Errorf("the final board says %q with buttons %v", bottest.Text(m), buttons(m))
	}
	back()
	w.pass(time.Second)
	w.says(offer.ID, "end.resignation")
}

// pressMatch returns the custom ID of the button that chooses a match.
func (w *world) pressMatch(m api.Message, match storage.MatchID) string {
	w.t.Helper()
	for label, id := range buttons(m) {
		if strings.HasPrefix(label, fmt.Sprintf("Match %d ·", match)) {
			return id
		}
	}
	w.t.Fatalf("no button chooses match %d: %v", match, buttons(m))
	return ""
}

// TestMoveInThread gives commands in the channel and in its thread: each means the
// match whose board is there, and in the channel those of threads are asked for. The
// receipt names the match that waits next.
func TestMoveInThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.accept(offer)
	w.move(w.anna, "right")
	ask := w.private(w.anna)
	wantText(t, ask, "move.which")
	w.answered(w.anna.Click(w.channel, ask.ID, w.pressMatch(ask, 1)))
	wantText(t, w.message(w.anna, ask.ID), "Match 1 · Trails and Towers with Ben", "move.played")
	wantText(t, w.command(w.chloe, "board"), "match 1") // Chloé does not play
	ask = w.command(w.anna, "resign")
	w.answered(w.anna.Click(w.channel, ask.ID, w.pressMatch(ask, 1)))
	wantText(t, w.message(w.anna, ask.ID), "abort.ask", "Match 1")
	w.challenge()
	w.move(w.anna, "down")
	if got := w.view(2).Match.Seq(); got != 1 {
		t.Errorf("match 2 has %d entries", got)
	}
	wantText(t, w.command(w.ben, "resign"), "abort.ask", "Match 2") // Ben plays in the channel and in its thread
	w.move(w.anna, "down")
	w.wantPrivate(w.anna, "It is Ben’s turn")
	w.moveIn(2, "left")
	w.wantPrivate(w.ben, "move.next", "Match 1", "board.link")
	defer w.inThread(offer.ID)()
	w.resigns(w.ben, "abort.yes")
	w.move(w.ben, "right")
	w.wantPrivate(w.ben, "error.over")
	wantText(t, w.command(w.ben, "record"), "atch 1") // of the match of this thread
}

// TestThreadCreatedOnce interrupts the creation of a thread at each step. In the
// end there is one thread with one board, and one notification.
func TestThreadCreatedOnce(t *testing.T) {
	for name, fault := range map[string]faults.Fault{
		"the request is lost":            {Kind: faults.Cut},
		"the answer is lost":             {Kind: faults.Cut, After: true},
		"Discord has a fault of its own": {Kind: faults.Error, Status: 500},
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
				w.settled(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
				if restart {
					w.stopBot()
					w.advanceClock(host.Backoff(0))
					w.startBot()
				} else {
					w.pass(host.Backoff(0))
				}
				back := w.inThread(offer.ID)
				w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 && w.anna.Mentions(w.channel) == 1 })
				w.click(w.anna, "trails.step.right")
				back()
				w.pass(time.Second)
				w.says(offer.ID, "thread.here")
				if n := len(w.boards(w.anna)); n != 0 {
					t.Errorf("%d boards in the channel", n)
				}
				w.wantMentions(w.anna, 0, 0)
				w.wantMentions(w.ben, 0, 1)
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
		"known before, none can be made":       {api.PermissionPublicThreads, true, "permission.threads"},
		"known before, none can be written":    {api.PermissionSendInThreads, true, "permission.inthreads"},
		"found out later, none can be made":    {api.PermissionPublicThreads, false, ""},
		"found out later, none can be written": {api.PermissionSendInThreads, false, ""},
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
			w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
			if got := bottest.Text(w.message(w.anna, offer.ID)); strings.Contains(got, "Create Public Threads") == c.before {
				t.Errorf("the challenge says: %s", got)
			}
			w.wantMentions(w.anna, 0, 1)
			w.click(w.anna, "trails.step.right")
			w.move(w.ben, "left")
			if n := w.view(1).Record.Place; n != (storage.Place{Guild: sandbox.DefaultWorld().Guild.ID, Channel: w.channel}) {
				t.Errorf("it is played at %v", n)
			}
		})
	}
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
				w.chat.MustPlan(faults.Fault{Kind: faults.Late, Event: "THREAD_UPDATE"})
			}
			must(t, w.chat.SetThread(offer.ID, !known, true))
			if !known {
				w.moveIn(1, "right")
			}
			w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 })
			w.pass(time.Second)
			w.says(offer.ID, "thread.locked")
			if known {
				w.click(w.anna, "trails.step.right")
			}
			w.click(w.ben, "trails.step.left")
		})
	}
}

// last returns the newest message that a person sees in a channel.
func (w *world) last(p *sandbox.Person, channel string) api.Message {
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
	says("help.direct", "help")
	wantText(t, w.last(w.anna, direct), "/oauth2/authorize?client_id=")
	says("error.outside", "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID)))
	says("error.none", "move", sandbox.Opt("turn", "right"))
	w.challenge()
	says("help.elsewhere", "help")
	says("move.which", "move", sandbox.Opt("turn", "right"))
	ask := w.last(w.anna, direct)
	w.answered(w.anna.Click(direct, ask.ID, w.pressMatch(ask, 1)))
	wantText(t, w.last(w.anna, direct), "move.played")
	says("Anna: **right**", "board")
	says("◆ Ben to move", "games")
	w.wantMentions(w.ben, 0, 2) // the challenge and one turn
	w.answered(w.anna.Command(direct, "resign"))
	ask = w.last(w.anna, direct)
	w.answered(w.anna.Click(direct, ask.ID, w.pressMatch(ask, 1)))
	ask = w.last(w.anna, direct)
	w.answered(w.anna.Click(direct, ask.ID, w.press(ask, "abort.yes")))
	says("error.outside", "rematch")
	if _, over := w.view(1).Match.Over(); !over || len(w.boards(w.ben)) != 1 {
		t.Error("the match goes on, or has several boards")
	}
}

// TestChannelWithoutBot uses the bot in private channels, and in a guild of which
// it is not a member. The bot says why there is no board, and how to invite it.
func TestChannelWithoutBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(t, w.anna.Install())
	must(t, w.chat.RemoveBotFrom(sandbox.DefaultWorld().Guilds[0].ID))
	private, err := w.anna.DirectMessagesWith(w.benID)
	must(t, err)
	for channel, want := range map[string]string{sandbox.DefaultWorld().Channels[3].ID: "error.guest", private: "error.outside"} {
		for _, ask := range []func() (sandbox.Interaction, error){
			func() (sandbox.Interaction, error) {
				return w.anna.Command(channel, "challenge", sandbox.Sub("trails"))
			},
			func() (sandbox.Interaction, error) { return w.anna.Command(channel, "rematch") },
			func() (sandbox.Interaction, error) { return w.anna.CommandOnUser(channel, "Challenge", w.benID) },
		} {
			w.answered(ask())
			m := w.last(w.anna, channel)
			if wantText(t, m, want, "invite.link"); m.Flags&api.FlagEphemeral == 0 {
				t.Error("everybody reads it")
			}
		}
		w.help(w.anna, channel)
	}
	w.challenge() // works in a guild of which it is a member
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
	w.click(w.anna, "trails.step.right")
	w.move(w.ben, "left")
	w.resigns(w.ben, "resign.yes")
	w.pass(9 * time.Minute)
	if archived() {
		t.Error("the thread was archived at once")
	}
	last := w.last(w.anna, offer.ID)
	for _, m := range w.boards(w.anna) {
		last = m
	}
	w.answered(w.anna.Click(offer.ID, last.ID, w.press(last, "rematch.button")))
	again := w.newest(w.ben, "challenge.accept")
	w.answered(w.ben.Click(offer.ID, again.ID, w.press(again, "challenge.accept")))
	w.pass(time.Hour)
	if archived() {
		t.Error("the thread was archived while a match is played in it")
	}
	w.resigns(w.player(2), "abort.yes")
	back()
	w.pass(10 * time.Minute)
	if !archived() {
		t.Error("the thread was not archived")
	}
	w.says(offer.ID, "end.resignation") // the challenge still shows the result
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
	w.says(second.ID, "thread.full")
	if got := w.view(2).Record.Place.Channel; got != w.channel {
		t.Errorf("it is played in %s", got)
	}
	board := w.boardOf(2)
	w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "trails.step.right")))
}

func TestArchivedThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	offer := w.offerThread()
	w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "challenge.accept")))
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	// The player types in the parent channel.
	w.moveIn(1, "right")
	w.inThread(offer.ID)
	w.asBot("PATCH", "/channels/"+offer.ID, `{"archived":true}`)
	w.pass(time.Second)
	w.wait("the old board to collapse", func() bool { return len(w.boards(w.anna)) == 1 })
	w.click(w.ben, "trails.step.left")
}

// TestDeletedThread deletes the thread of a match with a clock. The match goes on in the
// channel. The next player is notified there and loses no time.
func TestDeletedThread(t *testing.T) {
	for name, known := range map[string]bool{"told by an event": true, "found out at the end of the time": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if known {
				needsGateway(t)
			}
			w := newWorld(t)
			w.mayRefuse(10003)
			w.answered(w.anna.Command(w.channel, "preferences"))
			w.answered(w.anna.Click(w.channel, w.private(w.anna).ID, w.press(w.private(w.anna), "Never")))
			offer := w.offer(sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"), sandbox.Opt("thread", true), sandbox.Opt("clock", "1d"))
			w.accept(offer)
			if !known {
				w.chat.MustPlan(faults.Fault{Kind: faults.Late, Event: "THREAD_DELETE"})
			}
			before := w.anna.Mentions(w.channel)
			must(t, w.chat.RemoveChannel(offer.ID))
			if known {
				w.wait("the board in the channel", func() bool { return w.anna.Mentions(w.channel) == before+1 })
			}
			hours := 5
			if !known {
				hours = 25
			}
			for range hours {
				w.run(time.Hour)
			}
			w.wantMentions(w.anna, before, 1)
			w.says(offer.ID, "thread.deleted")
			if v := w.view(1); v.Record.Place.Channel != w.channel || v.TimeoutAt().Sub(w.now()) < 18*time.Hour {
				t.Errorf("it is played at %v; the time is up at %v, and now it is %v", v.Record.Place, v.TimeoutAt(), w.now())
			}
			w.click(w.anna, "trails.step.right")
			w.click(w.ben, "trails.step.left")
		})
	}
}

// TestBotRemoved removes the bot from a guild, or the channel of a match from the guild.
// No clock runs until the next player can be reached.
func TestBotRemoved(t *testing.T) {
	needsGateway(t)
	guild := sandbox.DefaultWorld().Guild.ID
	for name, c := range map[string]struct {
		away func(*world) error
		back func(*world)
	}{
		"from the guild": {
			func(w *world) error { return w.chat.RemoveBotFrom(guild) },
			func(w *world) { must(w.t, w.chat.AddBotTo(guild)) },
		},
		"a channel": {
			func(w *world) error { return w.chat.RemoveChannel(w.channel) },
			func(w *world) {
				direct, err := w.anna.DirectMessages()
				must(w.t, err)
				wantText(w.t, w.last(w.anna, direct), "board.unreachable")
				w.channel = sandbox.DefaultWorld().Channels[1].ID
				w.answered(w.anna.Command(w.channel, "board", sandbox.Opt("match", 1)))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.mayRefuse(10003, 50001)
			w.startWith("trails", sandbox.Opt("clock", "1d"))
			w.run(time.Hour)
			must(t, c.away(w))
			w.wait("the clock to stand still", func() bool { return !w.view(1).Record.PausedAt.IsZero() })
			for range 30 {
				w.run(time.Hour)
			}
			c.back(w)
			w.wait("the clock to run", func() bool { return w.view(1).Record.PausedAt.IsZero() })
			w.wait("one board", func() bool { return len(w.boards(w.anna)) == 1 }) // the other is collapsed afterwards
			v := w.view(1)
			if left := v.TimeoutAt().Sub(w.now()); !v.Record.PausedAt.IsZero() || left < 22*time.Hour || left > 24*time.Hour {
				t.Errorf("Anna has %v left, and her clock stands since %v", left, v.Record.PausedAt)
			}
			w.click(w.anna, "trails.step.right")
			w.click(w.ben, "trails.step.left")
		})
	}
}
