package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// persist has people play until the test winds down and their match is over. Every
// answer is compared with the database, and nobody gives up.
func (t *table) persist(ctx context.Context) error {
	for inARow := 0; !t.e.failed(); {
		over, err := t.once(ctx)
		switch {
		case errors.Is(err, errChanged) && inARow < 30:
			inARow++
			t.turn, t.panel, t.next, t.stuck = nil, "", nil, ""
			t.e.think(300)
		case err != nil || over:
			return err
		default:
			inARow = 0
		}
	}
	return nil
}

// once makes one attempt. over reports that there is none left to make.
func (t *table) once(ctx context.Context) (over bool, err error) {
	if t.e.alone != nil {
		t.e.alone.rest.RLock()
		defer t.e.alone.rest.RUnlock()
	}
	if a := t.pending; a != nil {
		if err := t.awaitTimeout(ctx, a); err != nil {
			return false, err
		}
	}
	if err := t.settled(ctx); err != nil {
		return false, fmt.Errorf("%w; %s", err, t.e.now.boards(t.match))
	}
	if t.e.windingDown() {
		t.limit = 0
	}
	t.e.think(t.r.IntN(300))
	t.redeliverDeed()
	a := t.choose()
	if t.stuck != "" {
		return false, fmt.Errorf("%w: %s", errChanged, t.stuck)
	}
	if a == nil {
		return true, nil
	}
	return false, t.carryOut(ctx, a)
}

// awaitTimeout waits until the bot has ended a match because the time of a player is up.
func (t *table) awaitTimeout(ctx context.Context, a *attempt) error {
	for began := time.Now(); ctx.Err() == nil; t.e.think(1000) {
		stands, err := t.compare(t.e.now)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if stands {
			t.apply(a)
			t.pending, t.turn, t.panel, t.next = nil, nil, "", nil // what somebody was about to do no longer applies
			return nil
		}
		if time.Since(began) > patience {
			return fmt.Errorf("%s: match %d: the time of seat %d is up, and nothing happens", t.name, t.match, t.model.Seat())
		}
	}
	return context.Cause(ctx)
}

// cannot notes what somebody could not do. A message may change or move between two looks.
func (t *table) cannot(format string, args ...any) { t.stuck = fmt.Sprintf(format, args...) }

// redeliverDeed sometimes has Discord deliver an interaction again that has counted.
func (t *table) redeliverDeed() {
	if len(t.past) > 0 && t.r.IntN(6) == 0 {
		if err := t.e.chat.Redeliver(t.past[t.r.IntN(len(t.past))]); err == nil {
			t.e.count(func(f *figures) { f.longAgo++ })
			t.panel = "" // the answer may replace the panel
		}
	}
}

// errChanged means that what somebody wanted to press is not there any more.
var errChanged = errors.New("it has changed meanwhile")

const (
	answerTime    = 4 * time.Second // after which nobody waits for an answer
	retryInterval = 3 * time.Second
	maxDeliveries = 6 // of an interaction that plays or prepares
)

// carryOut makes an attempt until it is certain that it has counted. Interactions
// that were not answered are delivered again, as Discord does when a session is
// resumed.
func (t *table) carryOut(ctx context.Context, a *attempt) error {
	t.pending = a
	defer func() { t.pending = nil }()
	for began := time.Now(); ctx.Err() == nil; {
		if time.Since(began) > t.e.patience {
			return fmt.Errorf("%s: interactions %s cannot be carried out", t.name, a.ids)
		}
		if a.onBoard && t.e.alone == nil {
			if age := time.Since(t.e.ledger.boardTime(t.match)); age < 1200*time.Millisecond { // nobody sees a board before
				time.Sleep(1200*time.Millisecond - age)
			}
		}
		i, err := t.e.sends(t, a)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", t.name, errChanged, err)
		}
		again, err := t.outcome(ctx, a, i)
		if err != nil || !again {
			return err
		}
	}
	return context.Cause(ctx)
}

