package towers

import (
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
)

// Kind is the kind of an action.
type Kind uint8

// The kinds of actions.
const (
	Move    Kind = iota + 1 // move a whole tower in a straight line: "b2-b4"
	TakeOut                 // move one pawn out of a tower: "e1/f1"
	Import                  // put reserve pawns on the master: "+2"
	End                     // end the turn: "end"
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
	moveSign    = '-'
	takeOutSign = '/'
	importSign  = '+'
)

// maxImport is the largest number of pawns that Parse accepts: more than there
// are.
const maxImport = 99

// NewAction returns an action of a kind. Move and TakeOut use the squares,
// which must be on the largest board; Import uses the count.
func NewAction(kind Kind, from, to Square, count int) Action {
	switch kind {
	case Move, TakeOut:
		return Action{kind: kind, from: from.cell(), to: to.cell()}
	case Import:
		return Action{kind: kind, count: uint8(count)}
	}
	return Action{kind: kind}
}

// Kind returns the kind of the action.
func (a Action) Kind() Kind { return a.kind }

// From returns the square that a tower or pawn leaves, for Move and TakeOut.
func (a Action) From() Square { return a.from.square() }

// To returns the target square, for Move and TakeOut.
func (a Action) To() Square { return a.to.square() }

// Count returns the number of pawns imported, 0 for the other kinds.
func (a Action) Count() int { return int(a.count) }

// String returns the token: b2-b4, e1/f1, +2 or end.
func (a Action) String() string {
	switch a.kind {
	case Move:
		return a.From().String() + string(moveSign) + a.To().String()
	case TakeOut:
		return a.From().String() + string(takeOutSign) + a.To().String()
	case Import:
		return string(importSign) + strconv.Itoa(a.Count())
	case End:
		return engine.End
	}
	return "nothing"
}

// Steps returns "b2" and "b4" for b2-b4; "e1", "/" and "f1" for e1/f1; "+" and
// "2" for +2; and "end".
func (a Action) Steps() []string {
	switch a.kind {
	case Move:
		return []string{a.From().String(), a.To().String()}
	case TakeOut:
		return []string{a.From().String(), string(takeOutSign), a.To().String()}
	case Import:
		return []string{string(importSign), strconv.Itoa(a.Count())}
	}
	return []string{a.String()}
}

// scanAction reads an action in canonical notation and lower case.
func scanAction(word string) (a Action, ok bool) {
	if word == engine.End {
		return Action{kind: End}, true
	}
	if number, ok := strings.CutPrefix(word, string(importSign)); ok {
		n, ok := grid.ParseNumber(number, maxImport)
		return Action{kind: Import, count: uint8(n)}, ok
	}
	a.kind = Move
	from, to, ok := strings.Cut(word, string(moveSign))
	if !ok {
		a.kind = TakeOut
		if from, to, ok = strings.Cut(word, string(takeOutSign)); !ok {
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
	file, rank, ok := grid.ParseSquare(s, maxSize)
	return Square{file, rank}.cell(), ok
}
