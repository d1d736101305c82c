package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot"
	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/interaction"
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
	v, err := r.Bot.Publisher().Show(context.Background(), r.Start(game))
	must(r.T, err)
	r.Take()
	return v
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
	if discordtest.Summary(got) != "callback 7, "+postHere+", POST webhook" || !last.Private() || !strings.Contains(last.Text(), "Your turn was played, but I could not post the board") {
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

// If a move counts but its board cannot be posted, the person is told why.
func TestMoveWhoseBoardIsNotPosted(t *testing.T) {
	for _, c := range []struct {
		name string
		plan []discordtest.Answer
		want string
	}{
		{"500", []discordtest.Answer{{Status: 500}}, "I will keep trying"},
		{"502", []discordtest.Answer{discordtest.BadGateway}, "I will keep trying"},
		{"cut", []discordtest.Answer{discordtest.Disconnect}, "I will keep trying"},
		{"invalid form", []discordtest.Answer{discordtest.Refusal(400, 50035)}, "I will keep trying"},
		{"10003", []discordtest.Answer{discordtest.Refusal(404, 10003)}, "The channel is gone. To play on in another channel, use `/board`"},
		{"50001", []discordtest.Answer{discordtest.Refusal(403, 50001)}, "I need the permissions View Channel"},
		{"50013", []discordtest.Answer{discordtest.Refusal(403, 50013)}, "I need the permissions View Channel"},
		{"locked", []discordtest.Answer{discordtest.Refusal(400, 50083), discordtest.Refusal(403, discord.CodeLockedThread)}, "The thread <#2> is locked"},
	} {
		r := bottest.New(t, bottest.Options{})
		posted(r, "trails")
		r.Plan(c.plan...)
		if last := r.ServeLast(r.Command(anna, "move", "turn", "right")); !last.Private() || !strings.Contains(last.Text(), c.want) {
			t.Errorf("%s: %s", c.name, last.Text())
		}
	}
}

// A repeated delivery changes nothing and posts nothing.
func TestRepeatedDelivery(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	for _, i := range []*discordgo.Interaction{
		r.Subcommand(anna, "challenge", "trails", map[string]any{"opponent": ben.ID, "first": "me"}, bottest.User(ben)),
		r.Click(ben, "9001", "challenge/1/accept"),
		r.Command(anna, "move", "turn", "right"),
		r.Click(ben, "9001", "match/1/1/act/left"),
		r.Command(anna, "board"),
		r.Click(anna, "8000", "match/1/2/resign"),
	} {
		if first := r.Serve(i); len(first) < 2 || !strings.Contains(discordtest.Summary(first), postHere) {
			t.Errorf("%v", first)
		}
		r.Plan(discordtest.AlreadyAcknowledged)
		if again := r.Serve(i); len(again) != 1 || !strings.HasSuffix(again[0].Route, "/callback") {
			t.Errorf("again: %v", again)
		}
		if log := r.Log.Take(); strings.Contains(log, "WARN") || strings.Contains(log, "ERROR") {
			t.Errorf("log %s", log)
		}
	}
	v := r.Match(1)
	if _, over := v.Match.Over(); !over || v.Match.Seq() != 3 {
		t.Errorf("%d entries", v.Match.Seq())
	}
}

// A person whose name is the path of a leaving route counts against the channel's
// limit like everybody else. Leaving does not count.
func TestNameDoesNotBypassTheFloodLimit(t *testing.T) {
	r := bottest.New(t, bottest.Options{Config: func(c *bot.Config) { c.Flood = interaction.Flood{ChannelBurst: 2, ChannelRate: 0.001} }})
	for _, c := range []struct{ id, want string }{
		{"duel/chess/22/resign", "There is no such game"},
		{"duel/chess/22/cancel", "There is no such game"},
		{"duel/chess/22/resign", "Too much is going on in this channel"},
		{"match/1/0/resign", "no such match"},
	} {
		if got := r.ServeLast(r.Click(anna, "8000", c.id)); !strings.Contains(got.Text(), c.want) {
			t.Errorf("%s: %s, want %s", c.id, got.Text(), c.want)
		}
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
			if len(got) != 1 || !got[0].Private() || !strings.Contains(got[0].Text(), "Nothing was saved, and what you did does not count") {
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
		"a command where the bot cannot post": {func(r *bottest.Rig) *discordgo.Interaction {
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
		if r.Bot.ReconcilePending() != c.want {
			t.Errorf("%s: the reconciler is woken: %v", name, !c.want)
		}
		r.Plan(discordtest.OK, discordtest.Answer{Status: 200, Body: "[]"}) // the search for the earlier post
		r.Bot.Publisher().Reconcile(t.Context())
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
			if after.Board.Place.Channel != "70" || after.Board.State != storage.BoardPosted {
				t.Errorf("the board is %+v", after.Board)
			}
			if !strings.Contains(discordtest.Summary(got), "POST /channels/70/messages") || !strings.Contains(last.Text(), "/channels/7/70/") {
				t.Errorf("%v: %s", got, last.Text())
			}
			for _, s := range got {
				if s.Route == "/channels/70/messages" && !strings.Contains(s.Body, `"users":["11"]`) {
					t.Errorf("the next player is not notified: %s", s.Body)
				}
			}
			r.Plan(discordtest.AlreadyAcknowledged) // the same delivery again
			r.Serve(i)
			if again := r.Match(1); again.Board.ID != after.Board.ID {
				t.Errorf("a repeated delivery made another board: %+v", again.Board)
			}
		})
	}
}

// A player who has left a match is not asked again.
func TestResignFromMatchOfSeveral(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	v := r.StartSeveral(3)
	for _, c := range []struct {
		do   *discordgo.Interaction
		want string
	}{
		{r.Command(ben, "resign"), "Leave the match? The others will play on without you."},
		{r.Click(ben, "8000", fmt.Sprintf("match/%d/0/resign", v.Record.ID)), "You left the match. The others play on."},
		{r.Command(ben, "resign"), "You have left this match."},
		{r.Command(ben, "move", "turn", "a1"), "You have left this match."},
		{r.Command(anna, "resign"), "Not everyone has moved yet, so the match can be called off"},
	} {
		if last := r.ServeLast(c.do); !strings.Contains(last.Text(), c.want) {
			t.Errorf("%s, want %s", last.Text(), c.want)
		}
	}
	// The match that the player has left is not among those that /resign could mean.
	r.Start("sample")
	if text := r.ServeLast(r.Command(ben, "resign")).Text(); !strings.Contains(text, "2 · Counters") || strings.Contains(text, "several") {
		t.Errorf("%s", text)
	}
}

// If the picture of a rules page cannot be drawn, the person gets an apology and
// the log an error.
func TestRulesThatCannotBeDrawn(t *testing.T) {
	r := bottest.New(t, bottest.Options{Renderer: hosttest.Renderer{OnBoard: func(imaging.Scene) error { return errors.New("no painter") }}})
	if got := r.Serve(r.Command(anna, "rules", "game", "sample")); len(got) != 1 || !strings.Contains(got[0].Text(), "Something went wrong") {
		t.Errorf("%v", got)
	}
	if log := r.Log.Take(); !strings.Contains(log, "drawing page 1 of the rules of sample") {
		t.Errorf("the log: %s", log)
	}
}
