package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// Kind is a kind of interaction.
type Kind string

// The kinds of interaction that the crowd begins.
const (
	Command Kind = "command"
	Click   Kind = "click"
	Suggest Kind = "suggest"
)

var kinds = []Kind{Command, Click, Suggest}

// Options says what a crowd does, and with which bots.
type Options struct {
	Game         string  // key of a two-player game
	Rate         float64 // interactions a second
	Interactions int
	Tables       int // pairs that play at a time, at most MaxTables
	Seed         uint64
	// Alone is the number of tables at which one person plays the computer, at
	// Level.
	Alone int
	Level string
	// Blocked is the number of tables in whose channels the bot may no longer
	// send messages after a quarter of the interactions. The people there go on
	// to use it.
	Blocked int

	Castellan    string // the program castellan
	Acknowledger string // a program whose command acknowledge calls Acknowledge
	HTTP         bool   // repeat with interactions by HTTP
	Compare      bool   // repeat with a bot that only acknowledges
}

// crowd is the people of a guild. Pass its world and observe to the sandbox's
// Options, and then call join. Only one play or repeat may run at a time.
type crowd struct {
	world  sandbox.World
	tables []*table // in the order of the channels

	mu       sync.Mutex
	chat     *sandbox.Sandbox
	waiting  map[string]*pending // interactions without an answer, by id
	measured *measured
}

// pending is an interaction without a first answer.
type pending struct {
	kind  Kind
	begun time.Time
	table *table // nil if the answer is not needed
}

// MaxTables is the largest number of tables.
const MaxTables = 400

// newCrowd returns a crowd with two people and a channel for each table.
func newCrowd(tables int) *crowd {
	const first = 1_150_000_000_000_000_000 // ids are snowflakes
	id := func(kind, n int) string { return strconv.Itoa(first + kind*1_000_000 + n) }
	c := &crowd{waiting: map[string]*pending{}, measured: newMeasured()}
	c.world.Guild = sandbox.Guild{ID: id(1, 0), Name: "A crowd"}
	c.world.Application = sandbox.Application{ID: id(2, 0), Name: "Castellan"}
	for n := range tables {
		t := &table{channel: id(3, n)}
		c.world.Channels = append(c.world.Channels, sandbox.Channel{ID: t.channel, Name: fmt.Sprintf("table-%d", n+1)})
		for p := range t.people {
			t.people[p] = id(4, 2*n+p)
			c.world.Users = append(c.world.Users, sandbox.User{ID: t.people[p], Username: fmt.Sprintf("player-%d-%d", n+1, p+1)})
		}
		c.tables = append(c.tables, t)
	}
	return c
}

func (c *crowd) join(chat *sandbox.Sandbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chat = chat
}

// step is an interaction that was begun, to be repeated.
type step struct {
	kind  Kind
	table int
}

// play has the crowd play, and returns the figures and the steps.
// It pauses now and then to call note, if that is set, with how many have begun.
func (c *crowd) play(ctx context.Context, o Options, note func(ctx context.Context, begun int) error) (Figures, []step, error) {
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	next := 0
	steps := make([]step, 0, o.Interactions)
	figures, err := c.pace(ctx, o, note, func() error {
		if len(steps) == o.Interactions/4 {
			for _, t := range c.tables[:o.Blocked] {
				if err := c.chat.Deny(t.channel, c.chat.ApplicationID(), api.PermissionSendMessages); err != nil {
					return err
				}
			}
		}
		// Tables take turns. Those that wait for an answer are skipped; if all do,
		// a person uses a read-only command.
		for range c.tables {
			i := next % len(c.tables)
			next++
			t := c.tables[i]
			other := sandbox.Opt("opponent", t.people[1])
			if t.alone = i < o.Alone; t.alone {
				other = sandbox.Opt("level", o.Level)
			}
			if begun, kind := c.next(t, rng, sandbox.Sub(o.Game, other)); begun {
				steps = append(steps, step{kind, i})
				return nil
			}
		}
		if i := rng.IntN(len(c.tables)); c.look(c.tables[i], rng) {
			steps = append(steps, step{Command, i})
		}
		return nil
	})
	return figures, steps, err
}

// repeat begins interactions of the same kinds in the same channels. Every
// channel must have a message with a button of that custom id.
func (c *crowd) repeat(ctx context.Context, o Options, steps []step, button string) (Figures, error) {
	messages := map[string]string{}
	for _, t := range c.tables {
		for _, m := range c.chat.As(t.people[0]).Messages(t.channel) {
			messages[t.channel] = m.ID
		}
		if messages[t.channel] == "" {
			return Figures{}, fmt.Errorf("channel %s has no message to click", t.channel)
		}
	}
	o.Interactions = len(steps)
	next := 0
	return c.pace(ctx, o, nil, func() error {
		s := steps[next]
		next++
		t := c.tables[s.table]
		who := c.chat.As(t.people[next%2])
		c.begin(s.kind, nil, func() (sandbox.Interaction, error) {
			switch s.kind {
			case Click:
				return who.Click(t.channel, messages[t.channel], button)
			case Suggest:
				return who.Suggest(t.channel, "move", sandbox.Focused("turn", ""))
			}
			return who.Command(t.channel, "games")
		})
		return nil
	})
}

// errUnanswered means that the chat was closed before the last answers.
var errUnanswered = errors.New("waiting for the last answers")

// pace calls begin at the rate, o.Interactions times, and waits for the last
// answers.
func (c *crowd) pace(ctx context.Context, o Options, note func(context.Context, int) error, begin func() error) (Figures, error) {
	c.mu.Lock()
	c.measured = newMeasured()
	c.mu.Unlock()
	gap := time.Duration(float64(time.Second) / o.Rate)
	due := time.Now()
	start := due
	var paused time.Duration
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for n := range o.Interactions {
		if wait := time.Until(due); wait > 0 {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return Figures{}, context.Cause(ctx)
			}
		}
		due = due.Add(gap)
		if err := begin(); err != nil {
			return Figures{}, fmt.Errorf("interaction %d: %w", n+1, err)
		}
		if note != nil && (n+1)%memoryEvery == 0 {
			from := time.Now()
			if err := note(ctx, n+1); err != nil {
				return Figures{}, err
			}
			pause := time.Since(from)
			due = due.Add(pause)
			paused += pause
		}
	}
	took := time.Since(start) - paused
	// The chat fails the last ones after three seconds.
	ctx, cancel := context.WithTimeout(ctx, 2*answerTimeout)
	defer cancel()
	if err := c.chat.Wait(ctx, func() bool { return c.unanswered() == 0 }); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return Figures{}, fmt.Errorf("%w: %w", errUnanswered, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.measured.figures(took, len(c.waiting))
	clear(c.waiting)
	return f, nil
}

func (c *crowd) unanswered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// begin begins an interaction and records it, for a table if t is not nil. It
// reports false if a client would refuse it, which is no failure of the bot: a
// board may have gone meanwhile. It holds the lock, so that answered does not run
// before the interaction is recorded.
func (c *crowd) begin(kind Kind, t *table, do func() (sandbox.Interaction, error)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	begun := time.Now()
	i, err := do()
	if err != nil {
		return false
	}
	c.waiting[i.ID] = &pending{kind, begun, t}
	if t != nil {
		t.pending = i.ID
	}
	c.measured.begun++
	return true
}
