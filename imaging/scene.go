package imaging

import (
	"slices"

	"castellan/engine"
)

// Scene is what a picture shows.
type Scene struct {
	// Game and Position are drawn. Position is of that game.
	Game     engine.Game
	Position engine.Position

	// Turn is the turn to be marked: the open turn of the seat to act where it
	// has actions, the last completed turn otherwise. Its Actions are empty
	// at the start of a match.
	Turn Turn

	// Names is the name to show for every seat, element 0 for seat 1. A
	// missing or unprintable name is shown as the seat's number.
	Names []string

	// Legal asks for the signs that show where each legal action leads.
	Legal bool

	// Outcome is how the match ended where the position does not say so:
	// resigned, agreed drawn, lost on time. It is nil while the match goes on
	// and where the position has a result.
	Outcome *Outcome

	// Picked is the steps of an action picked so far, for games whose actions
	// have several.
	Picked []string

	// Zoom asks for a part of the board, large, from games that have such
	// pictures (Rings): 1 is the upper left, 2 the upper right, 3 the lower left
	// and 4 the lower right quarter. 0 is the whole board.
	Zoom int
}

// Turn is a turn as a picture shows it.
type Turn struct {
	Number  int             // counted over all seats, from 1
	Seat    engine.Seat     // whose turn it is or was
	Before  engine.Position // the position at its start
	Actions []engine.Action
	Open    bool // it has not ended yet
}

// Outcome is the end of a match.
type Outcome struct {
	Winners []engine.Seat // empty for a draw
	Void    bool          // called off: it is no draw either
}

// outcome is how the match ended, by the scene or by the position's rules;
// nil while it goes on.
func (s Scene) outcome() *Outcome {
	if s.Outcome != nil {
		return s.Outcome
	}
	if result, over := s.Position.Result(); over {
		return &Outcome{Winners: result.Winners}
	}
	return nil
}

// standing is what a picture says about a seat.
func (s Scene) standing(seat engine.Seat) standing {
	switch end := s.outcome(); {
	case end == nil && s.Position.Seat() == seat:
		return toMove
	case end == nil || end.Void:
		return waiting
	case len(end.Winners) == 0:
		return drew
	case slices.Contains(end.Winners, seat):
		return won
	}
	return waiting
}

// standing is how a seat stands in the match.
type standing uint8

const (
	waiting standing = iota // for its turn, or without a win at the end
	toMove
	won
	drew
)
