package load

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// table is a channel in which two people, or one and the computer, play one
// match after another. The crowd's lock guards its fields.
type table struct {
	channel string
	people  [2]string // the first one challenges
	alone   bool      // the first one plays the computer

	pending   string // the interaction that has no answer yet
	offered   bool   // a challenge was made
	message   string // with the latest challenge or board
	posted    time.Time
	accept    string // custom id of the button that accepts the challenge
	acts      []string
	turn      string    // custom id of the button that opens the panel
	mover     string    // the person to move, "" if the board does not mention them
	choices   []string  // suggestions for /move
	suggested bool      // suggestions were requested
	skipped   int       // how often the table was skipped since its last message
	moved     time.Time // when the first one moved against the computer; zero after its reply
}

// settles is how long the crowd waits before it presses a new board. It is a
// little longer than the default of bot.Config.BoardSettles.
const settles = 1100 * time.Millisecond

// maxSkips is how often a table without a message to act on is skipped before
// it asks for the board or starts again.
const maxSkips = 40

// next begins the next interaction of a table; begun is false if the table is
// waiting. An interaction that a client would refuse, because the board has
// changed meanwhile, is replaced by a look at something.
func (c *crowd) next(t *table, rng *rand.Rand, challenge sandbox.CommandOption) (begun bool, kind Kind) {
	c.mu.Lock()
	kind, do := c.choose(t, rng, challenge)
	c.mu.Unlock()
	if do == nil {
		return false, ""
	}
	if c.begin(kind, t, do) {
		return true, kind
	}
	c.mu.Lock()
	t.forgetBoard()
	c.mu.Unlock()
	return c.look(t, rng), Command
}

// choose chooses a table's next interaction, nil if the table is waiting. The
// caller holds the lock.
func (c *crowd) choose(t *table, rng *rand.Rand, challenge sandbox.CommandOption) (Kind, func() (sandbox.Interaction, error)) {
	if t.pending != "" && c.waiting[t.pending] != nil {
		return "", nil
	}
	t.pending = ""
	channel, message := t.channel, t.message
	mover := c.chat.As(t.player(rng))
	switch roll := rng.IntN(10); {
	case t.accept != "":
		accept := t.accept
		t.accept, t.skipped = "", 0
		return Click, func() (sandbox.Interaction, error) { return c.chat.As(t.people[1]).Click(channel, message, accept) }
	case len(t.choices) > 0 && (len(t.acts) > 0 || t.turn != ""): // the suggestions are for the latest board
		choice := t.choices[rng.IntN(len(t.choices))]
		t.move()
		return Command, func() (sandbox.Interaction, error) {
			return mover.Command(channel, "move", sandbox.Opt("turn", choice))
		}
	case len(t.acts) > 0 && roll < 6 && time.Since(t.posted) > settles:
		act := t.acts[rng.IntN(len(t.acts))]
		t.move()
		return Click, func() (sandbox.Interaction, error) { return mover.Click(channel, message, act) }
	case (len(t.acts) > 0 || t.turn != "") && roll < 9 && !t.suggested:
		t.suggested = true
		return Suggest, func() (sandbox.Interaction, error) {
			return mover.Suggest(channel, "move", sandbox.Focused("turn", ""))
		}
	case len(t.acts) > 0 || t.turn != "":
		t.suggested = false
		return Command, func() (sandbox.Interaction, error) { return c.lookAs(t, rng) }
	case t.offered && t.skipped < maxSkips:
		t.skipped++
		return "", nil
	case t.offered && t.mover != "": // no board came
		t.skipped = 0
		return Command, func() (sandbox.Interaction, error) { return mover.Command(channel, "board") }
	default: // no match is being played
		*t = table{channel: t.channel, people: t.people, alone: t.alone, offered: true}
		return Command, func() (sandbox.Interaction, error) {
			return c.chat.As(t.people[0]).Command(channel, "challenge", challenge)
		}
	}
}

// player returns the person to move. A board that the bot posts silently
// mentions nobody, so that either person may be to move.
func (t *table) player(rng *rand.Rand) string {
	switch {
	case t.mover != "":
		return t.mover
	case t.alone:
		return t.people[0]
	}
	return t.people[rng.IntN(2)]
}

// move notes that a player moves.
func (t *table) move() {
	t.forgetBoard()
	if t.alone {
		t.moved = time.Now()
	}
}

