// Package offers has what players offer each other between two turns: a draw, a
// takeback, more time, or to call the match off.
//
// An offer is answered by all people who play and have not made it. It stands until
// the next turn, and a seat can make each offer once between two turns, so that
// nobody is asked the same thing again and again. Only one offer of a match is open
// at a time.
package offers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
)

// Kind is what players can agree on.
type Kind string

// The kinds, as they are stored.
const (
	Draw     Kind = "draw"
	Takeback Kind = "takeback" // of the last turn of the player who offers
	Time     Kind = "time"     // more of it for the player to move
	Abort    Kind = "abort"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Takeback, Draw, Time, Abort} }

// State is the state of an offer. An offer that lapses is removed.
type State string

// The states, as they are stored.
const (
	Open      State = "open"
	Accepted  State = "accepted"
	Declined  State = "declined"
	Withdrawn State = "withdrawn"
)

// Answer is an answer to an offer.
type Answer string

// The answers. Only the seat that made an offer withdraws it.
const (
	Accept   Answer = "accept"
	Decline  Answer = "decline"
	Withdraw Answer = "withdraw"
)

// Reasons for which an offer or an answer is refused.
var (
	ErrLapsed        = errors.New("the offer no longer stands")
	ErrRepeated      = errors.New("the seat has made this offer since the last turn")
	ErrOpen          = errors.New("another offer has to be answered first")
	ErrOwn           = errors.New("the seat has made this offer, and others answer it")
	ErrOthers        = errors.New("another seat has made this offer")
	ErrNoTurn        = errors.New("the seat has no turn to take back")
	ErrRated         = errors.New("a computer agrees to this in unrated matches only")
	ErrPlaysOn       = errors.New("the computer declines the draw")
	ErrComputersTime = errors.New("computers have all the time")
)

// Offer is an offer of one seat to all others.
type Offer struct {
	Number int // from 1, among those since the last turn
	Kind   Kind
	Seat   engine.Seat // that offers it
	State  State
	agreed uint // bit n for seat n
}

// Agree returns the offer after a seat has agreed to it.
func (o Offer) Agree(seat engine.Seat) Offer {
	o.agreed |= 1 << uint(seat)
	return o
}

// Agreed reports whether a seat has agreed to the offer, or made it.
func (o Offer) Agreed(seat engine.Seat) bool { return seat == o.Seat || o.agreed&(1<<uint(seat)) != 0 }

// Entries returns the entries of what all have agreed on. seat is the last to
// agree, and gives the time if it is asked for. Time for itself is given by another
// seat, which is a computer.
func (o Offer) Entries(m *match.Match, seat engine.Seat, given time.Duration, cause match.Cause) ([]match.Entry, error) {
	switch o.Kind {
	case Draw:
		return m.AgreeDraw(seat, cause)
	case Takeback:
		return m.AgreeTakeback(o.Seat, cause)
	case Time:
		for other := engine.Seat(1); seat == o.Seat && int(other) <= m.Settings().Seats; other++ {
			if other != seat && m.Playing(other) {
				seat = other
			}
		}
		return m.GiveTime(seat, given, cause)
	case Abort:
		return m.AgreeAbort(seat, cause)
	}
	return nil, fmt.Errorf("there is no offer %q", o.Kind)
}

// List holds the offers since the turn that ended with entry Seq.
type List struct {
	Seq    int
	Offers []Offer
}

// Open returns the offer that has to be answered; ok is false if there is none.
func (l List) Open() (o Offer, ok bool) {
	if n := len(l.Offers); n > 0 {
		o = l.Offers[n-1]
	}
	return o, o.State == Open
}

// Add returns the list with another offer, and that offer.
func (l List) Add(kind Kind, seat engine.Seat, state State) (List, Offer) {
	o := Offer{Number: len(l.Offers) + 1, Kind: kind, Seat: seat, State: state}
	l.Offers = append(slices.Clip(l.Offers), o)
	return l, o
}

// Replace returns the list with another version of one of its offers.
func (l List) Replace(o Offer) List {
	l.Offers = slices.Clone(l.Offers)
	l.Offers[o.Number-1] = o
	return l
}

