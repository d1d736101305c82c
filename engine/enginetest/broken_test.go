package enginetest_test

import (
	"errors"
	"reflect"

	"castellan/engine"
)

// wrapped is a game with faults; fields that are nil or empty break nothing.
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

// faults are the faults of the positions of a wrapped game.
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

// or returns a fault, or if there is none what is sound.
func or[F any](fault, sound F) F {
	if reflect.ValueOf(&fault).Elem().IsZero() {
		return sound
	}
	return fault
}

func same[T any](t T) T { return t }

// Version hides the earlier versions of the game.
func (wrapped) Version() int { return 1 }

func (w wrapped) Key() string                       { return or(w.key, w.Game.Key()) }
func (w wrapped) Colours(seats int) []engine.Colour { return or(w.colours, w.Game.Colours)(seats) }
func (w wrapped) Texts() engine.Texts               { return or(w.texts, same)(w.Game.Texts()) }
func (w wrapped) Rulebook() []engine.Page           { return or(w.pages, same)(w.Game.Rulebook()) }
func (w wrapped) Options() engine.Schema            { return or(w.schema, w.Game.Options()) }
func (w wrapped) Direct() []engine.Action           { return w.faults.actions(or(w.direct, w.Game.Direct())) }

func (w wrapped) New(o engine.Options, seats int) (engine.Position, error) {
	p, err := or(w.start, w.Game.New)(o, seats)
	if err != nil {
		return nil, err
	}
	return &wrappedPosition{p, w.faults}, nil
}

type wrappedPosition struct {
	engine.Position
	faults faults
}

func (p *wrappedPosition) Legal() []engine.Action {
	return p.faults.actions(or(p.faults.legal, engine.Position.Legal)(p.Position))
}

func (p *wrappedPosition) Apply(a engine.Action) (engine.Position, error) {
	if w, ok := a.(wrappedAction); ok {
		a = w.Action
	}
	apply := func(w *wrappedPosition, a engine.Action) (engine.Position, error) { return w.Position.Apply(a) }
	next, err := or(p.faults.apply, apply)(p, a)
	var illegal *engine.IllegalError
	if errors.As(err, &illegal) && !p.faults.why.IsZero() {
		return nil, &engine.IllegalError{Action: a, Why: p.faults.why}
	}
	if err != nil {
		return nil, err
	}
	return &wrappedPosition{next, p.faults}, nil
}

func (p *wrappedPosition) Parse(token string) (engine.Action, error) {
	a, err := or(p.faults.parse, engine.Position.Parse)(p.Position, token)
	if err != nil {
		return nil, err
	}
	return p.faults.action(a), nil
}

func (p *wrappedPosition) Result() (engine.Result, bool) {
	return or(p.faults.result, engine.Position.Result)(p.Position)
}

func (p *wrappedPosition) Hash() uint64 { return or(p.faults.hash, engine.Position.Hash)(p.Position) }
func (p *wrappedPosition) Turns() int   { return or(p.faults.turns, engine.Position.Turns)(p.Position) }

func (p *wrappedPosition) Seat() engine.Seat {
	return or(p.faults.seat, engine.Position.Seat)(p.Position)
}

func (p *wrappedPosition) Summary() engine.Phrase {
	return or(p.faults.summary, engine.Position.Summary)(p.Position)
}

// wrappedAction is an action with broken steps or a broken description.
type wrappedAction struct {
	engine.Action
	faults *faults
}

func (a wrappedAction) Steps() []string {
	return or(a.faults.steps, engine.Action.Steps)(a.Action)
}

func (a wrappedAction) Describe(engine.Position) engine.Phrase { return a.faults.remark }

// action wraps an action if its methods are broken.
func (f *faults) action(a engine.Action) engine.Action {
	if a == nil || f.steps == nil && f.remark.IsZero() {
		return a
	}
	return wrappedAction{a, f}
}

func (f *faults) actions(all []engine.Action) []engine.Action {
	for i, a := range all {
		all[i] = f.action(a)
	}
	return all
}

// retiring is a game with broken retirements.
type retiring struct {
	engine.Game
	noop, twice, winner, never bool
}

// Version hides the earlier versions of the game.
func (retiring) Version() int { return 1 }

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
	gone engine.Seat // the last seat that retired
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
		return nil, errors.New("no seat can retire")
	case p.game.noop:
		return p, nil
	}
	next, err := p.Retirer.Retire(seat)
	switch {
	case err != nil && p.game.twice:
		return p, nil
	case err != nil:
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
