package search

import (
	"math/rand/v2"

	"castellan/engine"
)

// Move identifies a move of a State, as one action or several. Its meaning is up
// to the state, but should be the same in all positions of a game: searches keep
// statistics by move.
type Move uint32

const NoMove = ^Move(0)

// State is a mutable position for searches. Making and taking back moves does
// not allocate. It is not safe for concurrent use.
type State interface {
	// Seat returns the seat to move, counted from 0, or -1 when the game is over.
	Seat() int
	// Seats returns the number of seats.
	Seats() int
	// Moves appends the moves worth searching, most promising first: at least one
	// unless the game is over.
	Moves(to []Move) []Move
	// Make plays one of the moves.
	Make(Move)
	// Unmake takes back the last move.
	Unmake()
	// Hash returns the same number for equivalent positions and with high
	// probability different ones otherwise. It covers the seat to move.
	Hash() uint64
	// Payoffs fills in each seat's share of the win, 1 in total, once the game is
	// over.
	Payoffs(values []float64)
	// Actions returns the actions of a move.
	Actions(Move) []engine.Action
}

// Evaluator is a State of two seats with a static evaluation.
type Evaluator interface {
	State
	// Evaluate returns the advantage of the side to move, from -MaxValue to
	// MaxValue; 100 is a clear but not decisive advantage, see ExpectedPayoff.
	// It is not called once the game is over.
	Evaluate() int
}

// Playouter is a State with random playouts.
type Playouter interface {
	State
	// Playout plays random legal actions to the end of the game, fills in the
	// payoffs, and leaves the state unchanged.
	Playout(random *rand.PCG, values []float64)
}

// MoveEvaluator is an Evaluator that can evaluate moves without making them.
// Searches use this to order moves and instead of the last ply.
type MoveEvaluator interface {
	Evaluator
	// EvaluateMoves fills in the exact evaluation after each of the moves, from
	// the point of view of the seat that makes it. It returns false and fills in
	// nothing if a move may end the game.
	EvaluateMoves(moves []Move, values []int32) bool
}

// MoveEstimator is an Evaluator that can estimate the evaluation after moves more
// cheaply than by making them. Searches use this to order moves and to leave out
// those far from good enough, and do not use EvaluateMoves of such a state.
type MoveEstimator interface {
	Evaluator
	// EstimateMoves does what EvaluateMoves does, with estimates.
	EstimateMoves(moves []Move, values []int32) bool
}

// BestReplyEvaluator is an Evaluator that can find the best move by evaluation
// without listing moves. Searches use it instead of the last ply.
type BestReplyEvaluator interface {
	Evaluator
	// EvaluateBestReply returns the best of Moves and the exact evaluation after
	// it, from the point of view of the seat that makes it. It may stop at any
	// move with a value of at least beta. It returns false if a move may end the
	// game.
	EvaluateBestReply(beta int) (value int, best Move, ok bool)
}

// MoveCounter is an Evaluator of a game with a known number of moves. Searches
// prune nothing near its end.
type MoveCounter interface {
	Evaluator
	// MovesLeft returns the greatest number of moves left.
	MovesLeft() int
}

// Finisher is a MoveCounter that knows how the game ends from a position with one
// move left. Searches use it instead of the last ply.
type Finisher interface {
	MoveCounter
	// Finish returns a best move and the payoff of the seat that makes it. It is
	// called with one move left only.
	Finish() (payoff float64, best Move)
}
