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
	// ErrTwoSeats: only two seats can agree on a draw.
	ErrTwoSeats = errors.New("only two players can agree on a draw")
	// ErrNoClock: nobody needs time in a match without a clock.
	ErrNoClock = errors.New("the match has no clock")
	// ErrTooMuchTime: the seat to act has been given as much time as it can be.
	ErrTooMuchTime = errors.New("the turn cannot be given more time")
	// ErrOwnTurn: the seat cannot claim the match, or give time, in its own turn.
	ErrOwnTurn = errors.New("nobody can do this in their own turn")
	// ErrNotPlaying: the seat has retired or does not exist.
	ErrNotPlaying = errors.New("that seat is not playing")
)
