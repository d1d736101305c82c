package computer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// process is a process with one scheduler. Its computer tells when it begins to think
// and goes on when it is told.
type process struct {
	t        *testing.T
	s        *Scheduler
	store    storage.Store
	thinking chan struct{}
	goOn     chan error
	played   chan *host.View
	warned   chan string // what it logs
	stop     func()
}

// Enabled and Handle make a process a slog.Handler that passes on warnings.
func (p *process) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (p *process) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += fmt.Sprint(" ", a); return true })
	p.warned <- text
	return nil
}

func (p *process) WithAttrs([]slog.Attr) slog.Handler { return p }
func (p *process) WithGroup(string) slog.Handler      { return p }

func (p *process) Think(ctx context.Context, at engine.Position, limits search.Limits) (search.Decision, error) {
	p.thinking <- struct{}{}
	select {
	case err := <-p.goOn:
		if err != nil {
			return search.Decision{}, err
		}
	case <-ctx.Done():
	}
	return search.Random{}.Think(ctx, at, limits)
}

func (p *process) Show(_ context.Context, v *host.View) (*host.View, error) {
	p.played <- v
	return v, nil
}

func (*process) StoreWritable() bool     { return true }
func (*process) PauseOnStoreError(error) {}

// prepare returns a process that does nothing yet.
func prepare(t *testing.T, store storage.Store, name string) *process {
	t.Helper()
	p := &process{t: t, store: store, thinking: make(chan struct{}, 100), goOn: make(chan error), played: make(chan *host.View, 100), warned: make(chan string, 100)}
	games := hosttest.New(t, hosttest.Options{}).Games
	e := search.Generic(sample.Game{})
	for i := range e.Levels {
		e.Levels[i].Player, e.Levels[i].MoveTime = p, time.Hour
	}
	var seed atomic.Uint64
	h := host.New(host.Config{
		Store: store, Games: games, Now: func() time.Time { return time.Now().UTC() }, Seed: func() uint64 { return seed.Add(1) },
		Logger: slog.New(slog.DiscardHandler), Engines: []search.Engine{e},
		Limits: host.Limits{MadeByPerson: 100, MadeInGuild: 100, OpenByPerson: 100, OpenInGuild: 100, Running: 100},
	})
	p.s = New(Config{Host: h, Publisher: p, Logger: slog.New(p), Slots: 1, PostTimeout: time.Minute, Holder: name, Leases: store})
	return p
}

func start(t *testing.T, store storage.Store, name string) *process {
	t.Helper()
	p := prepare(t, store, name)
	p.run()
	return p
}

func (p *process) run() {
	ctx, cancel := context.WithCancel(p.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.s.Run(ctx)
	}()
	p.stop = func() {
		cancel()
		<-ended
	}
	p.t.Cleanup(p.stop)
}

// begin begins a match of a person against a computer, which is to move.
func (p *process) begin(person string) storage.MatchID {
	p.t.Helper()
	ch, err := p.s.host.CreateChallenge(p.t.Context(), host.Actor{Person: storage.Person{ID: person, Name: person}, Interaction: fmt.Sprint(person, time.Now().UnixNano())},
		host.Proposal{Place: hosttest.Here, Game: sample.Key, First: host.FirstThem, Opponents: []storage.Person{host.ComputerPlayer("casual", "Casual")}})
	if err != nil {
		p.t.Fatal(err)
	}
	return ch.Match
}

// matches returns the matches whose turns are computed or shown.
func (p *process) matches() (all []storage.MatchID) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	for id := range p.s.matches {
		all = append(all, id)
	}
	return all
}

func (p *process) await(id storage.MatchID) {
	p.t.Helper()
	<-p.thinking
	if got := p.matches(); !slices.Equal(got, []storage.MatchID{id}) {
		p.t.Fatalf("%s thinks about %v, want %v", p.s.config.Holder, got, id)
	}
}

func (p *process) lease(id storage.MatchID) (l storage.Lease) {
	p.t.Helper()
	hosttest.Must(p.t, p.store.View(p.t.Context(), func(r storage.Reader) error {
		all, err := r.Leases(fmt.Sprint(leasePrefix, id))
		if len(all) == 1 {
			l = all[0]
		}
		return err
	}))
	return l
}

// runOut has the lease of a match run out, as it does some time after its process has
// stopped.
func (p *process) runOut(id storage.MatchID) {
	p.t.Helper()
	_, err := p.store.RenewLease(p.t.Context(), p.lease(id), 0)
	hosttest.Must(p.t, err)
}

