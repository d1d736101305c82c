package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

// invalid returns how many requests Discord has answered with 401, 403 or 429 so
// far.
func (w *world) invalid() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.sent {
		if x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden || x.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// TestDeletedMessageWithNonce loses the answer to a post whose message is then
// deleted. Discord knows the nonce and no longer the message, so the board is
// posted under another nonce, once.
func TestDeletedMessageWithNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(10008)
	w.challenge()
	before, heard := w.board().ID, w.ben.Mentions(w.channel)
	w.chat.MustPlan(faults.Fault{Kind: faults.Cut, After: true, Method: "POST", Route: postRoute})
	// The message is deleted before the bot knows that the request has failed. The
	// bot then tries again at once, and would find the message.
	open := w.gate("POST", postRoute)
	id := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	var lost string
	w.wait("the post", func() bool {
		for _, m := range w.boards(w.anna) {
			if m.ID != before {
				lost = m.ID
			}
		}
		return lost != ""
	})
	must(t, w.chat.Remove(w.channel, lost))
	open()
	w.awaitState(id, sandbox.StateAnswered)
	w.awaitIdle()
	w.pass(host.Backoff(0))
	w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 && w.board().ID != before })
	w.wantMentions(w.ben, heard, 2) // by the lost board and by the new one
	w.click(w.ben, "trails.step.left")
}

// TestPersonWhoTakesNoMessages plays in direct messages with a person who then
// accepts no more messages. The response says why there is no board. The bot gives
// up after some days, and posts the board when the person asks for it again.
func TestPersonWhoTakesNoMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(50007)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	w.answered(w.anna.Command(direct, "challenge", sandbox.Sub("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"))))
	v := w.awaitPerson(1)
	must(t, w.anna.CloseMessages(true))
	w.answered(w.anna.Command(direct, "move", sandbox.Opt("turn", anyTurn(v))))
	wantText(t, w.last(w.anna, direct), "move.kept", "error.unreachable")
	w.wait("the computer's turn to end", func() bool {
		_, thinks := w.view(1).ComputerToMove()
		return !thinks
	})
	for range 30 {
		w.pass(6 * time.Hour)
	}
	n := w.invalid()
	if n > 30 {
		t.Errorf("%d invalid requests in a week", n)
	}
	for range 20 {
		w.pass(6 * time.Hour)
	}
	if after := w.invalid(); after != n {
		t.Errorf("%d more invalid requests, for ever", after-n)
	}
	must(t, w.anna.CloseMessages(false))
	w.advanceClock(time.Hour)
	before := len(w.anna.Messages(direct))
	w.answered(w.anna.Command(direct, "board"))
	w.wait("the board", func() bool {
		all := w.anna.Messages(direct)
		return len(all) >= before+2 && (isBoard(all[len(all)-1]) || isBoard(all[len(all)-2]))
	})
}

// TestKindsOfChannels plays in every kind of channel that has messages, and starts
// a thread if the channel can have threads. Slow mode and an age restriction do
// not stop the bot.
func TestKindsOfChannels(t *testing.T) {
	const id = "1150000000000000777"
	for name, c := range map[string]struct {
		channel sandbox.Channel
		thread  bool
	}{
		"voice":          {sandbox.Channel{Type: api.ChannelVoice}, false},
		"announcement":   {sandbox.Channel{Type: api.ChannelAnnouncement}, true},
		"slow mode":      {sandbox.Channel{Slowmode: 21600}, true},
		"age-restricted": {sandbox.Channel{NSFW: true}, true},
		"forum":          {sandbox.Channel{Type: api.ChannelForum}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(all *sandbox.World) {
				c.channel.ID, c.channel.Name = id, "extra"
				all.Channels = append(all.Channels, c.channel)
			})
			w.channel = id
			if name == "forum" { // matches are played in the forum's posts
				var post struct{ ID string }
				must(t, json.Unmarshal(w.asBot("POST", "/channels/"+id+"/threads", `{"name":"Trails","message":{"content":"Who plays?"}}`), &post))
				w.channel = post.ID
			}
			offer := w.offerThread()
			w.accept(offer)
			if c.thread {
				w.channel = offer.ID
			}
			w.click(w.anna, "trails.step.right")
			w.move(w.ben, "left")
			w.answered(w.chloe.Command(w.channel, "board"))
			if got := w.view(1).Record.Place.Channel; got != w.channel {
				t.Errorf("it is played in %s, not %s", got, w.channel)
			}
		})
	}
}

