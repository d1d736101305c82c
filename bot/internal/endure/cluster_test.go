package endure_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
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
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// clusterTest is the state of TestCluster. Its tables are those of the kill test.
type clusterTest struct {
	*killTest
	nodes    []*node
	now      *snapshot // the database
	shards   int
	stop     time.Duration // how long a node is stopped
	calm     time.Duration // between two kills, at most
	disturbs func()        // replaces disturb if set

	pg      sync.Mutex // held while the server is disturbed
	primary *pgtest.Cluster
	standby *pgtest.Cluster // nil once it is the primary

	sent map[string]sent // by interaction; guarded by killTest.mu
	d    map[string]int  // disturbances, by kind; guarded by killTest.mu
}

// sent is when an interaction was sent, and to which life of which node; "" if to none.
type sent struct {
	at time.Time
	to string
}

// slack is how many times the three seconds of an answer people wait, because the
// machine of the test can be busy.
const slack = 5

// roles are the roles of the processes; "" stands for all.
var roles = []string{"", "gateway,poster", "poster,worker"}

// TestCluster runs several processes on one PostgreSQL database and kills them again
// and again while people play. It also stops processes, cuts them off from the
// database and from Discord, restarts the database, and lets a synchronous standby
// take over. Nothing that was acknowledged may be lost. CASTELLAN_CLUSTER sets the
// number of kills, CASTELLAN_STOP how long a process is stopped, CASTELLAN_SEED
// repeats the seeded choices of a run, CASTELLAN_PROGRAM names another build of castellan.
func TestCluster(t *testing.T) {
	want := int(number(t, "CASTELLAN_CLUSTER", 0))
	if want == 0 {
		t.Skip("set CASTELLAN_CLUSTER to the number of kills")
	}
	seed := number(t, "CASTELLAN_SEED", rand.Uint64())
	stop := time.Duration(number(t, "CASTELLAN_STOP", 25)) * time.Second
	t.Logf("CASTELLAN_SEED=%d CASTELLAN_CLUSTER=%d", seed, want)
	c := newClusterTest(t, seed, want, stop)
	began := time.Now()
	c.run()
	c.report(time.Since(began))
}

