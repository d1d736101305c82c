package search

import (
	"context"
	"errors"
	"time"

	"castellan/engine"
)

// ErrOver is returned when there is nothing to think about: the game is over.
var ErrOver = errors.New("search: the game is over")

// Player chooses turns. It holds nothing that changes and is safe for
// concurrent use.
type Player interface {
	// Think chooses the rest of the turn that is open in the position: one
	// action or more, after the last of which the turn has ended or the game
	// is over.
	//
	// It returns soon after its context ends, within 20 ms, with the best that
	// it has by then; that is no error. It fails with ErrOver, and with an
	// error that names both games where the position is of another game.
	Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error)
}

// Limits bounds a thought. The zero value leaves all to the context.
type Limits struct {
	// Nodes is how many positions may be visited, or playouts be played in a
	// search by playouts; 0 for any number.
	Nodes int64
	// Depth is how many moves ahead to look; 0 for any number.
	Depth int
	// Memory is how many bytes of tables may be used; 0 for DefaultMemory.
	Memory int64
	// Seed decides wherever chance does.
	Seed uint64
	// Info, if set, is told what the search holds best so far, whenever that
	// changes, from the goroutine of Think.
	Info func(Decision)
}

// DefaultMemory is the size of a search's tables in bytes.
const DefaultMemory = 16 << 20

// Thought is what a player has chosen and what is expected of it.
type Decision struct {
	// Actions is the rest of the turn.
	Actions []engine.Action
	// Values is the share of the win that each seat is expected to get, from 0
	// to 1 and 1 in all; element 0 is seat 1's. It is nil where the player does
	// not say.
	Values []float64
	// Depth is how many moves ahead the search looked, 0 if it does not count.
	Depth int
	// Nodes is how many positions it visited or playouts it played.
	Nodes int64
	// Reply is the moves that are expected to follow the turn, as far as the
	// search says; each is one action or more.
	Continuation []engine.Action
}

// Level is a strength that people choose.
type Level struct {
	// Key names the level in every game, such as "casual": see LevelKeys.
	Key string
	// Player plays it.
	Player Player
	// Limits makes the level what it is. Nodes is always set.
	Limits Limits
	// Patience is the most time that one turn of it may take on one core,
	// which the caller makes a deadline. The limits are met well before.
	MoveTime time.Duration
}

// LevelKeys is the keys of the levels, weakest first. A game has at least six of
// them, in this order, the first and the last among them: as many as it takes to
// get from one to the other in steps of some 200 Elo.
var LevelKeys = []string{
	"newcomer", "beginner", "casual", "regular", "skilled", "advanced", "expert", "master",
}

// Brain is all that plays one game.
type Engine struct {
	// Game is the game that it plays.
	Game engine.Game
	// Levels is the levels, the weakest first.
	Levels []Level
	// State is the position as searches walk it. It fails where the position is
	// of another game.
	State func(engine.Position) (State, error)
	// Greedy plays what looks best without looking ahead at all.
	Greedy Player
	// Depth looks that many moves ahead, all of them, by alpha-beta or what
	// stands for it in a game of more than two seats.
	FixedDepth func(moves int) Player
}

// Level is the level with the key; ok is false where there is none.
func (b Engine) Level(key string) (level Level, ok bool) {
	for _, l := range b.Levels {
		if l.Key == key {
			return l, true
		}
	}
	return Level{}, false
}

// Keys is the keys of the levels, the weakest first.
func (b Engine) Keys() []string {
	keys := make([]string, len(b.Levels))
	for i, l := range b.Levels {
		keys[i] = l.Key
	}
	return keys
}

// Top is the strongest level.
func (b Engine) Strongest() Level { return b.Levels[len(b.Levels)-1] }
