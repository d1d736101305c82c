package hosttest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/trails"
	"castellan/storage"
	"castellan/storage/dbtest"
	"castellan/storage/sqlite"
)

// People and a place. Their IDs are in some expected texts.
var (
	Anna  = storage.Person{ID: "11", Name: "Anna"}
	Ben   = storage.Person{ID: "22", Name: "Ben"}
	Chloe = storage.Person{ID: "33", Name: "Chloe"}
	Dora  = storage.Person{ID: "44", Name: "Dora"}
	Emil  = storage.Person{ID: "55", Name: "Emil"}
	Here  = storage.Place{Guild: "1", Channel: "2"}
)

// Start is the time at which a world begins.
var Start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// Clock is a clock that a test sets. The zero value shows Start.
type Clock struct {
	mu    sync.Mutex
	since time.Duration
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Start.Add(c.since)
}

// Advance sets the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since += d
}

// Options configures a World. All fields are optional.
type Options struct {
	Logger *slog.Logger
	Wrap   func(storage.Store) storage.Store // changes the store that the host sees
	Clock  *Clock
	Limits host.Limits
	Config func(*host.Config) // changes the configuration of the host
	SQLite []sqlite.Option
	Once   bool // runs every update once instead of twice
}

var games = []engine.Game{enginetest.AllStandard(trails.Game{}), sample.Game{}}

var texts = sync.OnceValues(func() (*catalogue.Catalogue, error) { return catalogue.New(games...) })

// World is a host with two games: trails, and the sample game for up to six.
type World struct {
	*Clock
	T       testing.TB
	Store   storage.Store
	Peers   storage.Peers // nil with a file
	Config  host.Config   // of Host
	Host    *host.Host
	Account *account.Service
	Browse  *browse.Service
	Games   *engine.Registry
	Texts   *catalogue.Catalogue
	Say     *catalogue.Printer

	mu     sync.Mutex
	actors int
}

