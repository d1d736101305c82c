package sample

import (
	_ "embed"
	"maps"

	"castellan/engine"
)

// Key is the key of the game.
const Key = "sample"

// Game is one version of the rules. The zero value is the newest, version 2.
type Game struct {
	v1 bool
}

// V1 is version 1 of the rules.
var V1 = Game{v1: true}

var _ engine.Versioned = Game{}

// Key returns "sample".
func (Game) Key() string { return Key }

// Version returns 1 or 2.
func (g Game) Version() int {
	if g.v1 {
		return 1
	}
	return 2
}

// Earlier returns version 1 for version 2.
func (g Game) Earlier() []engine.Game {
	if g.v1 {
		return nil
	}
	return []engine.Game{V1}
}

// mostKey returns the key of the option for the most counters taken at once.
func (g Game) mostKey() string {
	if g.v1 {
		return "limit"
	}
	return "most"
}

// Seats returns 2 to 6.
func (Game) Seats() (least, most int) { return engine.MinSeats, engine.MaxSeats }

// Colours returns the first colours of all.
func (Game) Colours(seats int) []engine.Colour {
	all := []engine.Colour{engine.Blue, engine.Red, engine.Gold, engine.Green, engine.Violet, engine.White}
	return all[:seats]
}

// Options returns the number of piles, the counters in each, and the most
// counters taken at once.
func (g Game) Options() engine.Schema {
	return engine.Schema{
		{Key: "piles", Kind: engine.Int, Default: "2", Min: 1, Max: maxPiles},
		{Key: "counters", Kind: engine.Int, Default: "5", Min: 1, Max: 20},
		{Key: g.mostKey(), Kind: engine.Int, Default: "3", Min: 1, Max: 5},
	}
}

// New returns the position at the start. It refuses to let more counters be
// taken at once than a pile holds.
func (g Game) New(options engine.Options, seats int) (engine.Position, error) {
	if err := engine.CheckSeats(g, seats); err != nil {
		return nil, err
	}
	p := &Position{maxTakings: g.Version(), piles: options.Int("piles"), most: options.Int(g.mostKey()), seats: seats, seat: 1}
	counters := options.Int("counters")
	if p.most > counters {
		return nil, &engine.OptionError{Why: texts.Phrase("sample.unfit", "Most", p.most, "Count", counters)}
	}
	for i := range p.piles {
		p.pile[i] = counters
	}
	return p, nil
}

// Direct returns nil: a turn is more than one action.
func (Game) Direct() []engine.Action { return nil }

// Texts returns the texts of both versions.
func (Game) Texts() engine.Texts { return maps.Clone(texts) }

// Rulebook returns the idea, a turn and the end.
func (g Game) Rulebook() []engine.Page {
	idea, turn, end := texts.Page("sample.rules.idea"), texts.Page("sample.rules.turn"), texts.Page("sample.rules.end")
	turn.Options, turn.Turns, turn.Legal = "piles=3", "a3 end b2", true
	if g.v1 {
		turn.Title, turn.Text = texts.Phrase("sample.rules.turn-1"), texts.Phrase("sample.rules.turn-1.text")
	}
	end.Options, end.Seats, end.Turns = "piles=1 counters=3", 3, "a2 end a end pass pass pass"
	return []engine.Page{idea, turn, end}
}

//go:embed texts.toml
var textsFile string

// texts are the texts of all versions. They are never changed.
var texts = engine.MustTexts(textsFile)
