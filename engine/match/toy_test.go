package match_test

import (
	"errors"
	"hash/fnv"
	"slices"
	"strings"

	"castellan/engine"
)

// toy is a game of words for what the sample game does not have. Its rules are
// three functions; a position is a comparable value.
type toy struct {
	least, most int
	retires     bool // whether its positions are engine.Retirers
	// legal is the words that can be played, none when the game is over.
	legal func(toyState) []string
	// apply is the state after a legal word.
	apply func(toyState, string) toyState
}

type toyState struct {
	seats, turns int
	seat         engine.Seat
	played       string // words of the open turn
	gone         [engine.MaxSeats + 1]bool
}

// next is the state after the end of a turn.
func (s toyState) next() toyState {
	s.turns++
	s.played = ""
	return s.skip()
}

func (s toyState) skip() toyState {
	for {
		s.seat = s.seat%engine.Seat(s.seats) + 1
		if !s.gone[s.seat] {
			return s
		}
	}
}

type word string

func (w word) String() string  { return string(w) }
func (w word) Steps() []string { return []string{string(w)} }

func (*toy) Key() string                 { return "toy" }
func (*toy) Version() int                { return 1 }
func (g *toy) Seats() (int, int)         { return g.least, g.most }
func (*toy) Colours(int) []engine.Colour { return nil }
func (*toy) Options() engine.Schema      { return nil }
func (*toy) Direct() []engine.Action     { return nil }
func (*toy) Texts() engine.Texts         { return nil }
func (*toy) Rulebook() []engine.Page     { return nil }

func (g *toy) New(_ engine.Options, seats int) (engine.Position, error) {
	return g.at(toyState{seats: seats, seat: 1}), nil
}

func (g *toy) at(s toyState) engine.Position {
	if g.retires {
		return toyRetirer{toyPosition{g, s}}
	}
	return toyPosition{g, s}
}

type toyPosition struct {
	game  *toy
	state toyState
}

func (p toyPosition) Seat() engine.Seat {
	if _, over := p.Result(); over {
		return engine.Nobody
	}
	return p.state.seat
}

func (p toyPosition) Turns() int { return p.state.turns }

func (p toyPosition) Legal() []engine.Action {
	var out []engine.Action
	for _, w := range p.game.legal(p.state) {
		out = append(out, word(w))
	}
	return out
}

func (p toyPosition) Parse(token string) (engine.Action, error) {
	if strings.Contains(token, "?") {
		return nil, &engine.NotationError{Token: token, Why: engine.Verbatim("that is no word")}
	}
	return word(strings.ToLower(token)), nil
}

func (p toyPosition) Apply(a engine.Action) (engine.Position, error) {
	if !slices.Contains(p.Legal(), a) {
		return nil, &engine.IllegalError{Action: a, Why: engine.Verbatim("that cannot be played")}
	}
	return p.game.at(p.game.apply(p.state, a.String())), nil
}

func (p toyPosition) Result() (engine.Result, bool) {
	if len(p.game.legal(p.state)) > 0 {
		return engine.Result{}, false
	}
	return engine.Result{Ranks: make([]int, p.state.seats)}, true
}

func (p toyPosition) Hash() uint64 {
	h := fnv.New64a()
	h.Write([]byte(p.state.played))
	return h.Sum64() + uint64(p.state.seat)
}

func (toyPosition) Status() engine.Phrase     { return engine.Phrase{} }
func (toyPosition) Summary() engine.Phrase    { return engine.Phrase{} }
func (toyPosition) Describe() []engine.Phrase { return nil }

type toyRetirer struct{ toyPosition }

func (p toyRetirer) Retire(seat engine.Seat) (engine.Position, error) {
	s := p.state
	if s.gone[seat] || (s.seat == seat && s.played != "") {
		return nil, errors.New("it cannot retire")
	}
	s.gone[seat] = true
	if s.seat == seat {
		s = s.skip()
	}
	return p.game.at(s), nil
}

// opening is a game whose turn opens with a pass that does not end it, as a
// turn of Rings on a full board does: then "1", "2" and "3", each once at
// most, then "end". It is over after six turns.
func opening() *toy {
	return &toy{
		least: 2, most: 3, retires: true,
		legal: func(s toyState) []string {
			switch {
			case s.turns == 6:
				return nil
			case s.played == "":
				return []string{engine.Pass}
			}
			var out []string
			for _, w := range []string{"1", "2", "3"} {
				if !strings.Contains(s.played, w) {
					out = append(out, w)
				}
			}
			return append(out, engine.End)
		},
		apply: func(s toyState, w string) toyState {
			if w == engine.End {
				return s.next()
			}
			s.played += w + " "
			return s
		},
	}
}
