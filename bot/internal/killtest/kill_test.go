package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/host/offers"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// patience bounds every wait; only failing tests reach it.
const patience = 30 * time.Second

var errImpatient = errors.New("it takes too long")

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
	between                  int // actions committed before a kill, without an answer
	matches, ended           int
	turns, acknowledged      int
	reminders, timeouts      int
	prepared                 int // turns played
	offersMade               int // times that somebody was asked
	offers                   map[offers.State]int
	lost, repeated           int
	redelivered              int
	refused                  int // attempts made again, because they failed or the bot could not save them
	longAgo                  int // repeated deliveries of old interactions that had counted
	noticesDue               int
	noticesMissing           int
	noticesTooMany           int
	boardsTooMany            int
	interactions, unanswered int // of processes that lived
	orphans                  map[string]int
}

// killTest is the state of a test: processes of the bot, and people who play.
type killTest struct {
	t         *testing.T
	chat      *sandbox.Sandbox
	world     sandbox.World
	ledger    *ledger
	games     *engine.Registry
	gateway   *listener // accepts the connections to the sandbox's gateway
	nodes     []*node
	now       *snapshot // the database
	patience  time.Duration
	want      int // kills
	r         *rand.Rand
	tables    []*table
	apologies []string // the beginnings of answers that say that nothing was done

	mu        sync.Mutex
	f         figures
	failures  []string
	over      []*table // copies of the tables, made when a match or challenge ended
	offers    map[storage.ChallengeID]notice
	windDown  bool // no new match begins
	sent      map[string]sent
	did       map[string]int // disturbances, by kind
	lastOffer storage.ChallengeID
	lastMatch storage.MatchID

	alone   *alone   // of TestKill
	cluster *cluster // of the others
}

// sent is when an interaction was sent, and to which life of which node; "" if to none.
type sent struct {
	at time.Time
	to string
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

func (e *killTest) failed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.failures) > 0
}

// windingDown reports whether no new match may begin.
func (e *killTest) windingDown() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.windDown
}

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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newTest returns a test with a sandbox, in which people sit at tables, with all games in
// several channels at once. The sandbox has no rate limits: a table plays a whole match in
// seconds.
func newTest(t *testing.T, want int, o sandbox.Options) *killTest {
	t.Helper()
	seed := number(t, "CASTELLAN_SEED", rand.Uint64())
	t.Logf("CASTELLAN_SEED=%d, %d kills", seed, want)
	e := &killTest{
		t: t, want: want, world: guilds(), patience: patience, r: rand.New(rand.NewPCG(seed, 0)), ledger: newLedger(), gateway: newListener(),
		offers: map[storage.ChallengeID]notice{}, sent: map[string]sent{}, did: map[string]int{},
		f: figures{routes: map[string]int{}, orphans: map[string]int{}, offers: map[offers.State]int{}},
	}
	o.Base, o.World, o.Observe, o.Strict, o.Limits = "http://"+apiHost, e.world, e.ledger.observe, true, sandbox.Limits{PerSecond: 1e6, PerRoute: 1e6}
	var err error
	e.chat, err = sandbox.New(o)
	must(t, err)
	e.games, err = games()
	must(t, err)
	texts, err := catalogue.New(e.games.Games()...)
	must(t, err)
	for _, key := range []string{"error.internal", "error.busy", "error.restarting", "error.slow", "error.quick", "error.unsaved"} {
		say, _, _ := strings.Cut(texts.Printer("en-US").T(key, "Code", "`"), "`")
		e.apologies = append(e.apologies, say)
	}
	web := &http.Server{Handler: e.chat, ReadHeaderTimeout: patience}
	go func() { _ = web.Serve(e.gateway) }()
	t.Cleanup(func() {
		must(t, e.chat.Close())
		must(t, web.Close())
	})
	e.seat(seed)
	return e
}

// shards is how many shards a cluster has. Each has a guild.
const shards = 2

// guilds returns a world with some guilds and several channels in each.
func guilds() sandbox.World {
	w := sandbox.DefaultWorld()
	guild, channels := w.Guild, 4
	w.Guilds, w.Channels = nil, nil
	for g := range shards {
		one := guild
		one.ID, one.Name, one.Roles = fmt.Sprint((274180000000+uint64(g))<<22), fmt.Sprintf("Keep %d", g), nil
		if g == 0 {
			w.Guild = one
		} else {
			w.Guilds = append(w.Guilds, one)
		}
		for k := range channels {
			w.Channels = append(w.Channels, sandbox.Channel{ID: fmt.Sprint(1150000000000000101 + 10*g + k), GuildID: one.ID, Name: fmt.Sprintf("hall-%d-%d", g, k)})
		}
	}
	for i := range w.Users {
		w.Users[i].Locale = ""
	}
	return w
}

