package match

import (
	"fmt"
	"strings"
	"time"

	"castellan/engine"
)

// Settings are the terms of a match. Together with the log they determine it.
type Settings struct {
	Game    string // key of the game
	Version int    // of its rules
	Options engine.Options
	Seats   int
	Clock   Clock
}

// Kind is the kind of an entry.
type Kind string

// The kinds of entries, as they are stored.
const (
	KindAction   Kind = "action"   // Text is the action's token
	KindUndo     Kind = "undo"     // takes back the last action of the open turn
	KindTakeback Kind = "takeback" // takes back the request that ended the seat's last turn
	KindResign   Kind = "resign"   // the seat gives up; if three or more are playing, it retires
	KindAbort    Kind = "abort"    // calls the match off without a result
	KindClaim    Kind = "claim"    // the seat claims that the seat to act has missed its deadline
	KindTimeout  Kind = "timeout"  // the seat has run out of time
	KindDraw     Kind = "draw"     // two seats agree on a draw; the seat is the last to agree
	KindTime     Kind = "time"     // the seat gives the seat to act time; Text says how much, such as "1d"

	// Decisions of organisers, see Adjudicate. Their seat is Nobody.
	KindAdjudicate Kind = "adjudicate" // ends the match; Text is a Verdict
	KindVoid       Kind = "void"       // takes the result out of the ratings
	KindRevert     Kind = "revert"     // takes back the decision before it
)

// Agreed is the text of a takeback or an abort that all seats have agreed on. Such
// a takeback takes back the last turn that its seat chose, and all that followed.
const Agreed = "agreed"

// Unplayed is the text of an abort because nobody has played for long.
const Unplayed = "unplayed"

// InTurn reports whether entries of the kind are part of turns: actions, and what
// takes them back.
func (k Kind) InTurn() bool { return k == KindAction || k == KindUndo || k == KindTakeback }

// Entry is an entry of the log.
type Entry struct {
	Seq         int // from 1, without gaps
	Kind        Kind
	Seat        engine.Seat
	Text        string
	At          time.Time
	Interaction string // the ID of the request that caused it
}

// Turn holds the actions of one seat up to the end of its turn.
type Turn struct {
	Number  int // counted over all seats, from 1
	Seat    engine.Seat
	Before  engine.Position
	Actions []engine.Action
	// BeganAt is when it became the seat's turn, by the end of the turn before,
	// the retirement of the seat before or an agreed takeback. It is zero at the
	// start of the match.
	BeganAt time.Time
	EndedAt time.Time     // of its last entry; zero while it is open
	Given   time.Duration // time that other seats have given for it
	lag     time.Duration // from the press that ended it to EndedAt
	// Follows reports that it became the seat's turn by the end of the turn before,
	// and not at the start or by the retirement of a seat.
	Follows bool
	// Prepared reports that the turn was prepared, and is no forced action that
	// followed one: the Interaction of its last entry begins with PreparedBy.
	Prepared bool
}

// PreparedBy begins the Interaction of entries that were prepared: they are played
// in the moment in which the turn before ends.
const PreparedBy = "prepared-"

func (t Turn) String() string { return strings.Join(engine.Tokens(t.Actions), " ") }

// Ending is the way in which a match ended, whoever won.
type Ending string

// The endings, as they are stored.
const (
	ByRules       Ending = "rules"
	ByResignation Ending = "resignation"
	ByAbort       Ending = "abort"
	ByClaim       Ending = "claim"
	ByTimeout     Ending = "timeout"
	ByAgreement   Ending = "agreement"
	// ByAdjudication has a result; an organiser can also end a match ByAbort.
	ByAdjudication Ending = "adjudication"
)

// Outcome is the end of a match.
type Outcome struct {
	Ending Ending
	// Result is empty after an abort, and has a Reason only after an end by the
	// rules.
	Result engine.Result
	// By is the seat that resigned, aborted, claimed or was the last to agree on a
	// draw; Nobody after an end by the rules, by the clock or by an organiser.
	By engine.Seat
	// TimedOut is the seat that a claim was made against or that ran out of time;
	// Nobody after any other ending.
	TimedOut engine.Seat
	At       time.Time
}

// Cause says when and by which request a decision is made.
type Cause struct {
	At          time.Time
	Interaction string
	// Confirms reports whether a seat plays its forced actions itself; nil means
	// that none does.
	Confirms func(engine.Seat) bool
}

// TurnError reports that it is the turn of another seat.
type TurnError struct{ Seat engine.Seat }

func (e *TurnError) Error() string { return fmt.Sprintf("it is the turn of seat %d", e.Seat) }

// TokenError reports a token that cannot be played. The whole turn is refused.
type TokenError struct {
	Index  int      // from 0
	Before []string // the tokens before it
	Token  string   // as the player wrote it
	// Err is an *engine.NotationError, an *engine.IllegalError or ErrTurnOver.
	Err error
	// Nearest are legal tokens that the player may have meant, best first.
	Nearest []string
}

func (e *TokenError) Error() string { return fmt.Sprintf("%q: %v", e.Token, e.Err) }

func (e *TokenError) Unwrap() error { return e.Err }
