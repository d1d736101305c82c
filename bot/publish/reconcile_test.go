package publish

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/imaging"
	"castellan/storage"
)

func TestSinceRun(t *testing.T) {
	k := newKit(t, kitOptions{})
	if _, ok := k.SinceRun(); ok {
		t.Error("it has run before the first run")
	}
	stop := k.run(t)
	k.ticks <- time.Time{} // the first run has ended
	k.ticks <- time.Time{}
	k.Advance(time.Minute)
	stop()
	if since, ok := k.SinceRun(); !ok || since > time.Minute {
		t.Errorf("%v, %v", since, ok)
	}
}

// A match that cannot be replayed is postponed, so that it holds up no others.
func TestReconcileWithBrokenMatch(t *testing.T) {
	k := newKit(t, kitOptions{})
	hosttest.Must(t, k.Store.Update(t.Context(), func(tx storage.Tx) error {
		people := []storage.Person{hosttest.Anna, hosttest.Ben}
		broken, err := tx.InsertMatch(storage.Match{Place: hosttest.Here, Game: "chess", RulesVersion: 1, Seats: people, CreatedAt: k.Now()})
		if err == nil {
			_, err = tx.InsertBoard(storage.Board{Match: broken, Place: hosttest.Here})
		}
		if err == nil {
			_, err = tx.InsertChallenge(storage.Challenge{Place: hosttest.Here, Game: "chess", Challenger: people[0], Seats: 2, Joined: people[:1], Invited: people[1:], CreatedAt: k.Now()})
		}
		return err
	}))
	v := k.Start("trails")
	k.Reconcile(t.Context())
	if got := k.Take(); len(got) != 3 || k.Boards(v.Record.ID) != "posted0" {
		t.Errorf("%v, %s", got, k.Boards(v.Record.ID))
	}
	if log := k.log.Take(); !strings.Contains(log, "ERROR a match cannot be shown") || !strings.Contains(log, "WARN showing a challenge") {
		t.Errorf("log %s", log)
	}
	if got, log := k.reconciled(), k.log.Take(); got != "" || log != "" {
		t.Errorf("it was not postponed: %s, log %s", got, log)
	}
}

// When people use the bot, a post is tried early. Such an attempt does not count:
// the reconciler's next attempt comes as soon as after the first failure.
func TestEarlyAttemptsDoNotCount(t *testing.T) {
	failing := []discordtest.Answer{{Status: 500}, {Status: 500}, {Status: 500}}
	for name, early := range map[string]func(*kit, *host.View){
		"a click on the board": func(k *kit, v *host.View) { _, _ = k.Show(context.Background(), k.Match(v.Record.ID)) },
		"a use in the channel": func(k *kit, _ *host.View) {
			k.RetryPlace(context.Background(), hosttest.Here)
			k.Reconcile(context.Background())
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, kitOptions{})
			v := k.Start("trails")
			k.ChallengeShown(v)
			k.Plan(failing...)
			k.Reconcile(context.Background())
			for range 3 {
				k.Advance(500 * time.Millisecond)
				k.Plan(failing...)
				early(k, v)
			}
			if next, attempts := k.nextAttempt(v.Board.ID); attempts != 1 || next > 5*time.Second {
				t.Errorf("after %d attempts the next is in %v", attempts, next)
			}
			k.Take()
			k.log.Take()
		})
	}
}

