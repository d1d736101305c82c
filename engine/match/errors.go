package match

import "errors"

// Errors that callers decide by.
var (
	// ErrOver says that the match has ended.
	ErrOver = errors.New("the match is over")
	// ErrNoTurn says that a text holds nothing to play.
	ErrNoTurn = errors.New("there is nothing to play")
	// ErrTurnOver says that a turn was written longer than it is.
	ErrTurnOver = errors.New("the turn ends before this")
	// ErrNothingToUndo says that the open turn has no action yet.
	ErrNothingToUndo = errors.New("there is nothing to take back")
	// ErrTooLate says that a match can be called off no more, because
	// everybody has moved.
	ErrTooLate = errors.New("everybody has moved already")
	// ErrOwnTurn says that a seat cannot claim the match, because it is its own
	// turn.
	ErrOwnTurn = errors.New("nobody can claim the match in their own turn")
	// ErrNotPlaying says that a seat has retired or is not of this match.
	ErrNotPlaying = errors.New("that seat is not playing")
)
