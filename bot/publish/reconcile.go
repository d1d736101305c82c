package publish

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// ReconcileInterval is the time between runs of the reconciler.
const ReconcileInterval = 5 * time.Second

const (
	// batchSize is the number of boards and of challenges per run.
	batchSize = 100
	// maxChannels is the number of channels worked on at a time. A slow or
	// rate-limited channel does not hold up the others.
	maxChannels = 4
	// runTime is how long a run starts new jobs. The jobs left over come first in
	// the next run, because they have waited longest.
	runTime = 30 * time.Second
	// JobTimeout bounds the work on one match or challenge: a long wait that
	// Discord demands must not hold up the others.
	JobTimeout = time.Minute
)

// Run brings channels up to date at the start, at every tick and when woken,
// until the context is done.
func (p *Publisher) Run(ctx context.Context) {
	ticks, stop := p.ticks()
	defer stop()
	p.markRun()
	for {
		p.followEvents(ctx)
		p.Reconcile(ctx)
		p.markRun()
		for waiting := true; waiting; {
			idle := p.idle
			if p.Woken() {
				idle = nil
			}
			select {
			case <-ctx.Done():
				return
			case idle <- struct{}{}:
			case <-ticks:
				waiting = false
			case <-p.wake:
				waiting = false
			}
		}
	}
}

// RunEvents does only what follows from events of the gateway, until the context is
// done. Another process of the bot calls Run.
func (p *Publisher) RunEvents(ctx context.Context) {
	ticks, stop := p.ticks()
	defer stop()
	for ctx.Err() == nil {
		p.followEvents(ctx)
		if p.config.Connected != nil {
			p.config.Connected(ctx) // keeps in contact
		}
		if p.config.OnReconcile != nil {
			p.config.OnReconcile()
		}
		select {
		case <-ctx.Done():
		case <-ticks:
		case <-p.wake:
		}
	}
}

// ticks returns the configured ticks, or new ones.
func (p *Publisher) ticks() (ticks <-chan time.Time, stop func()) {
	if p.config.Ticks != nil {
		return p.config.Ticks, func() {}
	}
	t := time.NewTicker(ReconcileInterval)
	return t.C, t.Stop
}

// followEvents tries again what may be possible now, and leaves threads that were
// locked.
func (p *Publisher) followEvents(ctx context.Context) {
	for place := range p.reachable.take() {
		p.RetryPlace(ctx, place)
	}
	for thread := range p.locked.take() {
		p.leaveLockedThread(ctx, thread)
	}
}

// markRun records the time for SinceRun.
func (p *Publisher) markRun() {
	now := p.clock()
	p.lastRun.Store(&now)
}

// SinceRun returns how long ago the reconciler last finished a run, or started
// its first. ok is false before that. A run starts no work after runTime, and
// no job takes longer than JobTimeout.
func (p *Publisher) SinceRun() (d time.Duration, ok bool) {
	at := p.lastRun.Load()
	if at == nil {
		return 0, false
	}
	return p.clock().Sub(*at), true
}

// Wake makes the reconciler run without waiting for its tick. It does not
// block.
func (p *Publisher) Wake() {
	select {
	case p.wake <- struct{}{}:
	default: // woken already
	}
}

// Woken reports whether the reconciler is about to run.
func (p *Publisher) Woken() bool { return len(p.wake) > 0 }

// Idle returns a channel that can be received from while the reconciler waits
// for its next tick.
func (p *Publisher) Idle() <-chan struct{} { return p.idle }

// job is the work of a run on one match, challenge or daily message.
type job struct {
	channel string
	lease   storage.ShowLease // zero if there is none
	do      func(context.Context)
}

