package stonetowers

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"castellan/engine"
)

// all is every square of the board by file, then by rank.
func (p *Position) all() iter.Seq[Square] {
	return func(yield func(Square) bool) {
		for x := range p.Width() {
			for y := range p.Height() {
				if !yield(Square{x, y}) {
					return
				}
			}
		}
	}
}

// player is what a seat is called in sentences.
func player(seat engine.Seat) engine.Phrase {
	if seat == red {
		return texts.Phrase("stone-towers.red")
	}
	return texts.Phrase("stone-towers.blue")
}

// Status is the score and how far the game is.
func (p *Position) Status() engine.Phrase {
	owned := p.state.SquareCounts()
	if p.state.Over() {
		return texts.Phrase("stone-towers.status.over", "Red", owned[0], "Blue", owned[1])
	}
	return texts.Phrase("stone-towers.status", "Red", owned[0], "Blue", owned[1],
		"Turn", int(p.state.played)/2+1, "Turns", p.TurnsPerPlayer())
}

// Summary is the position in a few short sentences.
func (p *Position) Summary() engine.Phrase {
	return texts.Phrase("stone-towers.summary", "Width", p.Width(), "Height", p.Height(),
		"Red", p.summarySide(red), "Blue", p.summarySide(blue), "Free", p.free(), "Status", p.Status(), "Turn", p.turn())
}

func (p *Position) summarySide(seat engine.Seat) engine.Phrase {
	return texts.Phrase("stone-towers.summary.player", "Player", player(seat),
		"Squares", count("squares", p.SquareCount(seat)), "Castles", count("castles", p.CastleCount(seat)))
}

// count is a number of squares or castles in words.
func count(what string, n int) engine.Phrase {
	if n == 0 {
		return texts.Phrase("stone-towers." + what + ".none")
	}
	return texts.Phrase("stone-towers."+what, "Count", n)
}

// free says how many squares nobody owns.
func (p *Position) free() engine.Phrase {
	n := p.Width()*p.Height() - p.SquareCount(red) - p.SquareCount(blue)
	if n == 0 {
		return texts.Phrase("stone-towers.free.none")
	}
	return texts.Phrase("stone-towers.free", "Count", n)
}

// Describe is the whole position: sentences first, then the board with a
// letter for each square and what the letters mean.
func (p *Position) Describe() []engine.Phrase {
	out := []engine.Phrase{
		texts.Phrase("stone-towers.describe.board", "Width", p.Width(), "Height", p.Height(), "Turns", p.TurnsPerPlayer()),
		p.Status(),
	}
	for _, seat := range []engine.Seat{red, blue} {
		out = append(out, p.describeSide(seat)...)
	}
	out = append(out, p.free(), p.turn())
	for line := range strings.Lines(p.Text()) {
		out = append(out, engine.Verbatim(strings.TrimRight(line, "\n")))
	}
	return append(out, texts.Phrase("stone-towers.describe.letters"))
}

// describeSide is what a player owns, and a line for each level of castles.
func (p *Position) describeSide(seat engine.Seat) []engine.Phrase {
	out := []engine.Phrase{p.summarySide(seat)}
	for level := mostLevel; level > 0; level-- {
		var on []string
		for s := range p.all() {
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

// turn says who is to move and what he can do, or how the game ended.
func (p *Position) turn() engine.Phrase {
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

// Text is the board drawn with letters, a line a rank from the top and a last
// line of files: R2 is a castle of Red of level 2, r a flag of Red, B and b the
// same of Blue, a dot an unowned square.
func (p *Position) Text() string {
	var b strings.Builder
	for y := p.Height() - 1; y >= 0; y-- {
		row := fmt.Sprintf("%2d", y+1)
		for x := range p.Width() {
			row += fmt.Sprintf(" %-2s", p.sign(Square{x, y}))
		}
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	row := "  "
	for x := range p.Width() {
		row += fmt.Sprintf(" %-2c", 'a'+x)
	}
	b.WriteString(strings.TrimRight(row, " ") + "\n")
	return b.String()
}

// sign is a square in Text.
func (p *Position) sign(s Square) string {
	owner, level := p.Owner(s), p.Level(s)
	switch {
	case owner == engine.Nobody:
		return "."
	case level == 0:
		return [...]string{red: "r", blue: "b"}[owner]
	}
	return [...]string{red: "R", blue: "B"}[owner] + strconv.Itoa(level)
}
