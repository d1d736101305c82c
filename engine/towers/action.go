package towers

import (
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
	"castellan/engine/towers/internal/board"
)

// Kind is the kind of an action.
type Kind uint8

const (
	Move    Kind = iota + 1 // move a whole tower in a straight line: "b2-b4"
	TakeOut                 // move one pawn out of a tower: "e1/f1"
	Import                  // put reserve pawns on the master: "+2"
	End                     // end the turn: "end"
)

// Action is the smallest thing that a player can do. The zero value is no
// action.
type Action struct {
	kind Kind
	move board.Move
}

var _ engine.Describer = Action{}

const (
	moveSign    = '-'
	takeOutSign = '/'
	importSign  = '+'
)

// maxImport is the largest number of pawns that Parse accepts: more than there
// are.
const maxImport = 99

func ActionOf(m board.Move) Action { return Action{kind: Kind(m.Kind()) + 1, move: m} }

func (a Action) Kind() Kind { return a.kind }

// From returns the square that a tower or pawn leaves, for Move and TakeOut.
func (a Action) From() Square { return squareOf(a.move.From()) }

// To returns the target square, for Move and TakeOut.
func (a Action) To() Square { return squareOf(a.move.To()) }

// Count returns the number of pawns imported, 0 for the other kinds.
func (a Action) Count() int {
	if a.kind != Import {
		return 0
	}
	return int(a.move.To())
}

// String returns the token: b2-b4, e1/f1, +2 or end.
func (a Action) String() string {
	switch a.kind {
	case 0:
		return "nothing"
	case Move:
		return strings.Join(a.Steps(), string(moveSign))
	}
	return strings.Join(a.Steps(), "")
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
	return []string{engine.End}
}

// scanAction reads an action in canonical notation and lower case.
func scanAction(word string) (a Action, ok bool) {
	if word == engine.End {
		return ActionOf(board.EndTurn), true
	}
	if number, ok := strings.CutPrefix(word, string(importSign)); ok {
		n, ok := grid.ParseNumber(number, maxImport)
		return ActionOf(board.NewMove(board.Import, 0, board.Cell(n))), ok
	}
	kind := board.Walk
	from, to, ok := strings.Cut(word, string(moveSign))
	if !ok {
		kind = board.Out
		if from, to, ok = strings.Cut(word, string(takeOutSign)); !ok {
			return Action{}, false
		}
	}
	f, okFrom := scanSquare(from)
	t, okTo := scanSquare(to)
	return ActionOf(board.NewMove(kind, cellOf(f), cellOf(t))), okFrom && okTo
}

// scanSquare reads a square of the largest board.
func scanSquare(s string) (Square, bool) {
	file, rank, ok := grid.ParseSquare(s, board.MaxSize)
	return Square{X: file, Y: rank}, ok
}
