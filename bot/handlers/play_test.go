package handlers_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine/enginetest/sample"
	"castellan/imaging"
	"castellan/storage"
)

const postHere = "POST /channels/2/messages"

var (
	anna, ben, chloe, dora, emil = hosttest.Anna, hosttest.Ben, hosttest.Chloe, hosttest.Dora, hosttest.Emil
)

func must(t testing.TB, err error) { t.Helper(); hosttest.Must(t, err) }

// posted starts a match whose first board is in the channel.
func posted(r *bottest.Rig, game string) *host.View {
	r.T.Helper()
	v, err := r.Bot.Publisher.Show(context.Background(), r.Start(game))
	must(r.T, err)
	r.Take()
	return v
}

// Of several matches that wait for somebody, /move plays in the one in which the turn
// is legal, and asks if there are several.
func TestMoveAmongSeveralMatches(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	posted(r, "trails")
	posted(r, sample.Key)
	posted(r, "trails")
	played := func() string {
		return fmt.Sprint(r.Match(1).Match.Seq(), r.Match(2).Match.Seq() > 0, r.Match(3).Match.Seq())
	}
	r.Serve(r.Command(anna, "move", "turn", "a1 end"))
	if got := played(); got != "0 true 0" {
		t.Errorf("a turn that is legal in one: %s", got)
	}
	ask := r.ServeLast(r.Command(anna, "move", "turn", "right"))
	if got := played(); got != "0 true 0" || fmt.Sprint(ask.CustomIDs()) != "[match/3/0/line/right match/1/0/line/right]" {
		t.Errorf("a turn that is legal in two: %s, %v", got, ask.CustomIDs())
	}
	r.Serve(r.Click(anna, "9001", ask.CustomIDs()[0]))
	if got := played(); got != "0 true 1" {
		t.Errorf("after the choice: %s", got)
	}
}

// A button of a board turns the board into a line by its response, so that the
// person sees at once that the move counts. Then the next board is posted.
func TestBoardButtonCollapsesItsBoard(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	v := posted(r, "trails")
	r.Plan(discordtest.NoContent, discordtest.Created("9002"))
	got := r.Serve(r.Click(anna, "9001", "match/1/0/act/right"))
	if discordtest.Summary(got) != "callback 7, "+postHere || got[0].Text() != "-# 1. ● Anna: **right** · reaches b11 · match 1" {
		t.Fatalf("%v: %s", got, got[0].Body)
	}
	if s := r.Boards(v.Record.ID); s != "collapsed0 posted1" {
		t.Errorf("%s", s)
	}
	// A client may still show the old button.
	got = r.Serve(r.Click(ben, "9001", "match/1/0/act/left"))
	if discordtest.Summary(got) != "callback 4" || !got[0].Private() || !strings.Contains(got[0].Text(), "/channels/1/2/9002") {
		t.Errorf("%v: %s", got, got[0].Body)
	}
	// If the response does not arrive, the board is edited after the post.
	r.Plan(discordtest.UnknownInteraction, discordtest.Created("9003"))
	got = r.Serve(r.Click(ben, "9002", "match/1/1/act/left"))
	if discordtest.Summary(got) != "callback 7, "+postHere+", PATCH /channels/2/messages/9002" {
		t.Errorf("%v", got)
	}
	if s := r.Boards(v.Record.ID); s != "collapsed0 collapsed1 posted2" {
		t.Errorf("%s", s)
	}
	// If the next board cannot be posted, the person is told.
	r.Plan(discordtest.NoContent, discordtest.MissingPermissions)
	got = r.Serve(r.Click(anna, "9003", "match/1/2/act/right"))
	last := got[len(got)-1]
	if discordtest.Summary(got) != "callback 7, "+postHere+", POST webhook" || !last.Private() || !strings.Contains(last.Text(), "Your turn was played, but I couldn’t post the board") {
		t.Errorf("%v: %s", got, last.Text())
	}
	if s := r.Boards(v.Record.ID); s != "collapsed0 collapsed1 collapsed2 due3" {
		t.Errorf("%s", s)
	}
}

