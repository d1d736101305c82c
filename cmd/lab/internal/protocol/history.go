package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"castellan/engine"
)

// History holds the options and every action that led to a position,
// forced actions included.
type History struct {
	Options engine.Options
	Seats   int
	Actions []engine.Action
}

// String returns the arguments of the command "position", for example "start
// seats 2 options size=7 towers=3 turns right left".
func (l History) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "start seats %d", l.Seats)
	if o := l.Options.String(); o != "" {
		b.WriteString(" options " + o)
	}
	if len(l.Actions) > 0 {
		b.WriteString(" turns " + FormatActions(l.Actions))
	}
	return b.String()
}

func FormatActions(actions []engine.Action) string { return strings.Join(engine.Tokens(actions), " ") }

// ParseHistory parses the result of String and returns its position. Seats,
// options and turns default to the fewest seats, the default options and no
// turns. Forced actions may be left out if nothing else is legal.
func ParseHistory(g engine.Game, text string) (History, engine.Position, error) {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != "start" {
		return History{}, nil, errors.New("a position is “start [seats N] [options KEY=VALUE…] [turns ACTION…]”, or “record” and a record in the lines that follow")
	}
	least, _ := g.Seats()
	l := History{Seats: least}
	var options []string
	part := ""
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w == "turns":
			return l.play(g, options, words[i+1:])
		case w == "seats" || w == "options":
			part = w
		case part == "seats":
			n, err := strconv.Atoi(w)
			if err != nil {
				return History{}, nil, fmt.Errorf("a number follows “seats”, not %q", w)
			}
			l.Seats, part = n, ""
		case part == "options":
			options = append(options, w)
		default:
			return History{}, nil, fmt.Errorf("%q is unexpected: “seats”, “options” or “turns” goes before it", w)
		}
	}
	return l.play(g, options, nil)
}

func (l History) play(g engine.Game, options, tokens []string) (History, engine.Position, error) {
	var err error
	if l.Options, err = g.Options().Parse(strings.Join(options, " ")); err != nil {
		return History{}, nil, err
	}
	p, err := g.New(l.Options, l.Seats)
	if err != nil {
		return History{}, nil, err
	}
	for i, token := range tokens {
		if f, ok := engine.ForcedAction(p); ok && !strings.EqualFold(token, f.String()) {
			if p, err = p.Apply(f); err != nil {
				return History{}, nil, err
			}
			l.Actions = append(l.Actions, f)
		}
		a, next, err := applyToken(p, token)
		if err != nil {
			return History{}, nil, fmt.Errorf("action %d, %q: %w", i+1, token, err)
		}
		l.Actions = append(l.Actions, a)
		p = next
	}
	return l, p, nil
}

func applyToken(p engine.Position, token string) (engine.Action, engine.Position, error) {
	if p.Seat() == engine.Nobody {
		return nil, nil, errors.New("the game is over before it")
	}
	a, err := p.Parse(token)
	if err == nil {
		var next engine.Position
		if next, err = p.Apply(a); err == nil {
			return a, next, nil
		}
	}
	if near := engine.Nearest(engine.Tokens(p.Legal()), token, 3); len(near) > 0 {
		return nil, nil, fmt.Errorf("%w Legal is %s", err, strings.Join(near, ", "))
	}
	return nil, nil, err
}