// Reconcile finds and does the missing work once. It is idempotent. Jobs in
// different channels run at the same time; jobs of one channel run in order, the
// longest waiting first.
func (p *Publisher) Reconcile(ctx context.Context) {
	if !p.CanSave() {
		return
	}
	if err := p.host.Intact(); err != nil {
		p.log.Error("nothing is saved any more", "error", err)
		p.NoteError(err) // says so again after the pause
		p.away.Store(true)
		return
	}
	ctx = discord.InBackground(ctx)
	if p.config.Connected == nil || p.config.Connected(ctx) {
		if err := p.host.Contact(ctx); err != nil && ctx.Err() == nil {
			p.log.Error("recording contact with Discord", "error", err)
		}
	}
	p.deleteSurplus(ctx)
	p.processDeadlines(ctx)
	if p.config.OnReconcile != nil {
		p.config.OnReconcile()
	}
	work, err := p.host.ClaimWork(ctx, batchSize)
	if err != nil {
		if ctx.Err() == nil {
			p.log.Error("looking for pending posts", "error", err)
			p.away.Store(true)
			if errors.Is(err, storage.ErrNoTables) { // it will not be over in a moment
				p.NoteError(err)
			}
		}
		return
	}
	if p.away.Swap(false) {
		p.log.Info("the database can be used again: what is due is posted")
	}
	p.countAhead(work.PendingPosts)
	starting, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(maxChannels)
	for _, jobs := range byChannel(p.jobs(work)) {
		group.Go(func() error {
			for _, j := range jobs {
				if starting.Err() != nil || !p.CanSave() {
					p.host.EndShow(uncancelled(ctx), j.lease)
					continue
				}
				ctx, cancel := context.WithTimeout(ctx, JobTimeout)
				j.do(ctx)
				cancel()
			}
			return nil
		})
	}
	_ = group.Wait() // failures are counted and logged where they happen
	p.archiveThreads(ctx)
}

// clockTolerance is how far the clock may go back without a warning in the log.
const clockTolerance = time.Minute

// countAhead counts and logs the work that was planned for more than
// clockTolerance after now. It is pending nevertheless, because the clock must
// have gone back (see storage.IsDue).
func (p *Publisher) countAhead(work storage.PendingPosts) {
	now, n := p.host.Now(), 0
	count := func(next time.Time) {
		if next.Sub(now) > clockTolerance {
			n++
		}
	}
	for _, ch := range work.Challenges {
		count(ch.NextAttempt)
	}
	for _, b := range work.Boards {
		count(b.NextAttempt)
	}
	if n > 0 {
		p.ahead.Add(uint64(n))
		p.log.Warn("the clock has gone back; posts and edits that were due later than they can be are done now", "count", n)
	}
}

// Ahead returns how many posts and edits were done before their planned time,
// because the clock had gone back since they were planned.
func (p *Publisher) Ahead() uint64 { return p.ahead.Load() }

// jobs returns one job for each match, challenge and daily message.
func (p *Publisher) jobs(work storage.ClaimedPosts) (jobs []job) {
	for _, ch := range work.Challenges {
		lease := work.ChallengeLeases[ch.ID]
		jobs = append(jobs, job{ch.Place.Channel, lease, func(ctx context.Context) { p.reconcileChallenge(ctx, ch, lease) }})
	}
	seen := map[storage.MatchID]bool{}
	for _, b := range work.Boards {
		if !seen[b.Match] {
			seen[b.Match] = true
			lease := work.MatchLeases[b.Match]
			jobs = append(jobs, job{b.Place.Channel, lease, func(ctx context.Context) { p.reconcileBoard(ctx, b, lease) }})
		}
	}
	for _, d := range work.Daily {
		jobs = append(jobs, job{direct + d.Person, storage.ShowLease{}, func(ctx context.Context) { p.sendDaily(ctx, d) }})
	}
	return jobs
}

// byChannel groups jobs by channel and keeps their order.
func byChannel(jobs []job) (channels [][]job) {
	index := map[string]int{}
	for _, j := range jobs {
		i, ok := index[j.channel]
		if !ok {
			i = len(channels)
			index[j.channel] = i
			channels = append(channels, nil)
		}
		channels[i] = append(channels[i], j)
	}
	return channels
}

