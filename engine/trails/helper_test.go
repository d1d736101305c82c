package trails_test

import (
	"fmt"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// position returns the start with options such as "size=5 towers=1".
func position(t enginetest.T, options string) *trails.Position {
	t.Helper()
	return enginetest.Start[*trails.Position](t, trails.Game{}, options, 2)
}

// random returns a legal move.
func random(p *trails.Position, r *enginetest.Random) trails.Direction {
	legal := p.Legal()
	return legal[r.IntN(len(legal))].(trails.Direction)
}

// draw returns a position in one line:
//
//	towers=1 distance=0 move=red blue=right:0 bB.../...../..T../...../....R
//
// "blue=right:0" is the direction and the boost of Blue's last move, left out
// before the first one. The last word is the board, rank by rank from the top:
// B and R are heads, b and r the other occupied squares, T is a free tower.
func draw(p *trails.Position) string {
	towers := p.Towers()
	distance := 0
	if len(towers) > 1 {
		distance = towers[1].Square.X - towers[0].Square.X - 1
		if len(towers) == 2 { // ±(⌊d/2⌋+1): 0 and 1 look the same, and so do 2 and 3
			distance--
		}
	}
	out := fmt.Sprintf("towers=%d distance=%d", len(towers), distance)
	if p.Seat() != engine.Nobody {
		out += " move=" + trails.Colours[p.Seat()-1]
	}
	for i, name := range trails.Colours {
		seat := engine.Seat(i + 1)
		if d, ok := p.LastDirection(seat); ok {
			out += fmt.Sprintf(" %s=%s:%d", name, d, p.Boost(seat))
		}
	}
	return out + " " + enginetest.BoardLine(p.Text())
}

// read returns the position that draw writes as line.
func read(t enginetest.T, line string) *trails.Position {
	t.Helper()
	p, err := trails.Read(line)
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return p
}

var directions = []trails.Direction{trails.Up, trails.Down, trails.Left, trails.Right}
