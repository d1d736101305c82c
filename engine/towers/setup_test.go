package towers_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/towers"
)

// "Setup": two home rows of pawns, the masters in the outer ones.
func TestSetup(t *testing.T) {
	for _, c := range []struct{ options, board string }{
		{"", `move=blue points=1 reserve=1,1
 5 r  r  R  r  r
 4 r  r  r  r  r
 3 .  .  .  .  .
 2 b  b  b  b  b
 1 b  b  B# b  b
   a  b  c  d  e
`},
		{"size=6 rules=no-first-lock-master", `rules=no-first-lock-master move=blue points=2 reserve=2,2
 6 r  r  R  r  r  r
 5 r  r  r  r  r  r
 4 .  .  .  .  .  .
 3 .  .  .  .  .  .
 2 b  b  b  b  b  b
 1 b  b  b  B  b  b
   a  b  c  d  e  f
`},
		{"size=7 rules=master-at-corner", `rules=master-at-corner move=blue points=3 reserve=3,3
 7 R  r  r  r  r  r  r
 6 r  r  r  r  r  r  r
 5 .  .  .  .  .  .  .
 4 .  .  .  .  .  .  .
 3 .  .  .  .  .  .  .
 2 b  b  b  b  b  b  b
 1 b  b  b  b  b  b  B#
   a  b  c  d  e  f  g
`},
		{"size=10", `move=blue points=6 reserve=6,6
10 r  r  r  r  R  r  r  r  r  r
 9 r  r  r  r  r  r  r  r  r  r
 8 .  .  .  .  .  .  .  .  .  .
 7 .  .  .  .  .  .  .  .  .  .
 6 .  .  .  .  .  .  .  .  .  .
 5 .  .  .  .  .  .  .  .  .  .
 4 .  .  .  .  .  .  .  .  .  .
 3 .  .  .  .  .  .  .  .  .  .
 2 b  b  b  b  b  b  b  b  b  b
 1 b  b  b  b  b  B# b  b  b  b
   a  b  c  d  e  f  g  h  i  j
`},
	} {
		if got := draw(position(t, c.options)); got != c.board {
			t.Errorf("%s: got\n%swant\n%s", c.options, got, c.board)
		}
	}
}

func TestPositionAtTheStart(t *testing.T) {
	p := position(t, "size=8 rules=import-first+tower-out")
	left, of := p.MovePoints()
	if p.Size() != 8 || left != 4 || of != 4 || p.Turns() != 0 || p.Seat() != 1 {
		t.Errorf("size %d, points %d of %d, turns %d, seat %d", p.Size(), left, of, p.Turns(), p.Seat())
	}
	if got := p.Rules(); !slices.Equal(got, []string{"tower-out", "import-first"}) {
		t.Errorf("rules %v", got)
	}
	for seat, want := range map[engine.Seat]string{1: "e1", 2: "d8"} {
		if at, ok := p.Master(seat); !ok || at.String() != want || !p.At(at).Master {
			t.Errorf("the master of seat %d is on %v, %t", seat, at, ok)
		}
	}
	for _, s := range []towers.Square{{X: -1}, {Y: -1}, {X: 8}, {Y: 8}, {X: 1 << 40, Y: 1 << 40}} {
		if p.At(s) != (towers.Tower{}) || p.Locked(s) {
			t.Errorf("%v, off the board, holds %v, locked %t", s, p.At(s), p.Locked(s))
		}
	}
	if got := p.At(towers.Square{X: 3, Y: 3}); got != (towers.Tower{}) {
		t.Errorf("an empty square holds %v", got)
	}
}

// Legal actions stand square by square, then imports, then the end.
func TestOrderOfLegalActions(t *testing.T) {
	p := read(t, `
rules=tower-out move=blue points=2 reserve=2,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  b2 .
 2 b  .  .  .  .
 1 .  .  .  .  B`)
	const want = "[e1-d1 e1-c1 e1-e2 e1-e3 a2-a1 a2-b2 a2-c2 a2-a3 a2-a4 " +
		"d3-d2 d3-c3 d3-e3 d3-d4 d3/d2 d3/d1 d3/c3 d3/b3 d3/e3 d3/d4 d3/d5 +1 +2 end]"
	if got := fmt.Sprint(p.Legal()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
