package match

import (
	"fmt"
	"time"

	"castellan/engine"
)

// Settings is what a match is played by. Together with the log it rebuilds
// the match exactly.
type Settings struct {
	Game    string // key of the game
	Version int    // version of its rules
	Options engine.Options
	Seats   int
}

// Kind is what an entry records.
type Kind string

// The kinds of entries. Their text forms stand in databases for ever.
const (
	KindAction Kind = "action" // Text is the action's token
	KindUndo   Kind = "undo"   // takes back the last action of the open turn
	KindResign Kind = "resign" // the seat gives up; where three or more play on, it retires
	KindAbort  Kind = "abort"  // the match is called off without a result
	KindClaim  Kind = "claim"  // the seat to act was silent too long, says the one of the entry
)

// Entry is one line of the log.
type Entry struct {
	Seq         int // from 1, without gaps
	Kind        Kind
	Seat        engine.Seat
	Text        string
	At          time.Time
	Interaction string // what caused it, opaque
}

// Turn is the actions of one seat between two ends of turns.
type Turn struct {
	Number  int // over all seats, from 1
	Seat    engine.Seat
	Before  engine.Position
	Actions []engine.Action
	// BeganAt is when the turn came to the seat: at the end of the turn before
	// or when the seat before left. It is zero at the start of the match. That
	// somebody else leaves does not change it.
	BeganAt time.Time
	EndedAt time.Time // of its last entry; zero while it is open
}

// String is the turn's tokens separated by single spaces.
func (t Turn) String() string {
	s := ""
	for i, a := range t.Actions {
		if i > 0 {
			s += " "
		}
		s += a.String()
	}
	return s
}

// Ending is how a match ended, which is not the same as who won.
type Ending string

// The endings. Their text forms stand in databases for ever.
const (
	ByRules       Ending = "rules"
	ByResignation Ending = "resignation"
	ByAbort       Ending = "abort"
	ByClaim       Ending = "claim"
)

// Outcome is the end of a match.
type Outcome struct {
	Ending Ending
	// Result is empty after an abort. After a resignation or a claim Reason is
	// empty.
	Result engine.Result
	// By is the seat that resigned, aborted or claimed, Nobody after an end by
	// rules.
	By engine.Seat
	// Silent is the seat against which the match was claimed, Nobody after any
	// other end.
	TimedOut engine.Seat
	At       time.Time
}

// Moment is the circumstances of a decision.
type Moment struct {
	At          time.Time
	Interaction string
	// Confirms reports whether a seat plays its formalities itself; nil means
	// nobody does.
	Confirms func(engine.Seat) bool
}

// TurnError says that it is somebody else's turn.
type TurnError struct{ Seat engine.Seat }

func (e *TurnError) Error() string { return fmt.Sprintf("it is the turn of seat %d", e.Seat) }

// TokenError says which token of a written turn could not be played. Nothing
// of the turn has been.
type TokenError struct {
	Index int    // from 0
	Token string // as it was written
	// Err is an *engine.NotationError, an *engine.IllegalError, or ErrTurnOver
	// where the turn had ended before this token.
	Err error
	// Nearest is the legal tokens nearest to it, best first; it may be empty.
	Nearest []string
}

func (e *TokenError) Error() string { return fmt.Sprintf("%q: %v", e.Token, e.Err) }

func (e *TokenError) Unwrap() error { return e.Err }
