package bot

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/storage"
)

// boards is the states of a match's boards, oldest first: "stale0 due1".
func (r *rig) boards(id storage.MatchID) string {
	r.t.Helper()
	var words []string
	must(r.t, r.store.View(context.Background(), func(tx storage.Reader) error {
		all, err := tx.Boards(id)
		for _, b := range all {
			words = append(words, fmt.Sprintf("%s%d", b.State, b.Seq))
		}
		return err
	}))
	return strings.Join(words, " ")
}

func TestPostThatFailsIsTriedAgain(t *testing.T) {
	const post = "POST /channels/2/messages"
	for name, a := range map[string]answer{"refused": noPermission, "lost": hangsUp, "bad gateway": badGateway, "nameless": {200, `{}`}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			v := r.start("trails", nil)
			r.answers(a)
			if _, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{}); err == nil {
				t.Fatal("no error")
			}
			first := r.take()
			if inShort(first) != post || r.boards(v.Record.ID) != "due0" {
				t.Errorf("%s, %s", inShort(first), r.boards(v.Record.ID))
			}
			if log := r.book.take(); !strings.Contains(log, "WARN posting a board") || !strings.Contains(log, "next=") {
				t.Errorf("log %s", log)
			}
			// The reconciler keeps to its time, a person does not.
			if _, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{now: r.host.Now()}); err != nil || len(r.take()) != 0 {
				t.Errorf("too early: %v", err)
			}
			r.bot.look(t.Context())
			if got := r.take(); len(got) != 2 || !strings.Contains(got[0].text(), "challenge") || got[0].body == got[1].body {
				// The challenge alone. It is answered already, so the message
				// that a repeated nonce may have brought back is edited too.
				t.Errorf("the reconciler: %s", inShort(got))
			}
			shown, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{now: r.host.Now().Add(time.Minute)})
			second := r.take()
			if err != nil || shown.Board.Message != "9001" || r.boards(v.Record.ID) != "posted0" {
				t.Fatalf("%v, %s", err, r.boards(v.Record.ID))
			}
			if len(second) != 1 || second[0] != first[0] {
				t.Errorf("the second post is another:\n%v\n%v", first, second)
			}
		})
	}
}

func TestSupersededBoardsAreCollapsed(t *testing.T) {
	const edit = "PATCH /channels/2/messages/9001"
	for _, c := range []struct {
		name  string
		plan  []answer // to the edit
		state string
	}{
		{"edited", nil, "collapsed0 posted1"},
		{"deleted by somebody", []answer{{404, `{"code":10008,"message":"Unknown Message"}`}}, "collapsed0 posted1"},
		{"its channel is gone", []answer{{404, `{"code":10003,"message":"Unknown Channel"}`}}, "collapsed0 posted1"},
		{"refused", []answer{noPermission}, "stale0 posted1"},
		{"lost", []answer{hangsUp}, "stale0 posted1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			v := r.start("trails", nil)
			_, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{})
			must(t, err)
			r.act(v, "right")
			r.take()
			r.answers(append([]answer{{200, `{"id":"9002"}`}}, c.plan...)...)
			shown, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{})
			got := r.take()
			if err != nil || shown.Board.Message != "9002" || inShort(got) != "POST /channels/2/messages, "+edit {
				t.Fatalf("%v, %s", err, inShort(got))
			}
			if text := got[1].text(); text != "-# 1. ● Anna: **right**" || got[1].files != 0 || !strings.Contains(got[1].body, `"attachments":[]`) {
				t.Errorf("%s", got[1].body)
			}
			if s := r.boards(v.Record.ID); s != c.state {
				t.Errorf("%s, want %s", s, c.state)
			}
		})
	}
}

// A match that cannot be rebuilt takes its place behind the others.
func TestLookGoesOnBehindWhatCannotBeShown(t *testing.T) {
	r := newRig(t)
	var broken storage.MatchID
	must(t, r.store.Update(t.Context(), func(tx storage.Tx) (err error) {
		broken, err = tx.InsertMatch(storage.Match{Place: here, Game: "chess", RulesVersion: 1, Seats: []storage.Person{anna, ben}, CreatedAt: r.host.Now()})
		if err == nil {
			_, err = tx.InsertBoard(storage.Board{Match: broken, Place: here})
		}
		if err == nil {
			_, err = tx.InsertChallenge(storage.Challenge{Place: here, Game: "chess", Challenger: anna, Seats: 2, Joined: []storage.Person{anna}, Invited: []storage.Person{ben}, CreatedAt: r.host.Now()})
		}
		return err
	}))
	v := r.start("trails", nil)
	r.bot.look(t.Context())
	if got := r.take(); len(got) != 3 || r.boards(v.Record.ID) != "posted0" {
		t.Errorf("%s, %s", inShort(got), r.boards(v.Record.ID))
	}
	log := r.book.take()
	if !strings.Contains(log, "ERROR a match cannot be shown") || !strings.Contains(log, "WARN showing a challenge") {
		t.Errorf("log %s", log)
	}
	r.bot.look(t.Context())
	if got, log := r.take(), r.book.take(); len(got) != 0 || log != "" {
		t.Errorf("it was not put back: %s, log %s", inShort(got), log)
	}
}

