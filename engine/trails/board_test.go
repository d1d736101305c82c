package trails_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
)

// A position drawn in a test is one line and the board of Position.Text:
//
//	towers=1 distance=0 move=red blue=right:0
//	 5 b B . . .
//	 4 . . . . .
//	 3 . . T . .
//	 2 . . . . .
//	 1 . . . . R
//	   a b c d e
//
// "blue=right:0" is the direction and the boost of Blue's last move, left out
// before the first one. B and R are heads, b and r the other occupied squares,
// T a free tower. The line of files may be left out.

// draw is a position in that form.
func draw(p *trails.Position) string {
	towers := p.Towers()
	distance := 0
	if len(towers) > 1 { // two towers d squares apart beside the centre
		gap := towers[1].Square.X - towers[0].Square.X
		distance = gap - 1
		if len(towers) == 2 { // ±(⌊d/2⌋+1): 0 and 1 look the same, and so do 2 and 3
			distance = gap - 2
		}
	}
	head := fmt.Sprintf("towers=%d distance=%d", len(towers), distance)
	switch p.Seat() {
	case 1:
		head += " move=blue"
	case 2:
		head += " move=red"
	}
	for i, name := range []string{"blue", "red"} {
		seat := engine.Seat(i + 1)
		if d, ok := p.LastDirection(seat); ok {
			head += fmt.Sprintf(" %s=%s:%d", name, d, p.Boost(seat))
		}
	}
	return head + "\n" + p.Text()
}

// read is the position that is drawn.
func read(t testing.TB, text string) *trails.Position {
	t.Helper()
	p, err := parseBoard(text)
	if err != nil {
		t.Fatalf("%v in the board\n%s", err, text)
	}
	return p
}

func parseBoard(text string) (*trails.Position, error) {
	head, rest, _ := strings.Cut(strings.Trim(text, "\n"), "\n")
	b := trails.Board{Towers: 1, Mover: 1, Owner: map[trails.Square]engine.Seat{}}
	for _, f := range strings.Fields(head) {
		if err := parseField(&b, f); err != nil {
			return nil, err
		}
	}
	var rows [][]string
	for line := range strings.Lines(rest) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "a" {
			continue
		}
		rows = append(rows, f[1:])
	}
	b.Size = len(rows)
	var free []trails.Square
	heads := 0
	for i, row := range rows {
		if len(row) != b.Size {
			return nil, fmt.Errorf("a row of %d squares, not %d", len(row), b.Size)
		}
		for x, c := range row {
			s := trails.Square{X: x, Y: b.Size - 1 - i}
			switch c {
			case ".":
			case "T":
				free = append(free, s)
			case "B", "R", "b", "r":
				seat := engine.Seat(1 + strings.Index("br", strings.ToLower(c)))
				b.Owner[s] = seat
				if c == strings.ToUpper(c) {
					b.Head[seat-1] = s
					heads++
				}
			default:
				return nil, fmt.Errorf("a square %q", c)
			}
		}
	}
	if heads != 2 {
		return nil, fmt.Errorf("%d heads", heads)
	}
	p, err := trails.Build(b)
	if err != nil {
		return nil, err
	}
	for _, tower := range p.Towers() {
		if at := slices.Index(free, tower.Square); (at >= 0) != (tower.Owner == engine.Nobody) {
			return nil, fmt.Errorf("no tower drawn on %v", tower.Square)
		} else if at >= 0 {
			free = slices.Delete(free, at, at+1)
		}
	}
	if len(free) > 0 {
		return nil, fmt.Errorf("a tower drawn on %v", free)
	}
	return p, nil
}

func parseField(b *trails.Board, field string) (err error) {
	key, value, _ := strings.Cut(field, "=")
	switch key {
	case "towers":
		b.Towers, err = strconv.Atoi(value)
	case "distance":
		b.Distance, err = strconv.Atoi(value)
	case "move":
		if b.Mover = engine.Seat(1 + slices.Index([]string{"blue", "red"}, value)); b.Mover == 0 {
			err = fmt.Errorf("nobody called %q", value)
		}
	case "blue", "red":
		i := slices.Index([]string{"blue", "red"}, key)
		word, boost, _ := strings.Cut(value, ":")
		b.Moved[i] = true
		d := slices.IndexFunc(all(), func(d trails.Direction) bool { return d.String() == word })
		if d < 0 {
			return fmt.Errorf("no direction %q", word)
		}
		b.Last[i] = all()[d]
		b.Boost[i], err = strconv.Atoi(boost)
	default:
		err = fmt.Errorf("nothing called %q", key)
	}
	return err
}

func all() []trails.Direction {
	return []trails.Direction{trails.Up, trails.Down, trails.Left, trails.Right}
}

// Every position of random games, drawn and read again, is the same position:
// it has the same hash, though it has no history.
func TestBoardsAreReadAsTheyAreDrawn(t *testing.T) {
	random := xorshift(11)
	for _, options := range []string{"size=5 towers=2 distance=2", "size=7 towers=3 distance=0", "", "size=21 towers=9 distance=1"} {
		p := position(t, options)
		for p.Seat() != engine.Nobody {
			q := read(t, draw(p))
			if draw(q) != draw(p) || q.Hash() != p.Hash() || fmt.Sprint(q.Legal()) != fmt.Sprint(p.Legal()) {
				t.Fatalf("drawn\n%sread\n%s", draw(p), draw(q))
			}
			legal := p.Legal()
			p = apply(t, p, legal[random.IntN(len(legal))])
		}
	}
}
