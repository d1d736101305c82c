package stonetowers_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"
)

// A position drawn in a test is one line and the board of Position.Text:
//
//	turns=20 played=5
//	 4 .  .  r  .
//	 3 b  r  R2 r
//	 2 B1 b  r  .
//	 1 b  .  .  .
//	   a  b  c  d
//
// played is the turns of both together: when it is odd Blue is to move. R2 is a
// castle of Red of level 2, r his flag, a dot an unowned square. The line of
// files may be left out.

// draw is a position in that form.
func draw(p *stonetowers.Position) string {
	return fmt.Sprintf("turns=%d played=%d\n%s", p.TurnsPerPlayer(), p.Turns(), p.Text())
}

// read is the position that is drawn.
func read(t testing.TB, text string) *stonetowers.Position {
	t.Helper()
	p, err := parseBoard(text)
	if err != nil {
		t.Fatalf("%v in the board\n%s", err, text)
	}
	return p
}

func parseBoard(text string) (*stonetowers.Position, error) {
	head, rest, _ := strings.Cut(strings.Trim(text, "\n"), "\n")
	b := stonetowers.Board{Owner: map[stonetowers.Square]engine.Seat{}, Level: map[stonetowers.Square]int{}}
	if _, err := fmt.Sscanf(head, "turns=%d played=%d", &b.Turns, &b.Played); err != nil {
		return nil, fmt.Errorf("the line %q: %w", head, err)
	}
	var rows [][]string
	for line := range strings.Lines(rest) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "a" {
			continue
		}
		rows = append(rows, f[1:])
	}
	b.Width, b.Height = len(rows[0]), len(rows)
	for i, row := range rows {
		if len(row) != b.Width {
			return nil, fmt.Errorf("a row of %d squares, not %d", len(row), b.Width)
		}
		for x, sign := range row {
			s := stonetowers.Square{X: x, Y: b.Height - 1 - i}
			if sign == "." {
				continue
			}
			seat := engine.Seat(1 + strings.Index("rb", strings.ToLower(sign[:1])))
			if seat == 0 {
				return nil, fmt.Errorf("a square %q", sign)
			}
			b.Owner[s] = seat
			if sign == strings.ToLower(sign) && len(sign) == 1 {
				continue
			}
			level, err := strconv.Atoi(sign[1:])
			if err != nil || level < 1 || level > 3 || sign == strings.ToLower(sign) {
				return nil, fmt.Errorf("a square %q", sign)
			}
			b.Level[s] = level
		}
	}
	return stonetowers.FromBoard(b)
}

// Every position of random games, drawn and read again, is the same position:
// it has the same hash, though it has no history.
func TestBoardsAreReadAsTheyAreDrawn(t *testing.T) {
	random := xorshift(11)
	for _, options := range []string{"width=4 height=4 turns=20", "width=4 height=7 turns=40", "", "width=16 height=16 turns=60", "width=16 height=5 turns=100"} {
		p := position(t, options)
		for p.Seat() != engine.Nobody {
			q := read(t, draw(p))
			if draw(q) != draw(p) || q.Hash() != p.Hash() || fmt.Sprint(q.Legal()) != fmt.Sprint(p.Legal()) {
				t.Fatalf("drawn\n%sread\n%s", draw(p), draw(q))
			}
			p = apply(t, p, p.Legal()[random.IntN(len(p.Legal()))])
		}
	}
}
