package stonetowers

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
)

// allSquares iterates over the squares of the board by file, then rank.
func (p *Position) allSquares() iter.Seq[Square] {
	return func(yield func(Square) bool) {
		for x := range p.Width() {
			for y := range p.Height() {
				if !yield(Square{X: x, Y: y}) {
					return
				}
			}
		}
	}
}

func player(seat engine.Seat) engine.Phrase {
	if seat == red {
		return texts.Player("stone-towers.red", seat)
	}
	return texts.Player("stone-towers.blue", seat)
}

func (p *Position) Status() engine.Phrase {
	if p.state.Left == 0 {
		return p.FinalStatus()
	}
	return texts.Phrase("stone-towers.status", "First", player(red), "Second", player(blue), "Red", p.SquareCount(red), "Blue", p.SquareCount(blue),
		"Turn", p.Turns()+1, "Turns", 2*p.TurnsPerPlayer())
}

func (p *Position) FinalStatus() engine.Phrase {
	return texts.Phrase("stone-towers.status.over", "First", player(red), "Second", player(blue),
		"Red", p.SquareCount(red), "Blue", p.SquareCount(blue))
}

func (p *Position) Summary() engine.Phrase {
	return texts.Phrase("stone-towers.summary", "Width", p.Width(), "Height", p.Height(),
		"Red", p.summarizeSeat(red), "Blue", p.summarizeSeat(blue), "Free", p.describeUnowned(), "Status", p.Status(), "Turn", p.describeTurn())
}

func (p *Position) summarizeSeat(seat engine.Seat) engine.Phrase {
	return texts.Phrase("stone-towers.summary.player", "Player", player(seat),
		"Squares", count("squares", p.SquareCount(seat)), "Castles", count("castles", p.CastleCount(seat)))
}

// count returns a number of squares or castles in words.
func count(what string, n int) engine.Phrase {
	if n == 0 {
		return texts.Phrase("stone-towers." + what + ".none")
	}
	return texts.Phrase("stone-towers."+what, "Count", n)
}

// describeUnowned says how many squares nobody owns.
func (p *Position) describeUnowned() engine.Phrase {
	n := p.Width()*p.Height() - p.SquareCount(red) - p.SquareCount(blue)
	if n == 0 {
		return texts.Phrase("stone-towers.free.none")
	}
	return texts.Phrase("stone-towers.free", "Count", n)
}

func (p *Position) Describe() []engine.Phrase {
	out := []engine.Phrase{p.describeTurn(), p.Status()}
	for _, seat := range []engine.Seat{red, blue} {
		out = append(out, p.describeSeat(seat)...)
	}
	out = append(out, p.describeUnowned(),
		texts.Phrase("stone-towers.describe.board", "Width", p.Width(), "Height", p.Height(), "Turns", p.TurnsPerPlayer()))
	return append(grid.AppendLines(out, p.Text()), texts.Phrase("stone-towers.describe.letters", "First", player(red), "Second", player(blue)))
}

// describeSeat describes what a seat owns, with a line for each level of its
// castles.
func (p *Position) describeSeat(seat engine.Seat) []engine.Phrase {
	out := []engine.Phrase{p.summarizeSeat(seat)}
	for level := maxLevel; level > 0; level-- {
		var on []string
		for s := range p.allSquares() {
			if p.Level(s) == level && p.Owner(s) == seat {
				on = append(on, s.String())
			}
		}
		if on != nil {
			out = append(out, texts.Phrase("stone-towers.describe.castles", "Player", player(seat),
				"Count", len(on), "Level", level, "Squares", strings.Join(on, ", ")))
		}
	}
	return out
}

// describeTurn says whose turn it is and what they can do, or how the game
// ended.
func (p *Position) describeTurn() engine.Phrase {
	if result, over := p.Result(); over {
		if len(result.Winners) == 0 {
			return texts.Phrase("stone-towers.drawn")
		}
		return texts.Phrase("stone-towers.won", "Player", player(result.Winners[0]))
	}
	var kinds [Pass + 1]int
	for _, a := range p.Legal() {
		kinds[a.(Action).Kind]++
	}
	who := player(p.Seat())
	switch {
	case kinds[Pass] > 0:
		return texts.Phrase("stone-towers.turn.pass", "Player", who)
	case kinds[Fortify] == 0:
		return texts.Phrase("stone-towers.turn.build", "Player", who, "Squares", count("squares", kinds[Build]))
	case kinds[Build] == 0:
		return texts.Phrase("stone-towers.turn.fortify", "Player", who, "Castles", count("castles", kinds[Fortify]))
	}
	return texts.Phrase("stone-towers.turn", "Player", who,
		"Squares", count("squares", kinds[Build]), "Castles", count("castles", kinds[Fortify]))
}

// Text draws the board with letters: a line for each rank from the top and a
// last line of files. R2 is a castle of Red of level 2, r a flag of Red, B and
// b are those of Blue, a dot is an unowned square.
func (p *Position) Text() string {
	return grid.Text(p.Width(), p.Height(), 2, func(x, y int) string { return p.symbol(Square{X: x, Y: y}) })
}

// symbol returns what Text shows on a square.
func (p *Position) symbol(s Square) string {
	owner, level := p.Owner(s), p.Level(s)
	switch {
	case owner == engine.Nobody:
		return "."
	case level == 0:
		return [...]string{red: "r", blue: "b"}[owner]
	}
	return [...]string{red: "R", blue: "B"}[owner] + strconv.Itoa(level)
}

// Prompt asks for a column, then for a row in it. Where castles of the column can be
// fortified, it explains the mark of these rows.
func (p *Position) Prompt(picked []string) (engine.Phrase, string) {
	if len(picked) == 0 {
		return texts.Phrase("stone-towers.prompt.column"), "turn"
	}
	key := "stone-towers.prompt.row"
	if slices.ContainsFunc(p.Legal(), func(a engine.Action) bool { return a.(Action).Kind == Fortify && a.Steps()[0] == picked[0] }) {
		key = "stone-towers.prompt.row.fortify"
	}
	return texts.Phrase(key, "Column", picked[0]), "turn"
}
