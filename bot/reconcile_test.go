package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/host"
	"castellan/imaging"
	"castellan/storage"
)

// full is a store on a disk without room, while it lasts.
type full struct {
	storage.Store
	mu  sync.Mutex
	err error // nil: there is room
}

func (f *full) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *full) Update(ctx context.Context, fn func(storage.Tx) error) error {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	if err != nil {
		return fmt.Errorf("sqlite: commit: %w", err)
	}
	return f.Store.Update(ctx, fn)
}

// onDisk is a rig whose store can be filled up.
func onDisk(t *testing.T) (*rig, *full) {
	t.Helper()
	r := newRig(t)
	f := &full{Store: r.store}
	games := r.bot.games
	h := host.New(host.Config{Store: f, Games: games, Now: r.now, Seed: func() uint64 { return 1 }, Logger: r.bot.log})
	r.host, r.bot.host, r.bot.poster.host = h, h, h
	return r, f
}

// A disk without room, or one that may not be written: a person is told that
// nothing was saved, nothing has happened, and all works when there is room.
func TestAFullDiskIsToldAndRecoveredFrom(t *testing.T) {
	for _, cause := range []error{storage.ErrDiskFull, storage.ErrReadOnly} {
		r, disk := onDisk(t)
		v := r.start("trails", nil)
		_, err := r.bot.poster.show(t.Context(), v.Record.ID, pace{})
		must(t, err)
		r.take()
		disk.set(cause)
		for _, i := range []*discordgo.Interaction{
			r.command(anna, "move", "turn", "right"), r.click(anna, "9001", "match/1/0/act/right"),
			r.command(anna, "board"), r.click(anna, "8000", "match/1/0/resign"),
		} {
			got := r.serve(i)
			if len(got) != 1 || !got[0].private() || !strings.Contains(got[0].text(), "Nothing was saved, and what you did does not count") {
				t.Errorf("%v: %s", cause, inShort(got))
			}
			if log := r.book.take(); !strings.Contains(log, "ERROR refused") || !strings.Contains(log, cause.Error()) {
				t.Errorf("log %s", log)
			}
		}
		disk.set(nil)
		if got := r.serve(r.command(anna, "move", "turn", "right")); !strings.Contains(got[len(got)-1].text(), "You played **right**") {
			t.Errorf("there is room again: %s", got[len(got)-1].text())
		}
		after, err := r.host.Match(t.Context(), 1)
		if err != nil || after.Match.Seq() != 1 {
			t.Errorf("%d entries, %v", after.Match.Seq(), err)
		}
	}
}

// What Discord has done and the disk does not take is not done again and
// again: the reconciler rests, and finds it when there is room.
func TestTheReconcilerRestsWhileTheDiskIsFull(t *testing.T) {
	r, disk := onDisk(t)
	v := r.start("trails", nil)
	r.challengeIsShown(v)
	disk.set(storage.ErrDiskFull)
	r.bot.look(t.Context())
	if got := inShort(r.take()); got != postHere {
		t.Errorf("%s", got)
	}
	for range 11 {
		r.pass(5 * time.Second)
		r.bot.look(t.Context())
	}
	if got := r.take(); len(got) != 0 {
		t.Errorf("while it rests: %s", inShort(got))
	}
	disk.set(nil)
	r.pass(5 * time.Second)
	r.pass(time.Second)
	r.answers(answer{200, `{"id":"9"}`}, answer{200, `[{"id":"9001","author":{"id":"9"},"components":[{"items":[{"media":{"url":"https://x/board-1-0.png"}}]}]}]`})
	r.bot.look(t.Context())
	if got := inShort(r.take()); got != "GET /users/@me, GET /channels/2/messages" || r.boards(v.Record.ID) != "posted0" {
		t.Errorf("%s, on record %s", got, r.boards(v.Record.ID))
	}
}

// broken draws no match number 1.
type broken struct{ Pictures }

func (b broken) Board(ctx context.Context, s imaging.Scene, theme string) ([]byte, error) {
	if s.Names[0] == ben.Name {
		panic("cannot draw")
	}
	return b.Pictures.Board(ctx, s, theme)
}