func TestReconcile(t *testing.T) {
	r := newRig(t)
	ticks := make(chan time.Time)
	r.bot.config.Ticks = ticks
	v := r.start("trails", nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.bot.reconcile(ctx) }()
	r.expect("POST /channels/2/messages") // the challenge, which is answered already
	r.expect("PATCH /channels/2/messages/9001")
	r.expect("POST /channels/2/messages") // the board
	ticks <- time.Time{}                  // nothing is behind
	ticks <- time.Time{}
	if len(r.seen) != 0 {
		t.Errorf("%v", <-r.seen)
	}
	r.act(v, "right")
	ticks <- time.Time{}
	r.expect("POST /channels/2/messages")
	r.expect("PATCH /channels/2/messages/9001")
	ticks <- time.Time{} // the look before has ended
	cancel()
	<-done
	if s := r.boards(v.Record.ID); s != "collapsed0 posted1" {
		t.Errorf("%s", s)
	}
}

// A click on a board collapses it by its answer, so that the person sees at
// once that it counted; nothing else edits it.
func TestClickedBoardCollapsesByItsAnswer(t *testing.T) {
	r := newRig(t)
	v := r.start("trails", nil)
	_, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{})
	must(t, err)
	r.take()
	r.answers(answer{200, `{"id":"9002"}`})
	got := r.serve(r.click(anna, "9001", "match/1/0/act/right"))
	if inShort(got) != "POST /channels/2/messages, callback 7" || got[1].text() != "-# 1. ● Anna: **right**" {
		t.Fatalf("%s: %s", inShort(got), got[len(got)-1].body)
	}
	if s := r.boards(v.Record.ID); s != "collapsed0 posted1" {
		t.Errorf("%s", s)
	}
	// The old button, should somebody still see it.
	got = r.serve(r.click(ben, "9001", "match/1/0/act/left"))
	if inShort(got) != "callback 4" || !got[0].private() || !strings.Contains(got[0].text(), "/channels/1/2/9002") {
		t.Errorf("%s: %s", inShort(got), got[0].body)
	}
	// An answer that does not arrive leaves the board to the reconciler.
	r.answers(answer{200, `{"id":"9003"}`}, deadOne)
	r.serve(r.click(ben, "9002", "match/1/1/act/left"))
	if s := r.boards(v.Record.ID); s != "collapsed0 stale1 posted2" {
		t.Errorf("%s", s)
	}
	r.bot.look(t.Context())
	if s := r.boards(v.Record.ID); s != "collapsed0 collapsed1 posted2" {
		t.Errorf("%s", s)
	}
}

// The same delivery again changes nothing and posts nothing.
func TestRepeatedDelivery(t *testing.T) {
	r := newRig(t)
	challenge := r.command(anna, "challenge")
	challenge.Data = challengeData(ben, map[string]any{"first": "me"})
	for _, i := range []*discordgo.Interaction{
		challenge,
		r.click(ben, "9001", "challenge/1/accept"),
		r.command(anna, "move", "turn", "right"),
		r.click(ben, "9001", "match/1/1/act/left"),
		r.command(anna, "board"),
		r.click(anna, "8000", "match/1/2/resign"),
	} {
		first := r.serve(i)
		if len(first) < 2 || first[0].route != "/channels/2/messages" {
			t.Errorf("%s", inShort(first))
		}
		r.answers(answeredTwo)
		if again := r.serve(i); len(again) != 1 || !strings.HasSuffix(again[0].route, "/callback") {
			t.Errorf("again: %s", inShort(again))
		}
		if log := r.book.take(); strings.Contains(log, "WARN") || strings.Contains(log, "ERROR") {
			t.Errorf("log %s", log)
		}
	}
	v, err := r.host.Match(t.Context(), 1)
	must(t, err)
	if _, over := v.Match.Over(); !over || v.Match.Seq() != 3 {
		t.Errorf("%d entries", v.Match.Seq())
	}
}
