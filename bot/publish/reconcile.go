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
		next, stop := p.nextDeadline()
		for waiting := true; waiting; {
			idle := p.idle
			if p.Woken() {
				idle = nil
			}
			select {
			case <-ctx.Done():
				stop()
				return
			case idle <- struct{}{}:
			case <-ticks:
				waiting = false
			case <-next:
				waiting = false
			case <-p.wake:
				waiting = false
			}
		}
		stop()
	}
}

// nextDeadline returns a channel that receives when the next match has to be checked, if
// that is before the next tick: a live clock does not wait for ticks. stop releases it.
func (p *Publisher) nextDeadline() (next <-chan time.Time, stop func()) {
	wait := p.next.Sub(p.host.Now())
	if p.config.Ticks != nil || p.next.IsZero() || wait >= ReconcileInterval {
		return nil, func() {}
	}
	t := time.NewTimer(max(wait, 0))
	return t.C, func() { t.Stop() }
}

// RunEvents does only what follows from events of the gateway, until the context is
// done. Another process of the bot calls Run.
func (p *Publisher) RunEvents(ctx context.Context) {
	ticks, stop := p.ticks()
	defer stop()
	for ctx.Err() == nil {
		p.followEvents(ctx)
		p.config.Connected(ctx) // keeps in contact
		p.config.OnReconcile()
		select {
		case <-ctx.Done():
		case <-ticks:
		case <-p.wake:
		}
	}
}

func (p *Publisher) ticks() (ticks <-chan time.Time, stop func()) {
	if p.config.Ticks != nil {
		return p.config.Ticks, func() {}
	}
	t := time.NewTicker(ReconcileInterval)
	return t.C, t.Stop
}

// followEvents tries again what may be possible now, leaves threads that were locked or
// deleted, stops the clocks of places that are gone, and has matches corrected of which the database has lost turns.
func (p *Publisher) followEvents(ctx context.Context) {
	if err := p.host.CorrectLost(ctx); err != nil && ctx.Err() == nil {
		p.log.Error("correcting matches of which turns were lost", "error", err)
	}
	for _, place := range p.reachable.take() {
		p.RetryPlace(ctx, place)
	}
	for _, thread := range p.locked.take() {
		p.leaveThread(ctx, thread, storage.ThreadLocked)
	}
	for _, place := range p.deleted.take() {
		if place.Channel != "" {
			p.leaveThread(ctx, place, storage.ThreadDeleted)
		}
		p.loseContact(ctx, place, true)
	}
	for _, place := range p.unavailable.take() {
		p.loseContact(ctx, place, false)
	}
	for _, m := range p.present.take() {
		p.recordPresence(ctx, m)
	}
	for _, m := range p.lookFor.take() {
		p.CheckMember(discord.InBackground(ctx), m.guild, m.person)
	}
}

func (p *Publisher) markRun() {
	now := time.Now()
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
	return time.Since(*at), true
}

// Wake makes the reconciler run without waiting for its tick. It does not
// block.
func (p *Publisher) Wake() {
	select {
	case p.wake <- struct{}{}:
	default: // woken already
	}
}

