package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/cluster"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// world is a bot of several processes, in the time of a synctest bubble. Their
// gateways are imitated: they hold what they are assigned.
type world struct {
	t         *testing.T
	store     storage.Store
	recommend int
	asked     int

	mu       sync.Mutex
	sessions map[[2]int]int // events sent to the session of a shard; none without a session
	started  int            // sessions
	procs    []*process
}

// process is a process of the bot.
type process struct {
	w       *world
	cluster *cluster.Cluster
	shards  *cluster.Sharding
	stop    context.CancelFunc
	ended   chan struct{}
	plan    gateway.Plan
	log     bytes.Buffer

	mu     sync.Mutex
	cut    bool                          // from the database
	frozen chan struct{}                 // closed when a stopped process goes on; nil unless it is stopped
	held   map[[2]int]gateway.Assignment // by number of shards and shard
}

func run(t *testing.T, recommend int, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), sqlite.Memory)
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, store: store, recommend: recommend, sessions: map[[2]int]int{}}
		defer func() {
			for _, p := range w.procs {
				p.leave()
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		test(w)
	})
}

func (w *world) start() *process {
	p := &process{w: w, ended: make(chan struct{}), held: map[[2]int]gateway.Assignment{}}
	name := fmt.Sprint("p", len(w.procs))
	p.cluster = cluster.New(cluster.Config{
		Store: cuttable{w.store, p}, Process: name, Logger: slog.New(slog.NewTextHandler(&p.log, nil)), Clock: discord.Clock{Timer: p.timer},
	})
	p.shards = p.cluster.Sharding(0)
	w.mu.Lock()
	w.procs = append(w.procs, p)
	w.mu.Unlock()
	var ctx context.Context
	ctx, p.stop = context.WithCancel(context.Background())
	go p.run(ctx)
	return p
}

func (p *process) leave() {
	p.resume()
	p.stop()
	<-p.ended
}

// run does what gateway.Gateway does with plans.
func (p *process) run(ctx context.Context) {
	defer close(p.ended)
	var all sync.WaitGroup
	defer all.Wait()
	ends := map[int]context.CancelCauseFunc{}
	for plan := range p.shards.Plans(ctx, p.ask) {
		p.mu.Lock()
		p.plan = plan
		p.mu.Unlock()
		for n, end := range ends {
			if n != plan.Serving && n != plan.Next {
				end(gateway.ErrRetired)
				delete(ends, n)
			}
		}
		for _, n := range []int{plan.Serving, plan.Next} {
			if n == 0 || ends[n] != nil {
				continue
			}
			var held context.Context
			held, ends[n] = context.WithCancelCause(ctx)
			all.Go(func() {
				err := p.shards.Assign(held, n, func(ctx context.Context, a gateway.Assignment) (gateway.Handover, error) { return p.hold(ctx, n, a) })
				if err != nil {
					p.w.t.Error(err)
				}
			})
		}
	}
}

func (p *process) ask(context.Context) (discord.GatewayInfo, error) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.asked++
	return discord.GatewayInfo{Shards: p.w.recommend, SessionStartLimit: discord.SessionStartLimit{Remaining: 1000}}, nil
}

// hold holds a shard, whose session starts anew unless there is one to go on with.
func (p *process) hold(ctx context.Context, of int, a gateway.Assignment) (gateway.Handover, error) {
	w, key := p.w, [2]int{of, a.Shard}
	w.mu.Lock()
	from := a.From
	if from.SessionID == "" {
		w.started++
		from = gateway.Handover{SessionID: fmt.Sprint("session ", w.started)}
		w.sessions[key] = 1
	}
	w.mu.Unlock()
	session := func() gateway.Handover {
		w.mu.Lock()
		defer w.mu.Unlock()
		if a.Valid() {
			from.Sequence = int64(w.sessions[key])
		}
		return from
	}
	a.Watch(func() (gateway.Handover, gateway.State) { return session(), gateway.State{Connected: true} }, func() int { return 7 })
	p.mu.Lock()
	p.held[key] = a
	p.mu.Unlock()
	<-ctx.Done()
	p.mu.Lock()
	delete(p.held, key)
	p.mu.Unlock()
	if !errors.Is(context.Cause(ctx), gateway.ErrHandOver) {
		return gateway.Handover{}, nil
	}
	to := session()
	to.Guilds = 7
	return to, nil
}