// inProcess sends requests to a sandbox without a network, so that they can be
// made within a bubble.
type inProcess struct{ *sandbox.Sandbox }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestRateLimits posts far more than Discord accepts at a time, in many channels
// and in one. No request is refused, neither by the limits of routes nor by the
// limit of the whole bot.
func TestRateLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := sandbox.DefaultWorld()
		for n := range 60 {
			all.Channels = append(all.Channels, sandbox.Channel{ID: fmt.Sprint(1150000000000001000 + n), Name: fmt.Sprint("table-", n)})
		}
		chat, err := sandbox.New(sandbox.Options{Base: "http://discord.test", World: all, Strict: true})
		must(t, err)
		defer chat.Close()
		client := discord.NewClient(chat.Token(), &url.URL{Scheme: "http", Host: "discord.test"}, inProcess{chat})
		began := time.Now()
		var posts sync.WaitGroup
		post := func(ctx context.Context, channel string) {
			posts.Go(func() {
				m, err := client.CreateMessage(ctx, channel, "", discord.TextMessage("x"))
				if err == nil {
					err = client.EditMessage(ctx, channel, m.ID, discord.TextMessage("y"))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		for n := range 240 {
			post(discord.InBackground(t.Context()), all.Channels[len(all.Channels)-1-n%60].ID)
		}
		for range 20 {
			post(t.Context(), all.Channels[0].ID)
		}
		posts.Wait()
		if n := chat.Tally().Invalid; n != 0 {
			t.Errorf("%d requests were refused", n)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// registrations returns the requests that have changed commands, by path
// without the version.
func (w *world) registrations() (paths []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.sent {
		if x.Method != http.MethodGet && strings.Contains(x.Path, "/commands") {
			_, path, _ := strings.Cut(x.Path, "/applications/")
			paths = append(paths, x.Method+" "+path)
		}
	}
	return paths
}

// overwriteCommands registers other commands than the bot's.
func (w *world) overwriteCommands(body string) {
	w.t.Helper()
	w.asBot(http.MethodPut, "/applications/"+w.chat.ApplicationID()+"/commands", body)
}

func TestRegistrationOnChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := sandbox.DefaultWorld().Application.ID
	want := []string{"PUT " + app + "/commands"}
	check := func(when string) {
		t.Helper()
		if got := w.registrations(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	check("at the first start")
	w.restart()
	check("at the second start")
	w.stopBot()
	w.overwriteCommands(`[{"name":"challenge","type":1,"description":"Another bot’s"}]`)
	w.startBot()
	want = append(want, want[0], want[0]) // the other commands, then the bot's
	check("after a change")
	w.restart()
	check("after it was put right")
	w.challenge() // the bot's commands work
	w.stopBot()
	guild := sandbox.DefaultWorld().Guild.ID
	w.guilds = []string{guild}
	w.startBot()
	w.restart()
	want = append(want, "PUT "+app+"/guilds/"+guild+"/commands")
	check("in one guild")
}

// TestRegistrationRetry checks that a transient failure does not end the bot,
// and that a refusal ends it with Discord's reason.
func TestRegistrationRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	commands := "/applications/{application_id}/commands"
	for name, f := range map[string]faults.Fault{
		"500":     {Kind: faults.Error, Status: 500},
		"502":     {Kind: faults.Proxy, After: true},
		"cut":     {Kind: faults.Cut},
		"limited": {Kind: faults.RateLimit, RetryAfter: time.Millisecond, Count: 3},
	} {
		w.stopBot()
		w.overwriteCommands(`[{"name":"challenge","type":1,"description":"Another bot’s"}]`)
		f.Method, f.Route = "PUT", commands
		planned := w.chat.MustPlan(f)
		w.startBot()
		if planned.Hits() == 0 || len(w.anna.Commands()) < 2 {
			t.Errorf("%s: met %d times, %d commands", name, planned.Hits(), len(w.anna.Commands()))
		}
	}
	w.stopBot()
	w.overwriteCommands(`[]`)
	w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "PUT", Route: commands, Status: 403, Code: 50001, Message: "Missing Access"})
	if err := w.tryStart(); err == nil || !strings.Contains(err.Error(), "Missing Access") {
		t.Errorf("a registration that is refused: %v", err)
	}
}

// TestEntryPointCommand registers the commands of an application that has an
// Entry Point command. Discord refuses a registration without it.
func TestEntryPointCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(all *sandbox.World) { all.Application.EntryPoint = true })
	w.restart()
	app := sandbox.DefaultWorld().Application.ID
	if got, want := w.registrations(), []string{"PUT " + app + "/commands"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	w.stopBot()
	w.overwriteCommands(`[{"name":"challenge","type":1,"description":"Another bot’s"},{"name":"launch","type":4,"description":"Launch","handler":2}]`)
	w.startBot()
	w.challenge()
	type command struct {
		Type, Handler     int
		Name, Description string
	}
	var listed []command
	must(t, json.Unmarshal(w.asBot("GET", "/applications/"+app+"/commands", ""), &listed))
	kept := slices.IndexFunc(listed, func(c command) bool { return c.Type == 4 })
	if want := (command{4, 2, "launch", "Launch"}); kept < 0 || listed[kept] != want {
		t.Errorf("the Entry Point command was not kept: %+v", listed)
	}
}

// TestInvitePermissions plays a match with nothing but the permissions of the
// invite.
func TestInvitePermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, err := url.Parse(w.bot.Invite())
	must(t, err)
	asked, err := strconv.ParseInt(link.Query().Get("permissions"), 10, 64)
	must(t, err)
	for _, c := range sandbox.DefaultWorld().Channels {
		must(t, w.chat.Deny(c.ID, w.chat.ApplicationID(), (1<<53-1)&^asked))
	}
	w.challenge()
	w.click(w.anna, "trails.step.right")
	w.move(w.ben, "left")
	w.answered(w.chloe.Command(w.channel, "board"))
	if w.board().ID == "" {
		t.Error("there is no board")
	}
}

// TestWithoutGateway repeats tests with a bot that has no gateway connection: Discord
// sends it interactions by HTTP, and takes the first answers from the responses.
func TestWithoutGateway(t *testing.T) {
	t.Parallel()
	t.Run(byHTTP, func(t *testing.T) {
		for name, test := range map[string]func(*testing.T){
			"a match":           TestMatch,
			"a panel":           TestOnePrivateMessageAboutAMatch,
			"a record":          TestRecordFile,
			"slow commands":     TestSlowCommandNotifiesOnce,
			"repeated delivery": TestRepeatedDeliveryCountsOnce,
			"a restart":         TestRestartPostsPendingBoard,
			"a refused board":   TestRefusedBoardIsPostedLater,
			"stopping":          TestStopWhilePeopleWaitForTheDisk,
		} {
			t.Run(name, test)
		}
	})
}

// TestLostResponse loses a response on its way to Discord: the action counts, and
// the person is told that the interaction failed. Nothing of an interaction that
// Discord did not sign counts.
func TestLostResponse(t *testing.T) {
	t.Parallel()
	t.Run(byHTTP, func(t *testing.T) {
		w := newWorld(t)
		w.challenge()
		before := w.ben.Mentions(w.channel)
		w.chat.MustPlan(faults.Fault{Kind: faults.Cut, Method: "POST", Route: callbackRoute})
		id := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
		w.wait("the turn", func() bool { return w.ben.Mentions(w.channel) == before+1 && len(w.boards(w.anna)) == 1 })
		w.wait("the lost response", func() bool { return w.lost() == 1 })
		w.expireInteractions()
		w.awaitState(id, sandbox.StateFailed)
		w.move(w.ben, "left")
		w.board()

		tally := w.chat.Tally()
		res, err := http.Post("http://"+w.interactions+discord.EndpointPath, "application/json", strings.NewReader(`{"id":"1","type":2,"data":{"name":"resign"}}`))
		must(t, err)
		res.Body.Close()
		if now := w.chat.Tally(); res.StatusCode != http.StatusUnauthorized || !reflect.DeepEqual(now.Requests, tally.Requests) {
			t.Errorf("an unsigned interaction: %d, and requests %v", res.StatusCode, now.Requests)
		}
	})
}

// lost returns how many answers the planned faults have lost.
func (w *world) lost() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.sent {
		if x.Route == callbackRoute && x.Fault == faults.Cut {
			n++
		}
	}
	return n
}

