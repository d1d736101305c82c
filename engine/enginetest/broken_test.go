package enginetest_test

import (
	"errors"

	"castellan/engine"
	"castellan/engine/trails"
)

// wrapped is a game in which single methods can be broken; what is nil or
// empty is left as it is.
type wrapped struct {
	engine.Game
	faults  faults
	key     string
	colours func(int) []engine.Colour
	texts   func(engine.Texts) engine.Texts
	start   func(engine.Options, int) (engine.Position, error)
	direct  []engine.Action
	schema  engine.Schema
	pages   func([]engine.Page) []engine.Page
}

// faults is what is wrong with the positions of a wrapped game.
type faults struct {
	apply   func(*wrappedPosition, engine.Action) (engine.Position, error)
	legal   func(engine.Position) []engine.Action
	parse   func(engine.Position, string) (engine.Action, error)
	result  func(engine.Position) (engine.Result, bool)
	hash    func(engine.Position) uint64
	turns   func(engine.Position) int
	seat    func(engine.Position) engine.Seat
	summary func(engine.Position) engine.Phrase
	steps   func(engine.Action) []string
	remark  engine.Phrase
	why     engine.Phrase
}

func (w wrapped) Key() string {
	if w.key != "" {
		return w.key
	}
	return w.Game.Key()
}

func (w wrapped) Colours(seats int) []engine.Colour {
	if w.colours != nil {
		return w.colours(seats)
	}
	return w.Game.Colours(seats)
}

func (w wrapped) Texts() engine.Texts {
	if w.texts != nil {
		return w.texts(w.Game.Texts())
	}
	return w.Game.Texts()
}

func (w wrapped) Rulebook() []engine.Page {
	if w.pages != nil {
		return w.pages(w.Game.Rulebook())
	}
	return w.Game.Rulebook()
}

func (w wrapped) Options() engine.Schema {
	if w.schema != nil {
		return w.schema
	}
	return w.Game.Options()
}

func (w wrapped) Direct() []engine.Action {
	if w.direct == nil {
		return w.Game.Direct()
	}
	out := make([]engine.Action, len(w.direct))
	for i, a := range w.direct {
		if a != nil {
			out[i] = w.faults.action(a)
		}
	}
	return out
}

func (w wrapped) New(o engine.Options, seats int) (engine.Position, error) {
	start := w.start
	if start == nil {
		start = w.Game.New
	}
	p, err := start(o, seats)
	if err != nil {
		return nil, err
	}
	return &wrappedPosition{Position: p, start: p, faults: w.faults}, nil
}

type wrappedPosition struct {
	engine.Position
	start  engine.Position
	faults faults
}

// wrappedAction is an action whose steps or remark are broken.
type wrappedAction struct {
	engine.Action
	faults *faults
}

func (a wrappedAction) Steps() []string {
	if a.faults.steps != nil {
		return a.faults.steps(a.Action)
	}
	return a.Action.Steps()
}

func (a wrappedAction) Describe(p engine.Position) engine.Phrase { return a.faults.remark }

// action wraps an action where its own methods are broken.
func (f *faults) action(a engine.Action) engine.Action {
	if f.steps == nil && f.remark.IsZero() {
		return a
	}
	return wrappedAction{a, f}
}

func bare(a engine.Action) engine.Action {
	if w, ok := a.(wrappedAction); ok {
		return w.Action
	}
	return a
}

func (p *wrappedPosition) Legal() []engine.Action {
	legal := p.faults.legal
	if legal == nil {
		legal = engine.Position.Legal
	}
	actions := legal(p.Position)
	for i, a := range actions {
		if a != nil {
			actions[i] = p.faults.action(a)
		}
	}
	return actions
}

func (p *wrappedPosition) Apply(a engine.Action) (engine.Position, error) {
	apply := p.faults.apply
	if apply == nil {
		apply = func(w *wrappedPosition, a engine.Action) (engine.Position, error) { return w.Position.Apply(a) }
	}
	next, err := apply(p, bare(a))
	var illegal *engine.IllegalError
	if errors.As(err, &illegal) && !p.faults.why.IsZero() {
		return nil, &engine.IllegalError{Action: a, Why: p.faults.why}
	}
	if err != nil {
		return nil, err
	}
	return &wrappedPosition{Position: next, start: p.start, faults: p.faults}, nil
}

func (p *wrappedPosition) Parse(token string) (engine.Action, error) {
	parse := p.faults.parse
	if parse == nil {
		parse = engine.Position.Parse
	}
	a, err := parse(p.Position, token)
	if err != nil {
		return nil, err
	}
	return p.faults.action(a), nil
}

func (p *wrappedPosition) Result() (engine.Result, bool) {
	if p.faults.result != nil {
		return p.faults.result(p.Position)
	}
	return p.Position.Result()
}

func (p *wrappedPosition) Hash() uint64 {
	if p.faults.hash != nil {
		return p.faults.hash(p.Position)
	}
	return p.Position.Hash()
}

func (p *wrappedPosition) Turns() int {
	if p.faults.turns != nil {
		return p.faults.turns(p.Position)
	}
	return p.Position.Turns()
}

func (p *wrappedPosition) Seat() engine.Seat {
	if p.faults.seat != nil {
		return p.faults.seat(p.Position)
	}
	return p.Position.Seat()
}

func (p *wrappedPosition) Summary() engine.Phrase {
	if p.faults.summary != nil {
		return p.faults.summary(p.Position)
	}
	return p.Position.Summary()
}

// extraDirect is Trails with a button for a move that there is not.
type extraDirect struct{ trails.Game }

func (g extraDirect) Direct() []engine.Action {
	return append(g.Game.Direct(), trails.Direction(7))
}

// retiring is a game in which retirements are broken.
type retiring struct {
	engine.Game
	noop, twice, winner, never bool
}

func (g retiring) New(o engine.Options, seats int) (engine.Position, error) {
	p, err := g.Game.New(o, seats)
	if err != nil {
		return nil, err
	}
	return retiringPosition{p.(engine.Retirer), g, engine.Nobody}, nil
}

type retiringPosition struct {
	engine.Retirer
	game retiring
	gone engine.Seat // the one who retired last
}

func (p retiringPosition) Apply(a engine.Action) (engine.Position, error) {
	next, err := p.Retirer.Apply(a)
	if err != nil {
		return nil, err
	}
	return retiringPosition{next.(engine.Retirer), p.game, p.gone}, nil
}

func (p retiringPosition) Retire(seat engine.Seat) (engine.Position, error) {
	switch {
	case p.game.never:
		return nil, errors.New("nobody leaves")
	case p.game.noop:
		return p, nil
	}
	next, err := p.Retirer.Retire(seat)
	if err != nil {
		if p.game.twice {
			return p, nil
		}
		return nil, err
	}
	return retiringPosition{next.(engine.Retirer), p.game, seat}, nil
}

func (p retiringPosition) Result() (engine.Result, bool) {
	r, over := p.Retirer.Result()
	if over && p.game.winner && p.gone != engine.Nobody {
		for i := range r.Ranks {
			r.Ranks[i]++
		}
		r.Ranks[p.gone-1] = 1
		r.Winners = []engine.Seat{p.gone}
	}
	return r, over
}