func TestReachablePlace(t *testing.T) {
	channel := &discordgo.Channel{ID: "2", GuildID: "1"}
	for _, c := range []struct {
		event any
		want  storage.Place
		ok    bool
	}{
		{&discordgo.GuildCreate{Guild: &discordgo.Guild{ID: "1"}}, storage.Place{Guild: "1"}, true},
		{&discordgo.GuildRoleUpdate{GuildRole: &discordgo.GuildRole{GuildID: "1"}}, storage.Place{Guild: "1"}, true},
		{&discordgo.ChannelUpdate{Channel: channel}, hosttest.Here, true},
		{&discordgo.ThreadUpdate{Channel: channel}, hosttest.Here, true},
		{&discordgo.ChannelDelete{Channel: channel}, storage.Place{}, false},
		{&discordgo.GuildDelete{}, storage.Place{}, false},
		{nil, storage.Place{}, false},
	} {
		if got, ok := reachablePlace(c.event); got != c.want || ok != c.ok {
			t.Errorf("%T: %+v, %t", c.event, got, ok)
		}
	}
	var set pending[storage.Place]
	set.add(hosttest.Here)
	set.add(hosttest.Here)
	if got := set.take(); len(got) != 1 || got[0] != hosttest.Here || len(set.take()) != 0 {
		t.Errorf("%v", got)
	}
}

// A post that the full disk cannot record is not repeated: the reconciler pauses,
// and finds the post when there is room again.
func TestReconcilerPausesWhileTheDiskIsFull(t *testing.T) {
	disk := &hosttest.Disk{}
	k := newKit(t, kitOptions{Options: hosttest.Options{Wrap: disk.Wrap}})
	v := k.Start("trails")
	k.ChallengeShown(v)
	disk.Fail(storage.ErrDiskFull)
	if got := k.reconciled(); got != postHere || k.StoreWritable() {
		t.Errorf("%s", got)
	}
	for range 11 {
		k.Advance(5 * time.Second)
		if got := k.reconciled(); got != "" {
			t.Errorf("during the pause: %s", got)
		}
	}
	disk.Fail(nil)
	k.Advance(6 * time.Second)
	k.Plan(discordtest.Answer{Status: 200, Body: `{"id":"9"}`},
		discordtest.Answer{Status: 200, Body: `[{"id":"9001","author":{"id":"9"},"components":[{"items":[{"media":{"url":"https://x/board-1-0-n1.png"}}]}]}]`})
	if got := k.reconciled(); got != "GET /users/@me, GET /channels/2/messages" || k.Boards(v.Record.ID) != "posted0" {
		t.Errorf("%s, recorded %s", got, k.Boards(v.Record.ID))
	}
}

// The reconciler notices that the database was replaced. It logs that, and posts
// nothing that it could not record.
func TestReconcilerStopsWhenTheDatabaseIsReplaced(t *testing.T) {
	disk := &hosttest.Disk{}
	k := newKit(t, kitOptions{Options: hosttest.Options{Wrap: disk.Wrap}})
	v := k.Start("trails")
	k.ChallengeShown(v)
	disk.Fail(storage.ErrReplaced)
	for range 13 {
		if got := k.reconciled(); got != "" || k.StoreWritable() {
			t.Errorf("%s", got)
		}
		k.Advance(5 * time.Second)
	}
	if n := strings.Count(k.log.Take(), "nothing is saved any more"); n != 2 {
		t.Errorf("the log says it %d times in a minute, want twice", n)
	}
	disk.Fail(nil)
	k.Advance(time.Minute)
	if got := k.reconciled(); got != "GET /users/@me, GET /channels/2/messages" { // the post may have arrived
		t.Errorf("it is back: %s", got)
	}
}

