package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// chat is a rig whose Discord is the sandbox, behind a connection that loses
// answers. Both go by the rig's clock, so that nonces are forgotten by it.
type chat struct {
	*rig
	box *sandbox.Sandbox

	mu    sync.Mutex
	fates []string // of the next requests that write: "" all well, "cut", "cut after", "502 after"
	asked []string // "POST /channels/2/messages"
}

func newChat(t *testing.T) *chat {
	t.Helper()
	c := &chat{rig: newRig(t)}
	var err error
	c.box, err = sandbox.New(sandbox.Options{Base: "http://discord.test", Now: c.now, World: sandbox.World{
		Guild:       sandbox.Guild{ID: here.Guild, Name: "A server"},
		Channels:    []sandbox.Channel{{ID: here.Channel, Name: "here"}, {ID: "3", Name: "there"}},
		Users:       []sandbox.User{{ID: anna.ID, Username: "anna"}, {ID: ben.ID, Username: "ben"}},
		Application: sandbox.Application{ID: "9", Name: "Castellan"},
	}})
	must(t, err)
	t.Cleanup(func() { must(t, c.box.Close()) })
	c.bot.session.Token = "Bot " + c.box.Token()
	c.bot.session.Client.Transport = &discord.Transport{Base: c.bot.config.API, Next: c}
	return c
}

// meets says what becomes of the next requests that write.
func (c *chat) meets(fates ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fates = fates
}

// RoundTrip is the way to Discord.
func (c *chat) RoundTrip(q *http.Request) (*http.Response, error) {
	fate := ""
	c.mu.Lock()
	c.asked = append(c.asked, q.Method+" "+strings.TrimPrefix(q.URL.Path, "/api/v10"))
	if q.Method != http.MethodGet && len(c.fates) > 0 {
		fate, c.fates = c.fates[0], c.fates[1:]
	}
	c.mu.Unlock()
	lost := errors.New("connection reset by peer")
	if fate == "cut" {
		return nil, lost
	}
	q = q.Clone(q.Context())
	if q.Body == nil {
		q.Body = http.NoBody // as a server has it
	}
	w := httptest.NewRecorder()
	c.box.ServeHTTP(w, q)
	switch fate {
	case "cut after":
		return nil, lost
	case "502 after":
		w = httptest.NewRecorder()
		w.WriteHeader(http.StatusBadGateway)
	}
	return w.Result(), nil
}

// requests is what was asked since it was last called.
func (c *chat) requests() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.asked = nil }()
	return strings.Join(c.asked, ", ")
}