// Check returns why a seat that plays in m cannot make an offer that others have to
// answer: match.ErrTwoSeats, ErrNoTurn, match.ErrTooLate, match.ErrNoClock, a
// *match.TurnError, ErrRated, ErrRepeated or ErrOpen. rated reports whether a
// computer plays and the match is rated.
func (l List) Check(m *match.Match, seat engine.Seat, kind Kind, rated bool) error {
	_, isOpen := l.Open()
	_, accepts := l.Accepts(seat, kind)
	switch {
	case kind == Draw && m.Settings().Seats != 2:
		return match.ErrTwoSeats
	case kind == Takeback && !m.CanAgreeTakeback(seat):
		return ErrNoTurn
	case kind == Abort && !m.CanAgreeAbort():
		return match.ErrTooLate
	case kind == Time && m.Settings().Clock == match.Clock{}:
		return match.ErrNoClock
	case kind == Time && m.Seat() != seat:
		return &match.TurnError{Seat: m.Seat()}
	case rated && (kind == Takeback || kind == Abort):
		return ErrRated
	case accepts:
		return nil
	case slices.ContainsFunc(l.Offers, func(o Offer) bool { return o.Kind == kind && o.Seat == seat }):
		return ErrRepeated
	case isOpen:
		return ErrOpen
	}
	return nil
}

// Accepts returns the open offer that a seat accepts by making the same one; ok is
// false if there is none.
func (l List) Accepts(seat engine.Seat, kind Kind) (o Offer, ok bool) {
	o, ok = l.Open()
	return o, ok && o.Kind == kind && o.Seat != seat && kind != Takeback
}

// Answer returns the open offer after a seat has answered the offer with a number,
// which was made after entry seq. It fails with ErrLapsed, ErrOthers or ErrOwn.
func (l List) Answer(seq, number int, seat engine.Seat, answer Answer) (Offer, error) {
	o, ok := l.Open()
	switch {
	case !ok || o.Number != number || l.Seq != seq:
		return o, ErrLapsed
	case answer == Withdraw && seat != o.Seat:
		return o, ErrOthers
	case answer != Withdraw && seat == o.Seat:
		return o, ErrOwn
	case answer == Accept:
		return o.Agree(seat), nil
	case answer == Decline:
		o.State = Declined
	default:
		o.State = Withdrawn
	}
	return o, nil
}

// Parse reads what String returns. It returns the empty list if the offers of the
// text have lapsed, because the last turn ended with another entry.
func Parse(text string, seq int) List {
	l := List{Seq: seq}
	first, rest, _ := strings.Cut(text, ",")
	if first != fmt.Sprint(seq) {
		return l
	}
	for part := range strings.SplitSeq(rest, ",") {
		o := Offer{Number: len(l.Offers) + 1}
		if _, err := fmt.Sscan(part, &o.Kind, &o.Seat, &o.State, &o.agreed); err == nil {
			l.Offers = append(l.Offers, o)
		}
	}
	return l
}

// String returns the list as text, such as "12,draw 1 declined 0,time 2 open 0".
func (l List) String() string {
	parts := []string{fmt.Sprint(l.Seq)}
	for _, o := range l.Offers {
		parts = append(parts, fmt.Sprint(o.Kind, " ", int(o.Seat), " ", o.State, " ", o.agreed))
	}
	return strings.Join(parts, ",")
}

// minDrawTurns is how many turns a person must have played before a computer
// agrees to a draw: a match begins even.
const minDrawTurns = 8

// TooYoung reports whether a computer declines a draw without looking, because the
// seat that offers it has played only a few turns.
func TooYoung(m *match.Match, seat engine.Seat) bool {
	return len(slices.DeleteFunc(m.Turns(), func(t match.Turn) bool { return t.Seat != seat })) < minDrawTurns
}

// drawPayoff is the largest expected payoff that a computer gives up for a draw:
// that of a position whose value is zero.
var drawPayoff = search.ExpectedPayoff(0)

// AgreesToDraw reports whether a search expects no more for a computer than a draw
// gives it. seat is the seat of its opponent.
func AgreesToDraw(d search.Decision, seat engine.Seat) bool {
	return len(d.Values) == 2 && d.Values[2-seat] <= drawPayoff
}