// clusterWorld has some guilds, of which each shard has one, with several channels.
func clusterWorld() sandbox.World {
	w := sandbox.DefaultWorld()
	guild, channels := w.Guild, 4
	w.Guilds, w.Channels = nil, nil
	for g := range 2 {
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

func newClusterTest(t *testing.T, seed uint64, want int, stop time.Duration) *clusterTest {
	t.Helper()
	e := &killTest{
		t: t, want: want, world: clusterWorld(), patience: stop + 2*time.Minute, cluster: true,
		r: rand.New(rand.NewPCG(seed, 0)), ledger: newLedger(),
		alive: map[string]bool{}, orphans: map[string]bool{}, offers: map[storage.ChallengeID]notice{},
		f: figures{routes: map[string]int{}, orphans: map[string]int{}, offers: map[offers.State]int{}},
	}
	c := &clusterTest{killTest: e, shards: 2, stop: stop, calm: time.Second, sent: map[string]sent{}, d: map[string]int{}}
	program := os.Getenv("CASTELLAN_PROGRAM")
	if program == "" {
		program = buildCastellan(t)
	}
	c.primary = pgtest.New(t)
	c.standby = c.primary.Standby(t)
	dial := func() (net.Conn, error) {
		c.mu.Lock()
		socket := c.primary.Socket()
		c.mu.Unlock()
		return net.Dial("unix", socket)
	}
	address := func(l *link, name string) string {
		return fmt.Sprintf("postgres://castellan@%s/postgres?sslmode=disable&application_name=%s", l.addr(), name)
	}
	var err error
	e.chat, err = sandbox.New(sandbox.Options{
		Base: "http://" + apiHost, World: e.world, Observe: e.ledger.observe, Shards: c.shards, MaxConcurrency: 16,
		AfterFunc: func(d time.Duration, f func()) func() bool { return time.AfterFunc(slack*d, f).Stop },
		Strict:    true, Limits: sandbox.Limits{PerSecond: 1e6, PerRoute: 1e6},
	})
	must(t, err)
	e.games, err = games()
	must(t, err)
	texts, err := catalogue.New(e.games.Games()...)
	must(t, err)
	for _, key := range []string{"error.internal", "error.busy", "error.restarting", "error.slow", "error.quick", "error.unsaved"} {
		say, _, _ := strings.Cut(texts.Printer("en-US").T(key, "Code", "`"), "`")
		e.apologies = append(e.apologies, say)
	}
	gateway := newListener()
	web := &http.Server{Handler: e.chat, ReadHeaderTimeout: patience}
	go func() { _ = web.Serve(gateway) }()
	folder := t.TempDir()
	config := filepath.Join(folder, "castellan.toml")
	must(t, os.WriteFile(config, []byte(`
[discord]
api = "http://`+apiHost+`"
threads = false
requests_per_second = 50
[log]
level = "debug"
[limits]
challenges_per_person = 100000
challenges_per_channel = 100000
open_challenges_per_person = 100000
open_challenges_per_channel = 100000
matches_per_person = 100000
requests_per_person = 100000
requests_per_person_and_second = 10000
requests_per_channel = 100000
requests_per_channel_and_second = 10000
`), 0o600))
	logs := os.Getenv("CASTELLAN_LOGS")
	if logs == "" {
		logs = folder
	}
	for i, role := range roles {
		n := &node{t: t, name: fmt.Sprintf("node%d", i), chat: e.chat, gateway: gateway}
		front, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		server := &http.Server{Handler: n, ReadHeaderTimeout: patience}
		go func() { _ = server.Serve(front) }()
		n.discord = newLink(t, func() (net.Conn, error) { return net.Dial("tcp", front.Addr().String()) })
		n.database = newLink(t, dial)
		n.databaseURL = address(n.database, n.name)
		n.args = []string{program, "run", "--config", config}
		if role != "" {
			n.args = append(n.args, "--role", role)
		}
		n.env = []string{
			"CASTELLAN_TOKEN=" + e.chat.Token(), "CASTELLAN_DATABASE_URL=" + n.databaseURL,
			"HTTP_PROXY=http://" + n.discord.addr(), "http_proxy=", "NO_PROXY=", "no_proxy=",
		}
		n.log, err = os.Create(filepath.Join(logs, n.name+".log"))
		must(t, err)
		t.Cleanup(func() {
			n.sigkill()
			must(t, server.Close())
			must(t, n.log.Close())
		})
		c.nodes = append(c.nodes, n)
	}
	t.Cleanup(func() {
		must(t, e.chat.Close())
		must(t, web.Close())
	})
	for _, n := range c.nodes { // the first one creates the schema
		must(t, n.start())
	}
	store, err := postgres.Open(context.Background(), address(newLink(t, dial), "ledger"), postgres.Connections(4), postgres.Patience(patience))
	must(t, err)
	c.now = &snapshot{store: store}
	t.Cleanup(func() { must(t, store.Close()) })
	e.seat(seed)
	for i, table := range e.tables {
		table.channel = e.world.Channels[i%len(e.world.Channels)].ID
	}
	return c
}

// thinkFor lets some milliseconds pass.
func (c *clusterTest) thinkFor(ms int) { time.Sleep(time.Duration(ms) * time.Millisecond) }

// receiver returns the node that holds the shard of a channel's guild, "" if none does.
func (c *clusterTest) receiver(channel string) string {
	i := slices.IndexFunc(c.world.Channels, func(ch sandbox.Channel) bool { return ch.ID == channel })
	guild, _ := strconv.ParseUint(c.world.Channels[i].GuildID, 10, 64)
	var to []string
	for _, s := range c.chat.Sessions() {
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
func (c *clusterTest) sends(t *table, a *attempt) (sandbox.Interaction, error) {
	before := c.receiver(t.channel)
	i, err := a.send()
	if err != nil {
		return i, err
	}
	a.ids = append(a.ids, i.ID)
	c.begun(i.ID)
	s := sent{at: time.Now(), to: before}
	if c.receiver(t.channel) != before {
		s.to = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[i.ID] = s
	return i, nil
}

// run has people play, disturbs the cluster until there have been enough kills, and
// waits until every match has ended.
func (c *clusterTest) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var playing sync.WaitGroup
	for _, t := range c.tables {
		playing.Go(func() {
			if err := t.persist(ctx, c); err != nil && ctx.Err() == nil {
				c.fail("%v", err)
			}
		})
	}
	if c.disturbs != nil {
		c.disturbs()
	} else {
		c.disturb()
	}
	c.mu.Lock()
	c.windDown = true
	c.mu.Unlock()
	playing.Wait()
	for _, n := range c.nodes {
		if err := n.stop(); err != nil && len(c.failed()) == 0 {
			c.fail("%v", err)
		}
	}
	if len(c.failed()) == 0 {
		c.checkAll()
	}
}

// disturb kills nodes, and disturbs them and the database in other ways meanwhile.
func (c *clusterTest) disturb() {
	var others sync.WaitGroup
	defer others.Wait()
	every := func(k, times int) bool { return times > 0 && k%max(c.want/times, 1) == max(c.want/times, 1)/2 }
	few := max(1, min(c.want/10, 4), c.want/30)
	for k := 0; k < c.want && len(c.failed()) == 0; k++ {
		if every(k, max(1, min(c.want/6, 10))) {
			rough := c.r.IntN(2) == 0
			others.Go(func() { c.restartDatabase(rough) })
		}
		if k == c.want*2/3 {
			others.Go(c.failOver)
		}
		if every(k, few) {
			n, where := c.free(), c.trap()
			others.Go(func() { c.stopNode(n, where) })
		}
		if every(k+1, 3*few) {
			n, how, toDiscord, d := c.free(), []cut{refuse, hang, reset}[c.r.IntN(3)], c.r.IntN(2) == 0, time.Duration(c.r.IntN(min(12000, 3*int(c.stop.Milliseconds()))))*time.Millisecond
			others.Go(func() { c.cutOff(n, how, toDiscord, d) })
		}
		n, where := c.free(), c.trap()
		others.Go(func() { c.kill(n, where) }) // the shards of a killed node are free after 15 s
		c.thinkFor(c.r.IntN(int(c.calm.Milliseconds())))
	}
}

// free returns a node that nobody disturbs, with its lock held.
func (c *clusterTest) free() *node {
	for {
		for _, i := range c.r.Perm(len(c.nodes)) {
			if c.nodes[i].busy.TryLock() {
				return c.nodes[i]
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// trap returns where a node is to be hit.
func (c *clusterTest) trap() *trap {
	one := deadly[c.r.IntN(len(deadly))]
	if c.r.IntN(3) > 0 { // most nodes make few requests
		one = deadly[0]
		one.most = 2
	}
	return &trap{method: one.method, route: one.route, skip: c.r.IntN(one.most + 1), where: phase(c.r.IntN(int(phases))), signal: syscall.SIGKILL, hit: make(chan string, 1), pass: make(chan struct{})}
}

func (c *clusterTest) did(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.d[kind]++
	for _, n := range c.nodes {
		fmt.Fprintf(n.log, "--- %s: %s\n", time.Now().UTC().Format(time.RFC3339Nano), kind)
	}
}

// await waits until a node runs into a trap, or hits it at rest.
func (c *clusterTest) await(n *node, p *trap) {
	n.mu.Lock()
	n.trap = p
	n.mu.Unlock()
	select {
	case request := <-p.hit:
		parts := strings.Split(request, "/")
		for i, part := range parts {
			if _, err := strconv.ParseUint(part, 10, 64); err == nil || len(part) > 40 {
				parts[i] = "{}"
			}
		}
		c.count(func(f *figures) { f.kills[p.where]++; f.routes[strings.Join(parts, "/")]++ })
	case <-time.After(time.Second):
		n.mu.Lock()
		n.trap = nil
		n.mu.Unlock()
		n.hit(p.signal)
		c.count(func(f *figures) { f.resting++ })
	}
}

func (c *clusterTest) kill(n *node, p *trap) {
	defer n.busy.Unlock()
	end := n.disturb()
	defer end()
	c.await(n, p)
	<-n.ended
	c.did("killed " + n.name)
	if err := n.start(); err != nil {
		c.fail("%v", err)
	}
}

func (c *clusterTest) stopNode(n *node, p *trap) {
	defer n.busy.Unlock()
	end := n.disturb()
	if p.signal = syscall.SIGSTOP; p.where == afterReply {
		p.where = beforeReply
	}
	c.await(n, p)
	time.Sleep(c.stop)
	close(p.pass)
	n.hit(syscall.SIGCONT)
	c.did("stopped and continued")
	time.Sleep(5 * time.Second) // it replaces its connections
	end()
}

func (c *clusterTest) cutOff(n *node, how cut, fromDiscord bool, d time.Duration) {
	defer n.busy.Unlock()
	l, from := n.database, "the database"
	if fromDiscord {
		l, from = n.discord, "Discord"
		end := n.disturb()
		defer end()
		defer time.Sleep(10 * time.Second) // it replaces its connections
	}
	l.cut(how)
	time.Sleep(d)
	l.heal()
	c.did(fmt.Sprintf("cut off from %s (%s)", from, how))
}

// restartDatabase stops the server, as an operator does or in a crash, and starts it.
func (c *clusterTest) restartDatabase(rough bool) {
	c.pg.Lock()
	defer c.pg.Unlock()
	c.mu.Lock()
	server := c.primary
	c.mu.Unlock()
	end := server.Stop
	if rough {
		end = server.Kill
	}
	if err := errors.Join(end(), server.Start()); err != nil {
		c.fail("%v", err)
	}
	c.did("database restarted")
}

// failOver has the standby take over from a primary that crashes.
func (c *clusterTest) failOver() {
	c.pg.Lock()
	defer c.pg.Unlock()
	if c.standby == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := errors.Join(c.primary.AwaitStandby(ctx), c.primary.Kill(), c.standby.Promote())
	c.mu.Lock()
	c.primary, c.standby = c.standby, nil
	c.mu.Unlock()
	if err != nil {
		c.fail("%v", err)
	}
	c.did("standby took over")
}

// checkAll compares everything at the end with the database and the channels, and has
// castellan verify look at the database.
func (c *clusterTest) checkAll() {
	n := c.nodes[0]
	verify := exec.Command(n.args[0], "verify", "--db", n.databaseURL)
	if out, err := verify.CombinedOutput(); err != nil {
		c.fail("castellan verify: %v: %s", err, out)
	} else {
		c.t.Logf("castellan verify: %s", tail(string(out), 1))
	}
	for _, o := range c.over {
		if wrong := o.unsettled(); wrong != "" {
			c.fail("at the end: %s", wrong)
		}
		if o.match != 0 {
			o.pending = nil
			if _, err := o.compare(c.now); err != nil {
				c.fail("at the end: %v", err)
			}
		}
	}
	challenges, matches := 0, 0 // runs of updates that were rolled back use numbers up
	for id := range storage.ChallengeID(20*c.lastOffer + 100) {
		if _, ok, err := c.now.challenge(id); err != nil {
			c.fail("%v", err)
		} else if ok {
			challenges++
		}
		if _, ok, err := c.now.record(storage.MatchID(id)); err != nil {
			c.fail("%v", err)
		} else if ok {
			matches++
		}
	}
	if challenges != int(c.lastOffer) || matches != int(c.lastMatch) {
		c.fail("there are %d challenges and %d matches; people have made %d and %d", challenges, matches, c.lastOffer, c.lastMatch)
	}
}

// countInteractions counts the interactions without an answer, and those among them
// whose node lived and was not cut off from Discord.
func (c *clusterTest) countInteractions() {
	nodes := map[string]*node{}
	for _, n := range c.nodes {
		nodes[n.name] = n
	}
	for _, i := range c.chat.Interactions() {
		if c.ledger.isAnswered(i.ID) {
			continue
		}
		s := c.sent[i.ID]
		name, _, _ := strings.Cut(s.to, "/")
		switch n := nodes[name]; {
		case n == nil:
			c.f.orphans["no node had the shard"]++
		case !n.undisturbed(s.at.Add(-time.Second), s.at.Add(slack*3*time.Second)):
			c.f.orphans["node killed, stopped or cut off from Discord"]++
		default:
			c.f.unanswered++
			c.fail("interaction %+v of %s, sent at %s, is not answered, and %s lived", i, i.UserID, s.at.UTC().Format(time.RFC3339Nano), s.to)
		}
	}
}

// report logs the figures, and fails if one is wrong.
func (c *clusterTest) report(took time.Duration) {
	c.countNotices()
	c.countBoards()
	c.countInteractions()
	f, log := &c.f, func(format string, args ...any) { c.t.Helper(); c.t.Logf(format, args...) }
	log("%d processes, %.0f s; kills and stops: %d before the work, %d before the answer, %d after the answer of a request, %d at rest",
		len(c.nodes), took.Seconds(), f.kills[beforeWork], f.kills[beforeReply], f.kills[afterReply], f.resting)
	killed := 0
	for _, kind := range slices.Sorted(maps.Keys(c.d)) {
		log("%s: %d", kind, c.d[kind])
		if strings.HasPrefix(kind, "killed") {
			killed += c.d[kind]
		}
	}
	var routes []string
	for _, r := range slices.Sorted(maps.Keys(f.routes)) {
		routes = append(routes, fmt.Sprintf("%s: %d", r, f.routes[r]))
	}
	for _, n := range c.nodes {
		log("%s: %d starts of %d ms, ended by itself %d times", n.name, n.life, n.startup.Milliseconds()/int64(n.life), n.exits)
	}
	log("by route: %s", strings.Join(routes, ", "))
	log("committed without an answer %d; delivered again %d, and after they had counted %d; refused for now %d", f.between, f.redelivered, f.longAgo, f.refused)
	log("matches begun %d, ended %d; turns %d; prepared turns played %d; people asked by offers %d; offers %v", f.matches, f.ended, f.turns, f.prepared, f.offersMade, f.offers)
	log("actions acknowledged %d, lost %d, applied twice %d", f.acknowledged, f.lost, f.repeated)
	log("notifications due %d, missing %d, too many %d; surplus boards %d", f.noticesDue, f.noticesMissing, f.noticesTooMany, f.boardsTooMany)
	log("interactions %d; unanswered by processes that lived %d; others without an answer: %v", f.interactions, f.unanswered, f.orphans)
	for _, wrong := range c.failures {
		c.t.Error(wrong)
	}
	if len(c.failures) == 0 && (killed < c.want || f.ended == 0 || f.matches != f.ended) {
		c.t.Errorf("%d kills of %d, %d matches of which %d ended", killed, c.want, f.matches, f.ended)
	}
}
