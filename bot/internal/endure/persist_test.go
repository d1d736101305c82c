package endure_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"castellan/bot/sandbox"
)

// persist has people play until the cluster winds down and their match is over.
// Every answer is compared with the database, and nobody gives up.
func (t *table) persist(ctx context.Context, c *clusterTest) error {
	for inARow := 0; ; {
		if len(c.failed()) > 0 {
			return nil
		}
		if err := t.settled(ctx); err != nil {
			return fmt.Errorf("%w; %s", err, c.now.boards(t.match))
		}
		if c.windingDown() {
			t.limit = 0
		}
		c.thinkFor(t.r.IntN(300))
		t.redeliverDeed()
		a := t.choose()
		if t.stuck != "" {
			if inARow++; inARow > 30 {
				return errors.New(t.stuck)
			}
			t.turn, t.panel, t.next, t.stuck = nil, "", nil, ""
			c.thinkFor(300)
			continue
		}
		if a == nil {
			return nil
		}
		err := t.carryOut(ctx, c, a)
		switch {
		case errors.Is(err, errChanged):
			if inARow++; inARow > 30 {
				return err
			}
			t.turn, t.panel, t.next = nil, "", nil
			c.thinkFor(300)
		case err != nil:
			return err
		default:
			inARow = 0
		}
	}
}

// cannot notes what somebody could not do. In a cluster a message may change or move
// between two looks.
func (t *table) cannot(format string, args ...any) {
	if t.stuck = fmt.Sprintf(format, args...); !t.e.cluster {
		t.e.fail("%s", t.stuck)
	}
}

// redeliverDeed sometimes has Discord deliver an interaction again that has counted.
func (t *table) redeliverDeed() {
	if len(t.past) > 0 && t.r.IntN(6) == 0 {
		if err := t.e.chat.Redeliver(t.past[t.r.IntN(len(t.past))].interaction); err == nil {
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
func (t *table) carryOut(ctx context.Context, c *clusterTest, a *attempt) error {
	t.pending = a
	defer func() { t.pending = nil }()
	for began := time.Now(); ctx.Err() == nil; {
		if time.Since(began) > c.patience {
			return fmt.Errorf("%s: interactions %s cannot be carried out", t.name, a.ids)
		}
		if a.onBoard {
			if age := time.Since(c.ledger.boardTime(t.match)); age < 1200*time.Millisecond { // nobody sees a board before
				c.thinkFor(int((1200*time.Millisecond - age).Milliseconds()))
			}
		}
		i, err := c.sends(t, a)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", t.name, errChanged, err)
		}
		again, err := t.outcome(ctx, c, a, i)
		if err != nil || !again {
			return err
		}
	}
	return context.Cause(ctx)
}

// outcome waits until an interaction has counted, or was refused for now: then it can
// be tried again.
func (t *table) outcome(ctx context.Context, c *clusterTest, a *attempt, i sandbox.Interaction) (again bool, err error) {
	delivered := 1 // how often; a delivery can count after another one was refused
	for began, lastTry := time.Now(), time.Now(); ; {
		wait, cancel := context.WithTimeout(ctx, answerTime)
		_ = c.ledger.wait(wait, func() bool { return c.ledger.isAnswered(i.ID) })
		cancel()
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		answered := c.ledger.isAnswered(i.ID)
		if now, ok := c.chat.Interaction(i.ID); ok {
			i = now
		}
		if !a.changes() && a.plan == nil {
			if answered && a.then != nil && t.apology(a.by, i) == "" {
				a.then(i)
			}
			return false, nil
		}
		stands, err := t.stands(c, a)
		if err != nil {
			return false, fmt.Errorf("%s: %w", t.name, err)
		}
		if stands {
			return false, t.accepted(c, a, i, answered)
		}
		if answered && c.ledger.tries(i.ID) < delivered && time.Since(lastTry) < 20*time.Second { // or its node was killed
			c.thinkFor(100)
			continue
		}
		if answered {
			who := c.chat.As(a.by)
			if message, yes := t.question(who, i); yes != "" && a.plays() {
				t.next = &attempt{by: a.by, entries: a.entries, plan: a.plan, then: a.then, repeat: true, send: click(who, t.channel, message, yes)}
				return false, nil
			}
			if t.apology(a.by, i) != "" {
				c.count(func(f *figures) { f.refused++ })
				c.thinkFor(500)
				return true, nil
			}
			c.count(func(f *figures) { f.lost++ })
			return false, fmt.Errorf("%s: interaction %s was answered by %s, and nothing has come of it", t.name, i.ID, t.lastWords(who))
		}
		if !answered && i.State == sandbox.StateFailed {
			// People see that the interaction failed. If whatever the bot wanted to say,
			// such as a question, came too late, they make the attempt again; also if
			// nothing is said, because every delivery was dropped or met its node's end.
			// Where that could play again, no node that was stopped may be still at it.
			grace := answerTime
			if !a.repeat && a.plan == nil {
				grace += c.stop + 10*time.Second
			}
			late := a.plays() && delivered >= maxDeliveries && time.Since(lastTry) > grace
			if late || c.ledger.tries(i.ID) >= delivered {
				c.count(func(f *figures) { f.refused++ })
				return true, nil
			}
		}
		if time.Since(began) > c.patience {
			return false, fmt.Errorf("%s: interaction %s (%s) is not carried out", t.name, i.ID, i.Name)
		}
		if time.Since(lastTry) > retryInterval && (!a.plays() || delivered < maxDeliveries) {
			lastTry = time.Now()
			c.count(func(f *figures) { f.redelivered++ })
			delivered++
			if err := c.chat.Redeliver(i.ID); err != nil {
				return false, err
			}
		}
	}
}

// stands reports whether an attempt has counted, and fails if the database differs
// from the table's record by anything else.
func (t *table) stands(c *clusterTest, a *attempt) (bool, error) {
	stands, err := t.compare(c.now)
	if err != nil || a.plan == nil {
		return stands, err
	}
	return c.now.prepared(t.match, a.plan)
}

// accepted records an attempt that has counted.
func (t *table) accepted(c *clusterTest, a *attempt, i sandbox.Interaction, answered bool) error {
	if a.plan != nil {
		t.plan = a.plan
	} else if err := t.take(c.now, a, answered); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	if !answered {
		c.count(func(f *figures) { f.between++ })
		t.panel = ""
		return nil
	}
	if len(a.entries) > 0 || a.offers != nil || a.offer != nil && t.match == 0 {
		c.count(func(f *figures) { f.acknowledged++ })
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
		if m.Flags&sandbox.FlagEphemeral == 0 || m.ID != i.MessageID && m.ID < i.ID { // snowflakes of one length
			continue
		}
		for _, says := range t.e.apologies {
			if said := text(m); strings.Contains(said, says) {
				return said
			}
		}
	}
	return ""
}
