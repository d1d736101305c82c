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

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/discord/endpoint"
	"castellan/bot/host"
	"castellan/bot/sandbox"
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

// TestStormInBlockedChannel has ten matches in a channel in which the bot may no
// longer send messages, while people use the bot there. Discord is asked at most
// once a minute. Once the permission is back, the boards are posted.
func TestStormInBlockedChannel(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	const matches, minutes = 10, 5
	w := newWorld(t)
	w.mayRefuse(50013)
	for range matches {
		w.beginPair(w.anna, w.ben)
	}
	if n := w.invalid(); n != 0 {
		t.Fatalf("%d invalid requests before the permission is taken away", n)
	}
	app := w.chat.ApplicationID()
	must(t, w.chat.Deny(w.channel, app, sandbox.PermissionSendMessages))
	for _, board := range w.boards(w.anna) {
		w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "Right")))
	}
	for range minutes {
		for range 10 {
			w.answered(w.chloe.Command(w.channel, "help"))
			w.pass(6 * time.Second)
		}
		// These events change no permission to send messages, but the bot cannot know.
		must(t, w.chat.Deny(w.channel, app, sandbox.PermissionSendMessages|sandbox.PermissionReadHistory))
		must(t, w.chat.Deny(w.channel, app, sandbox.PermissionSendMessages))
	}
	w.pass(0)
	if n := w.invalid(); n > minutes+1 {
		t.Errorf("%d invalid requests in %d minutes", n, minutes)
	}
	if got := text(w.private(w.anna)); !strings.Contains(got, "Your turn was played") || !strings.Contains(got, "Send Messages") {
		t.Errorf("the player is told: %s", got)
	}
	w.advanceClock(time.Minute)
	must(t, w.chat.Deny(w.channel, app, 0))
	w.wait("the boards", func() bool { return len(w.boards(w.anna)) == matches })
}

// TestDeletedMessageWithNonce loses the answer to a post whose message is then
// deleted. Discord knows the nonce and no longer the message, so the board is
// posted under another nonce, once.
func TestDeletedMessageWithNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(10008)
	w.challenge()
	before := w.board().ID
	w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultCut, After: true, Method: "POST", Route: postRoute})
	w.move(w.anna, "right")
	var lost string
	for _, m := range w.boards(w.anna) {
		if m.ID != before {
			lost = m.ID
		}
	}
	must(t, w.chat.Remove(w.channel, lost))
	heard := w.ben.Mentions(w.channel)
	w.pass(host.Backoff(0))
	w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 && w.board().ID != before })
	w.wantMentions(w.ben, 0, heard+1)
	w.click(w.ben, "Left")
}

