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
)

// Kind is a kind of interaction.
type Kind string

// The kinds of interaction that the crowd begins.
const (
	Command Kind = "command"
	Click   Kind = "click"
	Suggest Kind = "suggest"
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{Command, Click, Suggest} }

// Options says what a crowd does.
type Options struct {
	Game         string  // key of a two-player game
	Rate         float64 // interactions a second
	Interactions int
	Seed         uint64
	// Alone is the number of tables at which one person plays the computer, at
	// Level.
	Alone int
	Level string
	// Blocked is the number of tables in whose channels the bot may no longer
	// send messages after a quarter of the interactions. The people there go on
	// to use it.
	Blocked int
	// Every is the number of interactions between calls of Mark, which gets how
	// many have begun; 0 means never. The crowd pauses meanwhile.
	Every int
	Mark  func(ctx context.Context, begun int) error
}

// Crowd is the people of a World. Call New, pass its Observe to the sandbox's
// Options, and then call Join. Only one Play or Repeat may run at a time.
type Crowd struct {
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

// New returns the crowd of a world that World made.
func New(w sandbox.World) *Crowd {
	c := &Crowd{world: w, waiting: map[string]*pending{}, measured: newMeasured()}
	for i, ch := range w.Channels {
		c.tables = append(c.tables, &table{channel: ch.ID, people: [2]string{w.Users[2*i].ID, w.Users[2*i+1].ID}})
	}
	return c
}

// Join connects the people to a chat.
func (c *Crowd) Join(chat *sandbox.Sandbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chat = chat
}

// Step is an interaction that was begun, to be repeated.
type Step struct {
	Kind  Kind
	Table int
}

// Play has the crowd play, and returns the figures and the steps.
func (c *Crowd) Play(ctx context.Context, o Options) (Figures, []Step, error) {
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	next := 0
	steps := make([]Step, 0, o.Interactions)
	figures, err := c.pace(ctx, o, func() error {
		if len(steps) == o.Interactions/4 {
			for _, t := range c.tables[:o.Blocked] {
				if err := c.chat.Deny(t.channel, c.chat.ApplicationID(), sandbox.PermissionSendMessages); err != nil {
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
			if begun, kind := c.step(t, rng, sandbox.Sub(o.Game, other)); begun {
				steps = append(steps, Step{kind, i})
				return nil
			}
		}
		if i := rng.IntN(len(c.tables)); c.look(c.tables[i], rng) {
			steps = append(steps, Step{Command, i})
		}
		return nil
	})
	return figures, steps, err
}

// Repeat begins interactions of the same kinds in the same channels. Every
// channel must have a message with a button of that custom id.
func (c *Crowd) Repeat(ctx context.Context, o Options, steps []Step, button string) (Figures, error) {
	messages := map[string]string{}
	for _, t := range c.tables {
		for _, m := range c.chat.As(t.people[0]).Messages(t.channel) {
			messages[t.channel] = m.ID
		}
		if messages[t.channel] == "" {
			return Figures{}, fmt.Errorf("channel %s has no message to click", t.channel)
		}
	}
	o.Interactions = min(o.Interactions, len(steps))
	next := 0
	return c.pace(ctx, o, func() error {
		s := steps[next]
		next++
		t := c.tables[s.Table]
		who := c.chat.As(t.people[next%2])
		c.begin(s.Kind, nil, func() (sandbox.Interaction, error) {
			switch s.Kind {
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
func (c *Crowd) pace(ctx context.Context, o Options, begin func() error) (Figures, error) {
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
		if o.Every > 0 && o.Mark != nil && (n+1)%o.Every == 0 {
			from := time.Now()
			if err := o.Mark(ctx, n+1); err != nil {
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
	f := c.measured.figures(took)
	f.Lost = len(c.waiting)
	clear(c.waiting)
	return f, nil
}

func (c *Crowd) unanswered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// begin begins an interaction and records it, for a table if t is not nil. It
// reports false if a client would refuse it, which is no failure of the bot: a
// board may have gone meanwhile. It holds the lock, so that answered does not run
// before the interaction is recorded.
func (c *Crowd) begin(kind Kind, t *table, do func() (sandbox.Interaction, error)) bool {
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

// MaxTables is the largest number of tables.
const MaxTables = 400

// World returns a guild with a channel and two people for each table.
func World(tables int) (sandbox.World, error) {
	if tables < 1 || tables > MaxTables {
		return sandbox.World{}, fmt.Errorf("%d tables: want 1 to %d", tables, MaxTables)
	}
	const first = 1_150_000_000_000_000_000 // ids are snowflakes
	id := func(kind, n int) string { return strconv.Itoa(first + kind*1_000_000 + n) }
	w := sandbox.World{
		Guild:       sandbox.Guild{ID: id(1, 0), Name: "A crowd"},
		Application: sandbox.Application{ID: id(2, 0), Name: "Castellan"},
	}
	for t := range tables {
		w.Channels = append(w.Channels, sandbox.Channel{ID: id(3, t), Name: fmt.Sprintf("table-%d", t+1)})
		for p := range 2 {
			w.Users = append(w.Users, sandbox.User{ID: id(4, 2*t+p), Username: fmt.Sprintf("player-%d-%d", t+1, p+1)})
		}
	}
	return w, nil
}