// timer is the timer of a process: while it is stopped, nothing happens in it.
func (p *process) timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	c, done := make(chan time.Time, 1), make(chan struct{})
	go func() {
		select {
		case now := <-t.C:
			p.mu.Lock()
			frozen := p.frozen
			p.mu.Unlock()
			if frozen != nil {
				select {
				case <-frozen:
				case <-done:
				}
			}
			c <- now
		case <-done:
			t.Stop()
		}
	}()
	return c, sync.OnceFunc(func() { close(done) })
}

func (p *process) current() gateway.Plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plan
}

// freeze stops a process, and resume lets it go on, as SIGSTOP and SIGCONT do.
func (p *process) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = make(chan struct{})
}

func (p *process) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

func (p *process) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
}

// cuttable is the store of a process.
type cuttable struct {
	storage.Store
	p *process
}

func (s cuttable) check() error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.p.cut {
		return storage.ErrUnreachable
	}
	return nil
}

func (s cuttable) View(ctx context.Context, fn func(storage.Reader) error) error {
	return errors.Join(s.check(), s.Store.View(ctx, fn))
}

func (s cuttable) AcquireLease(ctx context.Context, name, holder, note string, d time.Duration) (l storage.Lease, err error) {
	if err := s.check(); err != nil {
		return l, err
	}
	return s.Store.AcquireLease(ctx, name, holder, note, d)
}

func (s cuttable) RenewLease(ctx context.Context, l storage.Lease, d time.Duration) (storage.Lease, error) {
	if err := s.check(); err != nil {
		return l, err
	}
	return s.Store.RenewLease(ctx, l, d)
}

func (s cuttable) ReleaseLease(ctx context.Context, l storage.Lease) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.Store.ReleaseLease(ctx, l)
}

// counts returns how many shards of a number each process holds. No shard may be held
// by two that may use it.
func (w *world) counts(of int) (counts []int) {
	users := map[[2]int]int{}
	for i, p := range w.procs {
		counts = append(counts, 0)
		p.mu.Lock()
		for key, a := range p.held {
			if a.Valid() {
				if users[key]++; users[key] > 1 {
					w.t.Errorf("shard %v is held by two processes", key)
				}
				if key[0] == of {
					counts[i]++
				}
			}
		}
		p.mu.Unlock()
	}
	return counts
}

// await waits until the processes hold as many shards as wanted, in the time given.
func (w *world) await(of int, within time.Duration, want ...int) {
	w.t.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		w.mu.Lock()
		for key := range w.sessions {
			w.sessions[key]++ // events
		}
		w.mu.Unlock()
		got := w.counts(of)
		if fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
		if time.Since(began) > within {
			w.t.Fatalf("after %v the processes hold %v of %d, want %v", within, got, of, want)
		}
	}
}

// Processes share the shards equally. One that leaves, and one that joins, take part
// at once; sessions go on.
func TestShare(t *testing.T) {
	run(t, 4, func(w *world) {
		a := w.start()
		w.await(4, 2*time.Second, 4)
		b := w.start()
		w.await(4, 3*time.Second, 2, 2)
		w.start()
		w.await(4, 3*time.Second, 1, 2, 1)
		if w.started != 4 {
			t.Errorf("%d sessions were started for 4 shards", w.started)
		}
		time.Sleep(time.Second)
		for i, h := range b.shards.Holders() {
			if h.ID != i || h.Shards != 4 || !h.Connected || h.Process == "" {
				t.Errorf("shard %d of 4 is held by %+v", i, h)
			}
		}
		if !a.cluster.Connected(w.t.Context()) {
			t.Error("all shards are connected, and there is no contact")
		}
		b.leave()
		w.await(4, 2*time.Second, 2, 0, 2)
		a.leave()
		w.await(4, 2*time.Second, 0, 0, 4)
		if w.started != 4 || w.asked != 1 {
			t.Errorf("%d sessions were started, and Discord asked %d times", w.started, w.asked)
		}
		for key, a := range w.procs[2].held {
			if int(a.From.Sequence) > w.sessions[key] || a.From.SessionID == "" {
				t.Errorf("shard %v goes on from %+v", key, a.From)
			}
		}
	})
}

