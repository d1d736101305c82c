package search

import (
	"math/rand/v2"

	"castellan/engine"
)

// Move is a move in a State, a number that the state gives a meaning to. It may
// stand for several actions. The same number means the same, as far as it can,
// in all positions of a game: searches remember which moves were good.
type Move uint32

// NoMove is no move of any state.
const NoMove = ^Move(0)

// State is a position that moves are made in and taken back, without
// allocation. It is not safe for concurrent use.
type State interface {
	// Seat is whose move is next, counted from 0, or -1 when the game is over.
	Seat() int
	// Seats is the number of seats.
	Seats() int
	// Moves appends the moves that are worth a thought, those that look best
	// first; it appends at least one unless the game is over.
	Moves(to []Move) []Move
	// Make plays one of the moves.
	Make(Move)
	// Unmake takes back the last move that is still made.
	Unmake()
	// Hash is the same for positions from which the game goes on alike, and
	// differs, as good as always, for others; whose move it is counts.
	Hash() uint64
	// Share fills in the share of the win of every seat, 1 in all, once the
	// game is over.
	Payoffs(values []float64)
	// Actions is what one of the moves is in the game, one action or more.
	Actions(Move) []engine.Action
}

// Evaluator is a state of two seats that knows who stands better.
type Evaluator interface {
	State
	// Evaluate is how much better than the other the seat whose move is next
	// stands, from -MaxValue to MaxValue. 100 is an advantage that is plain
	// though not decisive: Chance turns it into a share of the win. It is asked
	// only while the game goes on.
	Evaluate() int
}

// Playouter is a state that games can be played from to the end at random.
type Playouter interface {
	State
	// Playout plays random legal actions to the end of the game, leaves the
	// state as it was, and fills in the share of the win of every seat.
	Playout(random *rand.PCG, values []float64)
}

// Foreseer is an Evaluator that can tell what its moves will be worth without
// making them: searches try the best first, and do without the last move where
// it is enough to know its worth.
type MoveEvaluator interface {
	Evaluator
	// Foresee fills in, for each of some of the moves, what Evaluate would say
	// after it to the seat that makes it: less that of the other where the
	// other's move is next. It must be exact. It reports false, and fills in
	// nothing, where one of the moves may end the game.
	EvaluateMoves(moves []Move, values []int32) bool
}

// Glancer is an Evaluator that can tell what its best move will be worth without
// as much as listing the moves: searches do without the last move then.
type BestReplyEvaluator interface {
	Evaluator
	// Glance is what Evaluate would say after the best of Moves to the seat that
	// makes it, less that of the other where the other's move is next, and which
	// move that is; where one is worth enough, it may be any such. It must be
	// exact. It reports false where one of the moves may end the game.
	EvaluateBestReply(enough int) (value int, best Move, ok bool)
}

// Counter is an Evaluator of a game that ends after a number of moves which is
// known beforehand: the last of them are searched exactly.
type MoveCounter interface {
	Evaluator
	// Left is how many moves remain at most.
	MovesLeft() int
}
