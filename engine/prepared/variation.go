package prepared

import (
	"errors"
	"slices"
	"strings"

	"castellan/engine"
	"castellan/engine/match"
)

// maxSamples is the number of matches that stand for all that can follow a turn
// that is not known.
const maxSamples = 48

// Variation is a match as it may go on: the turns that have been assumed so far, and
// those that can be assumed next. It is immutable.
type Variation struct {
	// Line holds the assumed turns as those of a Tree.
	Line []string
	// Begun holds the actions of the turn that is being chosen.
	Begun []string
	// Own reports that the next turn of the line is one of the player.
	Own bool
	// Exact reports that every turn is known, so that there is only one position.
	Exact bool
	// Unchecked reports that a turn is legal in none of the positions that were
	// tried, though it may be in others.
	Unchecked bool

	seat    engine.Seat
	base    int            // completed turns before the line
	known   *match.Match   // the last one before a turn that is not known
	samples []*match.Match // that can follow the line
	open    []*match.Match // those that can follow Begun
}

// ErrNoVariation reports that nothing can be prepared: the seat does not play, or
// the game is over after the line.
var ErrNoVariation = errors.New("no turn can be prepared here")

// From returns the variation of a seat on a match without open turn.
func From(m *match.Match, seat engine.Seat) Variation {
	v := Variation{seat: seat, base: len(m.Turns()), Exact: true, known: m, Own: m.Seat() == seat}
	if m.Playing(seat) {
		v.samples = []*match.Match{m}
		v.approach()
	}
	return v
}

// Starts reports whether the line of the variation begins with a turn of the player.
func (v Variation) Starts() bool { return v.Own == (len(v.Line)%2 == 0) }

// Match returns the match that shows the variation best: after the line and Begun if
// all turns are known, or else before the first one that is not.
func (v Variation) Match() *match.Match {
	if v.Exact && len(v.open) == 1 {
		return v.open[0]
	}
	return v.known
}

// Legal returns the actions that can continue the line, in any of its positions.
func (v Variation) Legal() (all []engine.Action) {
	seen := map[string]bool{}
	for _, m := range v.open {
		for _, a := range m.Position().Legal() {
			if token := a.String(); !seen[token] {
				seen[token] = true
				all = append(all, a)
			}
		}
	}
	return all
}

// Sample returns a match in which Begun was played, and whose seat to move chooses
// the next turn of the line; nil if there is none.
func (v Variation) Sample() *match.Match {
	if len(v.open) == 0 {
		return nil
	}
	return v.open[0]
}

// Play returns the variation after more actions of the next turn, written as people
// write them; Any stands for every turn that fulfils a condition. It fails like
// match.Match.Act, or with ErrNoVariation or ErrCondition.
func (v Variation) Play(text string) (Variation, error) {
	switch {
	case len(v.samples) == 0 && !v.Unchecked:
		return v, ErrNoVariation
	case text == Any && v.Own:
		return v, ErrCondition
	case text == Any:
		v.assume(Any, v.spread())
		return v, nil
	}
	var first error
	var open, after []*match.Match
	var tokens []string
	for _, m := range v.samples {
		line := m.Read(m.Seat(), strings.Join(append(slices.Clip(v.Begun), text), " "))
		next, played, err := m.Try(m.Seat(), line, match.Cause{})
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		complete := len(next.Turns()) > len(m.Turns())
		if tokens == nil {
			tokens = played
		}
		switch {
		case !slices.Equal(tokens, played):
		case complete:
			after = append(after, next)
		default:
			open = append(open, next)
		}
	}
	switch {
	case len(after) > 0:
		v.assume(canonical(tokens), after)
	case len(open) > 0:
		v.Begun, v.open = tokens, open
	case v.Exact:
		return v, first
	default:
		read, err := parse(v.known.Position(), append(slices.Clip(v.Begun), strings.Fields(text)...))
		if err != nil {
			return v, err
		}
		v.Unchecked = true
		v.assume(canonical(read), nil)
	}
	return v, nil
}

func parse(p engine.Position, tokens []string) (read []string, err error) {
	for i, token := range tokens {
		a, err := p.Parse(token)
		if err != nil {
			return nil, &match.TokenError{Index: i, Before: tokens[:i], Token: token, Err: err}
		}
		read = append(read, a.String())
	}
	if len(read) == 0 {
		return nil, match.ErrNoTurn
	}
	return read, nil
}

// assume adds a turn to the line, after which there are the given samples.
func (v *Variation) assume(turn string, after []*match.Match) {
	v.Begun, v.samples = nil, after
	v.Exact = v.Exact && turn != Any
	v.Line, v.Own = append(slices.Clip(v.Line), turn), !v.Own
	if v.Exact {
		v.known = after[0]
		v.Line, v.Own = lineOf(v.known, v.seat, v.base)
	}
	v.approach()
}

