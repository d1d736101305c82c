package gateway

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Assigner decides which shards this process holds.
type Assigner interface {
	// Assign calls hold for every shard that this process holds, of a number of
	// shards, at the same time for different ones. It returns when all calls have
	// returned, with an error of theirs. When the context is done, so are theirs.
	Assign(ctx context.Context, shards int, hold Hold) error
}

// Hold keeps a shard connected until the context is done. If the cause of the context
// is ErrHandOver, it leaves the session resumable and returns it.
type Hold func(ctx context.Context, a Assignment) (Handover, error)

// Assignment is a shard that this process holds.
type Assignment struct {
	Shard int
	From  Handover // the session to go on with, if there is one
	// Valid reports whether the process still holds the shard; nil means always. It is
	// asked before every event that is handed on and every frame that is sent.
	Valid func() bool
	// Watch is called first, unless it is nil, with functions that return the present
	// session and state of the shard, and the number of its guilds.
	Watch func(snapshot func() (Handover, State), guilds func() int)
}

// ErrRetired is the cause of the context of a generation that is no longer needed:
// its sessions are ended.
var ErrRetired = errors.New("the number of shards has changed")

// ErrHandOver is the cause of a context that ends because another connection, of
// this process or another, goes on with the session of the shard.
var ErrHandOver = errors.New("the shard is handed over")

// Handover is what another connection needs to resume the session of a shard. In
// the zero value there is no session.
type Handover struct {
	SessionID string
	Address   string // for resuming (resume_gateway_url)
	Sequence  int64  // of the last event that was handed on
	Guilds    int    // of the shard; Discord does not list them when it is resumed
}

// allShards assigns all shards to this process.
type allShards struct{}

func (allShards) Assign(ctx context.Context, shards int, hold Hold) error {
	work, ctx := errgroup.WithContext(ctx)
	for id := range shards {
		work.Go(func() error {
			_, err := hold(ctx, Assignment{Shard: id})
			return err
		})
	}
	return work.Wait()
}

// generation is the shards of one number of shards.
type generation struct {
	g      *Gateway
	shards int // their number

	stop    context.CancelCauseFunc
	ended   chan struct{} // closed when no shard is held any more
	err     error         // why, set before; nil if stop was called
	ready   chan struct{} // closed when each shard has been connected
	refused chan struct{} // receives when refusal is set
	refusal atomic.Pointer[FatalError]

	mu        sync.Mutex
	held      map[int]*shard
	connected map[int]bool // the shards that have been connected
}

// newGeneration connects a number of shards.
func (g *Gateway) newGeneration(ctx context.Context, shards int) *generation {
	ctx, stop := context.WithCancelCause(ctx)
	n := &generation{
		g: g, shards: shards, stop: stop, ended: make(chan struct{}), ready: make(chan struct{}), refused: make(chan struct{}, 1),
		held: map[int]*shard{}, connected: map[int]bool{},
	}
	g.running.Go(func() {
		defer close(n.ended)
		n.err = g.config.Assigner.Assign(ctx, shards, n.hold)
	})
	return n
}

// hold implements Hold. A shard that Discord refuses because there are too few
// stays until more have taken over.
func (n *generation) hold(ctx context.Context, a Assignment) (Handover, error) {
	id := a.Shard
	h := n.g.newShard(id, n.shards, a, func() { n.noteReady(id) })
	n.g.guilds.takeOver(id, n.shards, a.From, n.g.config.Now())
	if a.Watch != nil {
		a.Watch(func() (Handover, State) { return h.session(), h.snapshot() }, func() int { return n.g.guilds.count(n.shards)[id] })
	}
	n.mu.Lock()
	n.held[id] = h
	n.mu.Unlock()
	to, err := h.run(ctx)
	to.Guilds = n.g.guilds.count(n.shards)[id]
	if errors.Is(context.Cause(ctx), ErrHandOver) {
		n.mu.Lock()
		if n.held[id] == h {
			delete(n.held, id)
		}
		n.mu.Unlock()
	}
	var fatal *FatalError
	if n.g.config.Shards == 0 && errors.As(err, &fatal) && fatal.Code == closeShardingRequired {
		if n.refusal.CompareAndSwap(nil, fatal) {
			n.refused <- struct{}{}
		}
		<-ctx.Done()
		return Handover{}, nil
	}
	return to, err
}

func (n *generation) noteReady(id int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.connected[id] = true
	if len(n.connected) == n.shards && !isClosed(n.ready) {
		close(n.ready)
	}
}

// changes returns three channels: ready is closed once each shard has been connected,
// ended once no shard is held any more, and refused receives when refusal is set. For a
// nil generation all are nil.
func (n *generation) changes() (ready, ended, refused <-chan struct{}) {
	if n == nil {
		return nil, nil, nil
	}
	return n.ready, n.ended, n.refused
}

// list describes the shards, by ID.
func (n *generation) list() (all []Shard) {
	guilds := n.g.guilds.count(n.shards)
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, h := range n.held {
		all = append(all, Shard{ID: id, Shards: n.shards, Guilds: guilds[id], State: h.snapshot()})
	}
	slices.SortFunc(all, func(a, b Shard) int { return a.ID - b.ID })
	return all
}

// drainTimeout bounds the time in which a shard that is replaced receives what
// Discord has sent it.
const drainTimeout = 2 * time.Minute

// retire ends a generation after the next has taken over. What Discord has sent to
// its sessions alone, before those of the next began, is handed on first.
func (n *generation) retire(ctx context.Context) {
	ctx, cancel := n.g.config.WithTimeout(ctx, drainTimeout)
	defer cancel()
	n.mu.Lock()
	var draining sync.WaitGroup
	for _, h := range n.held {
		draining.Go(func() { h.drain(ctx) })
	}
	n.mu.Unlock()
	draining.Wait()
	n.end()
}

// end ends the generation and waits for that.
func (n *generation) end() {
	n.stop(ErrRetired)
	<-n.ended
	n.g.mu.Lock()
	defer n.g.mu.Unlock()
	n.g.overlap.end(n.g.config.Now())
}
