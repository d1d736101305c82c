package rings_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
)

// A position drawn in a test is one line and the board of Position.Text:
//
//	seats=2 move=blue convert passed=red retired=gold+white
//	   A B C D E F G H I J K L
//	 1           . .
//	 2       . .   1 r .
//	 3   . .   2 . .   3 . .
//	 4 .   4 b .   5 . .   6 .
//	 5   . .   7 . .   8 . .
//	 6 .   9 . .  10 . .  11 .
//	 7   . .  12 . .  13 . .
//	 8 .  14 . .  15 . .  16 .
//	 9   . .  17 . .  18 . .
//	10       . .  19 . .
//	11           . .
//
// "convert" stands where the placement or pass is done; "passed" and "retired"
// are left out where nobody has. A letter in its small or capital form is a
// stone; whether it is safe follows.

var names = []string{"blue", "red", "gold", "green", "violet", "white"}

// draw is a position in that form.
func draw(p *rings.Position) string {
	head := fmt.Sprintf("seats=%d", p.Seats())
	if p.Seat() != engine.Nobody {
		head += " move=" + names[p.Seat()-1]
	}
	if p.Converting() {
		head += " convert"
	}
	var passed, retired []string
	for i := range p.Seats() {
		if p.Passed(engine.Seat(i + 1)) {
			passed = append(passed, names[i])
		}
	}
	for _, seat := range p.RetiredInOrder() {
		retired = append(retired, names[seat-1])
	}
	if passed != nil {
		head += " passed=" + strings.Join(passed, "+")
	}
	if retired != nil {
		head += " retired=" + strings.Join(retired, "+")
	}
	return head + "\n" + p.Text()
}

// read is the position that is drawn.
func read(t testing.TB, text string) *rings.Position {
	t.Helper()
	p, err := parseBoard(text)
	if err != nil {
		t.Fatalf("%v in the board\n%s", err, text)
	}
	return p
}

func parseBoard(text string) (*rings.Position, error) {
	head, rest, _ := strings.Cut(strings.Trim(text, "\n"), "\n")
	b := rings.Board{Mover: 1, Stones: map[rings.Point]engine.Seat{}}
	for _, f := range strings.Fields(head) {
		if err := parseField(&b, f); err != nil {
			return nil, err
		}
	}
	lines := strings.Split(strings.TrimRight(rest, "\n"), "\n")
	b.Side = len(lines) / 4 // a line of columns and 4·side-1 rows
	if len(lines) != 4*b.Side || b.Side < 3 {
		return nil, fmt.Errorf("%d lines", len(lines))
	}
	for i, line := range lines[1:] {
		row := i + 1
		if len(line) < 3 || strings.TrimSpace(line[:2]) != strconv.Itoa(row) {
			return nil, fmt.Errorf("no row %d in %q", row, line)
		}
		for j := 3; j < len(line); j++ {
			c := line[j]
			seat := strings.IndexByte("brgnvw", c|0x20) + 1
			switch {
			case c == '.', c == ' ', '0' <= c && c <= '9':
			case seat == 0 || j%2 == 0:
				return nil, fmt.Errorf("a stone %q in %q", c, line)
			default:
				b.Stones[rings.Point{Column: (j - 3) / 2, Row: row}] = engine.Seat(seat)
			}
		}
	}
	p, err := rings.Build(b)
	if err != nil {
		return nil, err
	}
	// What is not a stone was drawn as it is, numbers and all.
	drawn := strings.Split(p.Text(), "\n")
	for i, line := range lines {
		if strings.TrimRight(line, " ") != drawn[i] && !strings.EqualFold(strings.TrimRight(line, " "), drawn[i]) {
			return nil, fmt.Errorf("row %d is %q, and should be as %q", i, line, drawn[i])
		}
	}
	return p, nil
}

func parseField(b *rings.Board, field string) (err error) {
	key, value, _ := strings.Cut(field, "=")
	seats := func() (out []engine.Seat) {
		for _, name := range strings.Split(value, "+") {
			i := slices.Index(names, name)
			if i < 0 {
				err = fmt.Errorf("nobody called %q", name)
			}
			out = append(out, engine.Seat(i+1))
		}
		return out
	}
	switch key {
	case "seats":
		b.Seats, err = strconv.Atoi(value)
	case "move":
		b.Mover = seats()[0]
	case "convert":
		b.Converting = true
	case "passed":
		b.Passed = seats()
	case "retired":
		b.Retired = seats()
	default:
		err = fmt.Errorf("nothing called %q", key)
	}
	return err
}

// Every position of random games, drawn and read again, is the same position:
// it has the same hash, though it has no history.
func TestBoardsAreReadAsTheyAreDrawn(t *testing.T) {
	random := xorshift(11)
	for side := 3; side <= 6; side++ {
		for seats := 2; seats <= 6; seats += 2 {
			p := start(t, side, seats)
			for p.Seat() != engine.Nobody {
				q := read(t, draw(p))
				if draw(q) != draw(p) || q.Hash() != p.Hash() || fmt.Sprint(q.Legal()) != fmt.Sprint(p.Legal()) {
					t.Fatalf("drawn\n%sread\n%s", draw(p), draw(q))
				}
				if !p.Converting() && random.IntN(40) == 0 && seats-len(p.RetiredInOrder()) > 2 {
					p = retire(t, p, p.Seat())
					continue
				}
				legal := p.Legal()
				p = play(t, p, legal[random.IntN(len(legal))].String())
			}
		}
	}
}
