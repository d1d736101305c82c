package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/storage"
)

// The names of leases. Every process that can hold shards has a lease whose name
// begins with gatewayPrefix. The holder of planName decides on the number of shards;
// the note of that lease is a gateway.Plan.
const (
	shardPrefix       = "shards/" // number of shards, slash, shard
	planName          = "shards"
	checkName         = "shards/check" // has run out; asks the deciding process to ask Discord
	abandonPrefix     = "shards/abandon/"
	gatewayPrefix     = "gateways/"
	identifyPrefix    = "identify/"
	interactionPrefix = "interaction/"
)

const (
	// pollInterval is the time between two looks at the leases.
	pollInterval = 250 * time.Millisecond
	// needyInterval is that of a process that holds too few shards.
	needyInterval = 100 * time.Millisecond
	// announceTime is the time between the announcement of a next number of shards
	// and their first connection. By then all processes recognise the interactions
	// that Discord sends to both.
	announceTime = 8 * pollInterval
	// checkInterval is the time between two questions how many shards Discord
	// recommends.
	checkInterval = 24 * time.Hour
	// claimTime is how long an interaction belongs to the process that claimed it: as
	// long as its token works.
	claimTime = 15 * time.Minute
)

// Shards implements gateway.Cluster: each shard belongs to the process that has its
// lease. Processes have equally many. Use Cluster.Shards.
type Shards struct {
	*Cluster
	number int // configured; 0 means as many as Discord recommends
}

var _ gateway.Cluster = (*Shards)(nil)

// Shards returns what decides about shards. 0 means as many as Discord recommends.
func (c *Cluster) Shards(number int) *Shards {
	return &Shards{Cluster: c, number: number}
}

// session is the note of a shard's lease.
type session struct {
	ID       string `json:"id,omitempty"`
	Address  string `json:"address,omitempty"`
	Sequence int64  `json:"sequence,omitempty"`
	Ready    bool   `json:"ready,omitempty"`
}

func (s session) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("cluster: encoding a session: %v", err)) // texts and a number
	}
	return string(text)
}

func parseSession(note string) (s session) {
	_ = json.Unmarshal([]byte(note), &s) // without a session the shard identifies
	return s
}

func parsePlan(note string) (p gateway.Plan) {
	_ = json.Unmarshal([]byte(note), &p)
	return p
}

// leases are what the database says at a time.
type leases []storage.Lease

func (c *Cluster) readLeases(ctx context.Context, prefixes ...string) (all leases, err error) {
	ctx, cancel := c.withTimeout(ctx, leaseTime-safety)
	defer cancel()
	err = c.config.Store.View(ctx, func(r storage.Reader) error {
		all = nil
		for _, p := range prefixes {
			some, err := r.Leases(p)
			if err != nil {
				return err
			}
			all = append(all, some...)
		}
		return nil
	})
	return all, err
}

// find returns a lease, the zero value if there is none.
func (l leases) find(name string) storage.Lease {
	i := slices.IndexFunc(l, func(l storage.Lease) bool { return l.Name == name })
	if i < 0 {
		return storage.Lease{}
	}
	return l[i]
}

// shard returns the lease of a shard.
func (l leases) shard(of, id int) storage.Lease { return l.find(shardName(of, id)) }

// ready reports whether all shards of a number are held and connected.
func (l leases) ready(shards int) bool {
	for id := range shards {
		if s := l.shard(shards, id); s.Left <= 0 || !parseSession(s.Note).Ready {
			return false
		}
	}
	return shards > 0
}

func shardName(of, id int) string { return shardPrefix + strconv.Itoa(of) + "/" + strconv.Itoa(id) }

// Plans implements gateway.Cluster.
func (s *Shards) Plans(ctx context.Context, ask func(context.Context) (discord.GatewayInfo, error)) <-chan gateway.Plan {
	plans := make(chan gateway.Plan)
	go func() {
		defer close(plans)
		d := &decider{s: s, ask: ask, answers: make(chan answer, 1)}
		defer d.resign(ctx)
		for sent := (gateway.Plan{}); ; {
			all, err := s.readLeases(ctx, planName)
			if err == nil {
				err = d.decide(ctx, all)
			}
			if err != nil && ctx.Err() == nil {
				s.log.Warn("the number of shards cannot be agreed on", "error", err)
			}
			if plan := parsePlan(all.find(planName).Note); plan != sent && plan.Serving > 0 {
				select {
				case plans <- plan:
					sent = plan
				case <-ctx.Done():
					return
				}
			}
			if s.sleep(ctx, pollInterval) != nil {
				return
			}
		}
	}()
	return plans
}

// Holders implements gateway.Cluster.
func (s *Shards) Holders() (holders []gateway.Shard) {
	ctx, cancel := s.withTimeout(context.Background(), time.Second)
	defer cancel()
	all, err := s.readLeases(ctx, planName)
	if err != nil {
		return nil
	}
	plan := parsePlan(all.find(planName).Note)
	for _, of := range []int{plan.Serving, plan.Next} {
		for id := range of {
			h := gateway.Shard{ID: id, Shards: of, Elsewhere: true}
			if l := all.shard(of, id); l.Left > 0 {
				h.Process, h.Connected = l.Holder, parseSession(l.Note).Ready
			}
			holders = append(holders, h)
		}
	}
	return holders
}