func (e *killTest) seat(seed uint64) {
	for i, plan := range []struct {
		game    string
		seats   int
		people  []int
		options []sandbox.CommandOption
	}{
		{"stone-towers", 0, []int{0, 1}, []sandbox.CommandOption{sandbox.Opt("width", 5), sandbox.Opt("height", 4), sandbox.Opt("turns", 6)}},
		{"towers", 0, []int{1, 2}, nil},
		{"rings", 0, []int{2, 3}, []sandbox.CommandOption{sandbox.Opt("side", 3)}},
		{"trails", 0, []int{0, 1}, []sandbox.CommandOption{sandbox.Opt("size", 7)}},
		{"rings", 4, []int{0, 2, 3, 4}, []sandbox.CommandOption{sandbox.Opt("side", 3)}},
		{"trails", 0, []int{4, 3}, []sandbox.CommandOption{sandbox.Opt("size", 7), sandbox.Opt("first", "them")}},
		{"rings", 3, []int{4, 0, 1, 2}, []sandbox.CommandOption{sandbox.Opt("side", 3)}},
	} {
		game, ok := e.games.Lookup(plan.game)
		if !ok {
			e.t.Fatalf("there is no game %s", plan.game)
		}
		t := &table{
			e: e, name: fmt.Sprintf("table %d, %s", i, plan.game), r: rand.New(rand.NewPCG(seed, uint64(i)+10)),
			channel: e.world.Channels[i%len(e.world.Channels)].ID, game: game, options: plan.options, seats: plan.seats,
		}
		for _, p := range plan.people {
			t.people = append(t.people, e.world.Users[p].ID)
		}
		e.tables = append(e.tables, t)
	}
}

// run has people play while the bot is disturbed, and waits until every match has ended.
func (e *killTest) run(disturb func()) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var playing sync.WaitGroup
	for _, t := range e.tables {
		playing.Go(func() {
			if err := t.persist(ctx); err != nil && ctx.Err() == nil {
				e.fail("%v", err)
			}
		})
	}
	disturb()
	e.mu.Lock()
	e.windDown = true
	e.mu.Unlock()
	playing.Wait()
	for _, n := range e.nodes {
		if e.failed() {
			n.hit(syscall.SIGQUIT) // its goroutines are in its log
		}
		if err := n.stop(); err != nil && !e.failed() {
			e.fail("%v", err)
		}
	}
	if !e.failed() {
		e.checkAll()
	}
}

// alone is what TestKill alone has: one process with a file, whose time the test sets.
type alone struct {
	clock   *clock
	spec    spec
	rest    sync.RWMutex    // held for reading by those who play
	living  map[string]bool // interactions sent while the process lives
	orphans map[string]bool // interactions whose process was killed before it answered
}

// newAlone returns a test with one process, which has not been started, and a database file.
func newAlone(t *testing.T, want int) (e *killTest, n *node) {
	t.Helper()
	c := &clock{time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), alarms: map[*alarm]bool{}}
	e = newTest(t, want, sandbox.Options{Now: c.now, AfterFunc: c.afterFunc})
	file := filepath.Join(t.TempDir(), "castellan.db")
	e.alone = &alone{clock: c, living: map[string]bool{}, orphans: map[string]bool{}, spec: spec{Database: file, API: "http://" + apiHost, Token: e.chat.Token(), Clock: c.now()}}
	e.now = &snapshot{func(fn func(storage.Reader) error) error {
		return sqlite.Read(context.Background(), file, func(s *sqlite.Store) error { return s.View(context.Background(), fn) }, sqlite.BusyTimeout(patience))
	}}
	self, err := os.Executable()
	must(t, err)
	n = e.newNode("bot", []string{self})
	front := n.serve()
	n.env = []string{"HTTP_PROXY=http://" + front, "http_proxy=", "NO_PROXY=", "no_proxy="}
	return e, n
}

// TestKill kills the bot again and again while people play, and checks that
// nothing is lost. CASTELLAN_KILLS sets the number of kills, CASTELLAN_SEED
// repeats the seeded choices of a run.
func TestKill(t *testing.T) {
	e, n := newAlone(t, int(number(t, "CASTELLAN_KILLS", 20)))
	began := time.Now()
	must(t, e.begin(n))
	e.run(func() {
		for range e.want {
			if e.killAlone(n); e.r.IntN(4) == 0 && !e.failed() {
				e.letHoursPass(n)
			}
			if e.failed() {
				return
			}
		}
	})
	if n.exits > 0 {
		e.fail("the bot ended by itself %d times", n.exits)
	}
	t.Logf("%.1f s", time.Since(began).Seconds())
	f := &e.f
	e.report(e.want, func(i sandbox.Interaction) string {
		if e.alone.orphans[i.ID] || e.sent[i.ID].to == "" {
			return i.State
		}
		return ""
	})
	if e.failed() {
		t.Logf("the bot said last:\n%s", n.logTail(60))
	}
	if e.want >= 100 && 4*f.between < e.want {
		t.Errorf("only %d actions were committed before one of %d kills without an answer, not a quarter", f.between, e.want)
	}
}

