package sample

import (
	_ "embed"
	"maps"

	"castellan/engine"
)

const Key = "sample"

// Game is one version of the rules. The zero value is the newest, version 2.
type Game struct {
	v1 bool
}

var V1 = Game{v1: true}

var _ engine.Versioned = Game{}

func (Game) Key() string { return Key }

func (g Game) Version() int {
	if g.v1 {
		return 1
	}
	return 2
}

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

func (Game) Seats() (least, most int) { return engine.MinSeats, engine.MaxSeats }

func (Game) Colours(seats int) []engine.Colour {
	all := []engine.Colour{engine.Blue, engine.Red, engine.Gold, engine.Green, engine.Violet, engine.Wedge}
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

func (Game) Direct() []engine.Action { return nil }

func (Game) Texts() engine.Texts { return maps.Clone(texts) }

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
