package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"castellan/engine"
)

// ErrOver is returned when the game of the position is over.
var ErrOver = errors.New("search: the game is over")

// Player chooses turns. It has no mutable state and is safe for concurrent use.
type Player interface {
	// Think chooses the rest of the open turn: one action or more, after which
	// the turn has ended or the game is over.
	//
	// When its context ends it returns within 20 ms the best turn found so far,
	// without an error. It fails with ErrOver, and with an error that names both
	// games if the position is of another game.
	Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error)
}

// Limits bounds a search. With the zero value only the context does.
type Limits struct {
	// Nodes is the greatest number of positions visited, or of playouts; 0 means
	// no limit.
	Nodes int64
	// Depth is the greatest depth in moves; 0 means no limit.
	Depth int
	// Memory is the size of all tables in bytes; 0 means DefaultMemory.
	Memory int64
	// Seed determines every random choice.
	Seed uint64
	// Info, if set, is called with the best turn so far whenever that changes, in
	// the goroutine of Think.
	Info func(Decision)
}

// DefaultMemory is the default size of a search's tables in bytes.
const DefaultMemory = 16 << 20

// Decision is the turn that a player chose and what it expects.
type Decision struct {
	// Actions is the rest of the turn.
	Actions []engine.Action
	// Values holds the expected payoff of each seat, from 0 to 1 and 1 in total;
	// seat 1 is at index 0. It is nil if the player does not tell.
	Values []float64
	// Depth is the depth reached in moves, 0 if the player does not count.
	Depth int
	// Nodes is the number of positions visited, or of playouts.
	Nodes int64
	// Continuation is the rest of the principal variation, after the turn.
	Continuation []engine.Action
}

// Apply plays the turn. It fails if an action is not legal, or if the actions are
// not the whole rest of the turn and nothing else.
func (d Decision) Apply(p engine.Position) (engine.Position, error) {
	turns := p.Turns()
	ended := func() bool { return p.Seat() == engine.Nobody || p.Turns() != turns }
	for i, a := range d.Actions {
		if i > 0 && ended() {
			return nil, fmt.Errorf("the turn %v goes on after its end", d.Actions)
		}
		next, err := p.Apply(a)
		if err != nil {
			return nil, fmt.Errorf("the turn %v: %w", d.Actions, err)
		}
		p = next
	}
	if !ended() {
		return nil, fmt.Errorf("the turn %v is not a whole turn", d.Actions)
	}
	return p, nil
}

// Level is a strength that people can choose.
type Level struct {
	// Key names the level in all games, such as "casual"; see LevelKeys.
	Key string
	// Player plays the level.
	Player Player
	// Limits makes the level as strong as it is. Nodes is always set.
	Limits Limits
	// MoveTime is the longest that one turn may take on one core. Callers set it
	// as a deadline; the limits end the search well before.
	MoveTime time.Duration
	// Rating is the level's place on the ladder of its game: the sum of the
	// differences in docs/reference/strength/levels.md, from 1500 for the level "casual".
	Rating float64
}

// LevelKeys holds the keys of all levels, weakest first. A game has at least six
// of them in this order, including the first, the default "casual" and "master":
// as many as fit at 150 to 250 Elo apart.
var LevelKeys = []string{
	"newcomer", "newcomer-plus", "learner", "learner-plus", "beginner", "beginner-plus", "casual",
	"regular", "skilled", "advanced", "expert", "master", "grandmaster", "champion",
}

// Engine holds the computer players of one game.
type Engine struct {
	// Game is the game they play.
	Game engine.Game
	// Levels holds the levels, weakest first.
	Levels []Level
	// State returns the search state of a position. It fails if the position is
	// of another game.
	State func(engine.Position) (State, error)
	// Greedy plays the best turn by what the board shows, without looking ahead.
	Greedy Player
	// FixedDepth returns a full-width alpha-beta player of that depth, or its
	// equivalent for more than two seats.
	FixedDepth func(moves int) Player
	// CanWin reports whether the seat to act can win within its turn. People are
	// warned of turns after which the next seat can. It is nil if the game has no
	// such threat.
	CanWin func(engine.Position) bool
}

// FixedDepth returns full-width alpha-beta players of two seats, for
// Engine.FixedDepth.
func FixedDepth(state func(engine.Position) (State, error)) func(moves int) Player {
	return func(moves int) Player {
		return Limited{AlphaBeta{State: state, FullWidth: true}, Limits{Depth: moves}}
	}
}

func (e Engine) Level(key string) (level Level, ok bool) {
	for _, l := range e.Levels {
		if l.Key == key {
			return l, true
		}
	}
	return Level{}, false
}

// Keys returns the keys of the levels, weakest first.
func (e Engine) Keys() (keys []string) {
	for _, l := range e.Levels {
		keys = append(keys, l.Key)
	}
	return keys
}

func (e Engine) Strongest() Level { return e.Levels[len(e.Levels)-1] }

// Random plays uniformly random legal actions in any game.
type Random struct{}

func (Random) Think(_ context.Context, p engine.Position, limits Limits) (d Decision, err error) {
	if p.Seat() == engine.Nobody {
		return Decision{}, ErrOver
	}
	r := rand.New(rand.NewPCG(Mix(limits.Seed), p.Hash()))
	for turns := p.Turns(); p.Seat() != engine.Nobody && p.Turns() == turns; {
		legal := p.Legal()
		a := legal[r.IntN(len(legal))]
		if p, err = p.Apply(a); err != nil {
			return Decision{}, err
		}
		d.Actions = append(d.Actions, a)
	}
	return d, nil
}

// Limited is a player with limits of its own, which the caller's limits can
// tighten but not exceed.
type Limited struct {
	Player Player
	Limits Limits
}

func (l Limited) Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error) {
	limits.Nodes = minLimit(limits.Nodes, l.Limits.Nodes)
	limits.Depth = int(minLimit(int64(limits.Depth), int64(l.Limits.Depth)))
	limits.Memory = minLimit(limits.Memory, l.Limits.Memory)
	return l.Player.Think(ctx, p, limits)
}

// minLimit returns the smaller limit, where 0 means none.
func minLimit(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