// A process that is cut off from the database, or stopped, gives its shards up before
// others take them over.
func TestLost(t *testing.T) {
	for name, lose := range map[string]struct{ begin, end func(*process) }{
		"cut off": {func(p *process) { p.setCut(true) }, func(p *process) { p.setCut(false) }},
		"stopped": {(*process).freeze, (*process).resume},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, 2, func(w *world) {
				a := w.start()
				w.await(2, 2*time.Second, 2)
				w.start()
				w.await(2, 3*time.Second, 1, 1)
				time.Sleep(3 * time.Second)
				lose.begin(a)
				began := time.Now()
				w.await(2, 14*time.Second, 0, 1)
				if left := time.Since(began); left < 5*time.Second {
					t.Errorf("the shard was left after %v", left)
				}
				w.await(2, 4*time.Second, 0, 2)
				if taken := time.Since(began); taken > 17*time.Second {
					t.Errorf("the shard was taken over after %v", taken)
				}
				time.Sleep(45 * time.Second)
				lose.end(a)
				w.await(2, 5*time.Second, 1, 1)
				if w.started != 2 {
					t.Errorf("%d sessions were started for 2 shards", w.started)
				}
				observer := cluster.New(cluster.Config{Store: w.store, Process: "observer", Logger: slog.New(slog.DiscardHandler)})
				time.Sleep(time.Second)
				if !observer.Connected(w.t.Context()) {
					t.Error("no contact, although all shards are connected")
				}
				lose.begin(a)
				lose.begin(w.procs[1])
				time.Sleep(20 * time.Second)
				if observer.Connected(w.t.Context()) {
					t.Error("contact, although no shard is held")
				}
				lose.end(w.procs[1])
			})
		})
	}
}

// Processes and the holders of shards are listed with the time since they were heard
// of. The log says from whom a shard was taken over, and why; the number of its guilds
// goes with it.
func TestTakenOver(t *testing.T) {
	run(t, 2, func(w *world) {
		a := w.start()
		w.await(2, 2*time.Second, 2)
		b := w.start()
		w.await(2, 3*time.Second, 1, 1)
		ctx, stop := context.WithCancel(w.t.Context())
		var announced sync.WaitGroup
		for i, p := range w.procs {
			announced.Go(func() { p.cluster.Announce(ctx, []string{"gateway", "gateway,poster"}[i], "1.2.3") })
		}
		time.Sleep(12 * time.Second)
		for _, h := range b.shards.Holders() {
			if cluster.Overdue(h.Heard) || h.Guilds != 7 {
				t.Errorf("%+v", h)
			}
		}
		a.setCut(true)
		time.Sleep(12 * time.Second)
		overdue := 0
		for _, h := range b.shards.Holders() {
			if cluster.Overdue(h.Heard) {
				overdue++
				if h.Process != "p0" || h.Heard < 12*time.Second || h.Heard > 18*time.Second {
					t.Errorf("%+v", h)
				}
			}
		}
		if overdue != 1 {
			t.Errorf("%d shards are held by a process that is overdue, want 1", overdue)
		}
		w.await(2, 6*time.Second, 0, 2)
		all, err := cluster.Processes(w.t.Context(), w.store)
		if err != nil || len(all) != 2 || all[0].Name != "p0" || all[0].Roles != "gateway" || all[0].Version != "1.2.3" || !cluster.Overdue(all[0].Heard) || cluster.Overdue(all[1].Heard) {
			t.Errorf("%+v, %v", all, err)
		}
		time.Sleep(10 * time.Minute)
		if all, err := cluster.Processes(w.t.Context(), w.store); err != nil || len(all) != 1 || all[0].Name != "p1" {
			t.Errorf("%+v, %v", all, err)
		}
		for key, held := range b.held {
			if held.From.SessionID != "" && held.From.Guilds != 7 {
				t.Errorf("shard %v goes on with %+v", key, held.From)
			}
		}
		a.setCut(false)
		w.await(2, 5*time.Second, 1, 1)
		time.Sleep(10 * time.Second)
		stop()
		announced.Wait()
		if all, err := cluster.Processes(w.t.Context(), w.store); err != nil || len(all) != 0 {
			t.Errorf("after the end: %+v, %v", all, err)
		}
		a.leave()
		b.leave()
		for _, l := range []struct{ log, want string }{
			{b.log.String(), `from=p0 because="its lease has ended`}, {b.log.String(), `from=p0 because="it handed the shard over"`}, {a.log.String(), `from=p1 because="it handed the shard over"`},
		} {
			if !strings.Contains(l.log, l.want) {
				t.Errorf("the log does not say %s:\n%s", l.want, l.log)
			}
		}
	})
}

