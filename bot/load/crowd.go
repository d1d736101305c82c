package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"castellan/bot/sandbox"
)

// Kind is a kind of interaction.
type Kind string

// The kinds that the crowd uses.
const (
	Command Kind = "command"
	Click   Kind = "click"
	Suggest Kind = "suggest"
)

// Kinds is all of them.
func Kinds() []Kind { return []Kind{Command, Click, Suggest} }

// Options is what a crowd does.
type Options struct {
	Game         string  // key of a game for two
	Rate         float64 // interactions a second
	Interactions int
	Seed         uint64
	// Alone is at how many tables somebody plays the computer, at Level.
	Alone int
	Level string
	// Every is after how many interactions Mark is called, with how many have
	// been begun; never where 0. The crowd waits for it.
	Every int
	Mark  func(ctx context.Context, begun int) error
}

// Crowd is the people of a World. Use New, give its Observe to the sandbox's
// Options, and then Join. It does one thing at a time.
type Crowd struct {
	world  sandbox.World
	tables []*table // by the order of the channels

	mu       sync.Mutex
	chat     *sandbox.Sandbox
	waiting  map[string]*asked // interactions without an answer
	measured *measured
}

// asked is an interaction that waits for its first answer.
type asked struct {
	kind  Kind
	at    time.Time
	table *table
}

// New is the people of a world that World made.
func New(w sandbox.World) *Crowd {
	c := &Crowd{world: w, waiting: map[string]*asked{}, measured: newMeasured()}
	for i, ch := range w.Channels {
		c.tables = append(c.tables, &table{channel: ch.ID, people: [2]string{w.Users[2*i].ID, w.Users[2*i+1].ID}})
	}
	return c
}

// Join lets the people into a chat.
func (c *Crowd) Join(chat *sandbox.Sandbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chat = chat
}

// Step is an interaction that was begun, as it can be done again.
type Step struct {
	Kind  Kind
	Table int
}

// Play has the crowd play, and says what was measured and what was done.
func (c *Crowd) Play(ctx context.Context, o Options) (Figures, []Step, error) {
	dice := rand.New(rand.NewPCG(o.Seed, 0))
	next := 0
	steps := make([]Step, 0, o.Interactions)
	figures, err := c.pace(ctx, o, func() error {
		// Whose turn it is to be asked goes round; who still waits is passed
		// over, unless everybody does.
		for range c.tables {
			i := next % len(c.tables)
			next++
			other := sandbox.Opt("opponent", c.tables[i].people[1])
			if i < o.Alone {
				other = sandbox.Opt("level", o.Level)
			}
			if done, kind, err := c.step(c.tables[i], dice, sandbox.Sub(o.Game, other)); err != nil || done {
				steps = append(steps, Step{kind, i})
				return err
			}
		}
		i := dice.IntN(len(c.tables))
		steps = append(steps, Step{Command, i})
		return c.look(c.tables[i], dice)
	})
	return figures, steps, err
}

// Repeat begins interactions of the same kinds in the same channels, whatever
// comes of them. Every channel must have a message with a button of that id.
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
		return c.begin(s.Kind, nil, func() (sandbox.Interaction, error) {
			switch s.Kind {
			case Click:
				return who.Click(t.channel, messages[t.channel], button)
			case Suggest:
				return who.Suggest(t.channel, "move", sandbox.Focused("turn", ""))
			}
			return who.Command(t.channel, "games")
		})
	})
}

// errUnanswered says that the chat went before everything was answered.
var errUnanswered = errors.New("waiting for the last answers")

// pace begins interactions at the rate until there have been enough, and waits
// for the last answers.
func (c *Crowd) pace(ctx context.Context, o Options, one func() error) (Figures, error) {
	c.mu.Lock()
	c.measured = newMeasured()
	c.mu.Unlock()
	gap := time.Duration(float64(time.Second) / o.Rate)
	due := time.Now()
	began := due
	var rested time.Duration
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
		if err := one(); err != nil {
			return Figures{}, fmt.Errorf("interaction %d: %w", n+1, err)
		}
		if o.Every > 0 && o.Mark != nil && (n+1)%o.Every == 0 {
			from := time.Now()
			if err := o.Mark(ctx, n+1); err != nil {
				return Figures{}, err
			}
			due = due.Add(time.Since(from)) // that was ours, and not the bot's
			rested += time.Since(from)
		}
	}
	took := time.Since(began) - rested
	// After three seconds the chat gives the last ones up.
	settle, cancel := context.WithTimeout(ctx, 2*within)
	defer cancel()
	if err := c.chat.Wait(settle, func() bool { return c.underWay() == 0 }); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return Figures{}, fmt.Errorf("%w: %w", errUnanswered, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.measured.figures(took)
	f.Lost = len(c.waiting)
	clear(c.waiting)
	return f, nil
}

func (c *Crowd) underWay() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// begin begins an interaction, and has its answer told to a table, if any. No
// answer is seen before the interaction is known: they are seen with the lock
// held.
func (c *Crowd) begin(kind Kind, t *table, do func() (sandbox.Interaction, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Now()
	i, err := do()
	if err != nil {
		return err
	}
	c.waiting[i.ID] = &asked{kind, at, t}
	if t != nil {
		t.asked = i.ID
	}
	c.measured.began++
	return nil
}
