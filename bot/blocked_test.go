package bot

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/storage"
)

const (
	postHere = "POST /channels/2/messages"
	editHere = "PATCH /channels/2/messages/9001"
)

func refusedWith(status, code int) answer {
	return answer{status, fmt.Sprintf(`{"code":%d,"message":"No","retry_after":3600}`, code)}
}

// challengeIsShown has the challenge of a match be up to date.
func (r *rig) challengeIsShown(v *host.View) {
	r.t.Helper()
	ch, err := r.host.FindChallenge(context.Background(), v.Record.Challenge)
	must(r.t, err)
	must(r.t, r.host.ChallengeShown(context.Background(), ch.ID, "1", ch.Revision))
}

// next is how long from now until a board is tried again.
func (r *rig) next(id storage.BoardID) (d time.Duration, tries int) {
	r.t.Helper()
	must(r.t, r.store.View(context.Background(), func(tx storage.Reader) error {
		b, err := tx.Board(id)
		d, tries = b.NextAttempt.Sub(r.now()), b.Attempts
		return err
	}))
	return d, tries
}

// What is done about every failure of a post: docs/discord-errors.md.
func TestFailuresOfAPost(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  answer
		blocked bool // it is tried ever more rarely, up to hours
		missing string
		says    string
	}{
		{"500", answer{500, `{"code":0,"message":"500: Internal Server Error"}`}, false, "", "I try again by myself"},
		{"502", badGateway, false, "", "I try again by myself"},
		{"cut", hangsUp, false, "", "I try again by myself"},
		{"refused form", refusedWith(400, 50035), false, "", "I try again by myself"},
		{"token of the bot", refusedWith(401, 0), false, "", "I try again by myself"},
		{"10003", refusedWith(404, 10003), true, "the channel", "The channel is gone. Or use `/board`"},
		{"50001", refusedWith(403, 50001), true, "the permission View Channel", "I need the permissions View Channel"},
		{"50013", refusedWith(403, 50013), true, "a permission: View Channel", "I need the permissions View Channel"},
		// An archived thread is opened again, unless it is locked.
		{"50083", refusedWith(400, 50083), true, "an open thread", "The thread <#2> is locked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			v := r.start("trails", nil)
			r.challengeIsShown(v)
			failing, tried := []answer{c.answer}, postHere
			if c.name == "50083" {
				failing, tried = append(failing, refusedWith(403, 160005)), postHere+", PATCH /channels/2"
			}
			r.answers(failing...)
			_, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{})
			if got := r.bot.notShown(r.request(anna), here, err, "move.kept"); !strings.Contains(got, c.says) {
				t.Errorf("the person is told %q", got)
			}
			log := r.book.take()
			if !strings.Contains(log, "WARN posting a board") || strings.Contains(log, "missing="+c.missing) != (c.missing != "") {
				t.Errorf("log %s", log)
			}
			r.take()
			for tries := 1; tries < 16; tries++ {
				want := host.Failure{Blocked: c.blocked}.Backoff(tries - 1)
				if got, n := r.next(v.Board.ID); got != want || n != tries {
					t.Fatalf("after %d tries the next is in %v, want %v", n, got, want)
				}
				r.pass(want - time.Second)
				r.bot.look(t.Context())
				if got := r.take(); len(got) != 0 {
					t.Fatalf("try %d came too early: %s", tries, inShort(got))
				}
				r.pass(time.Second)
				if tries == 1 {
					r.answers(failing...)
				} else { // by now the channel is looked at first
					r.answers(append([]answer{{200, `{"id":"9"}`}, {200, `[]`}}, failing...)...)
					if tries > 2 {
						r.answers(append([]answer{{200, `[]`}}, failing...)...)
					}
				}
				r.bot.look(t.Context())
				if got := inShort(r.take()); !strings.HasSuffix(got, tried) {
					t.Fatalf("try %d: %s", tries, got)
				}
				if log := r.book.take(); strings.Contains(log, "WARN") == c.blocked {
					t.Errorf("try %d: log %s", tries, log)
				}
			}
			got, _ := r.next(v.Board.ID)
			if want := map[bool]time.Duration{false: 10 * time.Minute, true: 6 * time.Hour}[c.blocked]; got != want {
				t.Errorf("the longest wait is %v, want %v", got, want)
			}
			if r.boards(v.Record.ID) != "due0" {
				t.Errorf("on record %s", r.boards(v.Record.ID))
			}
		})
	}
}

