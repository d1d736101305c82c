package load

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"

	"castellan/bot/sandbox"
)

// table is two people in a channel who play one match after another, or one of
// them the computer. Its
// fields belong to the crowd's lock.
type table struct {
	channel string
	people  [2]string // the first one challenges

	asked    string // the interaction that is waited for
	offered  bool   // a challenge was made
	message  string // with the newest challenge or board
	accept   string // the button that accepts the challenge
	acts     []string
	turn     string // the button that opens the panel
	mover    string // whom the board has called
	choices  []string
	wanted   bool // suggestions were asked for
	patience int  // looks until it is given up that something comes
}

// patient is how often a table is passed over that waits for a post which does
// not come, before it begins anew.
const patient = 40

// step has a table do what comes next, which where nothing goes on is the
// challenge; done is false where it waits.
func (c *Crowd) step(t *table, dice *rand.Rand, challenge sandbox.CommandOption) (done bool, kind Kind, err error) {
	c.mu.Lock()
	if t.asked != "" && c.waiting[t.asked] != nil {
		c.mu.Unlock()
		return false, "", nil
	}
	t.asked = ""
	challenger, opponent := c.chat.As(t.people[0]), c.chat.As(t.people[1])
	mover := c.chat.As(t.mover)
	message, acts := t.message, t.acts
	var do func() (sandbox.Interaction, error)
	switch roll := dice.IntN(10); {
	case t.accept != "":
		accept := t.accept
		t.accept, t.patience = "", 0
		kind, do = Click, func() (sandbox.Interaction, error) { return opponent.Click(t.channel, message, accept) }
	case len(t.choices) > 0 && t.mover != "": // not suggestions that came for a match given up
		line := t.choices[dice.IntN(len(t.choices))]
		t.choices, t.acts, t.turn, t.patience = nil, nil, "", 0
		kind, do = Command, func() (sandbox.Interaction, error) {
			return mover.Command(t.channel, "move", sandbox.Opt("turn", line))
		}
	case len(acts) > 0 && roll < 6:
		act := acts[dice.IntN(len(acts))]
		t.acts, t.turn, t.patience = nil, "", 0
		kind, do = Click, func() (sandbox.Interaction, error) { return mover.Click(t.channel, message, act) }
	case (len(acts) > 0 || t.turn != "") && roll < 9 && !t.wanted:
		t.wanted = true
		kind, do = Suggest, func() (sandbox.Interaction, error) {
			return mover.Suggest(t.channel, "move", sandbox.Focused("turn", ""))
		}
	case len(acts) > 0 || t.turn != "":
		t.wanted = false
		c.mu.Unlock()
		return true, Command, c.look(t, dice)
	case t.offered && t.patience < patient:
		t.patience++
		c.mu.Unlock()
		return false, "", nil
	case t.offered && t.mover != "": // the board was missed
		t.patience = 0
		kind, do = Command, func() (sandbox.Interaction, error) { return mover.Command(t.channel, "board") }
	default: // nothing goes on
		*t = table{channel: t.channel, people: t.people, offered: true}
		kind, do = Command, func() (sandbox.Interaction, error) {
			return challenger.Command(t.channel, "challenge", challenge)
		}
	}
	c.mu.Unlock()
	return true, kind, c.begin(kind, t, do)
}

// look has somebody look at something: it leads nowhere.
func (c *Crowd) look(t *table, dice *rand.Rand) error {
	who := c.chat.As(t.people[dice.IntN(2)])
	name := []string{"games", "leaderboard", "profile"}[dice.IntN(3)]
	return c.begin(Command, nil, func() (sandbox.Interaction, error) { return who.Command(t.channel, name) })
}

// Routes that the crowd watches.
const (
	callbackRoute = "/interactions/{interaction_id}/{interaction_token}/callback"
	postRoute     = "/channels/{channel_id}/messages"
)

// Observe is the sandbox's Options.Observe: it sees first answers, and what is
// posted in the channels.
func (c *Crowd) Observe(x sandbox.Exchange) {
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

// answered notes a first answer.
func (c *Crowd) answered(x sandbox.Exchange, now time.Time) {
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
	c.measured.add(a.kind, now.Sub(a.at))
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
		if line, ok := choice.Value.(string); ok {
			a.table.choices = append(a.table.choices, line)
		}
	}
}

// component is as much of a component as the crowd looks at.
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

// posted notes a challenge or a board.
func (c *Crowd) posted(x sandbox.Exchange) {
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
		t.message, t.accept, t.acts, t.turn, t.choices, t.wanted = m.ID, "", nil, "", nil, false
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
		t.mover = "" // the computer thinks
		if len(m.Mentions) > 0 {
			t.mover = m.Mentions[0].ID
		}
		if over {
			t.offered, t.mover = false, ""
			c.measured.matches++
		}
		c.measured.posts++
		return
	}
}