// begin starts the process with the time that the test has set.
func (e *killTest) begin(n *node) error {
	n.setVariable(beTheBot, e.alone.spec.text())
	err := n.start()
	e.alone.spec.Quiet = false
	e.ledger.restart()
	return err
}

// How much time passes between a kill and the next start. After shortDeath Discord
// still knows the nonces of posts (some minutes); after longDeath the bot has to
// search the channel for them. After both, the interactions of the dead process
// can no longer be answered (three seconds).
const (
	shortDeath = 4 * time.Second
	longDeath  = 11 * time.Minute
)

// death returns how much time passes until the next start. Reminders and ends by the
// clock become due only in letHoursPass, which expects them, so none passes if it would
// make one due. Only a process that lives changes the database.
func (e *killTest) death() time.Duration {
	d := []time.Duration{0, shortDeath, longDeath}[e.r.IntN(3)]
	e.mu.Lock()
	last := e.lastMatch
	e.mu.Unlock()
	for id := storage.MatchID(1); id <= last+storage.MatchID(len(e.tables)); id++ { // each table may have begun one without an answer
		rec, ok, err := e.now.record(id)
		switch {
		case err != nil:
			e.fail("%v", err)
		case ok && !rec.CheckAt.IsZero() && !e.alone.spec.Clock.Add(d).Before(rec.CheckAt):
			return 0
		}
	}
	return d
}

// killAlone kills the process at one of its requests, and starts it again.
func (e *killTest) killAlone(n *node) {
	e.await(n, e.trap())
	<-n.ended
	n.quiet()
	if err := e.chat.Wait(context.Background(), func() bool { return !e.chat.Gateway.Online() }); err != nil {
		e.fail("%v", err)
	}
	e.mu.Lock()
	for id := range e.alone.living {
		if !e.ledger.isAnswered(id) {
			e.alone.orphans[id] = true
		}
	}
	clear(e.alone.living)
	e.mu.Unlock()
	e.advance(e.death())
	var early *trap
	if e.r.IntN(8) == 0 {
		early = e.trap()
		early.method, early.route, early.skip = "", "", e.r.IntN(8)
		n.setTrap(early)
	}
	if err := e.begin(n); err != nil {
		e.fail("%v", err)
	}
	if early != nil && !n.withdraw(early) {
		<-early.hit
		e.count(func(f *figures) { f.starting++ })
		if n.wasKilled() { // after it was ready
			<-n.ended
			n.quiet()
			if err := e.begin(n); err != nil {
				e.fail("%v", err)
			}
		}
	}
}

// advance lets time pass while the process does not run.
func (e *killTest) advance(d time.Duration) {
	e.alone.spec.Clock = e.alone.spec.Clock.Add(d)
	e.alone.clock.advance(d)
}

// quietTimes are how long nobody plays while the bot is running. After the first
// the clock of one day requires a reminder, after the second it has run out.
var quietTimes = []time.Duration{19*time.Hour + 17*time.Minute, 31*time.Hour + 13*time.Minute}

// letHoursPass lets many hours pass, in which the bot was running and in contact with
// Discord, while nobody plays. It does nothing if a challenge is open, which would expire.
func (e *killTest) letHoursPass(n *node) {
	e.alone.rest.Lock()
	defer e.alone.rest.Unlock()
	if slices.ContainsFunc(e.tables, func(t *table) bool { return t.offer != 0 }) {
		return
	}
	for _, t := range e.tables {
		if t.settled(context.Background()) != nil {
			return
		}
	}
	if err := n.stop(); err != nil {
		e.fail("%v", err)
	}
	clear(e.alone.living)
	e.advance(quietTimes[e.r.IntN(len(quietTimes))])
	e.alone.spec.Quiet = true
	for _, t := range e.tables {
		if err := t.letPass(e.now, e.alone.spec.Clock); err != nil {
			e.fail("%s: %v", t.name, err)
		}
	}
	if err := e.begin(n); err != nil {
		e.fail("%v", err)
	}
}

