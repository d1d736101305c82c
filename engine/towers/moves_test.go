package towers_test

import (
	"slices"
	"testing"
)

// turnTest is actions from a drawn board. The last one leads to the board after,
// or is refused by the sentence of that key.
type turnTest struct{ rule, before, play, after string }

func (c turnTest) run(t *testing.T) {
	p := read(t, c.before)
	tokens := slices.Collect(fields(c.play))
	last := tokens[len(tokens)-1]
	for _, token := range tokens[:len(tokens)-1] {
		p = play(t, p, token)
	}
	q, err := try(p, last)
	if c.after[0] != '\n' {
		refused(t, err, c.after)
		if slices.Contains(legalTokens(p), last) {
			t.Errorf("%s is refused, but among the legal actions", last)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if want := draw(read(t, c.after)); draw(q) != want {
		t.Errorf("got\n%swant\n%s", draw(q), want)
	}
}

// "A turn": moves, raising, attacks, captures.
func TestMoves(t *testing.T) {
	for _, c := range []turnTest{
		{"a pawn moves in a straight line for one point a cell", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-d2", `
move=blue points=0/3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  b  .
 1 .  .  B  .  .`},

		{"cost = height × cells", `
move=blue points=5 reserve=5,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b2 .  .  .  .
 1 .  .  B  .  .`, "a2-a4", `
move=blue points=1/5 reserve=5,1
 5 .  .  R  .  .
 4 b2 .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`},

		{"a tower whose cost the points do not allow", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b2 .  .  .  .
 1 .  .  B  .  .`, "a2-a4", "illegal.points"},

		{"every cell on the way is empty", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 r  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-a4", "illegal.way"},

		{"up, down, left or right", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-b3", "illegal.straight"},

		{"to where it stands is no straight line either", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-a2", "illegal.straight"},

		{"the opponent's towers are not one's own to move", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "c5-c4", "illegal.own"},

		{"nothing moves from an empty square", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "e4-e3", "illegal.own"},

		{"nothing leaves the board", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  b
 1 .  .  B  .  .`, "e2-f2", "illegal.board"},

		{"an own tower is raised by one by a single pawn, and locked", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b3 .  b  .  .
 1 .  .  B  .  .`, "c2-a2", `
move=blue points=1/3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b4# . .  .  .
 1 .  .  B  .  .`},

		{"never a tower onto a tower", `
move=blue points=4 reserve=4,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b3 b2 .  .  .
 1 .  .  B  .  .`, "b2-a2", "illegal.raise"},

		{"nor onto a single pawn", `
move=blue points=4 reserve=4,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  b2 .  .  .
 1 .  .  B  .  .`, "b2-a2", "illegal.raise"},

		{"a master moved onto a single pawn is a master tower of height 2", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 b  .  B  .  .`, "c1-a1", `
move=blue points=1/3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 B2# . .  .  .`},

		{"a master may only be moved onto a single pawn", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 b2 .  B  .  .`, "c1-a1", "illegal.raise.master"},

		{"a master's tower is a tower: it goes onto no other", `
move=blue points=4/5 reserve=4,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 b  .  B2 .  .`, "c1-a1", "illegal.raise"},

		{"a single pawn may be moved onto the master's own tower of any height", `
move=blue points=3/5 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 b  .  B3 .  .`, "a1-c1", `
move=blue points=1/5 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B4# . .`},

		{"the enemy tower is removed from the game and the mover stands there, locked", `
move=blue points=4 reserve=4,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 b2 .  r2 .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "a3-c3", `
move=blue points=0/4 reserve=4,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  b2# . .
 2 .  .  .  .  .
 1 .  .  B  .  .`},

		{"an attack takes an enemy tower of at most the mover's height", `
move=blue points=4 reserve=4,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 b2 .  r3 .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "a3-c3", "illegal.attack"},

		{"the master's tower captures: the enemy pawns are added to it, and exported at the end", `
move=blue points=3/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  r2 .  .
 1 .  .  B2 .  .`, "c1-c2", `
move=blue points=1/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  B4# . .
 1 .  .  .  .  .`},

		{"at the end every pawn on the master's tower but the master returns to the reserve", `
move=blue points=1/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  B4# . .
 1 .  .  .  .  .`, "end", `
move=red points=1 reserve=6,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  B  .  .
 1 .  .  .  .  .`},
	} {
		t.Run(c.rule, c.run)
	}
}