// posts is the messages of a channel, a word each: "board-1-0" for a board,
// "text" for what has collapsed.
func (c *chat) posts(channel string) string {
	var words []string
	for _, m := range c.box.As(anna.ID).Messages(channel) {
		word := "text"
		var walk func([]sandbox.Component)
		walk = func(all []sandbox.Component) {
			for _, one := range all {
				for _, i := range one.Items {
					name := i.Media.URL[strings.LastIndex(i.Media.URL, "/")+1:]
					word, _, _ = strings.Cut(name, ".")
				}
				walk(one.Components)
			}
		}
		walk(m.Components)
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// show is what a person's command does about a board.
func (c *chat) show(v *host.View) error {
	_, err := c.bot.poster.show(context.Background(), v.Record.ID, pace{})
	return err
}

// look lets time go by and has the reconciler look.
func (c *chat) look(d time.Duration) {
	c.pass(d)
	c.bot.look(context.Background())
}

// begun is a match with its first board in the channel, the challenge not.
func (c *chat) begun() *host.View {
	c.t.Helper()
	v := c.start("trails", nil)
	c.challengeIsShown(v)
	must(c.t, c.show(v))
	return v
}

// However the answer to a post was lost, and however long Discord remembers
// nonces, there is one board, and one notification of a turn.
func TestOneBoardHoweverItsAnswerWasLost(t *testing.T) {
	for _, fate := range []string{"", "cut", "cut after", "502 after"} {
		for name, wait := range map[string]time.Duration{
			"soon": host.Backoff(0), "after a minute": time.Minute, "when nonces are forgotten": time.Hour, "days later": 72 * time.Hour,
		} {
			t.Run(fate+" "+name, func(t *testing.T) {
				c := newChat(t)
				v := c.begun()
				told := c.box.As(ben.ID).Mentions(here.Channel)
				v = c.act(v, "right")
				c.meets(fate)
				if err := c.show(v); (err == nil) != (fate == "") {
					t.Fatalf("%v", err)
				}
				c.look(wait)
				if got := c.posts(here.Channel); got != "text board-1-1" {
					t.Errorf("the channel: %s", got)
				}
				if got := c.boards(v.Record.ID); got != "collapsed0 posted1" {
					t.Errorf("on record: %s", got)
				}
				if got := c.box.As(ben.ID).Mentions(here.Channel) - told; got != 1 {
					t.Errorf("Ben was notified %d times", got)
				}
				c.requests()
				c.look(wait)
				if got := c.requests(); got != "" {
					t.Errorf("something is left to do: %s", got)
				}
			})
		}
	}
}

// The same where every answer is lost for a while.
func TestOneBoardHoweverOftenAnswersAreLost(t *testing.T) {
	c := newChat(t)
	v := c.begun()
	v = c.act(v, "right")
	c.meets("502 after", "cut after", "502 after", "cut after")
	must(t, errOrNil(c.show(v) == nil, "the first was not lost"))
	for tries := range 4 {
		c.look(host.Backoff(tries))
	}
	if got := c.posts(here.Channel); got != "text board-1-1" || c.boards(v.Record.ID) != "collapsed0 posted1" {
		t.Errorf("the channel: %s, on record %s", got, c.boards(v.Record.ID))
	}
}

func errOrNil(wrong bool, what string) error {
	if wrong {
		return errors.New(what)
	}
	return nil
}

// A process that dies between post and record leaves a board that nobody
// knows; the next one finds it.
func TestABoardThatAProcessLeftBehindIsFound(t *testing.T) {
	for _, wait := range []time.Duration{0, 30 * time.Second, 2 * time.Minute, 48 * time.Hour} {
		c := newChat(t)
		v := c.start("trails", nil)
		c.challengeIsShown(v)
		say := c.bot.texts.Printer()
		picture, err := c.bot.poster.picture(t.Context(), say, v, v.Match)
		must(t, err)
		_, err = c.bot.client.CreateMessage(t.Context(), here.Channel, nonce("b", int64(v.Board.ID), v.Record.CreatedAt), boardMessage(say, v, v.Match, picture, true))
		must(t, err)
		c.look(wait)
		if got := c.posts(here.Channel); got != "board-1-0" || c.boards(v.Record.ID) != "posted0" {
			t.Errorf("after %v: %s, on record %s", wait, got, c.boards(v.Record.ID))
		}
	}
}

// A board whose post seemed to fail, and that the next turn superseded, is
// found and collapsed, with the board that was asked for again of the same
// turn.
func TestBoardsThatWereGivenUpAreFound(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Hour} {
		c := newChat(t)
		v := c.begun()
		v = c.act(v, "right")
		c.meets("502 after")
		must(t, errOrNil(c.show(v) == nil, "it was not lost"))
		_, err := c.host.Repost(t.Context(), c.cause(anna), v.Record.ID) // of the same turn
		must(t, err)
		must(t, c.show(v))
		v = c.act(v, "left")
		must(t, c.show(v))
		if got := c.posts(here.Channel); got != "text board-1-1 text board-1-2" {
			t.Errorf("before: %s", got)
		}
		c.look(wait)
		if got := c.posts(here.Channel); got != "text text text board-1-2" {
			t.Errorf("after %v: %s", wait, got)
		}
		if got := c.boards(v.Record.ID); got != "collapsed0 collapsed1 collapsed1 posted2" {
			t.Errorf("on record %s", got)
		}
		c.requests()
		c.look(time.Hour)
		if got := c.requests(); got != "" {
			t.Errorf("something is left to do: %s", got)
		}
	}
}

// What is given up and is not there is not looked for again, and messages of
// others and of other matches are left alone.
func TestNothingElseIsTakenForALostBoard(t *testing.T) {
	c := newChat(t)
	other := c.begun()
	v := c.begun() // match 2
	v = c.act(v, "right")
	c.meets("cut")
	must(t, errOrNil(c.show(v) == nil, "it was not lost"))
	v = c.act(v, "left")
	must(t, c.show(v))
	c.look(0)
	if got := c.posts(here.Channel); got != "board-1-0 text board-2-2" || c.boards(v.Record.ID) != "collapsed0 skipped1 posted2" {
		t.Errorf("%s, %s", got, c.boards(v.Record.ID))
	}
	c.requests()
	c.look(time.Hour)
	if got := c.requests(); got != "" {
		t.Errorf("it is looked for again: %s", got)
	}
	must(t, c.show(other))
}

// While the current board is not on record, nothing is taken for an older one.
func TestLostBoardsWaitForTheCurrentOne(t *testing.T) {
	c := newChat(t)
	v := c.begun()
	v = c.act(v, "right")
	c.meets("cut", "502 after", "cut", "502 after")
	must(t, errOrNil(c.show(v) == nil, "it was not lost"))
	_, err := c.host.Repost(t.Context(), c.cause(anna), v.Record.ID)
	must(t, err)
	must(t, errOrNil(c.show(v) == nil, "it was not lost"))
	c.look(time.Second) // the current one waits, and so does the search
	if got := c.boards(v.Record.ID); got != "stale0 skipped1 due1" {
		t.Errorf("on record %s", got)
	}
	for range 20 {
		c.look(time.Minute)
	}
	if got := c.boards(v.Record.ID); got != "collapsed0 skipped1 posted1" {
		t.Errorf("on record %s", got)
	}
	if got := c.posts(here.Channel); got != "text board-1-1" {
		t.Errorf("the channel: %s", got)
	}
}

// A challenge, too, stands once in the channel.
func TestOneChallengeHoweverItsAnswerWasLost(t *testing.T) {
	for _, answered := range []bool{false, true} {
		for _, wait := range []time.Duration{host.Backoff(0), time.Hour} {
			t.Run(fmt.Sprint(answered, wait), func(t *testing.T) {
				c := newChat(t)
				ch := c.offer("trails", nil)
				c.meets("cut after")
				_, err := c.bot.poster.showChallenge(t.Context(), ch.ID)
				must(t, errOrNil(err == nil, "it was not lost"))
				want := "challenge-1"
				if answered {
					_, err := c.host.Decline(t.Context(), c.cause(ben), ch.ID)
					must(t, err)
					want = "text"
				}
				c.look(wait)
				if got := c.posts(here.Channel); got != want {
					t.Errorf("the channel: %s, want %s", got, want)
				}
				ch, err = c.host.FindChallenge(t.Context(), ch.ID)
				if err != nil || ch.Shown != ch.Revision || ch.Message == "" {
					t.Errorf("on record %+v, %v", ch, err)
				}
			})
		}
	}
}

// When a sandbox begins anew, what people wait for is posted again.
func TestEverythingIsPostedAgain(t *testing.T) {
	c := newChat(t)
	v := c.begun()
	ch := c.offer("trails", nil)
	lobby := c.table(4)
	must(t, c.host.ChallengeShown(t.Context(), ch.ID, "701", 0))
	must(t, c.host.ChallengeShown(t.Context(), lobby.ID, "702", 0))
	for _, m := range c.box.As(anna.ID).Messages(here.Channel) {
		must(t, c.box.Remove(here.Channel, m.ID))
	}
	must(t, c.host.RepostAll(t.Context()))
	c.look(0)
	if got := c.posts(here.Channel); got != "challenge-2 challenge-3 board-1-0" {
		t.Errorf("the channel: %s", got)
	}
	for _, id := range []storage.ChallengeID{ch.ID, lobby.ID} {
		now, err := c.host.FindChallenge(t.Context(), id)
		if err != nil || now.Message == "" || strings.HasPrefix(now.Message, "70") || now.Shown != now.Revision {
			t.Errorf("on record %+v, %v", now, err)
		}
	}
	if v, err := c.host.Match(t.Context(), v.Record.ID); err != nil || v.Board.State != storage.BoardPosted {
		t.Errorf("%+v, %v", v.Board, err)
	}
}