// A clock that jumps ahead and back delays no post and no pause.
func TestReconcilerAfterTheClockHasGoneBack(t *testing.T) {
	const jump = 48 * time.Hour
	for name, c := range map[string]struct {
		failures int // of the post, while the clock is ahead
		full     bool
		jump     time.Duration
		ahead    uint64
	}{
		"a new board":               {0, false, jump, 1},
		"a new board, an hour":      {0, false, time.Hour, 1},
		"a board that failed":       {1, false, jump, 1},
		"a disk that was full":      {0, true, jump, 1},
		"a correction of the clock": {0, false, time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			disk := &hosttest.Disk{}
			k := newKit(t, kitOptions{Options: hosttest.Options{Wrap: disk.Wrap}})
			k.Advance(c.jump)
			v := k.Start("trails")
			k.ChallengeShown(v)
			for range c.failures {
				k.Plan(discordtest.Answer{Status: 500}, discordtest.Answer{Status: 500}, discordtest.Answer{Status: 500})
				k.reconciled()
			}
			if c.full {
				disk.Fail(storage.ErrDiskFull)
				k.reconciled()
				disk.Fail(nil)
			}
			k.Advance(-c.jump)
			if c.ahead > 0 { // the post may have been made long ago, so the channel is searched
				k.Plan(discordtest.Answer{Status: 200, Body: `{"id":"9"}`}, discordtest.Answer{Status: 200, Body: `[]`})
			}
			k.reconciled()
			if got := k.Boards(v.Record.ID); got != "posted0" || k.ClockSkews() != c.ahead {
				t.Errorf("%s, %d ahead", got, k.ClockSkews())
			}
		})
	}
}

// A match whose drawing panics ends neither the reconciler nor the other
// matches.
func TestPanicInTheReconciler(t *testing.T) {
	k := newKit(t, kitOptions{renderer: hosttest.Renderer{OnBoard: func(s imaging.Scene) error {
		if s.Names[0] == "Ben" {
			panic("cannot draw")
		}
		return nil
	}}})
	bad := k.StartFrom(k.Challenge(host.Proposal{Opponents: []storage.Person{hosttest.Ben}, Game: "trails", First: host.FirstThem}))
	good := k.Start("trails")
	k.Reconcile(t.Context())
	if k.Boards(good.Record.ID) != "posted0" || k.Boards(bad.Record.ID) != "due0" {
		t.Errorf("recorded %s and %s", k.Boards(good.Record.ID), k.Boards(bad.Record.ID))
	}
	if log := k.log.Take(); !strings.Contains(log, "ERROR panic in the reconciler match=1") || !strings.Contains(log, "cannot draw") {
		t.Errorf("log %s", log)
	}
	if _, attempts := k.nextAttempt(bad.Board.ID); attempts != 1 {
		t.Errorf("it was counted %d times", attempts)
	}
}

// A slow channel holds up no other.
func TestSlowChannelHoldsUpNoOther(t *testing.T) {
	arrived, held := make(chan struct{}), make(chan struct{})
	var begun atomic.Bool
	k := newKit(t, kitOptions{renderer: hosttest.Renderer{OnBoard: func(imaging.Scene) error {
		if begun.CompareAndSwap(false, true) {
			close(arrived)
			<-held
		}
		return nil
	}}})
	var views []*host.View
	for _, channel := range []string{"2", "3", "4"} {
		v := k.StartFrom(k.Challenge(host.Proposal{
			Place: storage.Place{Guild: "1", Channel: channel}, Opponents: []storage.Person{hosttest.Ben}, Game: "trails", First: host.FirstMe,
		}))
		k.ChallengeShown(v)
		views = append(views, v)
	}
	done := make(chan struct{})
	go func() { defer close(done); k.Reconcile(context.Background()) }()
	<-arrived // one of them does not end
	<-k.Arrived
	<-k.Arrived
	close(held)
	<-done
	for _, v := range views {
		if got := k.Boards(v.Record.ID); got != "posted0" {
			t.Errorf("match %d: %s", v.Record.ID, got)
		}
	}
}

// The jobs of a channel keep their order. The channels are in the order of their
// first jobs.
func TestByChannel(t *testing.T) {
	var all []job
	var order []string
	for i, c := range []string{"a", "b", "a", "c", "b"} {
		all = append(all, job{c, storage.DeliveryLease{}, func(context.Context) { order = append(order, fmt.Sprintf("%s%d", c, i)) }})
	}
	for _, channel := range byChannel(all) {
		for _, j := range channel {
			j.do(t.Context())
		}
	}
	if got := strings.Join(order, " "); got != "a0 a2 b1 b4 c3" {
		t.Errorf("%s", got)
	}
}