// Invalidate looks for work that another process has made possible.
func (p *Publisher) Invalidate(s storage.Signal) {
	if s.Kind == storage.PostsDue || s.Kind == storage.SignalsLost {
		p.Wake()
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
	lease   storage.DeliveryLease // zero if there is none
	do      func(context.Context)
}

// Reconcile finds and does the missing work once. It is idempotent. Jobs in
// different channels run at the same time; jobs of one channel run in order, the
// longest waiting first.
func (p *Publisher) Reconcile(ctx context.Context) {
	if !p.StoreWritable() {
		return
	}
	if err := p.host.CheckStore(); err != nil {
		p.log.Error("nothing is saved any more", "error", err)
		p.PauseOnStoreError(err) // says so again after the pause
		p.away.Store(true)
		return
	}
	ctx = discord.InBackground(ctx)
	connected := p.config.Connected(ctx)
	if connected {
		if err := p.host.Contact(ctx); err != nil && ctx.Err() == nil {
			p.log.Error("recording contact with Discord", "error", err)
		}
	}
	reminders := p.processDeadlines(ctx, connected)
	p.processTournaments(ctx)
	p.config.OnReconcile()
	work, err := p.host.ClaimWork(ctx, batchSize)
	if err != nil {
		if ctx.Err() == nil {
			p.log.Error("looking for pending posts", "error", err)
			p.away.Store(true)
			if errors.Is(err, storage.ErrNoTables) { // it will not be over in a moment
				p.PauseOnStoreError(err)
			}
		}
		return
	}
	if p.away.Swap(false) {
		p.log.Info("the database can be used again: what is due is posted")
	}
	p.countSkews(work.PendingPosts)
	starting, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(maxChannels)
	for _, jobs := range byChannel(append(p.jobs(work, reminders), p.tournamentJobs(ctx)...)) {
		group.Go(func() error {
			for _, j := range jobs {
				if starting.Err() != nil || !p.StoreWritable() {
					p.host.EndShow(context.WithoutCancel(ctx), j.lease)
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
	p.deleteDuplicates(ctx)
}

// clockTolerance is how far the clock may go back without a warning in the log.
const clockTolerance = time.Minute

// countSkews counts and logs the work that was planned for more than
// clockTolerance after now. It is pending nevertheless, because the clock must
// have gone back (see storage.IsDue).
func (p *Publisher) countSkews(work storage.PendingPosts) {
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
		p.skews.Add(uint64(n))
		p.log.Warn("the clock has gone back; posts and edits that were due later than they can be are done now", "count", n)
	}
}

// ClockSkews returns how many posts and edits were done before their planned time,
// because the clock had gone back since they were planned.
func (p *Publisher) ClockSkews() uint64 { return p.skews.Load() }

// jobs returns one job for each match, challenge and direct message. Direct messages
// come last: each waits for a channel of its own to be opened.
func (p *Publisher) jobs(work storage.ClaimedPosts, reminders []*host.View) (jobs []job) {
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
	for _, v := range reminders {
		player, _ := v.ToMove()
		jobs = append(jobs, job{direct + player.ID, storage.DeliveryLease{}, func(ctx context.Context) { p.remindDirectly(ctx, v) }})
	}
	for _, d := range work.Daily {
		jobs = append(jobs, job{direct + d.Person, storage.DeliveryLease{}, func(ctx context.Context) { p.sendDaily(ctx, d) }})
	}
	return jobs
}

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
func hasEnded(l storage.DeliveryLease) bool {
	return !l.Ends.IsZero() && time.Until(l.Ends) < 2*leaseMargin
}

func (p *Publisher) reconcileChallenge(ctx context.Context, ch storage.Challenge, lease storage.DeliveryLease) {
	if hasEnded(lease) {
		return
	}
	defer p.recoverPanic("challenge", int64(ch.ID), func() error {
		_, err := p.host.ChallengeFailed(context.WithoutCancel(ctx), lease, ch, host.Failure{Blocked: true})
		return err
	})
	_, _ = p.showChallenge(ctx, ch.ID, lease)
}

func (p *Publisher) reconcileBoard(ctx context.Context, b storage.Board, lease storage.DeliveryLease) {
	if hasEnded(lease) {
		return
	}
	postpone := func() error {
		_, err := p.host.BoardFailed(context.WithoutCancel(ctx), lease, b, host.Failure{Blocked: true})
		return err
	}
	defer p.recoverPanic("match", int64(b.Match), postpone)
	v, err := p.host.Match(ctx, b.Match)
	if err != nil {
		p.host.EndShow(context.WithoutCancel(ctx), lease)
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

// processDeadlines expires challenges, sends reminders in channels and ends matches
// whose time is up. Of two processes that find the same deadline, one does the work.
// It returns the matches whose players want to be reminded directly.
func (p *Publisher) processDeadlines(ctx context.Context, connected bool) (reminders []*host.View) {
	overdue, err := p.host.Overdue(ctx, batchSize)
	p.next = overdue.Next
	if err != nil {
		if ctx.Err() == nil {
			p.log.Error("looking for deadlines", "error", err)
		}
		return nil
	}
	for _, id := range overdue.Challenges {
		if err := p.host.Expire(ctx, id); err != nil && ctx.Err() == nil {
			p.log.Error("expiring a challenge", "challenge", id, "error", err)
		}
	}
	for _, id := range overdue.Matches {
		if connected && !p.checkReachable(ctx, id) {
			continue
		}
		v, err := p.host.ProcessDeadline(ctx, id)
		if err != nil && ctx.Err() == nil {
			p.log.Error("processing a deadline", "match", id, "error", err)
		}
		if err == nil && v != nil {
			reminders = append(reminders, v)
		}
	}
	return reminders
}

// reminderTimeout bounds an attempt to remind directly. It is short, so that Discord
// still remembers the nonce when the last attempt sends the message.
const reminderTimeout = 2 * time.Second

// remindDirectly sends the player to move a direct message, and records that. If it
// cannot be sent, a board reminds them. If it may have been sent, the attempt is
// repeated only while Discord remembers the nonce of the first one.
func (p *Publisher) remindDirectly(ctx context.Context, v *host.View) {
	id := v.Record.ID
	defer p.recoverPanic("match", int64(id), func() error { return p.host.Reminded(context.WithoutCancel(ctx), v, false) })
	first, needed, err := p.host.BeginReminder(context.WithoutCancel(ctx), v)
	if err == nil && needed {
		reached := p.host.Now().Sub(first).Abs() > nonceLifetime
		if !reached {
			reached, err = p.sendReminder(ctx, v)
		}
		if err == nil {
			err = p.host.Reminded(context.WithoutCancel(ctx), v, reached)
		}
		if err == nil && !reached {
			_, _ = p.ShowMatch(ctx, id) // which counts and logs failures
		}
	}
	if err != nil && ctx.Err() == nil {
		p.log.Error("sending a reminder", "match", id, "error", err)
	}
}

// sendReminder sends the player to move a direct message, and reports whether they
// got it. It fails if that is not known.
func (p *Publisher) sendReminder(ctx context.Context, v *host.View) (reached bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, reminderTimeout)
	defer cancel()
	player, _ := v.ToMove()
	channel, err := p.client.OpenDirect(ctx, player.ID)
	if err != nil {
		return false, nil //nolint:nilerr // nothing was sent
	}
	kind := "r" + strconv.FormatInt(int64(v.Match.PublicSeq()), 36) + "-"
	_, err = p.client.CreateMessage(ctx, channel, nonce(kind, int64(v.Record.ID), v.Record.CreatedAt), message.Reminder(p.config.Say(ctx, "", player.ID), v))
	if discord.OutcomeUnknown(err) {
		return false, err
	}
	return err == nil || discord.HasCode(err, discord.CodeUnknownMessage), nil // deleted: it was there
}