// New returns a world in which nothing has happened.
func New(t testing.TB, o Options) *World {
	t.Helper()
	w := &World{T: t, Clock: o.Clock}
	if w.Clock == nil {
		w.Clock = &Clock{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	store := dbtest.Memory(t, o.SQLite...)
	t.Cleanup(func() { Must(t, store.Close()) })
	w.Store = store
	if !o.Once {
		w.Store = dbtest.Rerun(store)
	}
	w.Peers, _ = store.(storage.Peers)
	if o.Wrap != nil {
		w.Store = o.Wrap(w.Store)
	}
	var err error
	w.Games, err = engine.NewRegistry(games...)
	Must(t, err)
	known, err := texts()
	Must(t, err)
	w.Texts = known.Reporting(func(key string, err error) { w.T.Errorf("the text %q: %v", key, err) })
	w.Say = w.Texts.Printer()
	w.Config = host.Config{
		Store: w.Store, Games: w.Games, Now: w.Now, Seed: func() uint64 { return 1 }, Logger: o.Logger, Limits: o.Limits,
		Engines: []search.Engine{search.Generic(trails.Game{}), search.Generic(sample.Game{})},
	}
	if o.Config != nil {
		o.Config(&w.Config)
	}
	w.Host = host.New(w.Config)
	w.Account, w.Browse = account.New(w.Host), browse.New(w.Host)
	return w
}

// Must fails the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Actor returns a person with an interaction of its own.
func (w *World) Actor(p storage.Person) host.Actor {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.actors++
	return host.Actor{
		Person: p, Interaction: fmt.Sprintf("a%d", w.actors),
		Computer: func(l host.Level) storage.Person { return host.ComputerPlayer(l.Key, "even, "+l.Key) },
	}
}

// Challenge creates a challenge of Anna's in Here.
func (w *World) Challenge(p host.Proposal) storage.Challenge {
	w.T.Helper()
	if p.Place == (storage.Place{}) {
		p.Place = Here
	}
	ch, err := w.Host.CreateChallenge(context.Background(), w.Actor(Anna), p)
	Must(w.T, err)
	return ch
}

// Offer has Anna challenge Ben. Anna will move first.
func (w *World) Offer(game string) storage.Challenge {
	w.T.Helper()
	return w.Challenge(host.Proposal{Opponents: []storage.Person{Ben}, Game: game, First: host.FirstMe})
}

// Start begins a match of Anna, who moves first, and Ben.
func (w *World) Start(game string) *host.View {
	w.T.Helper()
	return w.StartFrom(w.Offer(game))
}

// StartFrom has Ben accept a challenge.
func (w *World) StartFrom(ch storage.Challenge) *host.View {
	w.T.Helper()
	_, v, err := w.Host.Accept(context.Background(), w.Actor(Ben), ch.ID)
	Must(w.T, err)
	return v
}

// Table opens a table of Anna's for the sample game, with seats kept for some
// people.
func (w *World) Table(seats int, invited ...storage.Person) storage.Challenge {
	w.T.Helper()
	return w.Challenge(host.Proposal{Opponents: invited, Seats: seats, Game: sample.Key})
}

// Join has people join a table. It returns the match if that fills it.
func (w *World) Join(ch storage.Challenge, people ...storage.Person) (storage.Challenge, *host.View) {
	w.T.Helper()
	var v *host.View
	for _, p := range people {
		var err error
		ch, v, err = w.Host.Join(context.Background(), w.Actor(p), ch.ID)
		Must(w.T, err)
	}
	return ch, v
}

// StartSeveral begins a match of the first n of Anna, Ben, Chloe, Dora and Emil.
func (w *World) StartSeveral(n int) *host.View {
	w.T.Helper()
	_, v := w.Join(w.Table(n), []storage.Person{Ben, Chloe, Dora, Emil}[:n-1]...)
	return v
}

// Act has the player to move play texts, one after the other.
func (w *World) Act(v *host.View, texts ...string) *host.View {
	w.T.Helper()
	for _, text := range texts {
		p, _ := v.ToMove()
		after, err := w.Host.Act(context.Background(), w.Actor(p), v.Record.ID, host.AnySeq, text)
		Must(w.T, err)
		v = after
	}
	return v
}

// Resign has the player of a seat resign.
func (w *World) Resign(v *host.View, seat engine.Seat) *host.View {
	w.T.Helper()
	after, err := w.Host.Resign(context.Background(), w.Actor(v.Person(seat)), v.Record.ID, host.AnySeq)
	Must(w.T, err)
	return after
}

// Match reads a match.
func (w *World) Match(id storage.MatchID) *host.View {
	w.T.Helper()
	v, err := w.Host.Match(context.Background(), id)
	Must(w.T, err)
	return v
}

// Posted records that the board of a match has been posted.
func (w *World) Posted(v *host.View, message string) *host.View {
	w.T.Helper()
	after, err := w.Host.BoardPosted(context.Background(), v, v.Board.ID, message)
	Must(w.T, err)
	return after
}

// ChallengeShown records that the challenge of a match is up to date.
func (w *World) ChallengeShown(v *host.View) {
	w.T.Helper()
	ch, err := w.Host.FindChallenge(context.Background(), v.Record.Challenge)
	Must(w.T, err)
	Must(w.T, w.Host.ChallengeShown(context.Background(), storage.DeliveryLease{}, ch.ID, "1", ch.Revision))
}

// Boards returns the states of a match's boards, oldest first: "superseded0 due1".
func (w *World) Boards(id storage.MatchID) string {
	w.T.Helper()
	var words []string
	Must(w.T, w.Store.View(context.Background(), func(tx storage.Reader) error {
		all, err := tx.Boards(id)
		for _, b := range all {
			words = append(words, fmt.Sprintf("%s%d", b.State, b.Seq))
		}
		return err
	}))
	return strings.Join(words, " ")
}