// forgetBoard drops what the latest board offered, until the next one comes.
func (t *table) forgetBoard() {
	t.choices, t.acts, t.turn, t.suggested, t.skipped = nil, nil, "", false, 0
}

// look uses a read-only command as one of the table's people.
func (c *crowd) look(t *table, rng *rand.Rand) (begun bool) {
	return c.begin(Command, nil, func() (sandbox.Interaction, error) { return c.lookAs(t, rng) })
}

func (c *crowd) lookAs(t *table, rng *rand.Rand) (sandbox.Interaction, error) {
	name := []string{"games", "leaderboard", "profile"}[rng.IntN(3)]
	return c.chat.As(t.people[rng.IntN(2)]).Command(t.channel, name)
}

// Routes that the crowd observes.
const (
	callbackRoute = "/interactions/{interaction_id}/{interaction_token}/callback"
	postRoute     = "/channels/{channel_id}/messages"
)

// observe records first responses, invalid requests, and the challenges and
// boards that the bot posts. Pass it as the sandbox's Options.Observe.
func (c *crowd) observe(x api.Exchange) {
	if x.Invalid {
		c.mu.Lock()
		defer c.mu.Unlock()
		channel := ""
		if _, rest, ok := strings.Cut(x.Path, "/channels/"); ok {
			channel, _, _ = strings.Cut(rest, "/")
		}
		c.measured.invalid[channel] = append(c.measured.invalid[channel], time.Now())
	}
	if x.Status < 200 || x.Status >= 300 || x.Method != "POST" {
		return
	}
	switch x.Route {
	case callbackRoute:
		c.answered(x, time.Now())
	case postRoute:
		c.posted(x)
	}
}

func (c *crowd) answered(x api.Exchange, now time.Time) {
	parts := strings.Split(x.Path, "/") // "", api, v10, interactions, id, …
	if len(parts) < 5 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.waiting[parts[4]]
	if a == nil {
		return
	}
	delete(c.waiting, parts[4])
	c.measured.add(a.kind, now.Sub(a.begun))
	if a.kind != Suggest || a.table == nil {
		return
	}
	var answer struct {
		Data struct {
			Choices []struct {
				Value any `json:"value"`
			} `json:"choices"`
		} `json:"data"`
	}
	if json.Unmarshal(x.RequestJSON, &answer) != nil {
		return
	}
	for _, choice := range answer.Data.Choices {
		if turn, ok := choice.Value.(string); ok {
			a.table.choices = append(a.table.choices, turn)
		}
	}
}

// component holds the fields of a component that the crowd reads.
type component struct {
	CustomID   string      `json:"custom_id"`
	Disabled   bool        `json:"disabled"`
	Components []component `json:"components"`
	Accessory  *component  `json:"accessory"`
}

func (k component) walk(visit func(component)) {
	visit(k)
	for _, child := range k.Components {
		child.walk(visit)
	}
	if k.Accessory != nil {
		k.Accessory.walk(visit)
	}
}

// posted records a challenge or a board.
func (c *crowd) posted(x api.Exchange) {
	var m struct {
		ID       string `json:"id"`
		Channel  string `json:"channel_id"`
		Mentions []struct {
			ID string `json:"id"`
		} `json:"mentions"`
		Components []component `json:"components"`
	}
	if json.Unmarshal(x.ResponseBody, &m) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tables {
		if t.channel != m.Channel {
			continue
		}
		t.forgetBoard()
		t.message, t.accept, t.posted = m.ID, "", time.Now()
		over := false
		for _, k := range m.Components {
			k.walk(func(k component) {
				switch {
				case k.Disabled:
				case strings.HasSuffix(k.CustomID, "/accept"):
					t.accept = k.CustomID
				case strings.Contains(k.CustomID, "/act/"):
					t.acts = append(t.acts, k.CustomID)
				case strings.HasSuffix(k.CustomID, "/turn"):
					t.turn = k.CustomID
				case strings.HasSuffix(k.CustomID, "/rematch"):
					over = true
				}
			})
		}
		t.mover = ""
		if len(m.Mentions) > 0 {
			t.mover = m.Mentions[0].ID
		}
		if t.mover == t.people[0] && !t.moved.IsZero() {
			c.measured.replies = append(c.measured.replies, time.Since(t.moved))
			t.moved = time.Time{}
		}
		if over {
			t.offered, t.mover = false, ""
			c.measured.matches++
		}
		c.measured.posts++
		return
	}
}
