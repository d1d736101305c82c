package cluster

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/bot/discord/gateway"
	"castellan/storage"
)

// Assign implements gateway.Assigner. Each process holds as many shards as the
// others, or one more. When this one ends, others go on with its sessions.
func (s *Sharding) Assign(ctx context.Context, shards int, hold gateway.Hold) error {
	s.awaitAnnouncement(ctx, shards)
	a := &assignment{Sharding: s, of: shards, hold: hold, holdings: map[int]*holding{}, ended: make(chan *holding)}
	var err error
	for wait := time.Duration(0); err == nil; {
		expired, stop := s.config.Timer(wait)
		select {
		case <-expired:
			wait = a.share(ctx)
		case h := <-a.ended:
			delete(a.holdings, h.shard)
			if h.err != nil {
				err = h.err
			}
		case <-ctx.Done():
			err = errors.Join(err, ctx.Err())
		}
		stop()
	}
	cause := error(gateway.ErrHandOver)
	if errors.Is(context.Cause(ctx), gateway.ErrRetired) {
		cause = gateway.ErrRetired
	}
	a.leave(ctx) // so that others take the shards over
	for _, h := range a.holdings {
		h.end(cause)
	}
	for len(a.holdings) > 0 {
		h := <-a.ended
		delete(a.holdings, h.shard)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// assignment is the shards of a number that this process holds.
type assignment struct {
	*Sharding
	of       int
	hold     gateway.Hold
	holdings map[int]*holding
	ended    chan *holding

	member *lease // makes this process one of those that share the shards
	stop   func() // ends the renewal of member
}

func (a *assignment) join(ctx context.Context) error {
	if a.member != nil && a.member.valid() {
		return nil
	}
	if a.member != nil {
		a.stop()
		a.member = nil
	}
	l, err := a.acquire(ctx, gatewayPrefix+strconv.Itoa(a.of)+"/"+a.config.Process)
	if err == nil {
		_, a.stop = a.keep(context.WithoutCancel(ctx), l)
		a.member = l
	}
	return err
}

func (a *assignment) leave(ctx context.Context) {
	if a.member != nil {
		a.stop()
		a.member.release(ctx, "")
	}
}

// holding is a shard that this process holds.
type holding struct {
	shard int
	lease *lease
	noted bool // the note says that it is connected
	end   context.CancelCauseFunc
	err   error // set before it is sent to ended

	mu       sync.Mutex
	snapshot func() (gateway.Handover, gateway.State)
	guilds   func() int
}

// note returns what the lease says of the shard. from is the session to resume.
func (h *holding) note(from session) string {
	s := cmp.Or(h.state(), session{ID: from.ID, Address: from.Address, Sequence: from.Sequence})
	h.mu.Lock()
	guilds := h.guilds
	h.mu.Unlock()
	if s.Guilds = from.Guilds; guilds != nil {
		s.Guilds = guilds()
	}
	return s.String()
}

// state returns the session of the shard, and whether it is connected.
func (h *holding) state() (s session) {
	h.mu.Lock()
	snapshot := h.snapshot
	h.mu.Unlock()
	if snapshot == nil {
		return s
	}
	from, state := snapshot()
	return session{ID: from.SessionID, Address: from.Address, Sequence: from.Sequence, Ready: state.Connected}
}

// share acquires a free shard, or gives one away to a process that has too few. It
// returns when to do so again.
func (a *assignment) share(ctx context.Context) time.Duration {
	members := gatewayPrefix + strconv.Itoa(a.of) + "/"
	var all leases
	err := a.join(ctx)
	if err == nil {
		all, err = a.readLeases(ctx, shardPrefix+strconv.Itoa(a.of)+"/", members)
	}
	a.report(ctx, "the shards cannot be shared", err)
	if err != nil {
		return retryInterval
	}
	for _, h := range a.holdings {
		if ready := h.state().Ready; ready != h.noted && h.lease.valid() {
			if err := h.lease.renew(ctx); err == nil {
				h.noted = ready
			}
		}
	}
	own := len(a.holdings)
	free, least, most, missing, busiest := a.divide(all, members)
	switch {
	case len(free) > 0 && (own < least || own < most && len(free) > missing):
		id := free[0]
		if err := a.take(ctx, id, all.shard(a.of, id).Holder); err != nil && !errors.Is(err, storage.ErrHeld) && ctx.Err() == nil {
			a.log.Warn("a shard cannot be acquired", "shard", id, "error", err)
			return retryInterval
		}
		return 0
	case len(free) == 0 && own > least && missing > 0 && busiest == a.config.Process:
		a.giveAway()
	case own < least:
		return a.config.Poll * 2 / 5 // it needs more soon
	}
	return a.config.Poll
}

// divide counts who holds what. It returns the shards that nobody holds, how many each
// process is to hold at least and at most, how many the others miss of that, and the
// process with the most.
func (a *assignment) divide(all leases, members string) (free []int, least, most, missing int, busiest string) {
	count := map[string]int{a.config.Process: 0}
	for _, l := range all {
		if name, ok := strings.CutPrefix(l.Name, members); ok && l.Left > 0 {
			count[name] += 0
		}
	}
	for id := range a.of {
		switch l := all.shard(a.of, id); {
		case l.Left > 0:
			count[l.Holder]++
		case a.holdings[id] == nil:
			free = append(free, id)
		}
	}
	least, most = a.of/len(count), (a.of+len(count)-1)/len(count)
	busiest = a.config.Process
	for name, n := range count {
		if name != a.config.Process {
			missing += max(0, least-n)
		}
		if n > count[busiest] || n == count[busiest] && name < busiest {
			busiest = name
		}
	}
	return free, least, most, missing, busiest
}

func (a *assignment) giveAway() {
	for id := a.of - 1; id >= 0; id-- {
		if h := a.holdings[id]; h != nil && h.state().Ready {
			h.end(gateway.ErrHandOver)
			return
		}
	}
}

// take holds a shard, if no other process has acquired it. silent is the process whose
// lease of it has run out, if there is one.
func (a *assignment) take(ctx context.Context, id int, silent string) error {
	l, err := a.acquire(ctx, shardName(a.of, id))
	if err != nil {
		return err
	}
	// The shard is left when the lease ends, or for the cause that end gives.
	held, stop := a.keep(context.WithoutCancel(ctx), l)
	running, end := context.WithCancelCause(held)
	h := &holding{shard: id, lease: l, end: end}
	a.holdings[id] = h
	from := parseSession(l.record.Note)
	taken := []any{"shard", id, "shards", a.of, "resumes", from.ID != ""}
	switch {
	case silent != "":
		taken = append(taken, "from", silent, "because", "its lease has ended: it was killed, or cannot reach the database")
	case from.From != "":
		taken = append(taken, "from", from.From, "because", "it handed the shard over")
	}
	a.log.Info("holding a shard", taken...)
	l.setNote(func() string { return h.note(from) })
	go func() {
		var to gateway.Handover
		to, h.err = a.hold(running, gateway.Assignment{
			Shard: id, From: gateway.Handover{SessionID: from.ID, Address: from.Address, Sequence: from.Sequence, Guilds: from.Guilds}, Valid: l.valid,
			Watch: func(snapshot func() (gateway.Handover, gateway.State), guilds func() int) {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.snapshot, h.guilds = snapshot, guilds
			},
		})
		lost := held.Err() != nil
		stop()
		note := ""
		if errors.Is(context.Cause(running), gateway.ErrHandOver) {
			note = session{ID: to.SessionID, Address: to.Address, Sequence: to.Sequence, Guilds: to.Guilds, From: a.config.Process}.String()
		}
		if !lost {
			l.release(ctx, note)
		}
		a.log.Info("left a shard", "shard", id, "shards", a.of, "reason", context.Cause(running))
		a.ended <- h
	}()
	return nil
}
