package trails

import (
	"fmt"
	"strings"

	"castellan/engine"
)

// Status is the towers that each has taken and how many win.
func (p *Position) Status() engine.Phrase {
	return texts.Phrase("trails.status", "Blue", p.Taken(1), "Red", p.Taken(2), "Count", p.TowersToWin())
}

// Summary is the position in a few short sentences.
func (p *Position) Summary() engine.Phrase {
	return texts.Phrase("trails.summary", "Size", p.Size(),
		"Blue", p.Head(1).String(), "Red", p.Head(2).String(),
		"Towers", p.freeTowers(), "Score", p.Status(), "Turn", p.turn())
}

// Describe is the whole position: sentences first, then the board with a
// letter for each square and what the letters mean.
func (p *Position) Describe() []engine.Phrase {
	out := []engine.Phrase{
		texts.Phrase("trails.describe.board", "Size", p.Size(), "Count", len(p.tower)),
		p.describeSide(1),
		p.describeSide(2),
		p.freeTowers(),
		p.Status(),
		p.turn(),
	}
	for line := range strings.Lines(p.Text()) {
		out = append(out, engine.Verbatim(strings.TrimRight(line, "\n")))
	}
	return append(out, texts.Phrase("trails.describe.letters"))
}

func (p *Position) describeSide(seat engine.Seat) engine.Phrase {
	who := [...]string{1: "blue", 2: "red"}[seat]
	taken := texts.Phrase("trails.taken.none")
	if t := p.squares(func(o engine.Seat) bool { return o == seat }); t != "" {
		taken = texts.Phrase("trails.taken.some", "Squares", t, "Count", p.Taken(seat))
	}
	d, moved := p.LastDirection(seat)
	if !moved {
		return texts.Phrase("trails.describe."+who+".base", "Square", p.Head(seat).String())
	}
	return texts.Phrase("trails.describe."+who, "Square", p.Head(seat).String(), "Taken", taken,
		"Direction", texts.Phrase(directionKey(d)), "Boost", p.Boost(seat))
}

// freeTowers is a sentence about the towers that can still be taken.
func (p *Position) freeTowers() engine.Phrase {
	if t := p.squares(func(o engine.Seat) bool { return o == engine.Nobody }); t != "" {
		return texts.Phrase("trails.free", "Squares", t)
	}
	return texts.Phrase("trails.free.none")
}

// squares lists the towers with such owners.
func (p *Position) squares(such func(engine.Seat) bool) string {
	var out []string
	for _, t := range p.Towers() {
		if such(t.Owner) {
			out = append(out, t.Square.String())
		}
	}
	return strings.Join(out, ", ")
}

// turn says who is to move and where he can go, or how the game ended.
func (p *Position) turn() engine.Phrase {
	if winner, why := p.state.Outcome(); why != Ongoing {
		return texts.Phrase([...]string{1: "trails.won.blue", 2: "trails.won.red"}[winner],
			"Reason", texts.Phrase("trails.reason."+why.String()))
	}
	var list engine.Phrase
	for i := len(directions) - 1; i >= 0; i-- { // from the last: a list is its first element and the rest
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
	return texts.Phrase([...]string{1: "trails.turn.blue", 2: "trails.turn.red"}[p.Seat()], "Moves", list)
}

// Text is the board drawn with letters, a line a rank from the top and a last
// line of files: B and R the heads, b and r the other squares of Blue and Red,
// T a free tower, a dot a free square.
func (p *Position) Text() string {
	var b strings.Builder
	for y := p.Size() - 1; y >= 0; y-- {
		fmt.Fprintf(&b, "%2d", y+1)
		for x := range p.Size() {
			b.WriteByte(' ')
			b.WriteByte(p.letter(Square{x, y}))
		}
		b.WriteByte('\n')
	}
	b.WriteString("  ")
	for x := range p.Size() {
		b.WriteByte(' ')
		b.WriteByte(byte('a' + x))
	}
	b.WriteByte('\n')
	return b.String()
}

func (p *Position) letter(s Square) byte {
	owner := p.Owner(s)
	switch {
	case owner != engine.Nobody && p.Head(owner) == s:
		return " BR"[owner]
	case owner != engine.Nobody:
		return " br"[owner]
	case p.state.field.tower(p.state.geo.cell(s)):
		return 'T'
	}
	return '.'
}
