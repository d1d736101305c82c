package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// cluster is what several processes have: a server for their database, and time that
// passes by itself.
type cluster struct {
	stop time.Duration // how long a node is stopped

	pg      sync.Mutex // held while the server is disturbed
	mu      sync.Mutex
	primary *pgtest.Cluster
	standby *pgtest.Cluster // nil once it is the primary
}

// slack is how many times the three seconds of an answer people wait, because the
// machine of the test can be busy.
const slack = 5

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
	e := newCluster(t, want, time.Duration(number(t, "CASTELLAN_STOP", 25))*time.Second, "", "gateway,poster", "poster,worker")
	began := time.Now()
	e.run(e.disturb)
	e.reportCluster(time.Since(began))
}

// address returns the server's socket.
func (c *cluster) address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.primary.Socket()
}

// newCluster returns a test with a process for each set of roles; "" stands for all roles.
func newCluster(t *testing.T, want int, stop time.Duration, roles ...string) *killTest {
	t.Helper()
	e := newTest(t, want, sandbox.Options{
		Shards: shards, MaxConcurrency: 16,
		AfterFunc: func(d time.Duration, f func()) func() bool { return time.AfterFunc(slack*d, f).Stop },
	})
	e.patience = stop + 2*time.Minute
	program := os.Getenv("CASTELLAN_PROGRAM")
	if program == "" {
		program = buildCastellan(t)
	}
	primary := pgtest.New(t)
	c := &cluster{stop: stop, primary: primary, standby: primary.Standby(t)}
	e.cluster = c
	dial := func() (net.Conn, error) { return net.Dial("unix", c.address()) }
	address := func(l *link, name string) string {
		return fmt.Sprintf("postgres://castellan@%s/postgres?sslmode=disable&application_name=%s", l.addr(), name)
	}
	config := filepath.Join(t.TempDir(), "castellan.toml")
	must(t, os.WriteFile(config, []byte(`
[discord]
api = "http://`+apiHost+`"
threads = false
requests_per_second = 50
[log]
level = "debug"
[limits]
challenges_per_person = 100000
challenges_per_server = 100000
open_challenges_per_person = 100000
open_challenges_per_server = 100000
matches_per_person = 100000
requests_per_person = 100000
requests_per_person_and_second = 10000
requests_per_channel = 100000
requests_per_channel_and_second = 10000
`), 0o600))
	for i, role := range roles {
		args := []string{program, "run", "--config", config}
		if role != "" {
			args = append(args, "--role", role)
		}
		n := e.newNode(fmt.Sprintf("node%d", i), args)
		front := n.serve()
		n.discord = newLink(t, func() (net.Conn, error) { return net.Dial("tcp", front) })
		n.database = newLink(t, dial)
		n.databaseURL = address(n.database, n.name)
		n.env = []string{
			"CASTELLAN_TOKEN=" + e.chat.Token(), "CASTELLAN_DATABASE_URL=" + n.databaseURL,
			"HTTP_PROXY=http://" + n.discord.addr(), "http_proxy=", "NO_PROXY=", "no_proxy=",
		}
	}
	for _, n := range e.nodes { // the first one creates the schema
		must(t, n.start())
	}
	store, err := postgres.Open(context.Background(), address(newLink(t, dial), "ledger"), postgres.Connections(4), postgres.Patience(patience))
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	e.now = &snapshot{func(fn func(storage.Reader) error) error { return store.View(context.Background(), fn) }}
	return e
}

// disturb kills nodes, and disturbs them and the database in other ways meanwhile.
func (e *killTest) disturb() {
	var others sync.WaitGroup
	defer others.Wait()
	every := func(k, times int) bool { return times > 0 && k%max(e.want/times, 1) == max(e.want/times, 1)/2 }
	few := max(1, min(e.want/10, 4), e.want/30)
	for k := 0; k < e.want && !e.failed(); k++ {
		if every(k, max(1, min(e.want/6, 10))) {
			rough := e.r.IntN(2) == 0
			others.Go(func() { e.restartDatabase(rough) })
		}
		if k == e.want*2/3 {
			others.Go(e.failOver)
		}
		if every(k, few) {
			n, where := e.free(), e.trap()
			others.Go(func() { e.stopNode(n, where) })
		}
		if every(k+1, 3*few) {
			n, how, toDiscord, d := e.free(), []cut{refuse, hang, reset}[e.r.IntN(3)], e.r.IntN(2) == 0, time.Duration(e.r.IntN(min(12000, 3*int(e.cluster.stop.Milliseconds()))))*time.Millisecond
			others.Go(func() { e.cutOff(n, how, toDiscord, d) })
		}
		n, where := e.free(), e.trap()
		others.Go(func() { e.kill(n, where) }) // the shards of a killed node are free after 15 s
		e.think(e.r.IntN(1000))
	}
}

