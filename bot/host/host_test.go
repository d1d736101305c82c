package host_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine/search"
	"castellan/storage"
)

var (
	anna, ben, chloe, dora, emil = hosttest.Anna, hosttest.Ben, hosttest.Chloe, hosttest.Dora, hosttest.Emil

	here  = hosttest.Here
	there = storage.Place{Guild: "1", Channel: "3"}
)

// world is the world of hosttest, with a log, a seed and computer players that the
// test sets. Its methods check what use cases return.
type world struct {
	*hosttest.World
	t      *testing.T
	mu     sync.Mutex
	seed   uint64
	log    strings.Builder
	player search.Player // how every computer plays; at random where nil
}

func newWorld(t *testing.T, limits ...host.Limits) *world {
	t.Helper()
	return newWorldWith(t, hosttest.Options{
		Limits: append(limits, host.Limits{})[0],
		Once:   os.Getenv("CASTELLAN_FULL") != "", // for long seasons
	})
}

func newWorldWith(t *testing.T, o hosttest.Options) *world {
	t.Helper()
	w := &world{t: t}
	o.Logger = slog.New(slog.NewTextHandler(locked{w}, nil))
	o.Config = func(c *host.Config) { c.Seed, c.Engines = func() uint64 { return w.seed }, w.engines() }
	w.World = hosttest.New(t, o)
	return w
}

// locked writes to the log of a world.
type locked struct{ w *world }

func (l locked) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.log.Write(p)
}

// offer creates a challenge of Anna to Ben.
func (w *world) offer(game, first string, options map[string]string) storage.Challenge {
	w.t.Helper()
	ch := w.create(anna, host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: game, First: first, Options: options})
	return ch
}

// start starts a match of Anna, who moves first, and Ben.
func (w *world) start(game string, options map[string]string) *host.View {
	w.t.Helper()
	_, v, err := w.Host.Accept(w.t.Context(), w.Actor(ben), w.offer(game, host.FirstMe, options).ID)
	must(w.t, err)
	return v
}

// act plays for the player to move.
func (w *world) act(v *host.View, text string) *host.View {
	w.t.Helper()
	p, ok := v.ToMove()
	if !ok {
		w.t.Fatalf("%q: the match is over", text)
	}
	after, err := w.Host.Act(w.t.Context(), w.Actor(p), v.Record.ID, host.AnySeq, text)
	must(w.t, err)
	w.latest(after)
	return after
}

// latest fails unless a view that a use case returned equals what is stored.
func (w *world) latest(v *host.View) {
	w.t.Helper()
	now := w.Match(v.Record.ID)
	if !reflect.DeepEqual(v.Record, now.Record) || !reflect.DeepEqual(v.Boards, now.Boards) || v.Board != now.Board ||
		!reflect.DeepEqual(v.RatingChanges, now.RatingChanges) || !reflect.DeepEqual(v.Match.Log(), now.Match.Log()) {
		w.t.Errorf("the view returned is\n%+v\n%+v\nstored is\n%+v\n%+v", v.Record, v.Boards, now.Record, now.Boards)
	}
	same, err := w.Host.Refresh(w.t.Context(), v)
	if must(w.t, err); same != v {
		w.t.Error("the view is not the latest")
	}
}

// snapshot is what is stored about a match and a challenge, and the pending
// posts.
type snapshot struct {
	match     storage.Match
	entries   []storage.Entry
	boards    []storage.Board
	challenge storage.Challenge
	work      storage.PendingPosts
}

func (w *world) snapshot(id storage.MatchID, ch storage.ChallengeID) (s snapshot) {
	w.t.Helper()
	must(w.t, w.Store.View(w.t.Context(), func(r storage.Reader) (err error) {
		if s.match, err = r.Match(id); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		if s.entries, err = r.Entries(id); err != nil {
			return err
		}
		if s.boards, err = r.Boards(id); err != nil {
			return err
		}
		if s.challenge, err = r.Challenge(ch); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		s.work, err = r.PendingPosts(w.Now().Add(1000*time.Hour), 1000)
		return err
	}))
	return s
}

