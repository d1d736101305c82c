package trails

import (
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
)

func player(seat engine.Seat) engine.Phrase {
	return texts.Player([...]string{1: "trails.blue", 2: "trails.red"}[seat], seat)
}

func (p *Position) Status() engine.Phrase {
	if p.Seat() == engine.Nobody {
		return p.FinalStatus()
	}
	return texts.Phrase("trails.status", "First", player(1), "Second", player(2),
		"Blue", p.Taken(1), "Red", p.Taken(2), "Need", texts.Phrase("trails.need."+strconv.Itoa(p.TowersToWin())))
}

func (p *Position) FinalStatus() engine.Phrase {
	return texts.Phrase("trails.status.over", "First", player(1), "Second", player(2), "Blue", p.Taken(1), "Red", p.Taken(2))
}

func (p *Position) Summary() engine.Phrase {
	return texts.Phrase("trails.summary", "Size", p.Size(), "First", player(1), "Second", player(2),
		"Blue", p.Head(1).String(), "Red", p.Head(2).String(),
		"Towers", p.describeFreeTowers(), "Score", p.Status(), "Turn", p.describeTurn())
}

func (p *Position) Describe() []engine.Phrase {
	out := []engine.Phrase{p.describeTurn(), p.Status(), p.describeSeat(1), p.describeSeat(2), p.describeFreeTowers()}
	for _, seat := range []engine.Seat{1, 2} {
		if corners := p.corners(seat); len(corners) > 1 {
			out = append(out, texts.Phrase("trails.describe.trail", "Player", player(seat), "Squares", strings.Join(corners, ", ")))
		}
	}
	out = append(out, texts.Phrase("trails.describe.board", "Size", p.Size(), "Count", len(p.tower)))
	return append(grid.AppendLines(out, p.Text()), texts.Phrase("trails.describe.letters", "First", player(1), "Second", player(2)))
}

// corners returns the squares where a trail begins, changes its direction and ends.
func (p *Position) corners(seat engine.Seat) (all []string) {
	sign := func(n int) int { return min(1, max(-1, n)) }
	path := p.Path(seat)
	for i, s := range path {
		if i > 0 && i < len(path)-1 {
			before, after := path[i-1], path[i+1]
			if sign(s.X-before.X) == sign(after.X-s.X) && sign(s.Y-before.Y) == sign(after.Y-s.Y) {
				continue
			}
		}
		all = append(all, s.String())
	}
	return all
}

func (p *Position) describeSeat(seat engine.Seat) engine.Phrase {
	taken := texts.Phrase("trails.taken.none")
	if t := p.towerSquares(func(o engine.Seat) bool { return o == seat }); t != "" {
		taken = texts.Phrase("trails.taken.some", "Squares", t, "Count", p.Taken(seat))
	}
	d, moved := p.LastDirection(seat)
	if !moved {
		return texts.Phrase("trails.describe.base", "Player", player(seat), "Square", p.Head(seat).String())
	}
	return texts.Phrase("trails.describe.seat", "Player", player(seat), "Square", p.Head(seat).String(), "Taken", taken,
		"Direction", texts.Phrase(directionKey(d)), "Boost", p.Boost(seat))
}

// describeFreeTowers lists the towers that can still be taken.
func (p *Position) describeFreeTowers() engine.Phrase {
	if t := p.towerSquares(func(o engine.Seat) bool { return o == engine.Nobody }); t != "" {
		return texts.Phrase("trails.free", "Squares", t)
	}
	return texts.Phrase("trails.free.none")
}

// towerSquares lists the squares of the towers whose owner satisfies a
// condition.
func (p *Position) towerSquares(such func(engine.Seat) bool) string {
	var out []string
	for _, t := range p.Towers() {
		if such(t.Owner) {
			out = append(out, t.Square.String())
		}
	}
	return strings.Join(out, ", ")
}

// describeTurn says whose turn it is and what they can do, or how the game
// ended.
func (p *Position) describeTurn() engine.Phrase {
	if winner, why := p.Outcome(); why != Ongoing {
		return texts.Phrase("trails.won", "Player", player(winner),
			"Reason", texts.Phrase("trails.reason."+why.String(), "Winner", player(winner), "Loser", player(3-winner)))
	}
	var list engine.Phrase
	for i := len(directions) - 1; i >= 0; i-- { // a list is its first element and the rest
		d := directions[i]
		to, ok := p.Target(d)
		if !ok {
			continue
		}
		one := texts.Phrase("trails.to", "Direction", texts.Phrase(directionKey(d)), "Square", to.String())
		if list.IsZero() {
			list = one
		} else {
			list = texts.Phrase("trails.list", "First", one, "Rest", list)
		}
	}
	return texts.Phrase("trails.turn", "Player", player(p.Seat()), "Moves", list)
}

// Text draws the board with letters: a line for each rank from the top and a
// last line of files. B and R are the heads, b and r the other squares of Blue
// and Red, T is a free tower, a dot a free square.
func (p *Position) Text() string {
	return grid.Text(p.Size(), p.Size(), 1, func(x, y int) string { return p.symbol(Square{X: x, Y: y}) })
}

func (p *Position) symbol(s Square) string {
	owner := p.Owner(s)
	switch {
	case owner != engine.Nobody && p.Head(owner) == s:
		return [...]string{1: "B", 2: "R"}[owner]
	case owner != engine.Nobody:
		return [...]string{1: "b", 2: "r"}[owner]
	case p.field.tower(p.geo.cell(s)):
		return "T"
	}
	return "."
}
