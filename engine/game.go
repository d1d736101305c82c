package engine

import "fmt"

// Seat is a place in the order of play, counted from 1. The zero value is
// nobody.
type Seat int

// Nobody is the seat that nobody sits in.
const Nobody Seat = 0

// Limits of the number of seats of any game.
const (
	MinSeats = 2
	MaxSeats = 6
)

// Colour is the colour of a seat together with the shape that says the same
// without colour.
type Colour uint8

// The colours of seats, each with its own mark.
const (
	Blue   Colour = iota + 1 // disc ●
	Red                      // diamond ◆
	Gold                     // triangle ▲
	Green                    // square ■
	Violet                   // plus ✚
	White                    // wedge ▼
)

// Mark is the colour's shape as a character, for text: ●, ◆, ▲, ■, ✚ or ▼.
func (c Colour) Mark() string {
	if c < Blue || c > White {
		return "?"
	}
	return [...]string{"●", "◆", "▲", "■", "✚", "▼"}[c-Blue]
}

// String is the English name of the colour in lower case.
func (c Colour) String() string {
	if c < Blue || c > White {
		return fmt.Sprintf("Colour(%d)", uint8(c))
	}
	return [...]string{"blue", "red", "gold", "green", "violet", "white"}[c-Blue]
}

// Game is the rules of one game. Implementations hold no state and are safe
// for concurrent use.
type Game interface {
	// Key names the game for ever, in records, commands and custom ids: lower
	// case letters and hyphens, at most 32 characters, such as "stone-towers".
	Key() string

	// Rules is the version of the rules that new matches are played by, from 1.
	// It is part of a match's settings, so that old records replay for ever.
	Version() int

	// Seats is the smallest and the largest number of seats of a match.
	Seats() (least, most int)

	// Colours is the colour of every seat of a match with that many seats;
	// element 0 belongs to seat 1.
	Colours(seats int) []Colour

	// Options is what a match of the game can be set to, in the order in which
	// people are asked.
	Options() Schema

	// New is the position at the start. It fails with an *OptionError where
	// valid values do not go together, and with an *SeatsError where the game
	// is not played by that many.
	New(options Options, seats int) (Position, error)

	// Direct is every action that a turn can be, in the order in which buttons
	// for them stand side by side, where a turn is always exactly one of at
	// most five actions; nil for every other game.
	Direct() []Action

	// Texts is every sentence and label of the game, in English. The keys of
	// the catalogue start with the game's key and a dot. It always has
	// "<key>.name", "<key>.tagline", "<key>.option.<option>" for each option
	// and "<key>.reason.<reason>" for each Result.Reason. It may have
	// "<key>.step.<token>", a short label for a step.
	Texts() Texts

	// Rulebook is the rules for people, at least MinPages pages in the order
	// in which they are read: first the idea of the game, then how a turn goes,
	// last how it ends. A page's title has the key "<key>.rules.<page>" and its
	// text "<key>.rules.<page>.text"; the first page is called "idea".
	Rulebook() []Page
}

// Position is the state of a game between two actions. It is immutable: none
// of its methods changes it, and it is safe for concurrent use.
type Position interface {
	// Seat is whose action is next, or Nobody when the game is over.
	Seat() Seat

	// Turns is the number of turns completed so far, by all seats. An action
	// after which it is larger has ended the turn.
	Turns() int

	// Legal is every legal action, without duplicates, in an order that is
	// the same whenever the same position is reached. It is empty exactly
	// when the game is over. The caller may keep and change the slice.
	Legal() []Action

	// Parse reads one action from its token, in the canonical or a short
	// form, ignoring case and surrounding white space. The action need not be
	// legal. Text that is no action at all gives a *NotationError.
	Parse(token string) (Action, error)

	// Apply is the position after the action. An action that is not legal is
	// refused with an *IllegalError and changes nothing.
	Apply(Action) (Position, error)

	// Result is how the game ended; ok is false while it goes on.
	Result() (result Result, ok bool)

	// Hash is the same for equal positions, whatever their history.
	Hash() uint64

	// Status is one short line: score, or what is left to play for.
	Status() Phrase

	// Summary is one or two sentences for people who cannot see the picture,
	// without markup, at most 1,000 characters in English.
	Summary() Phrase

	// Describe is the whole position in words and as a board of text, without
	// markup, a phrase a line.
	Describe() []Phrase
}

// Action is the smallest thing that a player can do. The dynamic type is
// comparable, so that two actions can be compared by ==.
type Action interface {
	// String is the action's token in canonical notation, without white space.
	String() string

	// Steps is the choices that a person makes one after another to name this
	// action: "b2" then "b4", or "M" then "12", or "up" alone. Two different
	// legal actions of a position have different steps, and no action's steps
	// are the beginning of another's.
	Steps() []string
}

// Retirer is a position of a game for three and more from which a seat can
// retire while the others play on.
type Retirer interface {
	Position

	// Retire is the position after the seat has left. It is asked of positions
	// at the start of a turn, whosever turn it is: actions of an open turn
	// must have been taken back first. It fails where the seat has retired
	// already or the game is over.
	Retire(Seat) (Position, error)
}

// Mover is an action that can say in words what it does in a position, for
// the remark beside a suggestion: "takes the tower on f6".
type Describer interface {
	Action
	// In describes the action, which is legal there, in a few words without
	// a full stop.
	Describe(Position) Phrase
}

// Tokens of the two formalities, the same in every game.
const (
	End  = "end"
	Pass = "pass"
)

// Formality is the one legal action where the only legal action is to end the
// turn or to pass; ok is false elsewhere. The match plays it for the player.
func Formality(p Position) (action Action, ok bool) {
	legal := p.Legal()
	if len(legal) != 1 {
		return nil, false
	}
	if s := legal[0].String(); s != End && s != Pass {
		return nil, false
	}
	return legal[0], true
}

// Result is how a game ended by its own rules.
type Result struct {
	// Winners is who won, in seat order. It is empty for a draw; several
	// winners share the win.
	Winners []Seat
	// Ranks is the place of every seat, element 0 for seat 1: one more than the
	// number of seats that did better. Seats of equal rank are level.
	Ranks []int
	// Scores is the score of every seat, element 0 for seat 1; nil in a game
	// without scores.
	Scores []int
	// Reason is why it ended, as the last part of the catalogue key
	// "<game>.reason.<reason>".
	Reason string
}