// TestOutOfContact has Discord answer nothing for longer than a clock allows.
// Without a gateway the bot notices by its requests, and the clock stands still.
func TestOutOfContact(t *testing.T) {
	t.Parallel()
	t.Run(byHTTP, func(t *testing.T) {
		w := newWorld(t)
		w.accept(w.offerOf("trails", sandbox.Opt("first", "me"), sandbox.Opt("clock", "1d")))
		w.run(time.Minute)
		fault := w.chat.MustPlan(faults.Fault{Kind: faults.Proxy, Status: 503, Count: -1})
		for range 4 {
			w.pass(12 * time.Hour)
		}
		if fault.Hits() == 0 {
			t.Error("the bot does not ask whether Discord is there")
		}
		fault.Remove()
		w.pass(time.Second)
		w.run(23 * time.Hour)
		w.move(w.anna, "right")
		w.board()
	})
}

// TestGuildWithoutBotUser uses the bot in a server that has installed only its
// commands: the bot is not a member and cannot post.
func TestGuildWithoutBotUser(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	w := newWorld(t, func(all *sandbox.World) { all.Guilds[0].CommandsOnly = true })
	camp := sandbox.DefaultWorld().Channels[3].ID
	w.answered(w.anna.Command(camp, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
	wantText(t, w.last(w.anna, camp), "error.guest", "invite.link")
	must(t, w.chat.AddBotTo(sandbox.DefaultWorld().Guilds[0].ID))
	w.wait("the bot to know", func() bool {
		w.answered(w.anna.Command(camp, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
		return strings.Contains(bottest.Text(w.last(w.anna, camp)), fragment("challenge.sent"))
	})
}

// TestVoiceChannelWithoutConnect posts in the chat of a voice channel that the bot
// cannot read. It cannot find out whether an earlier post arrived, and posts the
// board nevertheless.
func TestVoiceChannelWithoutConnect(t *testing.T) {
	t.Parallel()
	const id = "1150000000000000777"
	w := newWorld(t, func(all *sandbox.World) {
		all.Channels = append(all.Channels, sandbox.Channel{ID: id, Name: "voice", Type: api.ChannelVoice})
	})
	w.mayRefuse(50001)
	w.channel = id
	w.challenge()
	must(t, w.chat.Deny(id, w.chat.ApplicationID(), api.PermissionConnect))
	for range 2 {
		w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute, Status: 500, Message: internal})
	}
	w.move(w.anna, "right")
	for tries := range 12 {
		w.pass(host.Failure{Blocked: true}.Backoff(tries) + time.Minute)
	}
	w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 })
}