// /board adds no second board, which could notify again, while the board of a turn
// is being posted.
func TestBoardCommandDuringThePost(t *testing.T) {
	drawing, gate := make(chan struct{}), make(chan struct{})
	hold := false
	r := bottest.New(t, bottest.Options{Renderer: hosttest.Renderer{OnBoard: func(imaging.Scene) error {
		if hold {
			hold = false
			close(drawing)
			<-gate
		}
		return nil
	}}})
	v := posted(r, "trails")
	hold = true
	var both sync.WaitGroup
	both.Go(func() { r.Bot.Serve(t.Context(), r.Click(anna, "9001", "match/1/0/act/right")) })
	<-drawing
	board := r.Command(chloe, "board")
	both.Go(func() { r.Bot.Serve(t.Context(), board) })
	// Wait until the command has been processed and waits for the board.
	for processed := false; !processed; {
		must(t, r.Store.View(t.Context(), func(s storage.Reader) error {
			_, err := s.ProcessedInteraction(board.ID)
			processed = err == nil
			return nil
		}))
	}
	close(gate)
	both.Wait()
	posts := 0
	for _, q := range r.Take() {
		if q.String() == postHere {
			posts++
		}
	}
	if s := r.Boards(v.Record.ID); posts != 1 || s != "collapsed0 posted1" {
		t.Errorf("%d posts, boards %s", posts, s)
	}
}

// A choice in the panel that ends the turn is acknowledged while the board is
// still being drawn.
func TestPanelTurnIsAcknowledgedFirst(t *testing.T) {
	drawing, acknowledged := make(chan struct{}, 1), make(chan struct{})
	hold := false
	r := bottest.New(t, bottest.Options{Renderer: hosttest.Renderer{OnBoard: func(imaging.Scene) error {
		if hold {
			drawing <- struct{}{}
			<-acknowledged
		}
		return nil
	}}})
	v := r.Act(posted(r, "sample"), "a2")
	r.Take()
	hold = true
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Bot.Serve(t.Context(), r.Click(anna, "8000", fmt.Sprintf("match/1/%d/pick/x/b~1~", v.Match.Seq())))
	}()
	<-drawing
	r.Next("callback 6")
	close(acknowledged)
	<-done
	if got := discordtest.Summary(r.Take()); got != "callback 6, "+postHere+", PATCH /channels/2/messages/9001, PATCH original" {
		t.Errorf("%s", got)
	}
}

// If the disk is full or read-only, or the database is gone, nothing changes and
// people are told so. Everything works again once the cause is gone.
func TestFullDisk(t *testing.T) {
	for _, cause := range []error{storage.ErrDiskFull, storage.ErrReadOnly, storage.ErrReplaced} {
		disk := &hosttest.Disk{}
		r := bottest.New(t, bottest.Options{Wrap: disk.Wrap})
		posted(r, "trails")
		disk.Fail(cause)
		for _, i := range []*discordgo.Interaction{
			r.Command(anna, "move", "turn", "right"), r.Click(anna, "9001", "match/1/0/act/right"),
			r.Command(anna, "board"), r.Click(anna, "8000", "match/1/0/resign"),
		} {
			got := r.Serve(i)
			if len(got) != 1 || !got[0].Private() || !strings.Contains(got[0].Text(), "Nothing was saved, and what you did doesn’t count") {
				t.Errorf("%v: %v", cause, got)
			}
			if log := r.Log.Take(); !strings.Contains(log, "ERROR refused") || !strings.Contains(log, cause.Error()) {
				t.Errorf("log %s", log)
			}
		}
		disk.Fail(nil)
		if got := r.ServeLast(r.Command(anna, "move", "turn", "right")); !strings.Contains(got.Text(), "You played **right**") {
			t.Errorf("there is room again: %s", got.Text())
		}
		if n := r.Match(1).Match.Seq(); n != 1 {
			t.Errorf("%d entries", n)
		}
	}
}

// After any use of the bot in a channel, pending posts there are made at once,
// unless the interaction says that the bot cannot post there. Autocomplete does
// not count, because it comes with every key.
func TestUseOfTheBotRetriesItsChannel(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r *bottest.Rig) *discordgo.Interaction
		want bool
	}{
		"a command":    {func(r *bottest.Rig) *discordgo.Interaction { return r.Command(chloe, "preferences") }, true},
		"a button":     {func(r *bottest.Rig) *discordgo.Interaction { return r.Click(chloe, "8000", "nonsense") }, true},
		"autocomplete": {func(r *bottest.Rig) *discordgo.Interaction { return r.Suggest(anna, "move", "turn", "r") }, false},
		"a command where the bot can’t post": {func(r *bottest.Rig) *discordgo.Interaction {
			i := r.Command(chloe, "preferences")
			i.AppPermissions = discord.PermissionViewChannel | discord.PermissionAttachFiles
			return i
		}, false},
	} {
		r := bottest.New(t, bottest.Options{})
		v := r.Start("trails")
		r.ChallengeShown(v)
		must(t, r.Store.Update(t.Context(), func(tx storage.Tx) error { return tx.PostponeBoard(v.Board.ID, r.Now().Add(6*time.Hour)) }))
		r.Serve(c.do(r))
		if r.Bot.Publisher.Woken() != c.want {
			t.Errorf("%s: the reconciler is woken: %v", name, !c.want)
		}
		r.Plan(discordtest.OK, discordtest.Answer{Status: 200, Body: "[]"}) // the search for the earlier post
		r.Bot.Publisher.Reconcile(t.Context())
		if got, want := r.Boards(v.Record.ID), map[bool]string{true: "posted0", false: "due0"}[c.want]; got != want {
			t.Errorf("%s: recorded %s, want %s", name, got, want)
		}
		r.Take()
	}
}

