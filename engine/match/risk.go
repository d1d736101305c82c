package match

import (
	"slices"

	"castellan/engine"
)

// Risk is a reason to look twice at a turn that the rules allow. It follows
// from the rules alone and is no advice.
type Risk string

const (
	NoRisk  Risk = ""
	Loses   Risk = "loses"   // the turn ends the match, another seat wins, and there was a choice
	Ends    Risk = "ends"    // a pass, or a draw that could be avoided, ends the match
	Exposes Risk = "exposes" // the next seat can win at once
)

// Try returns the match after a turn that is not played, and the tokens of that
// turn, with the forced actions that follow. It fails like Act.
func (m *Match) Try(seat engine.Seat, text string, cause Cause) (after *Match, tokens []string, err error) {
	entries, err := m.Act(seat, text, cause)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.Seat == seat {
			tokens = append(tokens, e.Text)
		} else if tokens != nil {
			break // its next turn may be a forced action
		}
	}
	after, err = m.With(entries...)
	return after, tokens, err
}

// Risk returns the risk of a turn of a seat that led to the match after. canWin
// reports whether the seat to act can win at once; nil if that is not known.
func (m *Match) Risk(seat engine.Seat, after *Match, canWin func(engine.Position) bool) Risk {
	if len(after.turns) == len(m.turns) {
		return NoRisk
	}
	out, over := after.Over()
	switch turn := after.turns[len(m.turns)]; {
	case over && len(out.Result.Winners) > 0 && !slices.Contains(out.Result.Winners, seat) && canGoOn(turn.Before):
		return Loses
	case over && (turn.Passed() || len(out.Result.Winners) == 0 && canGoOn(turn.Before)):
		return Ends
	case !over && canWin != nil && after.Seat() != seat && canWin(after.position):
		return Exposes
	}
	return NoRisk
}

// canGoOn reports whether an action does not end the match.
func canGoOn(p engine.Position) bool {
	return slices.ContainsFunc(p.Legal(), func(a engine.Action) bool {
		next, err := p.Apply(a)
		return err == nil && next.Seat() != engine.Nobody
	})
}

// Passed reports whether the seat played nothing in the turn but passed it or
// ended it.
func (t Turn) Passed() bool {
	return len(t.Actions) > 0 && !slices.ContainsFunc(t.Actions, func(a engine.Action) bool {
		return a.String() != engine.End && a.String() != engine.Pass
	})
}
