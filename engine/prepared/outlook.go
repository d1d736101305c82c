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

// Outlook is a match as it may go on: the turns that have been assumed so far, and
// those that can be assumed next. It is immutable.
type Outlook struct {
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

// ErrNoOutlook reports that nothing can be prepared: the seat does not play, or
// the game is over after the line.
var ErrNoOutlook = errors.New("no turn can be prepared here")

// From returns the outlook of a seat on a match without open turn.
func From(m *match.Match, seat engine.Seat) Outlook {
	o := Outlook{seat: seat, base: len(m.Turns()), Exact: true, known: m, Own: m.Seat() == seat}
	if m.Playing(seat) {
		o.samples = []*match.Match{m}
		o.approach()
	}
	return o
}

// Starts reports whether the line of the outlook begins with a turn of the player.
func (o Outlook) Starts() bool { return o.Own == (len(o.Line)%2 == 0) }

// Match returns the match that shows the outlook best: after the line and Begun if
// all turns are known, or else before the first one that is not.
func (o Outlook) Match() *match.Match {
	if o.Exact && len(o.open) == 1 {
		return o.open[0]
	}
	return o.known
}

// Legal returns the actions that can continue the line, in any of its positions.
func (o Outlook) Legal() (all []engine.Action) {
	seen := map[string]bool{}
	for _, m := range o.open {
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
func (o Outlook) Sample() *match.Match {
	if len(o.open) == 0 {
		return nil
	}
	return o.open[0]
}

// Play returns the outlook after more actions of the next turn, written as people
// write them; Any stands for every turn that fulfils a condition. It fails like
// match.Match.Act, or with ErrNoOutlook or ErrCondition.
func (o Outlook) Play(text string) (Outlook, error) {
	switch {
	case len(o.samples) == 0 && !o.Unchecked:
		return o, ErrNoOutlook
	case text == Any && o.Own:
		return o, ErrCondition
	case text == Any:
		o.assume(Any, o.spread())
		return o, nil
	}
	var first error
	var open, after []*match.Match
	var tokens []string
	for _, m := range o.samples {
		line := m.Read(m.Seat(), strings.Join(append(slices.Clip(o.Begun), text), " "))
		next, played, err := m.Try(m.Seat(), line, match.Moment{})
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
		o.assume(canonical(tokens), after)
	case len(open) > 0:
		o.Begun, o.open = tokens, open
	case o.Exact:
		return o, first
	default:
		read, err := parse(o.known.Position(), append(slices.Clip(o.Begun), strings.Fields(text)...))
		if err != nil {
			return o, err
		}
		o.Unchecked = true
		o.assume(canonical(read), nil)
	}
	return o, nil
}

// parse returns tokens in canonical form.
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
func (o *Outlook) assume(turn string, after []*match.Match) {
	o.Begun, o.samples = nil, after
	o.Exact = o.Exact && turn != Any
	o.Line, o.Own = append(slices.Clip(o.Line), turn), !o.Own
	if o.Exact {
		o.known = after[0]
		o.Line, o.Own = lineOf(o.known, o.seat, o.base)
	}
	o.approach()
}

// lineOf returns the line of the turns that have been completed since base. It
// includes formalities, which are turns too.
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
func (o *Outlook) approach() {
	if !o.Own {
		for range engine.MaxSeats {
			var there, before []*match.Match
			for _, m := range o.samples {
				switch {
				case m.Seat() == engine.Nobody || m.Seat() == o.seat:
				case nextTo(m, o.seat):
					there = append(there, m)
				default:
					before = append(before, m)
				}
			}
			if o.samples = there; len(before) == 0 {
				break
			}
			o.Exact = false
			o.samples = slices.Concat(there, (&Outlook{samples: before}).spread())
		}
	} else {
		o.samples = slices.DeleteFunc(slices.Clone(o.samples), func(m *match.Match) bool { return m.Seat() != o.seat })
	}
	o.open = o.samples
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
func (o Outlook) spread() (all []*match.Match) {
	for i, m := range o.samples {
		legal := m.Position().Legal()
		for _, a := range engine.Spread(m.Position(), legal, (maxSamples-len(all))/(len(o.samples)-i)) {
			if after, ok := finish(m, a); ok {
				all = append(all, after)
			}
		}
	}
	return all
}

// finish returns the match after some turn that begins with an action.
func finish(m *match.Match, a engine.Action) (after *match.Match, ok bool) {
	after, _, err := m.Try(m.Seat(), a.String(), match.Moment{})
	for n := 0; err == nil && len(after.Turns()) == len(m.Turns()); n++ {
		legal := after.Position().Legal()
		next := legal[0]
		if i := slices.IndexFunc(legal, func(a engine.Action) bool { return a.String() == engine.End }); i >= 0 {
			next = legal[i]
		}
		after, _, err = after.Try(m.Seat(), next.String(), match.Moment{})
	}
	return after, err == nil
}

// Known returns the match after the line, or before its first turn that is not
// known.
func (o Outlook) Known() *match.Match { return o.known }

// Turn returns the outlook after a whole turn, whose end may be left out. It fails
// like Play.
func (o Outlook) Turn(text string) (Outlook, error) {
	next, err := o.Play(text)
	if err == nil && len(next.Begun) > 0 {
		return next.Play(engine.End)
	}
	return next, err
}

// Draft returns the line and Begun as a text that Open reads.
func (o Outlook) Draft() string {
	if len(o.Line)+len(o.Begun) == 0 {
		return ""
	}
	return strings.Join(append(slices.Clip(o.Line), strings.Join(o.Begun, " ")), "\n")
}

// Open returns the outlook of a seat with a draft, or as far as the draft can be
// followed.
func Open(m *match.Match, seat engine.Seat, draft string) Outlook {
	o := From(m, seat)
	parts := strings.Split(draft, "\n")
	for i, turn := range parts {
		next, err := o, error(nil)
		switch {
		case i < len(o.Line) || turn == "": // a formality, or nothing begun
		case i == len(parts)-1:
			next, err = o.Play(turn)
		default:
			next, err = o.Turn(turn)
		}
		if err != nil {
			break
		}
		o = next
	}
	return o
}
