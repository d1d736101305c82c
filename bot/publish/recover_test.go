package publish

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
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// Fates of requests that write.
const (
	arrives  = ""
	cut      = "cut"       // the request is lost
	cutAfter = "cut after" // the answer is lost
	bad502   = "502 after" // a gateway answers although the request was carried out
)

// lossy is a kit whose Discord is the sandbox, behind a connection that loses
// answers. Bot and sandbox share a clock, so that nonces expire.
type lossy struct {
	*kit
	box *sandbox.Sandbox

	mu       sync.Mutex
	fates    []string // of the next requests that write
	requests []string
}

func newLossy(t *testing.T) *lossy {
	t.Helper()
	l := &lossy{}
	clock := &hosttest.Clock{}
	var err error
	l.box, err = sandbox.New(sandbox.Options{Base: discordtest.BaseURL, Now: clock.Now, World: sandbox.World{
		Guild:       sandbox.Guild{ID: "1", Name: "A server"},
		Channels:    []sandbox.Channel{{ID: "2", Name: "here"}, {ID: "3", Name: "there"}},
		Users:       []sandbox.User{{ID: "11", Username: "anna"}, {ID: "22", Username: "ben"}},
		Application: sandbox.Application{ID: "9", Name: "Castellan"},
	}})
	hosttest.Must(t, err)
	t.Cleanup(func() { hosttest.Must(t, l.box.Close()) })
	l.kit = newKit(t, kitOptions{Options: hosttest.Options{Clock: clock}, client: discord.NewClient(l.box.Token(), discordtest.Base(), l)})
	return l
}

// meet sets the fates of the next requests that write.
func (l *lossy) meet(fates ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fates = fates
}

// RoundTrip passes a request to the sandbox, or loses it.
func (l *lossy) RoundTrip(q *http.Request) (*http.Response, error) {
	fate := arrives
	l.mu.Lock()
	l.requests = append(l.requests, q.Method+" "+strings.TrimPrefix(q.URL.Path, "/api/v10"))
	if q.Method != http.MethodGet && len(l.fates) > 0 {
		fate, l.fates = l.fates[0], l.fates[1:]
	}
	l.mu.Unlock()
	lost := errors.New("connection reset by peer")
	if fate == cut {
		return nil, lost
	}
	q = q.Clone(q.Context())
	if q.Body == nil {
		q.Body = http.NoBody // as a server has it
	}
	w := httptest.NewRecorder()
	l.box.ServeHTTP(w, q)
	switch fate {
	case cutAfter:
		return nil, lost
	case bad502:
		w = httptest.NewRecorder()
		w.WriteHeader(http.StatusBadGateway)
	}
	return w.Result(), nil
}

// posts returns the messages of the channel, a word each: "board-1-0" for a
// board, "text" for a collapsed one.
func (l *lossy) posts() string {
	var words []string
	for _, m := range l.box.As("11").Messages("2") {
		word := "text"
		var walk func([]api.Component)
		walk = func(all []api.Component) {
			for _, c := range all {
				for _, i := range c.Items {
					name := i.Media.URL[strings.LastIndex(i.Media.URL, "/")+1:]
					word, _, _ = strings.Cut(name, ".")
				}
				if c.Accessory != nil {
					word, _, _ = strings.Cut(c.Accessory.Media.URL[strings.LastIndex(c.Accessory.Media.URL, "/")+1:], ".")
				}
				walk(c.Components)
			}
		}
		walk(m.Components)
		words = append(words, word)
	}
	for i := range words {
		words[i], _, _ = strings.Cut(words[i], "-n")
	}
	return strings.Join(words, " ")
}

// expect checks the channel, and the recorded boards of a match.
func (l *lossy) expect(v *host.View, posts, boards string) {
	l.T.Helper()
	if got := l.posts(); got != posts {
		l.T.Errorf("the channel: %s, want %s", got, posts)
	}
	if got := l.Boards(v.Record.ID); got != boards {
		l.T.Errorf("recorded: %s, want %s", got, boards)
	}
}