// Check implements gateway.Cluster.
func (s *Shards) Check() { go s.request(checkName) }

// Abandon implements gateway.Cluster.
func (s *Shards) Abandon(next int) { go s.request(abandonPrefix + strconv.Itoa(next)) }

// request leaves a lease that has run out for the deciding process.
func (s *Shards) request(name string) {
	ctx, cancel := s.withTimeout(context.Background(), leaseTime)
	defer cancel()
	if _, err := s.config.Store.AcquireLease(ctx, name, s.config.Process, "", 0); err != nil {
		s.log.Warn("the number of shards is not checked", "error", err)
	}
}

// decider decides on the number of shards while this process has the lease for that.
type decider struct {
	s    *Shards
	ask  func(context.Context) (discord.GatewayInfo, error)
	held *lease // nil without the lease
	stop func() // ends its renewal
	plan gateway.Plan

	asking  bool
	again   time.Time // when Discord is to be asked next
	answers chan answer
}

type answer struct {
	info discord.GatewayInfo
	err  error
}

// decide changes the plan if there is a reason, and records it.
func (d *decider) decide(ctx context.Context, all leases) error {
	s := d.s
	if d.held != nil && !d.held.valid() {
		d.stop()
		d.held = nil
	}
	if d.held == nil {
		if all.find(planName).Left > 0 {
			return nil
		}
		held, err := s.acquire(ctx, planName)
		if errors.Is(err, storage.ErrHeld) {
			return nil
		}
		if err != nil {
			return err
		}
		d.plan, d.again = parsePlan(held.record.Note), s.config.Now().Add(checkInterval)
		if d.plan.Serving == 0 || len(all) == 1 { // no shard has ever been held, or a long time ago
			d.plan, d.again = gateway.Plan{}, s.config.Now()
		}
		plan := d.plan.String()
		held.note = func() string { return plan }
		_, d.stop = s.keep(ctx, held)
		d.held = held
	}
	plan := d.plan
	newest := cmp.Or(plan.Next, plan.Serving)
	if plan.Next > 0 && all.ready(plan.Next) {
		s.log.Info("the number of shards changes", "from", plan.Serving, "to", plan.Next)
		plan = gateway.Plan{Serving: plan.Next}
	}
	for _, l := range all {
		next, abandoned := strings.CutPrefix(l.Name, abandonPrefix)
		switch {
		case l.Name == checkName:
			d.again = s.config.Now()
		case abandoned && next == strconv.Itoa(plan.Next):
			plan.Next = 0
		case !abandoned:
			continue
		}
		if err := s.config.Store.ReleaseLease(ctx, storage.Lease{Name: l.Name, Holder: l.Holder, Token: l.Token}); err != nil && !errors.Is(err, storage.ErrFenced) {
			return err
		}
	}
	select {
	case a := <-d.answers:
		d.asking = false
		want, limit := max(a.info.Shards, 1), a.info.SessionStartLimit
		switch {
		case a.err != nil:
			s.log.Warn("the recommended number of shards is unknown", "reason", a.err)
			d.again = s.config.Now().Add(leaseTime)
		case want > newest && plan.Serving > 0 && limit.Remaining < want:
			s.log.Warn("more shards are recommended than may identify today", "shards", newest, "recommended", want, "remaining", limit.Remaining)
			d.again = s.config.Now().Add(max(limit.ResetAfter, leaseTime))
		case plan.Serving == 0:
			plan.Serving = want
		case want > newest:
			plan.Next = want
		}
	default:
	}
	switch {
	case s.number > 0 && plan.Serving == 0:
		plan.Serving = s.number
	case s.number > 0 && s.number != newest:
		plan.Next = s.number
	case s.number == 0 && !d.asking && !s.config.Now().Before(d.again):
		d.asking, d.again = true, s.config.Now().Add(checkInterval)
		go func() {
			info, err := d.ask(ctx)
			d.answers <- answer{info, err}
		}()
	}
	if plan == d.plan {
		return nil
	}
	d.plan = plan
	text := plan.String()
	d.held.setNote(func() string { return text })
	return d.held.renew(ctx)
}

// resign lets another process decide.
func (d *decider) resign(ctx context.Context) {
	if d.held != nil {
		d.stop()
		d.held.release(ctx, d.plan.String())
	}
}

