package towers

import (
	"fmt"
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
	"castellan/engine/towers/internal/board"
)

func player(seat engine.Seat) engine.Phrase {
	return texts.Player([...]string{1: "towers.blue", 2: "towers.red"}[seat], seat)
}

func (p *Position) Status() engine.Phrase {
	if p.Seat() == engine.Nobody {
		return p.FinalStatus()
	}
	left, of := p.MovePoints()
	return texts.Phrase("towers.status", "Who", player(p.Seat()), "Left", left, "Of", of, "Reserve", p.FinalStatus())
}

func (p *Position) FinalStatus() engine.Phrase {
	return texts.Phrase("towers.reserve", "First", player(1), "Second", player(2), "Blue", p.Reserve(1), "Red", p.Reserve(2))
}

func (p *Position) Summary() engine.Phrase {
	return texts.Phrase("towers.summary", "Size", p.Size(),
		"Blue", p.describeSeat(1), "Red", p.describeSeat(2), "Status", p.Status(), "Turn", p.describeTurn())
}

func (p *Position) Describe() []engine.Phrase {
	out := []engine.Phrase{p.describeTurn(), p.Status(), p.describeSeat(1), p.describeSeat(2), p.describeLocks(), texts.Phrase("towers.describe.board", "Size", p.Size())}
	for _, name := range p.Rules() {
		out = append(out, texts.Phrase("towers.describe.rule", "Rule", name, "Effect", texts.Phrase("towers.rule."+name)))
	}
	return append(grid.AppendLines(out, p.Text()), texts.Phrase("towers.describe.signs", "First", player(1), "Second", player(2)))
}

// describeSeat names the squares of the master, the towers and the pawns of a
// seat.
func (p *Position) describeSeat(seat engine.Seat) engine.Phrase {
	master := texts.Phrase("towers.master.gone")
	var towers, pawns []string
	for _, s := range p.allSquares() {
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
	return texts.Phrase("towers.side", "Who", player(seat), "Master", master,
		"Towers", list("towers.towers", towers), "Pawns", list("towers.pawns", pawns))
}

// list returns a phrase that lists squares, or says that there are none.
func list(key string, squares []string) engine.Phrase {
	if len(squares) == 0 {
		return texts.Phrase(key + ".none")
	}
	return texts.Phrase(key, "Squares", strings.Join(squares, ", "), "Count", len(squares))
}

func (p *Position) describeLocks() engine.Phrase {
	var locked []string
	for _, s := range p.allSquares() {
		if p.Locked(s) {
			locked = append(locked, s.String())
		}
	}
	return list("towers.locked", locked)
}

// allSquares returns the squares of the board from a1 along the ranks.
func (p *Position) allSquares() (out []Square) {
	for y := range p.Size() {
		for x := range p.Size() {
			out = append(out, Square{X: x, Y: y})
		}
	}
	return out
}

// describeTurn says whose turn it is and what they can do, or how the game
// ended.
func (p *Position) describeTurn() engine.Phrase {
	winner, why := engine.Seat(p.state.Mover+1), p.state.Ending
	switch why {
	case board.Ongoing:
		return texts.Phrase("towers.turn", "Who", player(winner))
	case board.Passes, board.Repetition:
		return texts.Phrase("towers.drawn", "Reason", texts.Phrase("towers.reason."+why.String()))
	}
	return texts.Phrase("towers.won", "Who", player(winner), "Reason", texts.Phrase("towers.reason."+why.String(), "Loser", player(3-winner)))
}

// Text draws the board with letters: a line for each rank from the top and a
// last line of files. b and r are pawns of Blue and Red, B and R their masters,
// followed by the height of a tower and by # if the square is locked. A dot is
// an empty square.
func (p *Position) Text() string {
	width := 2
	for _, s := range p.allSquares() {
		width = max(width, len(p.symbol(s)))
	}
	return grid.Text(p.Size(), p.Size(), width, func(x, y int) string { return p.symbol(Square{X: x, Y: y}) })
}

func (p *Position) symbol(s Square) string {
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

// Prompt asks for what acts, then for where it goes.
func (p *Position) Prompt(picked []string) (engine.Phrase, string) {
	switch {
	case len(picked) == 0:
		return texts.Phrase("towers.prompt.what"), "points"
	case picked[0] == string(importSign):
		return texts.Phrase("towers.prompt.import"), "master"
	case len(picked) > 1:
		return texts.Phrase("towers.prompt.out", "From", picked[0]), "master"
	}
	return texts.Phrase("towers.prompt.where", "From", picked[0]), "points"
}