// show shows a match and checks whether that fails.
func (l *lossy) show(v *host.View, fails bool) {
	l.T.Helper()
	if _, err := l.showMatch(v); (err != nil) != fails {
		l.T.Fatalf("%v, want an error: %v", err, fails)
	}
}

// reconcileAfter advances the clock and runs the reconciler once.
func (l *lossy) reconcileAfter(d time.Duration) {
	l.Advance(d)
	l.Reconcile(context.Background())
}

// nothingLeft checks that the reconciler has nothing to do after a duration.
func (l *lossy) nothingLeft(d time.Duration) {
	l.T.Helper()
	l.requests = nil
	if l.reconcileAfter(d); len(l.requests) != 0 {
		l.T.Errorf("something is left to do: %v", l.requests)
	}
}

// begun starts a match whose first board is in the channel.
func (l *lossy) begun() *host.View {
	l.T.Helper()
	v := l.Start("trails")
	l.ChallengeShown(v)
	l.show(v, false)
	return v
}

// However the answer to a post was lost, and however long Discord remembers
// nonces, there is one board, and one notification of a turn.
func TestLostPostAnswer(t *testing.T) {
	for _, fate := range []string{arrives, cut, cutAfter, bad502} {
		for name, wait := range map[string]time.Duration{
			"soon": host.Backoff(0), "after a minute": time.Minute, "after nonces expire": time.Hour, "days later": 72 * time.Hour,
		} {
			t.Run(fate+" "+name, func(t *testing.T) {
				l := newLossy(t)
				v := l.begun()
				notified := l.box.As("22").Mentions("2")
				v = l.Act(v, "right")
				l.meet(fate)
				l.show(v, fate != arrives)
				l.reconcileAfter(wait)
				l.expect(v, "text board-1-1", "collapsed0 posted1")
				if got := l.box.As("22").Mentions("2") - notified; got != 1 {
					t.Errorf("Ben was notified %d times", got)
				}
				l.nothingLeft(wait)
			})
		}
	}
}

// A board whose post seemed to fail and that the next turn superseded is found
// and collapsed, and so is another board of the same turn.
func TestSkippedBoardsAreFound(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Hour} {
		l := newLossy(t)
		v := l.Act(l.begun(), "right")
		l.meet(bad502) // the post
		l.show(v, true)
		_, err := l.Host.MoveMatch(t.Context(), l.Actor(hosttest.Anna), v.Record.ID, hosttest.Here, hosttest.Here)
		hosttest.Must(t, err)
		l.show(v, false)
		v = l.Act(v, "left")
		l.show(v, false)
		if got := l.posts(); got != "text board-1-1 text board-1-2" {
			t.Errorf("before: %s", got)
		}
		l.reconcileAfter(wait)
		l.expect(v, "text text text board-1-2", "collapsed0 collapsed1 collapsed1 posted2")
		l.nothingLeft(time.Hour)
	}
}

// A skipped board that is not in the channel is not searched for again, and
// messages of other matches are left alone.
func TestSkippedBoardIsNotMistaken(t *testing.T) {
	l := newLossy(t)
	other := l.begun()
	v := l.Act(l.begun(), "right") // match 2
	l.meet(cut, arrives, cut)      // the post, the edit of the first board, and the flush
	l.show(v, true)
	v = l.Act(v, "left")
	l.show(v, false)
	l.reconcileAfter(0)
	l.expect(v, "board-1-0 text board-2-2", "collapsed0 skipped1 posted2")
	l.nothingLeft(time.Hour)
	l.show(other, false)
}

// A second board of the same turn, such as a reminder, is posted although the first
// one, which nobody recorded, is in the channel.
func TestSecondBoardOfATurn(t *testing.T) {
	l := newLossy(t)
	v := l.Act(l.begun(), "right")
	l.meet(bad502) // the post
	l.show(v, true)
	_, err := l.Host.MoveMatch(t.Context(), l.Actor(hosttest.Anna), v.Record.ID, hosttest.Here, hosttest.Here)
	hosttest.Must(t, err)
	l.reconcileAfter(time.Hour)
	l.expect(v, "text text board-1-1", "collapsed0 collapsed1 posted1")
	l.nothingLeft(time.Hour)
}

