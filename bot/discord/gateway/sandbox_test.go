package gateway_test

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
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/sandbox"
)

// network is a Gateway connected to the sandbox, which refuses identifies that
// come too early. Delays pass at once, and advance the sandbox's clock.
type network struct {
	t        testing.TB
	box      *sandbox.Sandbox
	gateway  *gateway.Gateway
	assigner *handing
	log      buffer
	people   []person // one in each of two guilds of different shards

	mu     sync.Mutex
	clock  time.Time
	came   map[string]int // interactions by ID
	news   chan struct{}  // closed and replaced after each event
	starts map[string]int // READY and RESUMED events
}

type person struct {
	*sandbox.Person
	channel string
}

func newNetwork(t testing.TB, shards, concurrency int) *network {
	t.Helper()
	world := sandbox.DefaultWorld()
	world.Guilds[0].ID = "1150000000004194305" // on the next shard
	elsewhere := &world.Channels[len(world.Channels)-1]
	elsewhere.GuildID = world.Guilds[0].ID
	n := &network{
		t: t, clock: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), came: map[string]int{}, news: make(chan struct{}), starts: map[string]int{},
		assigner: &handing{released: map[int]func(error){}},
	}
	server := httptest.NewUnstartedServer(nil)
	var err error
	n.box, err = sandbox.New(sandbox.Options{Base: "http://" + server.Listener.Addr().String(), World: world, Shards: shards, MaxConcurrency: concurrency, Now: n.now})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = n.box
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() { _ = n.box.Close() })
	for i, channel := range []string{world.Channels[0].ID, elsewhere.ID} {
		n.people = append(n.people, person{n.box.As(world.Users[i].ID), channel})
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/api/v10/applications/"+n.box.ApplicationID()+"/commands", strings.NewReader(`[{"name":"play","description":"Play."}]`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bot " + n.box.Token()}, "Content-Type": {"application/json"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	response.Body.Close()

	session, err := discordgo.New("Bot " + n.box.Token())
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	session.Client = &http.Client{Transport: &discord.Transport{Base: base}}
	n.gateway = gateway.New(gateway.Config{
		Token: n.box.Token(), Intents: discordgo.IntentsGuilds, GetGateway: discord.NewClient(session).GetGateway, Handle: n.take,
		Assigner: n.assigner, Now: n.now, Timer: n.timer, Logger: slog.New(slog.NewTextHandler(&n.log, nil)),
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.gateway.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(n.log.String())
		}
	})
	n.awaitShards(shards)
	return n
}

func (n *network) now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.clock
}

// timer lets delays before an attempt pass at once; everything else that waits so
// long has failed.
func (n *network) timer(d time.Duration) (<-chan time.Time, func()) {
	if d > 8*time.Second {
		t := time.NewTimer(d)
		return t.C, func() { t.Stop() }
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock = n.clock.Add(d)
	c := make(chan time.Time, 1)
	c <- n.clock
	return c, func() {}
}

// pass advances the clock.
func (n *network) pass(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock = n.clock.Add(d)
}

func (n *network) take(event any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch e := event.(type) {
	case *discordgo.InteractionCreate:
		n.came[e.ID]++
	case gateway.Replayed:
		n.came[e.ID]++
	case *discordgo.Ready:
		n.starts["READY"]++
	case *discordgo.Resumed:
		n.starts["RESUMED"]++
	}
	close(n.news)
	n.news = make(chan struct{})
}

// await waits for a condition that events bring about.
func (n *network) await(what string, cond func() bool) {
	n.t.Helper()
	timeout := time.After(2 * time.Minute)
	for {
		n.mu.Lock()
		news := n.news
		n.mu.Unlock()
		if cond() {
			return
		}
		select {
		case <-news:
		case <-timeout:
			n.t.Errorf("waiting for %s: %+v", what, n.gateway.Report())
			return
		}
	}
}

// awaitShards waits until the bot serves with a number of shards, and the sandbox
// has no sessions of others.
func (n *network) awaitShards(shards int) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	err := n.box.Wait(ctx, func() bool {
		all := n.box.Sessions()
		for _, s := range all {
			if s.Shards != shards {
				return false
			}
		}
		return len(all) == shards
	})
	if err != nil {
		n.t.Fatalf("waiting for %d shards: %v, %+v", shards, n.box.Sessions(), n.gateway.Report())
	}
}

// handing holds all shards, and can hand one over to a new connection.
type handing struct {
	mu       sync.Mutex
	released map[int]func(error) // by shard of the newest generation
}

func (a *handing) Assign(ctx context.Context, shards int, hold gateway.Hold) error {
	var group sync.WaitGroup
	var once sync.Once
	var first error
	for id := range shards {
		group.Go(func() {
			var from gateway.Handover
			for ctx.Err() == nil {
				holding, release := context.WithCancelCause(ctx)
				a.mu.Lock()
				a.released[id] = release
				a.mu.Unlock()
				var err error
				if from, err = hold(holding, gateway.Assignment{Shard: id, From: from}); err != nil {
					once.Do(func() { first = err })
					return
				}
			}
		})
	}
	group.Wait()
	return first
}

func (a *handing) handOver(shard int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.released[shard](gateway.ErrHandOver)
}

// Shards are dropped, handed over and replaced by more while people act. Each
// interaction is handled once, and no identify comes too early.
func TestShardsUnderLoad(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t, shards, 2)
			sent := make([][]string, len(n.people))
			stop := make(chan struct{})
			var crowd sync.WaitGroup
			for person, p := range n.people {
				crowd.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						i, err := p.Command(p.channel, "play")
						if err != nil {
							t.Error(err)
							return
						}
						sent[person] = append(sent[person], i.ID)
						n.await("an interaction", func() bool { return n.times(i.ID) > 0 })
					}
				})
			}
			resumed := 0
			resumes := func(what string, more int, do func()) {
				t.Helper()
				n.pass(time.Minute) // a steady connection
				do()
				resumed += more
				n.await(what, func() bool { return n.started("RESUMED") >= resumed })
			}
			for round := range 2 {
				one := (round + 1) % shards
				resumes("drop", shards, n.box.DropGateway)
				resumes("reconnect", shards, n.box.Reconnect)
				resumes("invalid", shards, func() { n.box.InvalidateSessions(true) })
				resumes("hand-over", 1, func() { n.assigner.handOver(one) })
				resumes("one dropped", 1, func() {
					if err := n.box.DropShard(one); err != nil {
						t.Error(err)
					}
				})
			}
			for _, more := range []int{2 * shards, 4 * shards} {
				if err := n.box.RecommendShards(more); err != nil {
					t.Error(err)
				}
				n.gateway.CheckShards()
				n.awaitShards(more)
			}
			close(stop)
			crowd.Wait()
			total := 0
			for _, id := range slices.Concat(sent...) {
				if times := n.times(id); times != 1 {
					t.Errorf("interaction %s was handled %d times", id, times)
				}
				total++
			}
			if got := n.started("READY"); got != 7*shards {
				t.Errorf("%d sessions, want %d: each shard identifies once", got, 7*shards)
			}
			t.Logf("%d interactions, %d resumes", total, resumed)
		})
	}
}

func (n *network) times(id string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.came[id]
}

func (n *network) started(kind string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.starts[kind]
}

// BenchmarkHandOver measures how long a shard is without a connection when it is
// handed over.
func BenchmarkHandOver(b *testing.B) {
	n := newNetwork(b, 2, 2)
	done := 0
	for b.Loop() {
		n.assigner.handOver(0)
		done++
		n.await("the resume", func() bool { return n.started("RESUMED") >= done })
	}
}
