package rings

import (
	"strconv"
	"strings"

	"castellan/engine"
)

// Kind is the kind of an action.
type Kind uint8

const (
	Place   Kind = iota // place a stone on a point
	Pass                // place no stone
	Convert             // take the stones of others on a circle
	End                 // end the turn
)

// Action is one action. Point belongs to Place, and Circle, which counts from
// 1, to Convert; otherwise they are zero.
type Action struct {
	Kind   Kind
	Point  Point
	Circle int
}

var _ engine.Describer = Action{}

// String returns the token: "M11", "pass", "45" or "end".
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

// Steps returns the letter and the number of a point, "M" and "11", or else the
// token alone. A circle is a number, so it is never the first step of a point.
func (a Action) Steps() []string {
	if a.Kind == Place {
		return []string{columnName(a.Point.Column), strconv.Itoa(a.Point.Row)}
	}
	return []string{a.String()}
}

// wellFormed reports whether exactly the fields of the kind are set, so that
// each action is one value.
func (a Action) wellFormed() bool {
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

// parseAction reads a token in any case, with white space around it. It accepts
// points and circles that the board does not have.
func parseAction(token string) (a Action, ok bool) {
	word := strings.ToLower(strings.TrimSpace(token))
	switch word {
	case engine.Pass:
		return Action{Kind: Pass}, true
	case engine.End:
		return Action{Kind: End}, true
	}
	if n, ok := parseNumber(word); ok {
		return Action{Kind: Convert, Circle: n}, true
	}
	if word != "" && 'a' <= word[0] && word[0] <= 'z' {
		if n, ok := parseNumber(word[1:]); ok {
			return Action{Kind: Place, Point: Point{Column: int(word[0] - 'a'), Row: n}}, true
		}
	}
	return Action{}, false
}

// parseNumber reads one or two digits, the first not 0: no board has more rows
// or circles.
func parseNumber(digits string) (n int, ok bool) {
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

// move returns the move of an action; ok is false if the board has no such
// point or circle.
func (g *geometry) move(a Action) (m Move, ok bool) {
	if !a.wellFormed() {
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
