package trails_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// position returns the start with options such as "size=5 towers=1".
func position(t enginetest.T, options string) *trails.Position {
	t.Helper()
	return enginetest.Start[*trails.Position](t, trails.Game{}, options, 2)
}

// apply plays a move that must be legal.
func apply(t enginetest.T, p *trails.Position, a engine.Action) *trails.Position {
	t.Helper()
	next, err := p.Apply(a)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return next.(*trails.Position)
}

// random returns a legal move.
func random(p *trails.Position, r *enginetest.Random) trails.Direction {
	legal := p.Legal()
	return legal[r.IntN(len(legal))].(trails.Direction)
}

var colours = []string{"blue", "red"}

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
		out += " move=" + colours[p.Seat()-1]
	}
	for i, name := range colours {
		seat := engine.Seat(i + 1)
		if d, ok := p.LastDirection(seat); ok {
			out += fmt.Sprintf(" %s=%s:%d", name, d, p.Boost(seat))
		}
	}
	return out + " " + enginetest.BoardLine(p.Text())
}

// read returns the position that draw writes as line. Towers, distance and move
// default to 1, 0 and blue.
func read(t enginetest.T, line string) *trails.Position {
	t.Helper()
	b := trails.Board{Towers: 1, Mover: 1, Owner: map[trails.Square]engine.Seat{}}
	var free []trails.Square
	for word := range strings.FieldsSeq(line) {
		key, value, field := strings.Cut(word, "=")
		if field {
			readField(t, &b, key, value)
			continue
		}
		ranks := enginetest.BoardCells(word)
		b.Size = len(ranks)
		for i, cells := range ranks {
			if len(cells) != b.Size {
				t.Fatalf("a rank of %d squares in %s", len(cells), line)
			}
			for x, c := range cells {
				s := trails.Square{X: x, Y: b.Size - 1 - i}
				switch k := strings.Index("bBrR", c); {
				case c == "T":
					free = append(free, s)
				case k >= 0:
					b.Owner[s] = engine.Seat(1 + k/2)
					if k%2 == 1 {
						b.Head[k/2] = s
					}
				case c != ".":
					t.Fatalf("a square %q in %s", c, line)
				}
			}
		}
	}
	p, err := trails.Build(b)
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	for _, tower := range p.Towers() {
		if slices.Contains(free, tower.Square) != (tower.Owner == engine.Nobody) {
			t.Fatalf("no tower on %v in %s", tower.Square, line)
		}
	}
	return p
}

func readField(t enginetest.T, b *trails.Board, key, value string) {
	t.Helper()
	i := slices.Index(colours, key)
	word, number, _ := strings.Cut(value, ":")
	if i < 0 {
		number = value
	}
	n, err := strconv.Atoi(number)
	switch {
	case key == "move":
		b.Mover = engine.Seat(1 + slices.Index(colours, value))
	case err != nil:
		t.Fatalf("%s=%s: %v", key, value, err)
	case key == "towers":
		b.Towers = n
	case key == "distance":
		b.Distance = n
	default:
		b.Moved[i], b.Boost[i] = true, n
		b.Last[i] = directions[slices.IndexFunc(directions, func(d trails.Direction) bool { return d.String() == word })]
	}
}

var directions = []trails.Direction{trails.Up, trails.Down, trails.Left, trails.Right}

// Positions of random games, drawn and read, have the same hash and the same
// legal moves, though they have no history.
func TestDrawAndRead(t *testing.T) {
	r := enginetest.Random(11)
	for _, options := range []string{"size=5 towers=2 distance=2", "size=7 towers=3 distance=0", "", "size=21 towers=9 distance=1"} {
		for p := position(t, options); p.Seat() != engine.Nobody; p = apply(t, p, random(p, &r)) {
			q := read(t, draw(p))
			if draw(q) != draw(p) || q.Hash() != p.Hash() || fmt.Sprint(q.Legal()) != fmt.Sprint(p.Legal()) {
				t.Fatalf("drawn %s, read %s", draw(p), draw(q))
			}
		}
	}
}
