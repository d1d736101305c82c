package sample

import (
	"maps"

	"castellan/engine"
)

// Key is the key of the game.
const Key = "sample"

// Game is the rules. The zero value is ready.
type Game struct{}

var _ engine.Game = Game{}

// Key is "sample".
func (Game) Key() string { return Key }

// Rules is 1.
func (Game) Version() int { return 1 }

// Seats is two to six.
func (Game) Seats() (least, most int) { return engine.MinSeats, engine.MaxSeats }

// Colours is the first colours of all.
func (Game) Colours(seats int) []engine.Colour {
	all := []engine.Colour{engine.Blue, engine.Red, engine.Gold, engine.Green, engine.Violet, engine.White}
	return all[:seats]
}

// Options is the number of piles, the counters of each and how many may be
// taken at once.
func (Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "piles", Kind: engine.Int, Default: "2", Min: 1, Max: maxPiles},
		{Key: "counters", Kind: engine.Int, Default: "5", Min: 1, Max: 20},
		{Key: "most", Kind: engine.Int, Default: "3", Min: 1, Max: 5},
	}
}

// New is the position at the start. No more may be taken at once than a pile
// holds.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	p := &Position{piles: options.Int("piles"), most: options.Int("most"), seats: seats, seat: 1}
	counters := options.Int("counters")
	if p.most > counters {
		return nil, &engine.OptionError{Why: texts.Phrase("sample.unfit", "Most", p.most, "Count", counters)}
	}
	for i := range p.piles {
		p.pile[i] = counters
	}
	return p, nil
}

// Direct is nil: a turn is more than one action.
func (Game) Direct() []engine.Action { return nil }

// Texts is everything that the game says, in English.
func (Game) Texts() engine.Texts { return maps.Clone(texts) }

// Rulebook is the idea, a turn and the end.
func (Game) Rulebook() []engine.Page {
	idea, turn, end := texts.Page("sample.rules.idea"), texts.Page("sample.rules.turn"), texts.Page("sample.rules.end")
	turn.Options, turn.Turns, turn.Legal = "piles=3", "a3 end b2", true
	end.Options, end.Seats, end.Turns = "piles=1 counters=3", 3, "a2 end a end pass pass pass"
	return []engine.Page{idea, turn, end}
}

// texts is never changed.
var texts = engine.Texts{
	"sample.name":            {Other: "Counters"},
	"sample.tagline":         {Other: "Take the most counters."},
	"sample.option.piles":    {Other: "Number of piles"},
	"sample.option.counters": {Other: "Counters of a pile"},
	"sample.option.most":     {Other: "Most counters taken at once"},
	"sample.reason.passes":   {Other: "Everybody has passed."},
	"sample.reason.alone":    {Other: "Everybody else has retired."},
	"sample.rules.idea":      {Other: "Take the most counters"},
	"sample.rules.idea.text": {Other: "Two to six players take counters from piles. **Every counter is a point.**"},
	"sample.rules.turn":      {Other: "A turn"},
	"sample.rules.turn.text": {Other: "Take from one pile, then, if you like, once more: `a2` takes two counters of pile a. `end` ends your turn."},
	"sample.rules.end":       {Other: "The end"},
	"sample.rules.end.text":  {Other: "When all piles are empty everybody passes. The highest score wins, and level players share the win."},
	"sample.step.end":        {Other: "End turn"},
	"sample.step.pass":       {Other: "Pass"},
	"sample.unfit": {
		One:   "{{.Most}} cannot be taken from a pile of 1 counter: the piles must be larger.",
		Other: "{{.Most}} cannot be taken from a pile of {{.Count}} counters: the piles must be larger.",
	},
	"sample.notation":        {Other: "“{{.Token}}” is no action. An action is a pile and a number, such as a2, or end, or pass."},
	"sample.illegal.over":    {Other: "The game is over."},
	"sample.illegal.foreign": {Other: "“{{.Token}}” is no action of this game."},
	"sample.illegal.pass":    {Other: "You can pass only when there is nothing left to take."},
	"sample.illegal.end":     {Other: "You can end your turn only after taking something."},
	"sample.illegal.twice":   {Other: "You have taken twice in this turn: end it."},
	"sample.illegal.pile":    {Other: "There is no pile {{.Pile}}."},
	"sample.illegal.most":    {Other: "At most {{.Count}} can be taken at once."},
	"sample.illegal.left":    {Other: "Pile {{.Pile}} does not hold that many."},
	"sample.retired":         {Other: "Seat {{.Seat}} has retired already."},
	"sample.retire.open":     {Other: "The open turn of seat {{.Seat}} must be taken back first."},
	"sample.retire.nobody":   {Other: "There is no seat {{.Seat}}."},
	"sample.status": {
		One:   "1 counter left.",
		Other: "{{.Count}} counters left.",
	},
	"sample.summary":  {Other: "{{.Left}} Scores: {{.Scores}}."},
	"sample.describe": {Other: "Pile {{.Pile}}: {{.Count}}."},
	"sample.takes": {
		One:   "takes 1 counter",
		Other: "takes {{.Count}} counters",
	},
}
