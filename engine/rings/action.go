package rings

import (
	"strconv"
	"strings"

	"castellan/engine"
)

// Kind is what an action does.
type Kind uint8

// The kinds of actions.
const (
	Place   Kind = iota // puts a stone on a point
	Pass                // instead of placing one
	Convert             // takes the stones of others on a circle
	End                 // ends the turn
)

// Action is one action: Point goes with Place, Circle, a number from 1, with
// Convert; what does not belong to the kind is zero.
type Action struct {
	Kind   Kind
	Point  Point
	Circle int
}

var _ engine.Describer = Action{}

// String is the token: "M11", "pass", "45" or "end".
func (a Action) String() string {
	switch a.Kind {
	case Place:
		return a.Point.String()
	case Pass:
		return engine.Pass
	case Convert:
		return strconv.Itoa(a.Circle)
	case End:
		return engine.End
	}
	return "nothing"
}

// Steps is the letter and the number of a point, "M" then "11", and the token
// alone of everything else. A circle is a number, so that it is no point's
// first step.
func (a Action) Steps() []string {
	if a.Kind == Place {
		return []string{columnName(a.Point.Column), strconv.Itoa(a.Point.Row)}
	}
	return []string{a.String()}
}

// whole reports whether the action has what belongs to its kind, and no more:
// each action is one value.
func (a Action) whole() bool {
	switch a.Kind {
	case Place:
		return a.Circle == 0
	case Convert:
		return a.Point == Point{}
	case Pass, End:
		return a == Action{Kind: a.Kind}
	}
	return false
}

// parse reads a token in any case, between white space. That the board has no
// such point or circle is for the rules to say.
func parse(token string) (a Action, ok bool) {
	word := strings.ToLower(strings.TrimSpace(token))
	switch word {
	case engine.Pass:
		return Action{Kind: Pass}, true
	case engine.End:
		return Action{Kind: End}, true
	}
	if n, ok := number(word); ok {
		return Action{Kind: Convert, Circle: n}, true
	}
	if word != "" && 'a' <= word[0] && word[0] <= 'z' {
		if n, ok := number(word[1:]); ok {
			return Action{Kind: Place, Point: Point{Column: int(word[0] - 'a'), Row: n}}, true
		}
	}
	return Action{}, false
}

// number reads one or two digits, the first not 0: no board has more rows or
// circles.
func number(digits string) (n int, ok bool) {
	if len(digits) < 1 || len(digits) > 2 || digits[0] == '0' {
		return 0, false
	}
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int(d-'0')
	}
	return n, true
}

// move is the number of the action on the board; ok is false where the board
// has no such point or circle.
func (g *geometry) move(a Action) (m Move, ok bool) {
	if !a.whole() {
		return 0, false
	}
	switch a.Kind {
	case Place:
		p, ok := g.index[a.Point]
		return Move(p), ok
	case Pass:
		return movePass, true
	case Convert:
		return firstCircle + Move(a.Circle-1), 1 <= a.Circle && a.Circle <= len(g.circles)
	case End:
		return moveEnd, true
	}
	return 0, false
}

// action is the action of a number.
func (g *geometry) action(m Move) Action {
	switch {
	case m < movePass:
		return Action{Kind: Place, Point: g.points[m]}
	case m == movePass:
		return Action{Kind: Pass}
	case m == moveEnd:
		return Action{Kind: End}
	}
	return Action{Kind: Convert, Circle: int(m-firstCircle) + 1}
}