// A match whose channel is gone goes on where one of its players asks for it.
func TestMatchMovesToAnotherChannel(t *testing.T) {
	reachable := discordtest.Answer{Status: 200, Body: `{"id":"2"}`}
	for _, c := range []struct {
		name  string
		by    storage.Person
		due   bool // its board could not be posted
		plan  []discordtest.Answer
		moved bool
		says  string
	}{
		{"gone", anna, false, []discordtest.Answer{discordtest.Refusal(404, 10003)}, true, "The match goes on here"},
		{"gone, the other player asks", ben, false, []discordtest.Answer{discordtest.Refusal(404, 10003)}, true, "The match goes on here"},
		{"invisible", anna, false, []discordtest.Answer{discordtest.Refusal(403, 50001)}, true, "The match goes on here"},
		{"read-only", anna, true, []discordtest.Answer{reachable, discordtest.Refusal(403, 50013)}, true, "The match goes on here"},
		{"locked", anna, true, []discordtest.Answer{reachable, discordtest.Refusal(400, 50083), discordtest.Refusal(403, discord.CodeLockedThread)}, true, "The match goes on here"},
		{"reachable", anna, false, []discordtest.Answer{reachable}, false, "to move"},
		{"posted in the meantime", anna, true, []discordtest.Answer{reachable, discordtest.Created("9001")}, false, "to move"},
		{"unknown", anna, false, []discordtest.Answer{discordtest.BadGateway}, false, "to move"},
		{"somebody else asks", chloe, false, []discordtest.Answer{discordtest.Refusal(404, 10003)}, false, "no such match here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := bottest.New(t, bottest.Options{})
			v := r.Start("trails")
			if !c.due {
				r.Posted(v, "9001")
			} else {
				must(t, r.Store.Update(t.Context(), func(tx storage.Tx) error { return tx.PostponeBoard(v.Board.ID, r.Now()) }))
			}
			r.Plan(c.plan...)
			i := r.Command(c.by, "board", "match", "1")
			i.GuildID, i.ChannelID = "7", "70"
			got := r.Serve(i)
			after := r.Match(1)
			if moved := after.Record.Place == (storage.Place{Guild: "7", Channel: "70"}); moved != c.moved {
				t.Errorf("the match is at %+v: %v", after.Record.Place, got)
			}
			last := got[len(got)-1]
			if !last.Private() || !strings.Contains(last.Text(), c.says) {
				t.Errorf("%s", last.Text())
			}
			if !c.moved {
				return
			}
			posted := ""
			for _, s := range got {
				if s.Route == "/channels/70/messages" {
					posted = s.Body
				}
			}
			if after.Board.Place.Channel != "70" || after.Board.State != storage.BoardPosted || !strings.Contains(last.Text(), "/channels/7/70/") || !strings.Contains(posted, `"users":["11"]`) {
				t.Errorf("the board is %+v: %s; the next player is notified by %s", after.Board, last.Text(), posted)
			}
			r.Plan(discordtest.AlreadyAcknowledged) // the same delivery again
			r.Serve(i)
			if again := r.Match(1); again.Board.ID != after.Board.ID {
				t.Errorf("a repeated delivery made another board: %+v", again.Board)
			}
		})
	}
}

// A player who has left a match is told so, and /resign means another match.
func TestResignAfterLeaving(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	v := r.StartSeveral(3)
	r.Resign(v, v.SeatOf(ben.ID))
	for _, want := range []string{r.Say.T("error.retired"), "2 · Counters"} {
		if text := r.ServeLast(r.Command(ben, "resign")).Text(); !strings.Contains(text, want) || strings.Contains(text, "several") {
			t.Errorf("%s, want %s", text, want)
		}
		r.Start("sample")
	}
}