// A new number of shards is connected beside the old one, over all processes, and
// takes over when all are connected.
func TestReshard(t *testing.T) {
	run(t, 2, func(w *world) {
		a, b := w.start(), w.start()
		w.await(2, 5*time.Second, 1, 1)
		w.mu.Lock()
		w.recommend = 5
		w.mu.Unlock()
		b.shards.Check()
		for _, p := range []*process{a, b} {
			for time.Sleep(10 * time.Millisecond); ; time.Sleep(10 * time.Millisecond) {
				if p.current() == (gateway.Plan{Serving: 2, Next: 5}) {
					break
				}
			}
		}
		if got := fmt.Sprint(w.counts(5)); got != "[0 0]" {
			t.Errorf("%s hold new shards before they are announced", got)
		}
		if !a.shards.Claim("click") || b.shards.Claim("click") {
			t.Error("an interaction is not handled once")
		}
		for w.counts(5)[0]+w.counts(5)[1] < 5 {
			if fmt.Sprint(w.counts(2)) != "[1 1]" {
				t.Fatal("the old shards are gone before the new ones are connected")
			}
			time.Sleep(10 * time.Millisecond)
		}
		w.await(2, 3*time.Second, 0, 0)
		time.Sleep(5 * time.Second)
		if n := w.counts(5); n[0]+n[1] != 5 || n[0] < 2 || n[1] < 2 {
			t.Errorf("the processes hold %v of 5", n)
		}
		a.shards.Check() // not more than there are
		time.Sleep(time.Minute)
		if a.current() != (gateway.Plan{Serving: 5}) || b.current() != a.current() || !b.cluster.Connected(w.t.Context()) {
			t.Errorf("the plans are %+v and %+v", a.current(), b.current())
		}
		w.mu.Lock()
		w.recommend = 6
		w.mu.Unlock()
		a.shards.Check()
		time.Sleep(time.Second)
		b.shards.Abandon(6)
		time.Sleep(5 * time.Second)
		if a.current() != (gateway.Plan{Serving: 5}) || b.current() != a.current() {
			t.Errorf("after a change was abandoned, the plans are %+v and %+v", a.current(), b.current())
		}
	})
}

// One process at a time identifies in a bucket, and others only after a pause.
func TestAdmit(t *testing.T) {
	run(t, 1, func(w *world) {
		a, b := w.start(), w.start()
		ctx := w.t.Context()
		done, err := a.shards.Admit(ctx, 0, 20*time.Second, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.shards.Admit(ctx, 1, 20*time.Second, 5*time.Second); err != nil {
			t.Errorf("another bucket: %v", err)
		}
		sent := time.Now().Add(8 * time.Second)
		time.AfterFunc(9*time.Second, func() { done(sent) })
		if _, err := b.shards.Admit(ctx, 0, 20*time.Second, 5*time.Second); err != nil || time.Since(sent) < 5*time.Second || time.Since(sent) > 6*time.Second {
			t.Errorf("admitted %v after the identify (%v)", time.Since(sent), err)
		}
	})
}

// What is done alone is not done by two processes, and goes on in another one if the
// first dies.
func TestAlone(t *testing.T) {
	run(t, 1, func(w *world) {
		a, b := w.start(), w.start()
		running, all := 0, sync.WaitGroup{}
		var order []string
		work := func(name string, p *process, d time.Duration, want error) {
			all.Go(func() {
				err := p.cluster.Alone(w.t.Context(), "commands", func(ctx context.Context) error {
					if running++; running > 1 {
						t.Error("two at a time")
					}
					defer func() { running-- }()
					order = append(order, name)
					select {
					case <-time.After(d):
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				})
				if !errors.Is(err, want) {
					t.Errorf("%s: %v", name, err)
				}
			})
			synctest.Wait()
		}
		work("a", a, time.Minute, cluster.ErrLost)
		work("b", b, time.Minute, nil)
		time.Sleep(30 * time.Second)
		a.setCut(true)
		all.Wait()
		if fmt.Sprint(order) != "[a b]" {
			t.Errorf("the order is %v", order)
		}
	})
}