// A rate limit that is longer than a request waits is kept to.
func TestALimitIsKeptTo(t *testing.T) {
	r := newRig(t)
	v := r.start("trails", nil)
	r.challengeIsShown(v)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r.answers(answer{429, `{"message":"slow","retry_after":1800,"global":false}`})
	if _, err := r.bot.poster.show(ctx, v.Record.ID, pace{}); discord.RetryAfter(err) != 30*time.Minute {
		t.Fatalf("%v", err)
	}
	if got, _ := r.next(v.Board.ID); got != 30*time.Minute {
		t.Errorf("the next try is in %v", got)
	}
	if got := inShort(r.take()); got != postHere {
		t.Errorf("%s", got)
	}
}

// What is done about every failure of collapsing a board.
func TestFailuresOfAnEdit(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer answer
		state  string
		next   time.Duration
	}{
		{"10008", refusedWith(404, 10008), "collapsed0 posted1", 0},
		{"10003", refusedWith(404, 10003), "collapsed0 posted1", 0},
		{"500", answer{500, ``}, "stale0 posted1", 5 * time.Second},
		{"50013", refusedWith(403, 50013), "stale0 posted1", 5 * time.Second},
		{"50083", refusedWith(400, 50083), "stale0 posted1", 5 * time.Second},
		{"30046", refusedWith(429, 30046), "stale0 posted1", time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			v := r.start("trails", nil)
			_, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{})
			must(t, err)
			first, err := r.host.Match(t.Context(), v.Record.ID)
			must(t, err)
			r.act(v, "right")
			r.take()
			failing, tried := []answer{c.answer}, editHere
			if c.name == "50083" {
				failing, tried = append(failing, refusedWith(403, 160005)), editHere+", PATCH /channels/2"
			}
			r.answers(append([]answer{{200, `{"id":"9002"}`}}, failing...)...)
			if _, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{}); err != nil {
				t.Errorf("a board that does not collapse is no failure of the new one: %v", err)
			}
			if got := inShort(r.take()); got != postHere+", "+tried {
				t.Errorf("%s", got)
			}
			if got := r.boards(v.Record.ID); got != c.state {
				t.Errorf("on record %s", got)
			}
			if got, _ := r.next(first.Board.ID); c.next != 0 && got != c.next {
				t.Errorf("the next try is in %v, want %v", got, c.next)
			}
		})
	}
}

// blockedMatch is a match whose board could not be posted for a long time.
func (r *rig) blockedMatch() *host.View {
	r.t.Helper()
	v := r.start("trails", nil)
	r.challengeIsShown(v)
	must(r.t, r.store.Update(context.Background(), func(tx storage.Tx) error {
		return tx.PostponeBoard(v.Board.ID, r.now().Add(6*time.Hour))
	}))
	return v
}

// Whatever somebody does in a channel has what waits for it posted at once;
// but for suggestions, which come with every key.
func TestUsingTheBotTriesAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r *rig)
		want bool
	}{
		"a command":          {func(r *rig) { r.serve(r.command(chloe, "preferences")) }, true},
		"a button":           {func(r *rig) { r.serve(r.click(chloe, "8000", "nonsense")) }, true},
		"a suggestion":       {func(r *rig) { r.serve(r.suggest(anna, "move", "turn", "r")) }, false},
		"the server":         {func(r *rig) { r.bot.hear(&discordgo.GuildCreate{Guild: &discordgo.Guild{ID: here.Guild}}) }, true},
		"another server":     {func(r *rig) { r.bot.reachable(r.t.Context(), storage.Place{Guild: "77"}) }, false},
		"another channel":    {func(r *rig) { r.bot.reachable(r.t.Context(), storage.Place{Guild: "1", Channel: "5"}) }, false},
		"nothing in special": {func(*rig) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			ticks := make(chan time.Time)
			r.bot.config.Ticks = ticks
			v := r.blockedMatch()
			c.do(r)
			r.take()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); r.bot.reconcile(ctx) }()
			if c.want {
				r.expect(postHere)
			}
			ticks <- time.Time{} // two looks have ended then
			ticks <- time.Time{}
			cancel()
			<-done
			if got, want := r.boards(v.Record.ID), map[bool]string{true: "posted0", false: "due0"}[c.want]; got != want {
				t.Errorf("on record %s, want %s", got, want)
			}
		})
	}
}

// The reconciler is told, and does not wait for its tick.
func TestTheReconcilerIsWoken(t *testing.T) {
	r := newRig(t)
	r.bot.config.Ticks = make(chan time.Time) // never
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.bot.reconcile(ctx) }()
	v := r.blockedMatch()
	r.bot.reachable(t.Context(), here)
	r.expect(postHere)
	r.bot.wake <- struct{}{} // when the second is taken, the look has ended
	r.bot.wake <- struct{}{}
	cancel()
	<-done
	if got := r.boards(v.Record.ID); got != "posted0" {
		t.Errorf("on record %s", got)
	}
}

