package rings

import (
	"fmt"
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/grid"
)

// seatPhrase names the player in a seat.
func seatPhrase(seat engine.Seat) engine.Phrase {
	return texts.Player("rings.seat."+colour(uint8(seat)).String(), seat)
}

// joinNumbers lists circles by number: "1, 2, 3".
func joinNumbers(circles circleSet) string {
	var out []string
	for !circles.empty() {
		out = append(out, strconv.Itoa(int(circles.pop())+1))
	}
	return strings.Join(out, ", ")
}

// joinPhrases joins phrases with commas. It returns the zero Phrase for none.
func joinPhrases(all []engine.Phrase) (out engine.Phrase) {
	for i := len(all) - 1; i >= 0; i-- { // a list is its first element and the rest
		if out.IsZero() {
			out = all[i]
		} else {
			out = texts.Phrase("rings.list", "First", all[i], "Rest", out)
		}
	}
	return out
}

// seatsWhere returns the seats that satisfy a condition.
func (p *Position) seatsWhere(yes func(engine.Seat) bool) (out []engine.Seat) {
	for seat := engine.Seat(1); int(seat) <= p.seats; seat++ {
		if yes(seat) {
			out = append(out, seat)
		}
	}
	return out
}

func seatList(seats []engine.Seat) engine.Phrase {
	var all []engine.Phrase
	for _, s := range seats {
		all = append(all, seatPhrase(s))
	}
	return joinPhrases(all)
}

func (p *Position) Status() engine.Phrase {
	var all []engine.Phrase
	for _, s := range p.seatsWhere(func(engine.Seat) bool { return true }) {
		all = append(all, texts.Phrase("rings.score", "Mark", colour(uint8(s)).Mark(), "Seat", seatPhrase(s), "Score", p.Score(s)))
	}
	return texts.Phrase("rings.status", "Scores", joinPhrases(all))
}

func (p *Position) Summary() engine.Phrase {
	args := []any{"Circles", len(p.state.geo.circles), "Scores", p.Status(), "Count", p.EmptyCount(), "Turn", p.describeTurn()}
	if passed := p.describePasses(); !passed.IsZero() {
		return texts.Phrase("rings.summary.passed", append(args, "Passed", passed)...)
	}
	return texts.Phrase("rings.summary", args...)
}

func (p *Position) Describe() []engine.Phrase {
	all := p.seatsWhere(func(engine.Seat) bool { return true })
	out := []engine.Phrase{p.describeTurn()}
	if s := p.seatsWhere(p.Passed); len(s) > 0 {
		out = append(out, p.describePasses())
	}
	for _, s := range all {
		out = append(out, p.describeSeat(s))
	}
	out = append(out, texts.Phrase("rings.describe.board", "Circles", len(p.state.geo.circles),
		"Points", len(p.state.geo.points), "Count", p.EmptyCount(), "Seats", p.seats))
	for _, s := range all {
		if points := p.pointsOf(s); len(points) > 0 {
			out = append(out, texts.Phrase("rings.describe.stones", "Seat", seatPhrase(s), "Points", strings.Join(points, ", ")))
		}
	}
	out = grid.AppendLines(out, p.Text())
	var letters []engine.Phrase
	for _, s := range all {
		letters = append(letters, texts.Phrase("rings.letter", "Letter", string(letter(uint8(s))), "Seat", seatPhrase(s)))
	}
	return append(out, texts.Phrase("rings.describe.letters", "Letters", joinPhrases(letters)))
}

// pointsOf returns the points where a seat has stones.
func (p *Position) pointsOf(seat engine.Seat) (all []string) {
	for i, s := range p.state.stones {
		if engine.Seat(s&^safe) == seat {
			all = append(all, p.state.geo.points[i].String())
		}
	}
	return all
}

func (p *Position) describeSeat(seat engine.Seat) engine.Phrase {
	var held, rings circleSet
	for i := range p.state.geo.circles {
		if p.Majority(i+1) == seat {
			held.set(uint8(i))
		}
		if p.Ring(i+1) == seat {
			rings.set(uint8(i))
		}
	}
	id := "rings.describe.seat"
	if p.Retired(seat) {
		id = "rings.describe.retired"
	}
	some := func(id string, c circleSet) engine.Phrase {
		if c.empty() {
			return texts.Phrase(id + ".none")
		}
		return circlesPhrase(id, c)
	}
	return texts.Phrase(id, "Seat", seatPhrase(seat), "Count", len(p.pointsOf(seat)),
		"Rings", some("rings.rings", rings), "Held", some("rings.held", held))
}

// describePasses names the seats that have passed in the unbroken sequence. It
// returns the zero Phrase if there are none.
func (p *Position) describePasses() engine.Phrase {
	s := p.seatsWhere(p.Passed)
	if len(s) == 0 {
		return engine.Phrase{}
	}
	return texts.Phrase("rings.passes", "Seats", seatList(s))
}

// describeTurn says whose turn it is and what they can do, or how the game
// ended.
func (p *Position) describeTurn() engine.Phrase {
	if r, over := p.Result(); over {
		id := "rings.won"
		if len(r.Winners) > 1 {
			id = "rings.won.shared"
		}
		return texts.Phrase(id, "Seats", seatList(r.Winners), "Reason", texts.Phrase("rings.reason."+r.Reason))
	}
	seat := seatPhrase(p.Seat())
	switch open := p.state.convertible[p.state.mover]; {
	case !p.state.converting && p.state.emptyCount == 0:
		return texts.Phrase("rings.turn.pass", "Seat", seat)
	case !p.state.converting:
		return texts.Phrase("rings.turn.place", "Seat", seat)
	case open.empty():
		return texts.Phrase("rings.turn.end", "Seat", seat)
	default:
		return texts.Phrase("rings.turn.convert", "Seat", seat, "Circles", joinNumbers(open), "Count", open.len())
	}
}

// letters are the stones of the seats in Text; a capital is safe.
const letters = "brgnvw"

// Text draws the board with letters: a line of columns, then a line for each
// row from the top. A dot is an empty point, a small letter a stone, a capital
// a safe stone. The number of each circle stands in its middle.
func (p *Position) Text() string {
	g := p.state.geo
	columns, rows := 4*g.side, 4*g.side-1
	lines := make([][]byte, rows+1)
	for i := range lines {
		lines[i] = []byte(strings.Repeat(" ", 3+2*columns))
		if i > 0 {
			copy(lines[i], fmt.Sprintf("%2d", i))
		}
	}
	at := func(column int) int { return 3 + 2*column }
	for column := range columns {
		lines[0][at(column)] = columnName(column)[0]
	}
	for i, point := range g.points {
		lines[point.Row][at(point.Column)] = letter(p.state.stones[i])
	}
	for _, c := range g.circles {
		text := strconv.Itoa(c.Number)
		copy(lines[c.Row][at(2*c.Column+2)-len(text)+1:], text)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(string(line), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func letter(stone uint8) byte {
	switch {
	case stone == 0:
		return '.'
	case stone&safe != 0:
		return letters[stone&^safe-1] - 'a' + 'A'
	}
	return letters[stone-1]
}

// Prompt asks for a column, then for a row in it, or for a circle to convert.
func (p *Position) Prompt(picked []string) (engine.Phrase, string) {
	switch {
	case p.state.converting:
		return texts.Phrase("rings.prompt.convert"), "convert"
	case len(picked) == 0:
		return texts.Phrase("rings.prompt.column"), "turn"
	}
	return texts.Phrase("rings.prompt.row", "Column", picked[0]), "turn"
}
