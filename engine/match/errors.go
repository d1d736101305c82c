package match

import "errors"

// Reasons for which a decision is refused.
var (
	// ErrOver: the match has ended.
	ErrOver = errors.New("the match is over")
	// ErrNoTurn: the text has no tokens.
	ErrNoTurn = errors.New("there is nothing to play")
	// ErrTurnOver: the turn ends before this token.
	ErrTurnOver = errors.New("the turn ends before this")
	// ErrNothingToUndo: the open turn has no action.
	ErrNothingToUndo = errors.New("there is nothing to take back")
	// ErrNoTakeback: the seat has not played the last turn, or the next seat has
	// begun its own.
	ErrNoTakeback = errors.New("the last turn can no longer be taken back")
	// ErrTooLate: every seat has completed a turn, so the match can no longer be
	// called off.
	ErrTooLate = errors.New("everybody has moved already")
	// ErrOwnTurn: the seat cannot claim the match in its own turn.
	ErrOwnTurn = errors.New("nobody can claim the match in their own turn")
	// ErrNotPlaying: the seat has retired or does not exist.
	ErrNotPlaying = errors.New("that seat is not playing")
)
