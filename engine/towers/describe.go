package towers

import (
	"fmt"
	"strconv"
	"strings"

	"castellan/engine"
)

// seatKeys is the texts that name the seats.
var seatKeys = [...]string{1: "towers.blue", 2: "towers.red"}

// Status is the move points left and the reserves.
func (p *Position) Status() engine.Phrase {
	reserve := texts.Phrase("towers.reserve", "Blue", p.Reserve(1), "Red", p.Reserve(2))
	left, of := p.MovePoints()
	if p.Seat() == engine.Nobody {
		return reserve
	}
	return texts.Phrase("towers.status", "Left", left, "Of", of, "Reserve", reserve)
}

// Summary is the position in a few sentences.
func (p *Position) Summary() engine.Phrase {
	return texts.Phrase("towers.summary", "Size", p.Size(),
		"Blue", p.describeSide(1), "Red", p.describeSide(2), "Status", p.Status(), "Turn", p.turn())
}

// Describe is the whole position: sentences first, then the board with a sign
// for each square and what the signs mean.
func (p *Position) Describe() []engine.Phrase {
	out := []engine.Phrase{texts.Phrase("towers.describe.board", "Size", p.Size())}
	for _, name := range p.Rules() {
		out = append(out, texts.Phrase("towers.describe.rule", "Rule", name, "Effect", texts.Phrase("towers.rule."+name)))
	}
	out = append(out, p.describeSide(1), p.describeSide(2), p.describeLocks(), p.Status(), p.turn())
	for line := range strings.Lines(p.Text()) {
		out = append(out, engine.Verbatim(strings.TrimRight(line, "\n")))
	}
	return append(out, texts.Phrase("towers.describe.signs"))
}

// describeSide is where the master, the towers and the pawns of a seat stand.
func (p *Position) describeSide(seat engine.Seat) engine.Phrase {
	master := texts.Phrase("towers.master.gone")
	var towers, pawns []string
	for _, s := range p.squares() {
		switch t := p.At(s); {
		case t.Owner != seat:
		case t.Master:
			master = texts.Phrase("towers.master.at", "Square", s.String(), "Count", t.Height)
		case t.Height == 1:
			pawns = append(pawns, s.String())
		default:
			towers = append(towers, fmt.Sprintf("%s (%d)", s, t.Height))
		}
	}
	return texts.Phrase("towers.side", "Who", texts.Phrase(seatKeys[seat]), "Master", master,
		"Towers", list("towers.towers", towers), "Pawns", list("towers.pawns", pawns))
}

// list is a phrase about squares, or about there being none.
func list(key string, squares []string) engine.Phrase {
	if len(squares) == 0 {
		return texts.Phrase(key + ".none")
	}
	return texts.Phrase(key, "Squares", strings.Join(squares, ", "), "Count", len(squares))
}

func (p *Position) describeLocks() engine.Phrase {
	var locked []string
	for _, s := range p.squares() {
		if p.Locked(s) {
			locked = append(locked, s.String())
		}
	}
	return list("towers.locked", locked)
}

// squares is every square from a1 along the ranks.
func (p *Position) squares() (out []Square) {
	for y := range p.Size() {
		for x := range p.Size() {
			out = append(out, Square{x, y})
		}
	}
	return out
}

// turn says whose turn it is or how the game ended.
func (p *Position) turn() engine.Phrase {
	winner, why := p.state.Outcome()
	switch {
	case why == Ongoing:
		return texts.Phrase("towers.turn", "Who", texts.Phrase(seatKeys[p.Seat()]))
	case winner == engine.Nobody:
		return texts.Phrase("towers.drawn", "Reason", texts.Phrase("towers.reason."+why.String()))
	}
	return texts.Phrase("towers.won", "Who", texts.Phrase(seatKeys[winner]), "Reason", texts.Phrase("towers.reason."+why.String()))
}

// Text is the board drawn with letters, a line a rank from the top and a last
// line of files: b and r a pawn of Blue and Red, B and R their masters, behind
// it the height of a tower, # behind what is locked, a dot an empty square.
func (p *Position) Text() string {
	width := 2
	for _, s := range p.squares() {
		width = max(width, len(p.sign(s)))
	}
	var b strings.Builder
	line := func(head string, sign func(x int) string) {
		var l strings.Builder
		l.WriteString(head)
		for x := range p.Size() {
			fmt.Fprintf(&l, " %-*s", width, sign(x))
		}
		b.WriteString(strings.TrimRight(l.String(), " "))
		b.WriteByte('\n')
	}
	for y := p.Size() - 1; y >= 0; y-- {
		line(fmt.Sprintf("%2d", y+1), func(x int) string { return p.sign(Square{x, y}) })
	}
	line("  ", func(x int) string { return string(rune('a' + x)) })
	return b.String()
}

// sign is a square of the drawn board.
func (p *Position) sign(s Square) string {
	t := p.At(s)
	if t.Owner == engine.Nobody {
		return "."
	}
	sign := string(" br"[t.Owner])
	if t.Master {
		sign = strings.ToUpper(sign)
	}
	if t.Height > 1 {
		sign += strconv.Itoa(t.Height)
	}
	if p.Locked(s) {
		sign += "#"
	}
	return sign
}
