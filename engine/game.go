package engine

import "fmt"

// Seat is a place in the order of play, from 1. The zero value is Nobody.
type Seat int

// Nobody stands for no seat, such as the seat to act when the game is over.
const Nobody Seat = 0

// Limits on the number of seats of any game.
const (
	MinSeats = 2
	MaxSeats = 6
)

// Colour is the colour of a seat and the shape that stands for it, so that
// nothing depends on telling colours apart.
type Colour uint8

// The colours of seats, each with its mark.
const (
	Blue   Colour = iota + 1 // disc ●
	Red                      // diamond ◆
	Gold                     // triangle ▲
	Green                    // square ■
	Violet                   // plus ✚
	Wedge                    // wedge ▼
)

// Mark returns the colour's shape as a character: ●, ◆, ▲, ■, ✚ or ▼.
func (c Colour) Mark() string {
	if c < Blue || c > Wedge {
		return "?"
	}
	return [...]string{"●", "◆", "▲", "■", "✚", "▼"}[c-Blue]
}

// String returns the English name of the colour in lower case.
func (c Colour) String() string {
	if c < Blue || c > Wedge {
		return fmt.Sprintf("Colour(%d)", uint8(c))
	}
	return [...]string{"blue", "red", "gold", "green", "violet", "wedge"}[c-Blue]
}

// Game is one version of the rules of a game. Implementations are stateless and
// safe for concurrent use. A game whose rules have changed is a [Versioned].
type Game interface {
	// Key returns the name of the game in records, commands and custom IDs:
	// lower case letters and hyphens, at most 32 characters, such as
	// "stone-towers". It never changes and is the same in all versions.
	Key() string

	// Version returns the version of the rules, from 1. It is part of a match's
	// settings. Any change after which some stored match would replay
	// differently, or not at all, makes a new version.
	Version() int

	// Seats returns the smallest and the largest number of seats of a match.
	Seats() (fewest, most int)

	// Colours returns the colour of each seat of a match with that many seats;
	// element 0 belongs to seat 1.
	Colours(seats int) []Colour

	// Options returns the options of a match, in the order in which people are
	// asked for them.
	Options() Schema

	// New returns the position at the start. It fails with an *OptionError if
	// the options do not go together, and with a *SeatsError if the game does
	// not allow that number of seats.
	New(options Options, seats int) (Position, error)

	// Direct returns all actions, in the order of their buttons, for a game in
	// which a turn is always exactly one of at most five actions. Other games
	// return nil.
	Direct() []Action

	// Texts returns every sentence and label of the game, in English. The keys
	// start with the game's key and a dot. There is always "<key>.name",
	// "<key>.tagline", "<key>.option.<option>" for each option and
	// "<key>.reason.<reason>" for each Result.Reason. There may be
	// "<key>.step.<token>", a short label for a step. The text of a reason can use
	// the arguments Winner and Loser in a game for two. The texts include those
	// of all earlier versions, so a text that has changed gets a new key.
	Texts() Texts

	// Rulebook returns the rules for people, at least MinPages pages in reading
	// order: the idea of the game, how a turn goes, how it ends, the options with
	// the values that are rated, and advice for the first match. A page's title has the key "<key>.rules.<page>" and its text
	// "<key>.rules.<page>.text". The first page is "idea", or in an earlier
	// version with a page of its own, such as version 1, "idea-1".
	Rulebook() []Page
}

// Start returns the position at the start of a game with options in text form, such
// as "size=5". It fails like Schema.Parse and Game.New.
func Start(g Game, options string, seats int) (Position, error) {
	o, err := g.Options().Parse(options)
	if err != nil {
		return nil, err
	}
	return g.New(o, seats)
}

// Position is the state of a game between two actions. It is immutable and safe
// for concurrent use.
type Position interface {
	// Seat returns the seat to act, or Nobody if the game is over.
	Seat() Seat

	// Turns returns the number of turns that all seats have completed. An
	// action that increases it has ended the turn.
	Turns() int

	// Legal returns every legal action once, in an order that depends on the
	// position alone. It is empty exactly when the game is over. The caller may
	// keep and change the slice.
	Legal() []Action

	// Parse reads an action from its token, in canonical or short form,
	// ignoring case and surrounding white space. The action need not be legal.
	// Parse fails with a *NotationError.
	Parse(token string) (Action, error)

	// Apply returns the position after an action. If the action is not legal it
	// fails with an *IllegalError.
	Apply(Action) (Position, error)

	// Result returns how the game ended; ok is false until it has.
	Result() (result Result, ok bool)

	// Hash returns a number that is the same for equal positions, whatever
	// their history.
	Hash() uint64

	// Status returns one short line, such as the score.
	Status() Phrase

	// Summary returns one or two sentences for people who cannot see the
	// picture, without markup, at most 1,000 characters in English.
	Summary() Phrase

	// Describe returns the whole position in words and as a text board, one
	// phrase per line, without markup: first whose turn it is or how the game ended,
	// then the rest by its importance, then the board and what its letters mean.
	Describe() []Phrase
}