// open opens the same database n times.
func open(t *testing.T, n int) (all []storage.Store) {
	t.Helper()
	url := pgtest.Migrated(t)
	for range n {
		s, err := postgres.Open(t.Context(), url)
		hosttest.Must(t, err)
		t.Cleanup(func() { s.Close() })
		all = append(all, s)
	}
	return all
}

// Somebody with twenty matches delays somebody with one as little with several
// processes as with one, and no turn is computed twice.
func TestFairnessOfProcesses(t *testing.T) {
	var processes []*process
	for i, s := range open(t, 2) {
		processes = append(processes, prepare(t, s, fmt.Sprint("process-", i)))
	}
	annas := processes[0].begin("anna")
	for range 19 {
		processes[0].begin("anna")
	}
	bens := processes[0].begin("ben")
	for _, p := range processes {
		p.run()
	}
	first := map[storage.MatchID]bool{}
	for _, p := range processes {
		<-p.thinking
		for _, id := range p.matches() {
			first[id] = true
		}
	}
	if len(first) != 2 || !first[annas] || !first[bens] {
		t.Errorf("the first turns are those of %v; Ben's match is %d", first, bens)
	}
	for _, p := range processes {
		go func() {
			for {
				select {
				case p.goOn <- nil:
				case <-t.Context().Done():
					return
				}
			}
		}()
	}
	for played := map[storage.MatchID]bool{}; len(played) < 21; {
		select {
		case v := <-processes[0].played:
			played[v.Record.ID] = true
		case v := <-processes[1].played:
			played[v.Record.ID] = true
		}
	}
	thoughts := 2
	for _, p := range processes {
		p.stop()
		thoughts += len(p.thinking)
		for len(p.warned) > 0 {
			t.Error(<-p.warned)
		}
	}
	if thoughts != 21 {
		t.Errorf("%d turns were computed for 21 matches", thoughts)
	}
	if l := processes[0].lease(bens); l.Name != "" {
		t.Errorf("left of the lease is %+v", l)
	}
}

// The turn of a process that has died is computed by another one when its lease has
// run out, and not before. If the first one was only stopped, its late result is
// refused.
func TestLostProcess(t *testing.T) {
	stores := open(t, 2)
	first := start(t, stores[0], "first")
	id := first.begin("anna")
	first.s.Wake()
	first.await(id)
	second := start(t, stores[1], "second")
	second.begin("ben")
	second.s.Wake()
	<-second.thinking // about Ben's match: Anna's is taken
	second.goOn <- nil
	<-second.played
	if got := second.matches(); slices.Contains(got, id) {
		t.Fatal("a turn is computed twice at the same time")
	}

	first.runOut(id)
	second.s.Wake()
	<-second.thinking
	if l := second.lease(id); l.Holder != "second" || l.Note != "attempt 2" {
		t.Errorf("the lease of the second is %+v", l)
	}
	first.goOn <- nil // and it plays, too late
	select {
	case got := <-first.warned:
		if !strings.Contains(got, "too late") {
			t.Errorf("the late result: %s", got)
		}
	case <-first.played:
		t.Fatal("the late result counts")
	}
	second.goOn <- nil
	if v := <-second.played; v.Record.ID != id {
		t.Errorf("played was match %d", v.Record.ID)
	}
}

// A process that stops gives its turn to the others at once. A failure keeps a turn
// from all of them for a while, and counts for all.
func TestHandOver(t *testing.T) {
	stores := open(t, 2)
	first := start(t, stores[0], "first")
	id := first.begin("anna")
	first.s.Wake()
	first.await(id)
	first.stop()

	second := start(t, stores[1], "second")
	second.await(id)
	if l := second.lease(id); l.Note != "attempt 1" {
		t.Errorf("a stop counts as a failure: %+v", l)
	}
	second.goOn <- errors.New("it fails")
	<-second.warned
	second.stop()
	if l := second.lease(id); l.Note != "failed 1" || l.Left <= 0 {
		t.Errorf("after a failure: %+v", l)
	}
	third := start(t, stores[0], "third")
	other := third.begin("anna")
	third.s.Wake()
	third.await(other) // although the other match has waited longer
	third.goOn <- nil
	<-third.played
	third.runOut(id)
	third.s.Wake()
	<-third.thinking
	if l := third.lease(id); l.Holder != "third" || l.Note != "attempt 2" {
		t.Errorf("the second attempt: %+v", l)
	}
	third.goOn <- nil
	<-third.played
}