// lineOf returns the line of the turns that have been completed since base. It
// includes forced actions, which are turns too.
func lineOf(m *match.Match, seat engine.Seat, base int) (line []string, own bool) {
	turns := m.Turns()
	for n := base; n <= len(turns); n++ {
		at := m.Open()
		if n < len(turns) {
			at = turns[n]
		}
		switch {
		case at.Seat != seat && n == len(turns) && m.Seat() == engine.Nobody && n > base && turns[n-1].Seat != seat:
			line = append(line, Canonical(turns[n-1])) // it ends the game
		case at.Seat != seat:
		case n < len(turns):
			if n > base {
				line = append(line, Canonical(turns[n-1]))
			}
			line = append(line, Canonical(at))
		case n > base:
			line = append(line, Canonical(turns[n-1]))
		}
	}
	return line, m.Seat() == seat
}

// approach has the seats between the player and the seat before the player play,
// any turn each, and leaves out samples in which somebody else is to choose.
func (v *Variation) approach() {
	if !v.Own {
		for range engine.MaxSeats {
			var there, before []*match.Match
			for _, m := range v.samples {
				switch {
				case m.Seat() == engine.Nobody || m.Seat() == v.seat:
				case nextTo(m, v.seat):
					there = append(there, m)
				default:
					before = append(before, m)
				}
			}
			if v.samples = there; len(before) == 0 {
				break
			}
			v.Exact = false
			v.samples = slices.Concat(there, (&Variation{samples: before}).spread())
		}
	} else {
		v.samples = slices.DeleteFunc(slices.Clone(v.samples), func(m *match.Match) bool { return m.Seat() != v.seat })
	}
	v.open = v.samples
}

// nextTo reports whether a seat follows the seat to move.
func nextTo(m *match.Match, seat engine.Seat) bool {
	if m.Settings().Seats == 2 {
		return true
	}
	for _, a := range m.Position().Legal() {
		if after, ok := finish(m, a); ok {
			turns := after.Turns()
			return after.Seat() == seat || len(turns) > len(m.Turns())+1 && turns[len(m.Turns())+1].Seat == seat
		}
	}
	return false
}

// spread returns matches in which the seat to move of each sample has played some
// turn, at most maxSamples.
func (v Variation) spread() (all []*match.Match) {
	for i, m := range v.samples {
		legal := m.Position().Legal()
		for _, a := range engine.Spread(m.Position(), legal, (maxSamples-len(all))/(len(v.samples)-i)) {
			if after, ok := finish(m, a); ok {
				all = append(all, after)
			}
		}
	}
	return all
}

// finish returns the match after some turn that begins with an action.
func finish(m *match.Match, a engine.Action) (after *match.Match, ok bool) {
	after, _, err := m.Try(m.Seat(), a.String(), match.Cause{})
	for n := 0; err == nil && len(after.Turns()) == len(m.Turns()); n++ {
		legal := after.Position().Legal()
		next := legal[0]
		if i := slices.IndexFunc(legal, func(a engine.Action) bool { return a.String() == engine.End }); i >= 0 {
			next = legal[i]
		}
		after, _, err = after.Try(m.Seat(), next.String(), match.Cause{})
	}
	return after, err == nil
}

// Known returns the match after the line, or before its first turn that is not
// known.
func (v Variation) Known() *match.Match { return v.known }

// Turn returns the variation after a whole turn, whose end may be left out. It fails
// like Play.
func (v Variation) Turn(text string) (Variation, error) {
	next, err := v.Play(text)
	if err == nil && len(next.Begun) > 0 {
		return next.Play(engine.End)
	}
	return next, err
}

// Draft returns the line and Begun as a text that Open reads.
func (v Variation) Draft() string {
	if len(v.Line)+len(v.Begun) == 0 {
		return ""
	}
	return strings.Join(append(slices.Clip(v.Line), strings.Join(v.Begun, " ")), "\n")
}

// Open returns the variation of a seat with a draft, or as far as the draft can be
// followed.
func Open(m *match.Match, seat engine.Seat, draft string) Variation {
	v := From(m, seat)
	parts := strings.Split(draft, "\n")
	for i, turn := range parts {
		next, err := v, error(nil)
		switch {
		case i < len(v.Line) || turn == "": // a forced action, or nothing begun
		case i == len(parts)-1:
			next, err = v.Play(turn)
		default:
			next, err = v.Turn(turn)
		}
		if err != nil {
			break
		}
		v = next
	}
	return v
}