// A match whose channel is gone goes on where one of its players asks for it.
func TestAMatchIsTakenOver(t *testing.T) {
	elsewhere := func(r *rig, p storage.Person) *discordgo.Interaction {
		i := r.command(p, "board", "match", "1")
		i.GuildID, i.ChannelID = "7", "70"
		return i
	}
	seen := answer{200, `{"id":"2"}`}
	for _, c := range []struct {
		name  string
		by    storage.Person
		due   bool // its board could not be posted
		plan  []answer
		moved bool
		says  string
	}{
		{"gone", anna, false, []answer{refusedWith(404, 10003)}, true, "The match goes on here"},
		{"gone, asked by the other", ben, false, []answer{refusedWith(404, 10003)}, true, "The match goes on here"},
		{"not to be seen any more", anna, false, []answer{refusedWith(403, 50001)}, true, "The match goes on here"},
		{"to be seen, and not to be written to", anna, true, []answer{seen, refusedWith(403, 50013)}, true, "The match goes on here"},
		{"locked", anna, true, []answer{seen, refusedWith(400, 50083), refusedWith(403, 160005)}, true, "The match goes on here"},
		{"all is well", anna, false, []answer{seen}, false, "to move"},
		{"posted in the meantime", anna, true, []answer{seen, {200, `{"id":"9001"}`}}, false, "to move"},
		{"nobody knows", anna, false, []answer{badGateway}, false, "to move"},
		{"a stranger", chloe, false, []answer{refusedWith(404, 10003)}, false, "no such match here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			v := r.start("trails", nil)
			if !c.due {
				_, errv := r.host.BoardPosted(t.Context(), v, v.Board.ID, "9001")
				must(t, errv)
			} else {
				must(t, r.store.Update(t.Context(), func(tx storage.Tx) error { return tx.PostponeBoard(v.Board.ID, r.now()) }))
			}
			r.answers(c.plan...)
			i := elsewhere(r, c.by)
			got := r.serve(i)
			after, err := r.host.Match(t.Context(), 1)
			must(t, err)
			if moved := after.Record.Place == (storage.Place{Guild: "7", Channel: "70"}); moved != c.moved {
				t.Errorf("the match is at %+v: %s", after.Record.Place, inShort(got))
			}
			last := got[len(got)-1]
			if !last.private() || !strings.Contains(last.text(), c.says) {
				t.Errorf("%s", last.text())
			}
			if !c.moved {
				return
			}
			if after.Board.Place.Channel != "70" || after.Board.State != storage.BoardPosted {
				t.Errorf("the board is %+v", after.Board)
			}
			if !strings.Contains(inShort(got), "POST /channels/70/messages") || !strings.Contains(last.text(), "/channels/7/70/") {
				t.Errorf("%s: %s", inShort(got), last.text())
			}
			for _, s := range got { // the next player learns of it
				if s.route == "/channels/70/messages" && !strings.Contains(s.body, `"users":["11"]`) {
					t.Errorf("nobody is notified: %s", s.body)
				}
			}
			r.answers(answeredTwo) // the same delivery again
			r.serve(i)
			if again, err := r.host.Match(t.Context(), 1); err != nil || again.Board.ID != after.Board.ID {
				t.Errorf("a repeated delivery made another board: %+v, %v", again.Board, err)
			}
		})
	}
}

// The gateway tells of places in which the bot may be able to post again.
func TestPlaceOf(t *testing.T) {
	channel := &discordgo.Channel{ID: "2", GuildID: "1"}
	for _, c := range []struct {
		event any
		want  storage.Place
		ok    bool
	}{
		{&discordgo.GuildCreate{Guild: &discordgo.Guild{ID: "1"}}, storage.Place{Guild: "1"}, true},
		{&discordgo.GuildRoleUpdate{GuildRole: &discordgo.GuildRole{GuildID: "1"}}, storage.Place{Guild: "1"}, true},
		{&discordgo.ChannelUpdate{Channel: channel}, here, true},
		{&discordgo.ThreadUpdate{Channel: channel}, here, true},
		{&discordgo.ChannelDelete{Channel: channel}, storage.Place{}, false},
		{nil, storage.Place{}, false},
	} {
		if got, ok := placeOf(c.event); got != c.want || ok != c.ok {
			t.Errorf("%T: %+v, %t", c.event, got, ok)
		}
	}
	var set placeSet
	set.add(here)
	set.add(here)
	if got := set.take(); len(got) != 1 || !got[here] || len(set.take()) != 0 {
		t.Errorf("%v", got)
	}
}
