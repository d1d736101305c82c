package endure_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"castellan/bot/host/offers"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/storage"
)

// patience bounds every wait; only failing tests reach it.
const patience = 30 * time.Second

// Causes of the end of a context.
var (
	errDied      = errors.New("the bot has died")
	errImpatient = errors.New("it takes too long")
)

// phase is where a request is when the bot is killed.
type phase int

const (
	beforeWork  phase = iota // the request has arrived and had no effect
	beforeReply              // the request was carried out and its answer not sent
	afterReply               // the answer has been delivered
	phases
)

// figures is what the test counts.
type figures struct {
	kills                    [phases]int
	starting                 int // kills before the bot was ready
	resting                  int // further kills, while everybody waited
	routes                   map[string]int
	between                  int // kills between commit and answer
	matches, ended           int
	turns, acknowledged      int
	reminders, timeouts      int
	prepared                 int // turns played
	offersMade               int // times that somebody was asked
	offers                   map[offers.State]int
	offersKept               int // that stood before and after a kill
	lost, repeated           int
	redone, redelivered      int
	refused                  int // attempts to be made again, because the database was away
	longAgo                  int // repeated deliveries of old interactions that had counted
	noticesDue               int
	noticesMissing           int
	noticesTooMany           int
	boardsTooMany            int
	startup                  time.Duration // total time of all starts
	starts                   int
	interactions, unanswered int // of processes that lived
	orphans                  map[string]int
}

func (f *figures) killed() (n int) {
	for _, k := range f.kills {
		n += k
	}
	return n
}

// killTest is the state of the whole test.
type killTest struct {
	t        *testing.T
	chat     *sandbox.Sandbox
	world    sandbox.World
	clock    *clock
	ledger   *ledger
	server   *server
	games    *engine.Registry
	patience time.Duration // for a channel to show what a table knows
	spec     spec
	want     int
	r        *rand.Rand
	tables   []*table

	mu       sync.Mutex
	f        figures
	failures []string
	process  *process
	alive    map[string]bool // interactions begun while the current process lives
	orphans  map[string]bool // interactions whose process died before it answered
	over     []*table        // copies of the tables, made when a match or challenge ended
	offers   map[storage.ChallengeID]notice
	windDown bool // no new match begins

	cluster   bool     // TestCluster runs
	apologies []string // the beginnings of answers that say that nothing was done

	lastOffer storage.ChallengeID
	lastMatch storage.MatchID
}

func (e *killTest) count(do func(*figures)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	do(&e.f)
}

func (e *killTest) fail(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failures = append(e.failures, fmt.Sprintf(format, args...))
}

func (e *killTest) failed() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.failures)
}

// begun records an interaction.
func (e *killTest) begun(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.alive[id] = true
	e.f.interactions++
}

// begunMatch records a match.
func (e *killTest) begunMatch() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.f.matches++
	e.lastMatch++
}

// windingDown reports whether no new match may begin.
func (e *killTest) windingDown() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.windDown
}

// opened records a challenge.
func (e *killTest) opened(t *table, ch storage.Challenge) {
	e.mu.Lock()
	defer e.mu.Unlock()
	to := ""
	if t.seats == 0 {
		to = t.people[1]
	}
	e.offers[ch.ID] = notice{"challenge", to}
	e.lastOffer++
}

// finished keeps a copy of a table, for the report at the end.
func (e *killTest) finished(t *table) {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := *t
	e.over = append(e.over, &left)
	if t.match != 0 {
		e.f.ended++
	}
}

// number returns a number from the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s: a whole number is wanted", name, text)
	}
	return n
}

// TestKill kills the bot again and again while people play, and checks that
// nothing is lost. CASTELLAN_KILLS sets the number of kills, CASTELLAN_SEED
// repeats a run.
func TestKill(t *testing.T) {
	want := int(number(t, "CASTELLAN_KILLS", 20))
	seed := number(t, "CASTELLAN_SEED", rand.Uint64())
	t.Logf("CASTELLAN_SEED=%d CASTELLAN_KILLS=%d", seed, want)
	e := newKillTest(t, seed, want)
	began := time.Now()
	e.run()
	e.report(time.Since(began))
}