// TestGuildWithoutBotUser uses the bot in a server that has installed only its
// commands: the bot is not a member and cannot post.
func TestGuildWithoutBotUser(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	w := newWorld(t, func(all *sandbox.World) { all.Guilds[0].CommandsOnly = true })
	camp := sandbox.DefaultWorld().Channels[3].ID
	w.answered(w.anna.Command(camp, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
	if got := text(w.last(w.anna, camp)); !strings.Contains(got, "I am not a member of this server") || !strings.Contains(got, "[Invite me](") {
		t.Errorf("it says %q", got)
	}
	must(t, w.chat.AddBotTo(sandbox.DefaultWorld().Guilds[0].ID))
	w.wait("the bot to know", func() bool {
		w.answered(w.anna.Command(camp, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
		return strings.Contains(text(w.last(w.anna, camp)), "Ben has been asked")
	})
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
	if got := text(w.last(w.anna, direct)); !strings.Contains(got, "Your turn was played") || !strings.Contains(got, "Discord does not let me write to you") {
		t.Errorf("it says %q", got)
	}
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
		"voice":          {sandbox.Channel{Type: sandbox.ChannelVoice}, false},
		"announcement":   {sandbox.Channel{Type: sandbox.ChannelAnnouncement}, true},
		"slow mode":      {sandbox.Channel{Slowmode: 21600}, true},
		"age-restricted": {sandbox.Channel{NSFW: true}, true},
		"forum":          {sandbox.Channel{Type: sandbox.ChannelForum}, false},
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
			w.click(w.anna, "Right")
			w.move(w.ben, "left")
			w.answered(w.chloe.Command(w.channel, "board"))
			if got := w.view(1).Record.Place.Channel; got != w.channel {
				t.Errorf("it is played in %s, not %s", got, w.channel)
			}
		})
	}
}

// TestVoiceChannelWithoutConnect posts in the chat of a voice channel that the bot
// cannot read. It cannot find out whether an earlier post arrived, and posts the
// board nevertheless.
func TestVoiceChannelWithoutConnect(t *testing.T) {
	t.Parallel()
	const id = "1150000000000000777"
	w := newWorld(t, func(all *sandbox.World) {
		all.Channels = append(all.Channels, sandbox.Channel{ID: id, Name: "voice", Type: sandbox.ChannelVoice})
	})
	w.mayRefuse(50001)
	w.channel = id
	w.challenge()
	must(t, w.chat.Deny(id, w.chat.ApplicationID(), sandbox.PermissionConnect))
	for range 2 {
		w.chat.FailNext("POST", postRoute, 500, 0, internal)
	}
	w.move(w.anna, "right")
	for tries := range 12 {
		w.pass(host.Failure{Blocked: true}.Backoff(tries) + time.Minute)
	}
	w.wait("the board", func() bool { return len(w.boards(w.anna)) == 1 })
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
		session, err := discordgo.New("Bot " + chat.Token())
		must(t, err)
		session.Client.Transport = &discord.Transport{Base: &url.URL{Scheme: "http", Host: "discord.test"}, Next: inProcess{chat}}
		client := discord.NewClient(session)
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
}

// TestRegistrationRetry checks that a transient failure does not end the bot,
// and that a refusal ends it with Discord's reason.
func TestRegistrationRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	commands := "/applications/{application_id}/commands"
	for name, f := range map[string]sandbox.Fault{
		"500":     {Kind: sandbox.FaultError, Status: 500},
		"502":     {Kind: sandbox.FaultProxy, After: true},
		"cut":     {Kind: sandbox.FaultCut},
		"limited": {Kind: sandbox.FaultRateLimit, RetryAfter: time.Millisecond, Count: 3},
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
	w.chat.FailNext("PUT", commands, 403, 50001, "Missing Access")
	if err := w.tryStart(); err == nil || !strings.Contains(err.Error(), "Missing Access") {
		t.Errorf("a registration that is refused: %v", err)
	}
}

func TestRegistrationInGuilds(t *testing.T) {
	t.Parallel()
	all := sandbox.DefaultWorld()
	w := newWorld(t)
	global := w.registrations()
	w.stopBot()
	w.guilds = []string{all.Guild.ID}
	w.startBot()
	w.restart()
	want := append(global, "PUT "+all.Application.ID+"/guilds/"+all.Guild.ID+"/commands")
	if got := w.registrations(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
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

// TestInviteLink checks that the invite asks for the permissions to see a
// channel, to post pictures there and in threads, to make threads, and to find
// its own posts again (1<<10, 1<<11, 1<<15, 1<<16, 1<<20, 1<<35, 1<<38), and for no
// others.
func TestInviteLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, err := url.Parse(w.bot.Invite())
	must(t, err)
	q := link.Query()
	if link.Path != "/oauth2/authorize" || q.Get("client_id") != sandbox.DefaultWorld().Application.ID ||
		q.Get("scope") != "bot applications.commands" || q.Get("permissions") != "309238795264" || len(q) != 3 {
		t.Errorf("%s", link)
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
	w.click(w.anna, "Right")
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
			"slow clicks":       TestSlowClickNotifiesOnce,
			"repeated delivery": TestRepeatedDeliveryCountsOnce,
			"a restart":         TestRestartPostsPendingBoard,
			"a refused board":   TestRefusedBoardIsPostedLater,
			"a lost answer":     TestLobbyStartsEarly,
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
		w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultCut, Method: "POST", Route: callbackRoute})
		id := w.begin(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
		w.wait("the turn", func() bool { return w.ben.Mentions(w.channel) == before+1 && len(w.boards(w.anna)) == 1 })
		w.wait("the lost response", func() bool { return w.lost() == 1 })
		w.expireInteractions()
		w.awaitState(id, sandbox.StateFailed)
		w.move(w.ben, "left")
		w.board()

		tally := w.chat.Tally()
		res, err := http.Post("http://"+w.interactions+endpoint.Path, "application/json", strings.NewReader(`{"id":"1","type":2,"data":{"name":"resign"}}`))
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
		if x.Route == callbackRoute && x.Fault == sandbox.FaultCut {
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
		fault := w.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultProxy, Status: 503, Count: -1})
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
