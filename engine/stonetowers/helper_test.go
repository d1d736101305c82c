package stonetowers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

const (
	red  engine.Seat = 1
	blue engine.Seat = 2
)

// position returns the start with options such as "width=5 turns=10".
func position(t enginetest.T, options string) *stonetowers.Position {
	t.Helper()
	return enginetest.Start[*stonetowers.Position](t, stonetowers.Game{}, options, 2)
}

// sized returns the start on a board of that size.
func sized(t enginetest.T, width, height, turns int) *stonetowers.Position {
	t.Helper()
	return position(t, fmt.Sprintf("width=%d height=%d turns=%d", width, height, turns))
}

// apply plays an action that must be legal.
func apply(t enginetest.T, p engine.Position, a engine.Action) *stonetowers.Position {
	t.Helper()
	next, err := p.Apply(a)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return next.(*stonetowers.Position)
}

func parse(t enginetest.T, p engine.Position, token string) stonetowers.Action {
	t.Helper()
	a, err := p.Parse(token)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return a.(stonetowers.Action)
}

// draw returns a position in one line:
//
//	turns=20 played=5 ..r./brR2r/B1br./b...
//
// "played" counts the turns of both players: when it is odd Blue is to move.
// The last word is the board, rank by rank from the top: R2 is a castle of Red
// of level 2, r a flag of Red, a dot an unowned square.
func draw(p *stonetowers.Position) string {
	return fmt.Sprintf("turns=%d played=%d %s", p.TurnsPerPlayer(), p.Turns(), enginetest.BoardLine(p.Text()))
}

// read returns the position that draw writes as line.
func read(t enginetest.T, line string) *stonetowers.Position {
	t.Helper()
	p, err := parseLine(line)
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return p
}

func parseLine(line string) (*stonetowers.Position, error) {
	b := stonetowers.Setup{Owner: map[stonetowers.Square]engine.Seat{}, Level: map[stonetowers.Square]int{}}
	var board string
	if _, err := fmt.Sscanf(line, "turns=%d played=%d %s", &b.Turns, &b.Played, &board); err != nil {
		return nil, err
	}
	ranks := enginetest.BoardCells(board)
	b.Width, b.Height = len(ranks[0]), len(ranks)
	for i, cells := range ranks {
		if len(cells) != b.Width {
			return nil, fmt.Errorf("a rank of %d squares", len(cells))
		}
		for x, cell := range cells {
			s := stonetowers.Square{X: x, Y: b.Height - 1 - i}
			if cell == "." {
				continue
			}
			k := slices.Index([]string{"r", "b", "R", "B"}, cell[:1])
			level, err := strconv.Atoi(cell[1:] + strings.Repeat("0", len(cell)%2)) // a flag has level 0
			if k < 0 || err != nil || (level == 0) != (k < 2) || level > 3 {
				return nil, fmt.Errorf("a square %q", cell)
			}
			b.Owner[s], b.Level[s] = engine.Seat(1+k%2), level
		}
	}
	return stonetowers.FromSetup(b)
}