// deadly lists the routes whose requests the bot is killed at. An empty route
// stands for all.
var deadly = []struct {
	method, route string
	most          int // requests that are let through first
}{
	{"", "", 12},
	{"", "", 12},
	{http.MethodPost, "/channels/{channel_id}/messages", 3},
	{http.MethodPatch, "/channels/{channel_id}/messages/{message_id}", 3},
	{http.MethodPost, "/interactions/{interaction_id}/{interaction_token}/callback", 5},
	{http.MethodPatch, "/webhooks/{webhook_id}/{webhook_token}/messages/@original", 0},
}

// trap returns where a node is to be hit.
func (e *killTest) trap() *trap {
	one := deadly[e.r.IntN(len(deadly))]
	if e.cluster != nil && e.r.IntN(3) > 0 { // most of its nodes make few requests
		one = deadly[0]
		one.most = 2
	}
	return &trap{method: one.method, route: one.route, skip: e.r.IntN(one.most + 1), where: phase(e.r.IntN(int(phases))), signal: syscall.SIGKILL, hit: make(chan string, 1), pass: make(chan struct{})}
}

// await waits until a node runs into a trap, or hits it at rest.
func (e *killTest) await(n *node, p *trap) {
	n.setTrap(p)
	select {
	case request := <-p.hit:
		parts := strings.Split(request, "/")
		for i, part := range parts {
			if _, err := strconv.ParseUint(part, 10, 64); err == nil || len(part) > 40 {
				parts[i] = "{}"
			}
		}
		e.count(func(f *figures) { f.kills[p.where]++; f.routes[strings.Join(parts, "/")]++ })
	case <-n.rest():
		n.setTrap(nil)
		n.hit(p.signal)
		e.count(func(f *figures) { f.resting++ })
	}
}

// checkAll compares everything at the end with the database and the channels.
func (e *killTest) checkAll() {
	for _, o := range e.over {
		if wrong := o.unsettled(); wrong != "" {
			e.fail("at the end: %s", wrong)
		}
		if o.match != 0 {
			o.pending = nil
			if _, err := o.compare(e.now); err != nil {
				e.fail("at the end: %v", err)
			}
		}
	}
	challenges, matches := 0, 0 // runs of updates that were rolled back use numbers up
	for id := range storage.ChallengeID(20*e.lastOffer + 100) {
		if _, ok, err := e.now.challenge(id); err != nil {
			e.fail("%v", err)
		} else if ok {
			challenges++
		}
		if _, ok, err := e.now.record(storage.MatchID(id)); err != nil {
			e.fail("%v", err)
		} else if ok {
			matches++
		}
	}
	if challenges != int(e.lastOffer) || matches != int(e.lastMatch) {
		e.fail("there are %d challenges and %d matches; people have made %d and %d", challenges, matches, e.lastOffer, e.lastMatch)
	}
}

// receiver returns the node that holds the shard of a channel's guild, "" if none does.
func (e *killTest) receiver(channel string) string {
	i := slices.IndexFunc(e.world.Channels, func(ch sandbox.Channel) bool { return ch.ID == channel })
	guild, _ := strconv.ParseUint(e.world.Channels[i].GuildID, 10, 64)
	var to []string
	for _, s := range e.chat.Gateway.Sessions() {
		if int(guild>>22)%s.Shards == s.Shard {
			to = append(to, s.Address)
		}
	}
	if len(to) != 1 {
		return ""
	}
	return to[0]
}

// sends sends an attempt, and notes who receives it.
func (e *killTest) sends(t *table, a *attempt) (sandbox.Interaction, error) {
	before := e.receiver(t.channel)
	i, err := a.send()
	if err != nil {
		return i, err
	}
	a.ids = append(a.ids, i.ID)
	s := sent{at: time.Now(), to: before}
	if e.receiver(t.channel) != before {
		s.to = ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent[i.ID] = s
	e.f.interactions++
	if e.alone != nil {
		e.alone.living[i.ID] = true
	}
	return i, nil
}

// think lets some milliseconds pass, where time is real.
func (e *killTest) think(ms int) {
	if e.alone != nil {
		ms /= 100
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
}

// clock is the sandbox's clock. It stands still until it is advanced.
type clock struct {
	mu     sync.Mutex
	time   time.Time
	alarms map[*alarm]bool
}

type alarm struct {
	at   time.Time
	ring func()
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *clock) afterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{c.time.Add(d), f}
	c.alarms[a] = true
	return func() bool { return c.remove(a) }
}

func (c *clock) remove(a *alarm) (was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was = c.alarms[a]
	delete(c.alarms, a)
	return was
}

// advance advances the clock, and calls the functions whose time has come.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.time = c.time.Add(d)
	now, all := c.time, slices.Collect(maps.Keys(c.alarms))
	c.mu.Unlock()
	for _, a := range all {
		if !a.at.After(now) && c.remove(a) {
			a.ring()
		}
	}
}