// outcome waits until an interaction has counted, or was refused for now: then it can
// be tried again.
func (t *table) outcome(ctx context.Context, a *attempt, i sandbox.Interaction) (again bool, err error) {
	e := t.e
	delivered := 1 // how often; a delivery can count after another one was refused
	for began, lastTry, life := time.Now(), time.Now(), e.ledger.lives(); ; {
		wait, cancel := context.WithTimeout(ctx, answerTime)
		_ = e.ledger.wait(wait, func() bool { return e.ledger.isAnswered(i.ID) || e.ledger.lives() != life })
		cancel()
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		answered, restarted := e.ledger.isAnswered(i.ID), e.ledger.lives() != life
		life = e.ledger.lives()
		if now, ok := e.chat.Interaction(i.ID); ok {
			i = now
		}
		if !a.changes() && a.plan == nil {
			if answered && a.then != nil && t.apology(a.by, i) == "" {
				a.then(i)
			}
			return false, nil
		}
		stands, err := t.stands(a)
		if err != nil {
			return false, fmt.Errorf("%s: %w", t.name, err)
		}
		if stands {
			return false, t.accepted(a, i, answered)
		}
		if answered && e.ledger.tries(i.ID) < delivered && time.Since(lastTry) < 20*time.Second { // or its node was killed
			e.think(100)
			continue
		}
		if answered {
			who := e.chat.As(a.by)
			if message, yes := t.question(who, i); yes != "" && a.plays() {
				t.next = &attempt{by: a.by, entries: a.entries, plan: a.plan, then: a.then, repeat: true, send: click(who, t.channel, message, yes)}
				return false, nil
			}
			if t.apology(a.by, i) != "" {
				e.count(func(f *figures) { f.refused++ })
				e.think(500)
				return true, nil
			}
			e.count(func(f *figures) { f.lost++ })
			return false, fmt.Errorf("%s: interaction %s (%s) was answered by %s, and nothing has come of it", t.name, i.ID, i.Name, t.lastWords(who))
		}
		// The only process has died with the last delivery, which it may have deferred.
		died := e.alone != nil && restarted && a.plays() && delivered >= maxDeliveries
		if died || i.State == sandbox.StateFailed && (e.alone != nil || t.mayRepeat(a, i, delivered, lastTry)) {
			e.count(func(f *figures) { f.refused++ })
			return true, nil
		}
		if time.Since(began) > e.patience {
			return false, fmt.Errorf("%s: interaction %s (%s) is not carried out", t.name, i.ID, i.Name)
		}
		if (restarted || time.Since(lastTry) > retryInterval) && (!a.plays() || delivered < maxDeliveries) {
			lastTry = time.Now()
			e.count(func(f *figures) { f.redelivered++ })
			delivered++
			if err := e.chat.Redeliver(i.ID); err != nil {
				return false, err
			}
		}
	}
}

// mayRepeat reports whether people whose interaction failed make the attempt again. They
// do if whatever the bot wanted to say, such as a question, came too late; also if
// nothing is said, because every delivery was dropped or met its node's end. Where that
// could play again, no node that was stopped may be still at it.
func (t *table) mayRepeat(a *attempt, i sandbox.Interaction, delivered int, lastTry time.Time) bool {
	grace := answerTime
	if !a.repeat && a.plan == nil {
		grace += t.e.cluster.stop + 10*time.Second
	}
	late := a.plays() && delivered >= maxDeliveries && time.Since(lastTry) > grace
	return late || t.e.ledger.tries(i.ID) >= delivered
}

// stands reports whether an attempt has counted, and fails if the database differs
// from the table's record by anything else.
func (t *table) stands(a *attempt) (bool, error) {
	stands, err := t.compare(t.e.now)
	if err != nil || a.plan == nil {
		return stands, err
	}
	return t.e.now.prepared(t.match, a.plan)
}

// accepted records an attempt that has counted.
func (t *table) accepted(a *attempt, i sandbox.Interaction, answered bool) error {
	if a.plan != nil {
		t.plan = a.plan
	} else if err := t.take(t.e.now, a, answered); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	if !answered {
		t.e.count(func(f *figures) { f.between++ })
		t.panel = ""
		return nil
	}
	if len(a.entries) > 0 || a.offers != nil || a.offer != nil && t.match == 0 {
		t.e.count(func(f *figures) { f.acknowledged++ })
	}
	if a.then != nil {
		a.then(i)
	}
	return nil
}

// apology returns the answer to an interaction that says that nothing was done and it
// can be tried again, or "".
func (t *table) apology(by string, i sandbox.Interaction) string {
	for _, m := range t.e.chat.As(by).Messages(t.channel) {
		if m.Flags&api.FlagEphemeral == 0 || m.ID != i.MessageID && m.ID < i.ID { // snowflakes of one length
			continue
		}
		for _, says := range t.e.apologies {
			if said := bottest.Text(m); strings.Contains(said, says) {
				return said
			}
		}
	}
	return ""
}