// A match that cannot be drawn for a panic ends neither the reconciler nor
// the other matches.
func TestAPanicInTheReconciler(t *testing.T) {
	r := newRig(t)
	r.bot.poster.pictures = broken{r.bot.poster.pictures}
	ch, err := r.host.Challenge(t.Context(), r.cause(anna), host.Offer{Place: here, Opponents: []storage.Person{ben}, Game: "trails", First: host.FirstThem})
	must(t, err)
	_, bad, err := r.host.Accept(t.Context(), r.cause(ben), ch.ID)
	must(t, err)
	good := r.start("trails", nil)
	r.bot.look(t.Context())
	if r.boards(good.Record.ID) != "posted0" || r.boards(bad.Record.ID) != "due0" {
		t.Errorf("on record %s and %s", r.boards(good.Record.ID), r.boards(bad.Record.ID))
	}
	if log := r.book.take(); !strings.Contains(log, "ERROR panic in the reconciler match=1") || !strings.Contains(log, "cannot draw") {
		t.Errorf("log %s", log)
	}
	if _, tries := r.next(bad.Board.ID); tries != 1 {
		t.Errorf("it was counted %d times", tries)
	}
	r.take()
}

// A channel whose answers are slow holds up no other.
func TestAChannelHoldsUpNoOther(t *testing.T) {
	r := newRig(t)
	places := []storage.Place{here, {Guild: "1", Channel: "3"}, {Guild: "1", Channel: "4"}}
	var views []*host.View
	for _, p := range places {
		ch, err := r.host.Challenge(t.Context(), r.cause(anna), host.Offer{Place: p, Opponents: []storage.Person{ben}, Game: "trails", First: host.FirstMe})
		must(t, err)
		_, v, err := r.host.Accept(t.Context(), r.cause(ben), ch.ID)
		must(t, err)
		r.challengeIsShown(v)
		views = append(views, v)
	}
	held := make(chan struct{})
	arrived := make(chan struct{})
	r.bot.poster.pictures = slow{r.bot.poster.pictures, arrived, held, &atomic.Bool{}}
	done := make(chan struct{})
	go func() { defer close(done); r.bot.look(context.Background()) }()
	<-arrived // one of them is under way, and does not end
	<-r.seen
	<-r.seen
	close(held)
	<-done
	for _, v := range views {
		if got := r.boards(v.Record.ID); got != "posted0" {
			t.Errorf("match %d: %s", v.Record.ID, got)
		}
	}
}

// slow holds up the first picture.
type slow struct {
	Pictures
	arrived, held chan struct{}
	begun         *atomic.Bool
}

func (s slow) Board(ctx context.Context, scene imaging.Scene, theme string) ([]byte, error) {
	if s.begun.CompareAndSwap(false, true) {
		close(s.arrived)
		<-s.held
	}
	return s.Pictures.Board(ctx, scene, theme)
}

// Work of one channel keeps its order, and channels that of their first.
func TestByChannel(t *testing.T) {
	var all []piece
	var order []string
	for i, c := range []string{"a", "b", "a", "c", "b"} {
		all = append(all, piece{c, func(context.Context) { order = append(order, fmt.Sprintf("%s%d", c, i)) }})
	}
	for _, channel := range byChannel(all) {
		for _, p := range channel {
			p.do(t.Context())
		}
	}
	if got := strings.Join(order, " "); got != "a0 a2 b1 b4 c3" {
		t.Errorf("%s", got)
	}
}

func TestSaidOnce(t *testing.T) {
	var s said
	if !s.first("1") || s.first("1") || !s.first("2") {
		t.Error("it was not said once")
	}
	s.clear("1")
	if !s.first("1") || s.first("2") {
		t.Error("a channel that took a post is not like a new one")
	}
}

func TestUnwritable(t *testing.T) {
	for err, want := range map[error]bool{
		storage.ErrDiskFull: true, storage.ErrReadOnly: true, fmt.Errorf("x: %w", storage.ErrDiskFull): true,
		storage.ErrClosed: false, errors.New("x"): false,
	} {
		if unwritable(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}
