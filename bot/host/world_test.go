package host_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/trails"
	"castellan/storage"
	"castellan/storage/sqlite"
)

var (
	anna  = storage.Person{ID: "11", Name: "Anna"}
	ben   = storage.Person{ID: "22", Name: "Ben"}
	chloe = storage.Person{ID: "33", Name: "Chloe"}
	here  = storage.Place{Guild: "1", Channel: "2"}
	there = storage.Place{Guild: "1", Channel: "3"}
)

// world is a host on a database in memory, whose clock and chance are the
// test's.
type world struct {
	t     *testing.T
	store storage.Store
	host  *host.Host

	mu           sync.Mutex
	clock        time.Time
	seed         uint64
	interactions int
	log          strings.Builder
	player       search.Player // how every computer plays; at random where nil
}

func newWorld(t *testing.T, limits ...host.Limits) *world {
	t.Helper()
	limits = append(limits, host.Limits{})
	store, err := sqlite.Open(t.Context(), sqlite.Memory)
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	games, err := engine.NewRegistry(trails.Game{}, sample.Game{})
	must(t, err)
	w := &world{t: t, store: store, clock: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	w.host = host.New(host.Config{
		Store: store, Games: games, Now: w.now, Seed: func() uint64 { return w.seed },
		Logger: slog.New(slog.NewTextHandler(locked{w}, nil)), Limits: limits[0], Engines: w.brains(),
	})
	return w
}

// locked is the log of a world as a writer.
type locked struct{ w *world }

func (l locked) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.log.Write(p)
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// by is a new interaction of a person.
func (w *world) by(p storage.Person) host.Cause {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.interactions++
	return host.Cause{Person: p, Interaction: fmt.Sprintf("i%d", w.interactions)}
}

// offer is a challenge of Anna to Ben.
func (w *world) offer(game, first string, options map[string]string) storage.Challenge {
	w.t.Helper()
	ch, err := w.host.Challenge(w.t.Context(), w.by(anna), host.Offer{Place: here, Opponents: []storage.Person{ben}, Game: game, First: first, Options: options})
	must(w.t, err)
	return ch
}

// start is a match of Anna, who moves first, and Ben.
func (w *world) start(game string, options map[string]string) *host.View {
	w.t.Helper()
	_, v, err := w.host.Accept(w.t.Context(), w.by(ben), w.offer(game, host.FirstMe, options).ID)
	must(w.t, err)
	return v
}

// act plays for whoever is to move.
func (w *world) act(v *host.View, text string) *host.View {
	w.t.Helper()
	p, ok := v.ToMove()
	if !ok {
		w.t.Fatalf("%q: the match is over", text)
	}
	after, err := w.host.Act(w.t.Context(), w.by(p), v.Record.ID, host.Anywhere, text)
	must(w.t, err)
	return after
}

// snapshot is everything that is stored about a match and a challenge, and
// what is to be done.
type snapshot struct {
	match     storage.Match
	entries   []storage.Entry
	boards    []storage.Board
	challenge storage.Challenge
	work      storage.Work
}

func (w *world) snapshot(id storage.MatchID, ch storage.ChallengeID) (s snapshot) {
	w.t.Helper()
	must(w.t, w.store.View(w.t.Context(), func(r storage.Reader) (err error) {
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
		s.work, err = r.Work(w.clock.Add(1000*time.Hour), 1000)
		return err
	}))
	return s
}

// unchanged runs fn and fails where it leaves another match or challenge.
func (w *world) unchanged(t *testing.T, id storage.MatchID, ch storage.ChallengeID, fn func()) {
	t.Helper()
	before := w.snapshot(id, ch)
	fn()
	if after := w.snapshot(id, ch); !reflect.DeepEqual(before, after) {
		t.Errorf("it was changed:\n%+v, before\n%+v", after, before)
	}
}

// update writes past the host.
func (w *world) update(fn func(storage.Tx) error) {
	w.t.Helper()
	must(w.t, w.store.Update(context.Background(), fn))
}

// states is the states of a match's boards, oldest first, with a bell for
// those that notify: "stale0🔔 due1".
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

// post confirms the board that is due.
func (w *world) post(id storage.MatchID) {
	w.t.Helper()
	v, err := w.host.Match(w.t.Context(), id)
	must(w.t, err)
	must(w.t, w.host.BoardPosted(w.t.Context(), v.Board.ID, fmt.Sprintf("m%d", v.Board.ID)))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused fails where an error is no refusal for that reason.
func refused(t *testing.T, err, why error) *host.Refusal {
	t.Helper()
	var r *host.Refusal
	if !errors.As(err, &r) || !errors.Is(err, why) {
		t.Fatalf("%T %v, want a refusal: %v", err, err, why)
	}
	return r
}

// log is a match's entries in short: "1 action a2".
func (s snapshot) log() string {
	var lines []string
	for _, e := range s.entries {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Seat, e.Kind, e.Text)))
	}
	return strings.Join(lines, ", ")
}
