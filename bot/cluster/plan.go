package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/storage"
)

const (
	// announcePolls is the time between the announcement of a next number of shards
	// and their first connection, in Config.Poll. By then all processes recognise the
	// interactions that Discord sends to both.
	announcePolls = 8
	// checkInterval is the time between two questions how many shards Discord
	// recommends.
	checkInterval = 24 * time.Hour
)

func parsePlan(note string) (p gateway.Plan) {
	_ = json.Unmarshal([]byte(note), &p)
	return p
}

// Plans implements gateway.Cluster.
func (s *Sharding) Plans(ctx context.Context, ask func(context.Context) (discord.GatewayInfo, error)) <-chan gateway.Plan {
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
			s.report(ctx, "the number of shards cannot be agreed on", err)
			if plan := parsePlan(all.find(planName).Note); plan != sent && plan.Serving > 0 {
				select {
				case plans <- plan:
					sent = plan
				case <-ctx.Done():
					return
				}
			}
			if s.config.Sleep(ctx, s.config.Poll) != nil {
				return
			}
		}
	}()
	return plans
}

// Check implements gateway.Cluster.
func (s *Sharding) Check() { go s.request(checkName) }

// Abandon implements gateway.Cluster.
func (s *Sharding) Abandon(next int) { go s.request(abandonPrefix + strconv.Itoa(next)) }

// request leaves a lease that has run out for the deciding process.
func (s *Sharding) request(name string) {
	ctx, cancel := s.config.WithTimeout(context.Background(), leaseTime)
	defer cancel()
	if _, err := s.config.Store.AcquireLease(ctx, name, s.config.Process, "", 0); err != nil {
		s.log.Warn("the number of shards is not checked", "error", err)
	}
}

// decider decides on the number of shards while this process has the lease for that.
type decider struct {
	s    *Sharding
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

func (d *decider) decide(ctx context.Context, all leases) error {
	if leads, err := d.lead(ctx, all); !leads {
		return err
	}
	s, plan := d.s, d.plan
	newest := cmp.Or(plan.Next, plan.Serving)
	if plan.Next > 0 && all.ready(plan.Next) {
		s.log.Info("the number of shards changes", "from", plan.Serving, "to", plan.Next)
		plan = gateway.Plan{Serving: plan.Next}
	}
	plan, err := d.obey(ctx, all, plan)
	if err != nil {
		return err
	}
	select {
	case a := <-d.answers:
		plan = d.hear(a, plan, newest)
	default:
	}
	switch {
	case s.number > 0 && plan.Serving == 0:
		plan.Serving = s.number
	case s.number > 0 && s.number != newest:
		plan.Next = s.number
	case s.number == 0 && !d.asking && !d.s.config.Now().Before(d.again):
		d.asking, d.again = true, d.s.config.Now().Add(checkInterval)
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

// lead reports whether this process decides. It tries to acquire the lease for that.
func (d *decider) lead(ctx context.Context, all leases) (bool, error) {
	if d.held != nil && d.held.valid() {
		return true, nil
	}
	if d.held != nil {
		d.stop()
		d.held = nil
	}
	if all.find(planName).Left > 0 {
		return false, nil
	}
	held, err := d.s.acquire(ctx, planName)
	if errors.Is(err, storage.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	d.plan, d.again = parsePlan(held.record.Note), d.s.config.Now().Add(checkInterval)
	if d.plan.Serving == 0 || len(all) == 1 { // no shard has ever been held, or a long time ago
		d.plan, d.again = gateway.Plan{}, d.s.config.Now()
	}
	plan := d.plan.String()
	held.note = func() string { return plan }
	_, d.stop = d.s.keep(ctx, held)
	d.held = held
	return true, nil
}

// obey does what processes have requested, and removes the requests.
func (d *decider) obey(ctx context.Context, all leases, plan gateway.Plan) (gateway.Plan, error) {
	for _, l := range all {
		next, abandoned := strings.CutPrefix(l.Name, abandonPrefix)
		switch {
		case l.Name == checkName:
			d.again = d.s.config.Now()
		case abandoned && next == strconv.Itoa(plan.Next):
			plan.Next = 0
		case !abandoned:
			continue
		}
		if err := d.s.config.Store.ReleaseLease(ctx, storage.Lease{Name: l.Name, Holder: l.Holder, Token: l.Token}); err != nil && !errors.Is(err, storage.ErrFenced) {
			return plan, err
		}
	}
	return plan, nil
}

// hear follows what Discord recommends. newest is the number of shards that is served or
// to come.
func (d *decider) hear(a answer, plan gateway.Plan, newest int) gateway.Plan {
	d.asking = false
	want, limit := max(a.info.Shards, 1), a.info.SessionStartLimit
	switch {
	case a.err != nil:
		d.s.log.Warn("the recommended number of shards is unknown", "reason", a.err)
		d.again = d.s.config.Now().Add(leaseTime)
	case want > newest && plan.Serving > 0 && limit.Remaining < want:
		d.s.log.Warn("more shards are recommended than may identify today", "shards", newest, "recommended", want, "remaining", limit.Remaining)
		d.again = d.s.config.Now().Add(max(limit.ResetAfter, leaseTime))
	case plan.Serving == 0:
		plan.Serving = want
	case want > newest:
		plan.Next = want
	}
	return plan
}

func (d *decider) resign(ctx context.Context) {
	if d.held != nil {
		d.stop()
		d.held.release(ctx, d.plan.String())
	}
}

// awaitAnnouncement waits, if the shards are those of a next number, until all
// processes know of it.
func (s *Sharding) awaitAnnouncement(ctx context.Context, shards int) {
	all, err := s.readLeases(ctx, planName)
	if err != nil || parsePlan(all.find(planName).Note).Next == shards {
		_ = s.config.Sleep(ctx, announcePolls*s.config.Poll)
	}
}