// While the current board is not recorded, it is not mistaken for an older one.
func TestSkippedBoardWaitsForTheCurrentOne(t *testing.T) {
	l := newLossy(t)
	v := l.Act(l.begun(), "right")
	l.meet(cut, bad502, cut, bad502) // posts and edits
	l.show(v, true)
	_, err := l.Host.MoveMatch(t.Context(), l.Actor(hosttest.Anna), v.Record.ID, hosttest.Here, hosttest.Here)
	hosttest.Must(t, err)
	l.show(v, true)
	l.reconcileAfter(time.Second) // the current board waits, and so does the search
	if got := l.Boards(v.Record.ID); got != "superseded0 skipped1 due1" {
		t.Errorf("recorded %s", got)
	}
	for range 20 {
		l.reconcileAfter(time.Minute)
	}
	l.expect(v, "text board-1-1", "collapsed0 skipped1 posted1")
}

// A challenge whose answer was lost has one message, too.
func TestLostChallengeAnswer(t *testing.T) {
	for _, declined := range []bool{false, true} {
		for _, wait := range []time.Duration{host.Backoff(0), time.Hour} {
			t.Run(fmt.Sprint(declined, wait), func(t *testing.T) {
				l := newLossy(t)
				ch := l.Offer("trails")
				l.meet(cutAfter)
				if _, err := l.ShowChallenge(t.Context(), ch.ID); err == nil {
					t.Fatal("it was not lost")
				}
				want := "challenge-1"
				if declined {
					_, err := l.Host.Decline(t.Context(), l.Actor(hosttest.Ben), ch.ID)
					hosttest.Must(t, err)
					want = "text"
				}
				l.reconcileAfter(wait)
				if got := l.posts(); got != want {
					t.Errorf("the channel: %s, want %s", got, want)
				}
				ch, err := l.Host.FindChallenge(t.Context(), ch.ID)
				if err != nil || ch.ShownRevision != ch.Revision || ch.Message == "" {
					t.Errorf("recorded %+v, %v", ch, err)
				}
			})
		}
	}
}

// A table that changes before its first post is confirmed is posted and edited:
// the nonce may have returned the earlier post.
func TestTableChangedBeforeItsPost(t *testing.T) {
	k := newKit(t, kitOptions{})
	k.Join(k.Table(4, hosttest.Ben), hosttest.Ben)
	k.Reconcile(t.Context())
	if got := k.Take(); discordtest.Summary(got) != postHere+", "+editHere || !strings.Contains(got[1].Text(), "2 of 4") {
		t.Errorf("%v", got)
	}
}

// A surplus message is deleted, again and again if need be, but not if the bot may not.
func TestSurplusMessage(t *testing.T) {
	for _, c := range []struct {
		answer discordtest.Answer
		again  string
	}{
		{discordtest.OK, ""},
		{discordtest.BadGateway, "DELETE /channels/2/messages/77"},
		{discordtest.Disconnect, "DELETE /channels/2/messages/77"},
		{discordtest.Refusal(http.StatusForbidden, discord.CodeMissingAccess), ""},
		{discordtest.Refusal(http.StatusNotFound, discord.CodeUnknownMessage), ""},
	} {
		k := newKit(t, kitOptions{})
		k.Plan(c.answer)
		if got := k.sent(func() { k.deleteDuplicate(t.Context(), "2", "77") }); got != "DELETE /channels/2/messages/77" {
			t.Errorf("sent %s", got)
		}
		for _, want := range []string{c.again, ""} {
			if got := k.reconciled(); got != want {
				t.Errorf("after %+v, the reconciler sent %q, want %q", c.answer, got, want)
			}
		}
	}
}