// Action is the smallest thing that a player can do. The dynamic type is
// comparable, so that actions can be compared with ==.
type Action interface {
	// String returns the action's token in canonical notation, without white
	// space.
	String() string

	// Steps returns the choices by which a person picks the action, one after
	// another: "b2" then "b4", or "M" then "12", or just "up". No two legal
	// actions of a position have the same steps, and the steps of one are
	// never the beginning of another's.
	Steps() []string
}

func Tokens(actions []Action) []string {
	out := make([]string, len(actions))
	for i, a := range actions {
		out[i] = a.String()
	}
	return out
}

// Retirer is a position of a game for three or more from which a seat can
// retire while the others play on.
type Retirer interface {
	Position

	// Retire returns the position after the seat has left. It is called at the
	// start of a turn, whosever turn it is; actions of an open turn must have
	// been taken back. It fails if the seat has already retired or the game is
	// over.
	Retire(Seat) (Position, error)
}

// Paced is a game that knows how long its matches are.
type Paced interface {
	Game

	// UsualTurns returns about how many turns all seats together complete in a
	// match that is played to its end. A match that ends much earlier says little
	// about the players. The options and the number of seats are those of a match.
	UsualTurns(options Options, seats int) int
}

// Describer is an action that can say what it does, for the text beside a
// suggestion: "takes the tower on f6".
type Describer interface {
	Action

	// Describe returns a few words about the action, which is legal in the
	// position, without a full stop.
	Describe(Position) Phrase
}

// Surveyor is a position that knows where on its board actions are. It decides
// which of many actions people see first.
type Surveyor interface {
	Position

	// Distance returns how far apart two actions are on the board, 0 for the
	// same place. The actions need not be legal.
	Distance(a, b Action) int

	// Notable reports whether a legal action does more than most do: takes,
	// destroys, wins. It looks no further than the action.
	Notable(Action) bool
}

// Prompter is a position that says what a person has to choose next.
type Prompter interface {
	Position

	// Prompt returns a short request for the step after those picked, such as
	// "Choose a column", without a full stop, and the name of the page of the
	// rulebook that explains it, as in "<key>.rules.<page>".
	Prompt(picked []string) (prompt Phrase, page string)
}

// Decisive is implemented by games that never end in a draw. Nobody is invited to
// offer one.
type Decisive interface {
	Game
	Decisive()
}

// Finished is implemented by positions whose Status tells of the turn to play.
type Finished interface {
	// FinalStatus returns Status as if the game were over.
	FinalStatus() Phrase
}

// FinalStatus returns the status of a position in which a match has ended, perhaps
// by other means than the rules.
func FinalStatus(p Position) Phrase {
	if f, ok := p.(Finished); ok {
		return f.FinalStatus()
	}
	return p.Status()
}

// Explainer is a position that says why an action is not legal where the board
// does not show it at a glance.
type Explainer interface {
	Position

	// Explain returns a few words about why an action is not legal, in the middle
	// of a sentence. It is zero if the action is legal or the board shows why not.
	Explain(Action) Phrase
}

// Tokens of the actions that end a turn and pass it, the same in every game.
const (
	End  = "end"
	Pass = "pass"
)

// ForcedAction returns the only legal action of a position if that action ends
// the turn or passes. A match plays it for the player.
func ForcedAction(p Position) (action Action, ok bool) {
	legal := p.Legal()
	if len(legal) != 1 {
		return nil, false
	}
	if s := legal[0].String(); s != End && s != Pass {
		return nil, false
	}
	return legal[0], true
}

// Result is how a game ended by its rules.
type Result struct {
	// Winners holds the winners in seat order. It is empty after a draw; several
	// winners share the win.
	Winners []Seat
	// Ranks holds the rank of each seat, element 0 for seat 1: one more than the
	// number of seats that did better.
	Ranks []int
	// Scores holds the score of each seat, element 0 for seat 1; nil in a game
	// without scores.
	Scores []int
	// Reason is the last part of the catalogue key "<game>.reason.<reason>",
	// which says why the game ended.
	Reason string
}
