package cluster_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/cluster"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/sandbox"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// network is a bot of several processes on PostgreSQL, connected to the sandbox.
type network struct {
	t      *testing.T
	box    *sandbox.Sandbox
	base   *url.URL
	url    string // of the database
	people []*sandbox.Person
	places []string // their channels

	mu   sync.Mutex
	came map[string]int       // interactions by ID
	left map[string]time.Time // shards by process, and when they began to be handed over
}

// node is a process of a network.
type node struct {
	name    string
	gateway *gateway.Gateway
	leave   func()
}

func newNetwork(t *testing.T, shards int) *network {
	t.Helper()
	world := sandbox.DefaultWorld()
	world.Guilds[0].ID = "1150000000004194305" // on the next shard
	elsewhere := &world.Channels[len(world.Channels)-1]
	elsewhere.GuildID = world.Guilds[0].ID
	n := &network{t: t, url: pgtest.Migrated(t), came: map[string]int{}, left: map[string]time.Time{}}
	server := httptest.NewUnstartedServer(nil)
	var err error
	began := time.Now()
	n.box, err = sandbox.New(sandbox.Options{
		Base: "http://" + server.Listener.Addr().String(), World: world, Shards: shards, MaxConcurrency: 2 * shards,
		Now: func() time.Time { return began.Add(2 * haste * time.Since(began)) }, // the processes' clocks are not faster
	})
	must(t, err)
	server.Config.Handler = n.box
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() { _ = n.box.Close() })
	n.base, err = url.Parse(server.URL)
	must(t, err)
	n.people = []*sandbox.Person{n.box.As(world.Users[0].ID), n.box.As(world.Users[1].ID)}
	n.places = []string{world.Channels[0].ID, elsewhere.ID}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/api/v10/applications/"+n.box.ApplicationID()+"/commands", strings.NewReader(`[{"name":"play","description":"Play."}]`))
	must(t, err)
	request.Header = http.Header{"Authorization": {"Bot " + n.box.Token()}, "Content-Type": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	response.Body.Close()
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// haste is by how much the pauses between identifies are shortened.
const haste = 10

func hastyTimer(d time.Duration) (<-chan time.Time, func()) {
	if d < 6*time.Second { // longer ones bound what must happen
		d /= haste
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// watched is a cluster that notes when a shard begins to be handed over.
type watched struct {
	gateway.Cluster
	n    *network
	name string
}

func (w watched) Assign(ctx context.Context, shards int, hold gateway.Hold) error {
	return w.Cluster.Assign(ctx, shards, func(ctx context.Context, a gateway.Assignment) (gateway.Handover, error) {
		defer context.AfterFunc(ctx, func() {
			w.n.mu.Lock()
			defer w.n.mu.Unlock()
			w.n.left[fmt.Sprint(w.name, a.Shard, shards)] = time.Now()
		})()
		return hold(ctx, a)
	})
}

func (w watched) Admit(ctx context.Context, bucket int, limit, pause time.Duration) (func(time.Time), error) {
	return w.Cluster.Admit(ctx, bucket, limit, pause/haste)
}

func (n *network) start(name string) *node {
	n.t.Helper()
	store, err := postgres.Open(n.t.Context(), n.url)
	must(n.t, err)
	log := slog.New(slog.NewTextHandler(n.t.Output(), nil)).With("process", name)
	c := cluster.New(cluster.Config{Store: store, Process: name, Logger: log, Poll: 100 * time.Millisecond})
	p := &node{name: name, gateway: gateway.New(gateway.Config{
		Token: n.box.Token(), GetGateway: discord.NewClient(n.box.Token(), n.base, nil).GetGateway, Handle: n.take,
		Cluster: watched{c.Sharding(0), n, name}, Logger: log, Clock: discord.Clock{Timer: hastyTimer},
	})}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.gateway.Run(ctx) }()
	p.leave = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			n.t.Error(err)
		}
		if err := store.Close(); err != nil {
			n.t.Error(err)
		}
	})
	n.t.Cleanup(p.leave)
	return p
}

func (n *network) take(event any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch e := event.(type) {
	case *discordgo.InteractionCreate:
		n.came[e.ID]++
	case gateway.Replayed:
		n.came[e.ID]++
	}
}

// await waits for a condition that is looked at again and again.
func (n *network) await(what string, cond func() bool) {
	n.t.Helper()
	timeout, tick := time.After(2*time.Minute), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-timeout:
			n.t.Fatalf("waiting for %s", what)
		}
	}
}

// holds reports whether a process holds a number of shards, all connected.
func (p *node) holds(shards int) bool {
	own := p.own()
	for _, s := range own {
		if !s.Connected {
			return false
		}
	}
	return len(own) == shards
}

func (p *node) own() []gateway.Shard {
	return slices.DeleteFunc(p.gateway.Report().Shards, func(s gateway.Shard) bool { return s.Elsewhere })
}

// Shards are handed over between processes, and replaced by more, while people play:
// each interaction arrives once, and sessions go on.
func TestHandOver(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, 2)
	a := n.start("a")
	n.await("the first process", func() bool { return a.holds(2) })
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	sent := make([][]string, len(n.people))
	var total atomic.Int64
	for i, p := range n.people {
		load.Go(func() {
			for ctx.Err() == nil {
				c, err := p.Command(n.places[i], "play")
				if err != nil {
					t.Error(err)
					return
				}
				sent[i] = append(sent[i], c.ID)
				total.Add(1)
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
				}
			}
		})
	}
	b := n.start("b")
	n.await("half of the shards to move", func() bool { return b.holds(1) && a.holds(1) })
	must(t, n.box.Gateway.Recommend(4))
	b.gateway.CheckShards()
	n.await("twice as many shards, in both processes", func() bool { return a.holds(2) && b.holds(2) && len(n.box.Gateway.Sessions()) == 4 })
	n.await("people", func() bool { return total.Load() >= 50 })
	a.leave()
	n.await("the other half to move", func() bool { return b.holds(4) })
	stop()
	load.Wait()
	for _, id := range slices.Concat(sent...) {
		times := 0
		n.await("every interaction", func() bool {
			n.mu.Lock()
			defer n.mu.Unlock()
			times = n.came[id]
			return times > 0
		})
		if times != 1 {
			t.Errorf("interaction %s arrived %d times", id, times)
		}
	}
	moved := 0
	for _, s := range b.own() {
		left := n.left[fmt.Sprint("a", s.ID, 4)]
		if left.IsZero() { // b has had it from the beginning
			continue
		}
		moved++
		if s.Kind != gateway.Resumed || s.Connections != 1 || s.Since.Before(left) {
			t.Errorf("shard %d is %s, %v after it was left", s.ID, s.Kind, s.Since.Sub(left))
		}
	}
	if moved < 2 {
		t.Errorf("only %d shards were handed over", moved)
	}
}