// free returns a node that nobody disturbs, with its lock held.
func (e *killTest) free() *node {
	for {
		for _, i := range e.r.Perm(len(e.nodes)) {
			if e.nodes[i].busy.TryLock() {
				return e.nodes[i]
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// note counts a disturbance.
func (e *killTest) note(kind string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.did[kind]++
	for _, n := range e.nodes {
		fmt.Fprintf(n.log, "--- %s: %s\n", time.Now().UTC().Format(time.RFC3339Nano), kind)
	}
}

func (e *killTest) kill(n *node, p *trap) {
	defer n.busy.Unlock()
	end := n.disturb()
	defer end()
	e.await(n, p)
	<-n.ended
	e.note("killed " + n.name)
	if err := n.start(); err != nil {
		e.fail("%v", err)
	}
}

func (e *killTest) stopNode(n *node, p *trap) {
	defer n.busy.Unlock()
	end := n.disturb()
	if p.signal = syscall.SIGSTOP; p.where == afterReply {
		p.where = beforeReply
	}
	e.await(n, p)
	time.Sleep(e.cluster.stop)
	close(p.pass)
	n.hit(syscall.SIGCONT)
	e.note("stopped and continued")
	time.Sleep(5 * time.Second) // it replaces its connections
	end()
}

func (e *killTest) cutOff(n *node, how cut, fromDiscord bool, d time.Duration) {
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
	e.note(fmt.Sprintf("cut off from %s (%s)", from, how))
}

// restartDatabase stops the server, as an operator does or in a crash, and starts it.
func (e *killTest) restartDatabase(rough bool) {
	c := e.cluster
	c.pg.Lock()
	defer c.pg.Unlock()
	end := c.primary.Stop
	if rough {
		end = c.primary.Kill
	}
	if err := errors.Join(end(), c.primary.Start()); err != nil {
		e.fail("%v", err)
	}
	e.note("database restarted")
}

// failOver has the standby take over from a primary that crashes.
func (e *killTest) failOver() {
	c := e.cluster
	c.pg.Lock()
	defer c.pg.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := errors.Join(c.primary.AwaitStandby(ctx), c.primary.Kill(), c.standby.Promote()); err != nil {
		e.fail("%v", err)
	}
	c.mu.Lock()
	c.primary = c.standby
	c.mu.Unlock()
	e.note("standby took over")
}

// excuse returns why an interaction needs no answer, or "".
func (e *killTest) excuse(i sandbox.Interaction) string {
	s := e.sent[i.ID]
	name, _, _ := strings.Cut(s.to, "/")
	at := slices.IndexFunc(e.nodes, func(n *node) bool { return n.name == name })
	if at < 0 {
		return "no node had the shard"
	}
	if !e.nodes[at].undisturbed(s.at.Add(-time.Second), s.at.Add(slack*3*time.Second)) {
		return "node killed, stopped or cut off from Discord"
	}
	e.t.Logf("interaction %s was sent to %s at %s", i.ID, s.to, s.at.UTC().Format(time.RFC3339Nano))
	return ""
}

// reportCluster has castellan verify look at the database, and reports everything.
func (e *killTest) reportCluster(took time.Duration) {
	e.t.Helper()
	verify := exec.Command(e.nodes[0].args[0], "verify", "--db", e.nodes[0].databaseURL)
	if out, err := verify.CombinedOutput(); err != nil {
		e.fail("castellan verify: %v: %s", err, out)
	} else {
		e.t.Logf("castellan verify: %s", tail(string(out), 1))
	}
	e.t.Logf("%d processes, %.0f s", len(e.nodes), took.Seconds())
	killed := 0
	for _, kind := range slices.Sorted(maps.Keys(e.did)) {
		e.t.Logf("%s: %d", kind, e.did[kind])
		if strings.HasPrefix(kind, "killed") {
			killed += e.did[kind]
		}
	}
	for _, n := range e.nodes {
		e.t.Logf("%s: %d starts of %d ms, ended by itself %d times", n.name, n.life, n.startup.Milliseconds()/int64(n.life), n.exits)
	}
	e.report(killed, e.excuse)
}
