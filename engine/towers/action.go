package towers

import (
	"strconv"
	"strings"

	"castellan/engine"
)

// Kind is what an action does.
type Kind uint8

// The kinds of actions.
const (
	Move    Kind = iota + 1 // a whole tower goes in a straight line: "b2-b4"
	TakeOut                 // one pawn leaves a tower: "e1/f1"
	Import                  // reserve pawns are put on the master: "+2"
	End                     // the turn ends: "end"
)

// Action is the smallest thing that a player can do. The zero value is no
// action.
type Action struct {
	kind     Kind
	from, to cell
	count    uint8
}

var _ engine.Describer = Action{}

// The signs of the notation.
const (
	moveSign   = '-'
	outSign    = '/'
	importSign = '+'
)

// mostImport is the largest number that is read behind importSign: more pawns
// than there are.
const mostImport = 99

// NewAction is an action of that kind: Move and Out use the squares, which must
// be on the largest board, Import the count.
func NewAction(kind Kind, from, to Square, count int) Action {
	switch kind {
	case Move, TakeOut:
		return Action{kind: kind, from: from.cell(), to: to.cell()}
	case Import:
		return Action{kind: kind, count: uint8(count)}
	}
	return Action{kind: kind}
}

// Kind is what the action does.
func (a Action) Kind() Kind { return a.kind }

// From is where a tower or pawn leaves, for Move and Out.
func (a Action) From() Square { return a.from.square() }

// To is where it goes, for Move and Out.
func (a Action) To() Square { return a.to.square() }

// Count is the number of pawns imported, 0 for the other kinds.
func (a Action) Count() int { return int(a.count) }

// String is the token: b2-b4, e1/f1, +2 or end.
func (a Action) String() string {
	switch a.kind {
	case Move:
		return a.From().String() + string(moveSign) + a.To().String()
	case TakeOut:
		return a.From().String() + string(outSign) + a.To().String()
	case Import:
		return string(importSign) + strconv.Itoa(a.Count())
	case End:
		return engine.End
	}
	return "nothing"
}

// Steps is "b2" then "b4" for b2-b4, "e1", "/" and "f1" for e1/f1, "+" and "2"
// for +2, and "end".
func (a Action) Steps() []string {
	switch a.kind {
	case Move:
		return []string{a.From().String(), a.To().String()}
	case TakeOut:
		return []string{a.From().String(), string(outSign), a.To().String()}
	case Import:
		return []string{string(importSign), strconv.Itoa(a.Count())}
	}
	return []string{a.String()}
}

// parse reads an action in canonical notation, in any case and between white
// space.
func parse(token string) (Action, error) {
	word := strings.ToLower(strings.TrimSpace(token))
	if a, ok := scan(word); ok {
		return a, nil
	}
	return Action{}, &engine.NotationError{Token: token, Why: texts.Phrase("towers.notation", "Token", token)}
}

func scan(word string) (a Action, ok bool) {
	if word == engine.End {
		return Action{kind: End}, true
	}
	if number, ok := strings.CutPrefix(word, string(importSign)); ok {
		n, ok := scanNumber(number, mostImport)
		return Action{kind: Import, count: uint8(n)}, ok
	}
	a.kind = Move
	from, to, ok := strings.Cut(word, string(moveSign))
	if !ok {
		a.kind = TakeOut
		if from, to, ok = strings.Cut(word, string(outSign)); !ok {
			return Action{}, false
		}
	}
	var okFrom, okTo bool
	a.from, okFrom = scanSquare(from)
	a.to, okTo = scanSquare(to)
	return a, okFrom && okTo
}

// scanSquare reads a square of the largest board.
func scanSquare(s string) (cell, bool) {
	if s == "" || s[0] < 'a' || s[0] >= 'a'+mostSize {
		return 0, false
	}
	rank, ok := scanNumber(s[1:], mostSize)
	if !ok {
		return 0, false
	}
	return Square{int(s[0] - 'a'), rank - 1}.cell(), true
}

// scanNumber reads a number from 1 to most, without a sign or leading zeros.
func scanNumber(s string, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= most && strconv.Itoa(n) == s
}
