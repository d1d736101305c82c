package engine

import "fmt"

// NotationError reports a text that is not an action of the game.
type NotationError struct {
	Token string // the text as it was written
	Why   Phrase // says what an action looks like
}

func (e *NotationError) Error() string { return e.Why.String() }

// IllegalError reports an action that is not legal in a position.
type IllegalError struct {
	Action Action
	Why    Phrase // a sentence that names the rule the action breaks
}

func (e *IllegalError) Error() string { return e.Why.String() }

// OptionError reports options under which a match cannot be set up.
type OptionError struct {
	Option string // the key of the option at fault; empty for a combination
	Why    Phrase // says what is wrong and what would be right
}

func (e *OptionError) Error() string { return e.Why.String() }

// SeatsError reports a number of seats that the game does not allow.
type SeatsError struct {
	Game     string
	Seats    int
	Min, Max int // the numbers that it allows
}

func (e *SeatsError) Error() string {
	if e.Min == e.Max {
		return fmt.Sprintf("%s is played by %d, not by %d", e.Game, e.Min, e.Seats)
	}
	return fmt.Sprintf("%s is played by %d to %d, not by %d", e.Game, e.Min, e.Max, e.Seats)
}

// CheckSeats returns a *SeatsError if the game does not allow that number of
// seats.
func CheckSeats(g Game, seats int) error {
	if fewest, most := g.Seats(); seats < fewest || seats > most {
		return &SeatsError{Game: g.Key(), Seats: seats, Min: fewest, Max: most}
	}
	return nil
}