// hasEnded reports whether a lease has run out before its job began. Another process
// does the job.
func hasEnded(l storage.ShowLease) bool {
	return !l.Ends.IsZero() && time.Until(l.Ends) < 2*leaseMargin
}

func (p *Publisher) reconcileChallenge(ctx context.Context, ch storage.Challenge, lease storage.ShowLease) {
	if hasEnded(lease) {
		return
	}
	defer p.recoverPanic("challenge", int64(ch.ID), func() error {
		_, err := p.host.ChallengeFailed(uncancelled(ctx), lease, ch, host.Failure{Blocked: true})
		return err
	})
	_, _ = p.showChallenge(ctx, ch.ID, lease)
}

func (p *Publisher) reconcileBoard(ctx context.Context, b storage.Board, lease storage.ShowLease) {
	if hasEnded(lease) {
		return
	}
	postpone := func() error {
		_, err := p.host.BoardFailed(uncancelled(ctx), lease, b, host.Failure{Blocked: true})
		return err
	}
	defer p.recoverPanic("match", int64(b.Match), postpone)
	v, err := p.host.Match(ctx, b.Match)
	if err != nil {
		p.host.EndShow(uncancelled(ctx), lease)
	} else {
		_, err = p.show(ctx, v, showOptions{now: p.host.Now(), lease: lease})
	}
	if errors.Is(err, host.ErrCannotReplay) {
		// Postpone the match, or it would come first in every run.
		p.log.Error("a match cannot be shown", "match", b.Match, "error", err, "postponed", postpone())
	}
}

// recoverPanic is deferred around a job: a panic is logged and counted as a
// failure, and ends neither the other jobs nor the bot.
func (p *Publisher) recoverPanic(what string, id int64, count func() error) {
	if r := recover(); r != nil {
		p.log.Error("panic in the reconciler", what, id, "panic", fmt.Sprint(r), "stack", string(debug.Stack()), "counted", count())
	}
}

// processDeadlines expires challenges, sends reminders and ends matches whose time
// is up. It is idempotent, and nothing depends on when it runs.
func (p *Publisher) processDeadlines(ctx context.Context) {
	overdue, err := p.host.Overdue(ctx, batchSize)
	if err != nil {
		if ctx.Err() == nil {
			p.log.Error("looking for deadlines", "error", err)
		}
		return
	}
	for _, id := range overdue.Challenges {
		if err := p.host.Expire(ctx, id); err != nil && ctx.Err() == nil {
			p.log.Error("expiring a challenge", "challenge", id, "error", err)
		}
	}
	for _, id := range overdue.Matches {
		direct, err := p.host.Remind(ctx, id)
		if err == nil && direct != nil {
			err = p.remindDirectly(ctx, direct)
		}
		if err != nil && ctx.Err() == nil {
			p.log.Error("sending a reminder", "match", id, "error", err)
		}
	}
}

// remindDirectly sends the player to move a direct message, and records that. If it
// cannot be sent, a board reminds them. If it may have been sent, the attempt is
// repeated only while Discord remembers the nonce.
func (p *Publisher) remindDirectly(ctx context.Context, v *host.View) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	player, _ := v.ToMove()
	if v.ReadAt.Sub(v.Record.Deadline) > nonceLifetime {
		return p.host.Reminded(uncancelled(ctx), v, true)
	}
	reached := false
	if channel, err := p.client.OpenDirect(ctx, player.ID); err == nil {
		kind := "r" + strconv.FormatInt(int64(v.Match.PublicSeq()), 36) + "-"
		_, err = p.client.CreateMessage(ctx, channel, nonce(kind, int64(v.Record.ID), v.Record.CreatedAt), message.Reminder(p.say(ctx, "", player.ID), v))
		if discord.OutcomeUnknown(err) {
			return err
		}
		reached = err == nil || discord.HasCode(err, discord.CodeUnknownMessage) // it was deleted
	}
	return p.host.Reminded(uncancelled(ctx), v, reached)
}