// unchanged runs fn and fails if it changes the match or the challenge.
func (w *world) unchanged(t *testing.T, id storage.MatchID, ch storage.ChallengeID, fn func()) {
	t.Helper()
	before := w.snapshot(id, ch)
	fn()
	if after := w.snapshot(id, ch); !reflect.DeepEqual(before, after) {
		t.Errorf("it was changed:\n%+v, before\n%+v", after, before)
	}
}

// update writes to the store directly.
func (w *world) update(fn func(storage.Tx) error) {
	w.t.Helper()
	must(w.t, w.Store.Update(context.Background(), fn))
}

// states returns the states of a match's boards, oldest first, with a bell for
// those that notify: "superseded0🔔 due1".
func (w *world) states(id storage.MatchID) string {
	var words []string
	for _, b := range w.snapshot(id, 0).boards {
		s := fmt.Sprintf("%s%d", b.State, b.Seq)
		if b.Notify {
			s += "🔔"
		}
		words = append(words, s)
	}
	return strings.Join(words, " ")
}

// post confirms the message of the current board.
func (w *world) post(id storage.MatchID) {
	w.t.Helper()
	v := w.Match(id)
	v, err := w.Host.BoardPosted(w.t.Context(), v, v.Board.ID, fmt.Sprintf("m%d", v.Board.ID))
	must(w.t, err)
	w.latest(v)
}

func must(t testing.TB, err error) { t.Helper(); hosttest.Must(t, err) }

// refused fails unless an error is a refusal for that reason.
func refused(t *testing.T, err, why error) *host.Refusal {
	t.Helper()
	var r *host.Refusal
	if !errors.As(err, &r) || !errors.Is(err, why) {
		t.Fatalf("%T %v, want a refusal: %v", err, err, why)
	}
	return r
}

// log returns the entries of a match in short: "1 action a2".
func (s snapshot) log() string {
	var lines []string
	for _, e := range s.entries {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Seat, e.Kind, e.Text)))
	}
	return strings.Join(lines, ", ")
}

// The methods below carry out a use case that must succeed.

func (w *world) create(p storage.Person, o host.Proposal) storage.Challenge {
	w.t.Helper()
	ch, err := w.Host.CreateChallenge(w.t.Context(), w.Actor(p), o)
	must(w.t, err)
	return ch
}

func (w *world) accept(p storage.Person, ch storage.Challenge) *host.View {
	w.t.Helper()
	_, v, err := w.Host.Accept(w.t.Context(), w.Actor(p), ch.ID)
	return w.done(v, err)
}

func (w *world) join(p storage.Person, ch storage.Challenge) *host.View {
	w.t.Helper()
	_, v, err := w.Host.Join(w.t.Context(), w.Actor(p), ch.ID)
	return w.done(v, err)
}

func (w *world) resign(p storage.Person, v *host.View) *host.View {
	w.t.Helper()
	return w.done(w.Host.Resign(w.t.Context(), w.Actor(p), v.Record.ID, host.AnySeq))
}

func (w *world) claim(p storage.Person, v *host.View) *host.View {
	w.t.Helper()
	return w.done(w.Host.Claim(w.t.Context(), w.Actor(p), v.Record.ID, host.AnySeq))
}

func (w *world) repost(p storage.Person, id storage.MatchID) *host.View {
	w.t.Helper()
	return w.done(w.Host.RepostBoard(w.t.Context(), w.Actor(p), id))
}

func (w *world) done(v *host.View, err error) *host.View {
	w.t.Helper()
	if must(w.t, err); v != nil {
		w.latest(v)
	}
	return v
}

func (w *world) pending() storage.PendingPosts {
	w.t.Helper()
	work, err := w.Host.PendingWork(w.t.Context(), 10)
	must(w.t, err)
	return work
}

func (w *world) overdue() storage.Overdue {
	w.t.Helper()
	o, err := w.Host.Overdue(w.t.Context(), 10)
	must(w.t, err)
	return o
}