func newKillTest(t *testing.T, seed uint64, want int) *killTest {
	t.Helper()
	e := &killTest{
		t: t, want: want, world: sandbox.DefaultWorld(), patience: patience, r: rand.New(rand.NewPCG(seed, 0)), ledger: newLedger(),
		clock: &clock{time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), timers: map[*timer]bool{}},
		alive: map[string]bool{}, orphans: map[string]bool{}, offers: map[storage.ChallengeID]notice{},
		f: figures{routes: map[string]int{}, orphans: map[string]int{}, offers: map[offers.State]int{}},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	base := "http://" + listener.Addr().String()
	e.chat, err = sandbox.New(sandbox.Options{
		Base: base, Observe: e.ledger.observe, Now: e.clock.now, AfterFunc: e.clock.afterFunc,
		// No rate limits: a table plays a whole match in seconds.
		Strict: true, Limits: sandbox.Limits{PerSecond: 1e6, PerRoute: 1e6},
	})
	must(t, err)
	e.games, err = games()
	must(t, err)
	e.server = &server{chat: e.chat, ledger: e.ledger, conns: map[net.Conn]bool{}, changed: make(chan struct{})}
	web := &http.Server{Handler: e.server, ConnState: e.server.follow, ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	t.Cleanup(func() {
		if e.process != nil {
			e.process.kill()
		}
		must(t, e.chat.Close())
		must(t, web.Close())
		if err := <-served; err != http.ErrServerClosed {
			t.Errorf("serving: %v", err)
		}
	})
	e.spec = spec{Database: filepath.Join(t.TempDir(), "castellan.db"), API: base, Token: e.chat.Token(), Clock: e.clock.now()}
	e.seat(seed)
	return e
}

// seat seats people at tables, with all games in several channels at once.
func (e *killTest) seat(seed uint64) {
	for i, plan := range []struct {
		game    string
		channel int
		seats   int
		people  []int
		options []sandbox.CommandOption
	}{
		{"stone-towers", 0, 0, []int{0, 1}, []sandbox.CommandOption{sandbox.Opt("width", 5), sandbox.Opt("height", 4), sandbox.Opt("turns", 6)}},
		{"towers", 1, 0, []int{1, 2}, nil},
		{"rings", 0, 0, []int{2, 3}, []sandbox.CommandOption{sandbox.Opt("side", 3)}},
		{"trails", 2, 0, []int{0, 1}, []sandbox.CommandOption{sandbox.Opt("size", 7)}},
		{"rings", 1, 4, []int{0, 2, 3, 4}, []sandbox.CommandOption{sandbox.Opt("side", 3)}},
		{"trails", 0, 0, []int{4, 3}, []sandbox.CommandOption{sandbox.Opt("size", 7), sandbox.Opt("first", "them")}},
		{"rings", 2, 3, []int{4, 0, 1, 2}, []sandbox.CommandOption{sandbox.Opt("side", 3)}},
	} {
		game, ok := e.games.Lookup(plan.game)
		if !ok {
			e.t.Fatalf("there is no game %s", plan.game)
		}
		t := &table{
			e: e, name: fmt.Sprintf("table %d, %s", i, plan.game), r: rand.New(rand.NewPCG(seed, uint64(i)+10)),
			channel: e.world.Channels[plan.channel].ID, game: game, options: plan.options, seats: plan.seats,
		}
		for _, p := range plan.people {
			t.people = append(t.people, e.world.Users[p].ID)
		}
		e.tables = append(e.tables, t)
	}
}

// run starts and kills the bot until there have been enough kills and every
// match has ended.
func (e *killTest) run() {
	for life := 0; ; life++ {
		switch {
		case len(e.failed()) > 0:
			return
		case life > 3*e.want+100:
			e.fail("%d lives, and no end", life)
			return
		case e.f.killed() >= e.want:
			e.mu.Lock()
			e.windDown = true
			e.mu.Unlock()
		}
		done := true
		for _, t := range e.tables {
			done = done && t.match == 0 && t.offer == 0 && t.pending == nil
		}
		if done && e.windingDown() {
			e.lastLife()
			return
		}
		e.life()
		if len(e.failed()) == 0 && e.r.IntN(2) == 0 && !slices.ContainsFunc(e.tables, func(t *table) bool { return t.offer != 0 || t.pending != nil }) {
			e.quietLife()
		}
	}
}
