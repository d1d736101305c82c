package engine

import "fmt"

// NotationError says that a text is no action of the game.
type NotationError struct {
	Token string // the text as it was written
	Why   Phrase // what an action looks like
}

func (e *NotationError) Error() string { return e.Why.String() }

// IllegalError says that an action is not legal in a position, and which rule
// it breaks.
type IllegalError struct {
	Action Action
	Why    Phrase // a sentence that names the rule
}

func (e *IllegalError) Error() string { return e.Why.String() }

// OptionError says that a match cannot be set up as asked.
type OptionError struct {
	Option string // the option at fault; empty where it is a combination
	Why    Phrase // what is wrong and what would be right
}

func (e *OptionError) Error() string { return e.Why.String() }

// SeatsError says that a game is not played by that many.
type SeatsError struct {
	Game     string
	Seats    int
	Min, Max int
}

func (e *SeatsError) Error() string {
	if e.Min == e.Max {
		return fmt.Sprintf("%s is played by %d, not by %d", e.Game, e.Min, e.Seats)
	}
	return fmt.Sprintf("%s is played by %d to %d, not by %d", e.Game, e.Min, e.Max, e.Seats)
}

// CheckSeats returns a *SeatsError where a game is not played by that many.
func CheckSeats(g Game, seats int) error {
	if least, most := g.Seats(); seats < least || seats > most {
		return &SeatsError{Game: g.Key(), Seats: seats, Min: least, Max: most}
	}
	return nil
}