// Assign implements gateway.Assigner. Each process holds as many shards as the
// others, or one more. When this one ends, others go on with its sessions.
func (s *Shards) Assign(ctx context.Context, shards int, hold gateway.Hold) error {
	s.awaitAnnouncement(ctx, shards)
	a := &assignment{Shards: s, of: shards, hold: hold, holdings: map[int]*holding{}, ended: make(chan *holding)}
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

// awaitAnnouncement waits, if the shards are those of a next number, until all
// processes know of it.
func (s *Shards) awaitAnnouncement(ctx context.Context, shards int) {
	all, err := s.readLeases(ctx, planName)
	if err != nil || parsePlan(all.find(planName).Note).Next == shards {
		_ = s.sleep(ctx, announceTime)
	}
}

// assignment is the shards of a number that this process holds.
type assignment struct {
	*Shards
	of       int
	hold     gateway.Hold
	holdings map[int]*holding
	ended    chan *holding

	member *lease // makes this process one of those that share the shards
	stop   func() // ends the renewal of member
}

// join makes this process one of those that share the shards.
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
	return session{from.SessionID, from.Address, from.Sequence, state.Connected}
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
	if err != nil {
		if ctx.Err() == nil {
			a.log.Warn("the shards cannot be shared", "error", err)
		}
		return retryInterval
	}
	for _, h := range a.holdings {
		if ready := h.state().Ready; ready != h.noted && h.lease.valid() {
			if err := h.lease.renew(ctx); err == nil {
				h.noted = ready
			}
		}
	}
	count, own := map[string]int{a.config.Process: 0}, len(a.holdings)
	var free []int
	for _, l := range all {
		if name, ok := strings.CutPrefix(l.Name, members); ok && l.Left > 0 {
			count[name] += 0
		}
	}
	for id := range a.of {
		switch l := all.find(shardName(a.of, id)); {
		case l.Left > 0:
			count[l.Holder]++
		case a.holdings[id] == nil:
			free = append(free, id)
		}
	}
	least, most := a.of/len(count), (a.of+len(count)-1)/len(count)
	missing, busiest := 0, a.config.Process
	for name, n := range count {
		if name != a.config.Process {
			missing += max(0, least-n)
		}
		if n > count[busiest] || n == count[busiest] && name < busiest {
			busiest = name
		}
	}
	switch {
	case len(free) > 0 && (own < least || own < most && len(free) > missing):
		id := free[0]
		if err := a.take(ctx, id); err != nil && !errors.Is(err, storage.ErrHeld) && ctx.Err() == nil {
			a.log.Warn("a shard cannot be acquired", "shard", id, "error", err)
			return retryInterval
		}
		return 0
	case len(free) == 0 && own > least && missing > 0 && busiest == a.config.Process:
		a.giveAway()
	case own < least:
		return needyInterval
	}
	return pollInterval
}

// giveAway hands the last connected shard over.
func (a *assignment) giveAway() {
	for id := a.of - 1; id >= 0; id-- {
		if h := a.holdings[id]; h != nil && h.state().Ready {
			h.end(gateway.ErrHandOver)
			return
		}
	}
}

// take holds a shard, if no other process has acquired it.
func (a *assignment) take(ctx context.Context, id int) error {
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
	a.log.Info("holding a shard", "shard", id, "shards", a.of, "resumes", from.ID != "")
	l.setNote(func() string { return cmp.Or(h.state(), from).String() })
	go func() {
		var to gateway.Handover
		to, h.err = a.hold(running, gateway.Assignment{
			Shard: id, From: gateway.Handover{SessionID: from.ID, Address: from.Address, Sequence: from.Sequence}, Valid: l.valid,
			Watch: func(snapshot func() (gateway.Handover, gateway.State)) {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.snapshot = snapshot
			},
		})
		lost := held.Err() != nil
		stop()
		note := ""
		if errors.Is(context.Cause(running), gateway.ErrHandOver) {
			note = session{ID: to.SessionID, Address: to.Address, Sequence: to.Sequence}.String()
		}
		if !lost {
			l.release(ctx, note)
		}
		a.log.Info("left a shard", "shard", id, "shards", a.of, "reason", context.Cause(running))
		a.ended <- h
	}()
	return nil
}

// Admit implements gateway.Cluster.
func (s *Shards) Admit(ctx context.Context, bucket int, limit, pause time.Duration) (done func(time.Time), err error) {
	name := identifyPrefix + strconv.Itoa(bucket)
	for {
		l, err := s.config.Store.AcquireLease(ctx, name, s.config.Process, "", 2*limit)
		if err == nil {
			return func(sent time.Time) {
				ctx, cancel := s.withTimeout(context.WithoutCancel(ctx), time.Second)
				defer cancel()
				left := sent.Add(pause).Sub(s.config.Now())
				if left > 0 {
					_, err = s.config.Store.RenewLease(ctx, l, left)
				} else {
					err = s.config.Store.ReleaseLease(ctx, l)
				}
				if err != nil {
					s.log.Warn("others have to wait before they identify", "bucket", bucket, "error", err)
				}
			}, nil
		}
		if !errors.Is(err, storage.ErrHeld) {
			return nil, err
		}
		if err := s.sleep(ctx, pollInterval); err != nil {
			return nil, err
		}
	}
}

// Claim implements gateway.Cluster. Without the database it claims the interaction,
// since the update that it leads to finds out whether it was processed.
func (s *Shards) Claim(interaction string) bool {
	ctx, cancel := s.withTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := s.config.Store.AcquireLease(ctx, interactionPrefix+interaction, s.config.Process, "", claimTime)
	return !errors.Is(err, storage.ErrHeld)
}
