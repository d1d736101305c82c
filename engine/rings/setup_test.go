package rings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
)

// "The board": 3n(n-1)+1 circles and 6n² points, the names of side 6.
func TestBoardSizes(t *testing.T) {
	for side := 3; side <= 6; side++ {
		p := start(t, side, 2)
		if len(p.Circles()) != 3*side*(side-1)+1 || len(p.Points()) != 6*side*side || p.Side() != side {
			t.Errorf("side %d: %d circles, %d points", side, len(p.Circles()), len(p.Points()))
		}
		inner := 0
		for _, at := range p.Points() {
			on := 0
			for _, c := range p.Circles() {
				for _, q := range c.Points() {
					if q == at {
						on++
					}
				}
			}
			if on < 1 || on > 3 {
				t.Errorf("side %d: %v lies on %d full circles", side, at, on)
			}
			inner += on
		}
		if inner != 6*len(p.Circles()) {
			t.Errorf("side %d: %d points of circles", side, inner)
		}
	}
	p := start(t, 6, 2)
	points := p.Points()
	if points[0].String() != "A7" || points[len(points)-1].String() != "X17" {
		t.Errorf("the points go from %v to %v", points[0], points[len(points)-1])
	}
	if _, ok := p.Move(rings.Action{Kind: rings.Place, Point: rings.Point{Column: 11, Row: 23}}); !ok {
		t.Error("there is no L23")
	}
}

// Circles are numbered by the row of their centre from the top, then from the
// left; the first and the last are in the middle column.
func TestCircleNumbers(t *testing.T) {
	circles := start(t, 6, 2).Circles()
	for _, c := range []struct {
		number, column, row int
		points              string
	}{
		{1, 5, 2, "K2 L1 M1 N2 M3 L3"},
		{2, 4, 3, "I3 J2 K2 L3 K4 J4"},
		{3, 6, 3, "M3 N2 O2 P3 O4 N4"},
		{16, 0, 7, "A7 B6 C6 D7 C8 B8"},
		{46, 5, 12, "K12 L11 M11 N12 M13 L13"},
		{91, 5, 22, "K22 L21 M21 N22 M23 L23"},
	} {
		got := circles[c.number-1]
		if got != (rings.Circle{Number: c.number, Column: c.column, Row: c.row}) {
			t.Errorf("circle %d is %+v", c.number, got)
		}
		if points := strings.Trim(fmt.Sprint(got.Points()), "[]"); points != c.points {
			t.Errorf("circle %d has %s, not %s", c.number, points, c.points)
		}
	}
}

// The board of side 6, drawn.
func TestTextBoard(t *testing.T) {
	const want = `   A B C D E F G H I J K L M N O P Q R S T U V W X
 1                       . .
 2                   . .   1 . .
 3               . .   2 . .   3 . .
 4           . .   4 . .   5 . .   6 . .
 5       . .   7 . .   8 . .   9 . .  10 . .
 6   . .  11 . .  12 . .  13 . .  14 . .  15 . .
 7 .  16 . .  17 . .  18 . .  19 . .  20 . .  21 .
 8   . .  22 . .  23 . .  24 . .  25 . .  26 . .
 9 .  27 . .  28 . .  29 . .  30 . .  31 . .  32 .
10   . .  33 . .  34 . .  35 . .  36 . .  37 . .
11 .  38 . .  39 . .  40 . .  41 . .  42 . .  43 .
12   . .  44 . .  45 . .  46 . .  47 . .  48 . .
13 .  49 . .  50 . .  51 . .  52 . .  53 . .  54 .
14   . .  55 . .  56 . .  57 . .  58 . .  59 . .
15 .  60 . .  61 . .  62 . .  63 . .  64 . .  65 .
16   . .  66 . .  67 . .  68 . .  69 . .  70 . .
17 .  71 . .  72 . .  73 . .  74 . .  75 . .  76 .
18   . .  77 . .  78 . .  79 . .  80 . .  81 . .
19       . .  82 . .  83 . .  84 . .  85 . .
20           . .  86 . .  87 . .  88 . .
21               . .  89 . .  90 . .
22                   . .  91 . .
23                       . .
`
	if got := start(t, 6, 2).Text(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestStart(t *testing.T) {
	p := start(t, 6, 6)
	if p.Seat() != 1 || p.Turns() != 0 || p.Converting() || p.EmptyCount() != 216 || p.Seats() != 6 {
		t.Errorf("%s", draw(p))
	}
	legal := legalTokens(p)
	if len(legal) != 217 || legal[0] != "A7" || legal[1] != "A9" || legal[216] != "pass" {
		t.Errorf("legal %v", legal)
	}
	for i, c := range (rings.Game{}).Colours(6) {
		if c != engine.Blue+engine.Colour(i) {
			t.Errorf("seat %d is %v", i+1, c)
		}
	}
}

func TestSeatsAndOptionsRefused(t *testing.T) {
	g := rings.Game{}
	for _, seats := range []int{-1, 0, 1, 7} {
		var refused *engine.SeatsError
		if _, err := g.New(g.Options().Defaults(), seats); !errors.As(err, &refused) {
			t.Errorf("%d seats: %v", seats, err)
		}
	}
	for _, side := range []string{"2", "7", "six", ""} {
		var refused *engine.OptionError
		if _, err := g.Options().Parse("side=" + side); !errors.As(err, &refused) {
			t.Errorf("side %q: %v", side, err)
		}
	}
	if got := g.Options().Defaults().String(); got != "side=6" {
		t.Errorf("the defaults are %s", got)
	}
}

// What the board does not have is nobody's.
func TestNowhere(t *testing.T) {
	p := start(t, 3, 2)
	for _, at := range []rings.Point{{0, 5}, {-1, 4}, {12, 4}, {5, 0}, {5, 13}} {
		if p.Owner(at) != engine.Nobody || p.Safe(at) {
			t.Errorf("%v has an owner", at)
		}
	}
	for _, n := range []int{-1, 0, 20, 91} {
		if p.Majority(n) != engine.Nobody || p.Ring(n) != engine.Nobody || p.Influence(n, 1) != 0 {
			t.Errorf("circle %d is somebody's", n)
		}
	}
	for _, seat := range []engine.Seat{-1, 0, 3} {
		if p.Influence(1, seat) != 0 || p.Retired(seat) {
			t.Errorf("there is a seat %d", seat)
		}
	}
}
