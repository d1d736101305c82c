package towers_test

import (
	"slices"
	"testing"

	"castellan/engine"
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

// "Take out", "Import", "End" and the locks.
func TestTakeOutImportAndLocks(t *testing.T) {
	for _, c := range []turnTest{
		{"one pawn leaves the master's tower and moves on its own, cost = cells; the master stays", `
move=blue points=3/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B3 .  .`, "c1/c3", `
move=blue points=1/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  b  .  .
 2 .  .  .  .  .
 1 .  .  B2 .  .`},

		{"what is taken out raises as a single pawn does", `
move=blue points=3/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B3 b2 .`, "c1/d1", `
move=blue points=2/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B2 b3# .`},

		{"what is taken out attacks as a single pawn does", `
move=blue points=3/4 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  r2 .  .
 1 .  .  B3 .  .`, "c1/c2", "illegal.attack"},

		{"height 2 or more", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "c1/c2", "illegal.out.single"},

		{"other towers give no pawns", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  b2 .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "b3/b4", "illegal.out.tower"},

		{"reserve pawns are put on the master, one move point each; it locks nothing", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "+2", `
move=blue points=1/3 reserve=1,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B3 .  .`},

		{"+2 is the same as +1 +1", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "+1 +1", `
move=blue points=1/3 reserve=1,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B3 .  .`},

		{"no more than there are points", `
move=blue points=2/3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "+3", "illegal.points"},

		{"no import when the master's cell is locked", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  b  B  .  .`, "b1-c1 +1", "illegal.locked"},

		{"nothing moves from a locked cell", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 b# .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "a3-a4", "illegal.locked"},

		{"nothing moves onto a locked cell", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 b# .  b  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "c3-a3", "illegal.locked"},

		{"nothing moves out of a locked cell", `
move=blue points=3/5 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  b  B3 .  .`, "b1-c1 c1/c2", "illegal.locked"},

		{"an empty target is not locked, so that a pawn goes around a corner", `
move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-a3 a3-c3", `
move=blue points=0/3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  b  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`},

		{"all locks go at the end of the turn", `
move=blue points=2 reserve=2,3
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  b  .  .  .
 1 .  .  B  .  .`, "a2-b2 end", `
move=red points=3 reserve=2,3
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  b2 .  .  .
 1 .  .  B  .  .`},
	} {
		t.Run(c.rule, c.run)
	}
}

// "Specific rules", each with and without.
func TestSpecificRules(t *testing.T) {
	for _, c := range []turnTest{
		{"tower-out: one pawn can be taken out of any own tower", `
rules=tower-out move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  b2 .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "b3/b4", `
rules=tower-out move=blue points=2/3 reserve=3,1
 5 .  .  R  .  .
 4 .  b  .  .  .
 3 .  b  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`},

		{"lock-after-move: locked wherever it arrives, on an empty cell too", `
rules=lock-after-move move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-a3", `
rules=lock-after-move move=blue points=2/3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 b# .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`},

		{"lock-after-move: an import is no move and locks nothing", `
rules=lock-after-move move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "+1 c1/c2", `
rules=lock-after-move move=blue points=1/3 reserve=2,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  b# .  .
 1 .  .  B  .  .`},

		{"lock-split-tower: taking a pawn out of a tower, the master's too, locks that tower", `
rules=lock-split-tower move=blue points=3/5 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B3 .  .`, "c1/c2 c1/d1", "illegal.locked"},

		{"without lock-split-tower the tower gives another", `
move=blue points=3/5 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B3 .  .`, "c1/c2 c1/d1", `
move=blue points=1/5 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  b  .  .
 1 .  .  B  b  .`},

		{"import-first: imports only before any other action of the turn", `
rules=import-first move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-a3 +1", "illegal.import.first"},

		{"import-first: one import after another", `
rules=import-first move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "+1 +1", `
rules=import-first move=blue points=1/3 reserve=1,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B3 .  .`},

		{"import-first: the next turn may import again", `
rules=import-first move=blue points=3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`, "a2-a3 end +1", `
rules=import-first move=red points=0/1 reserve=3,0
 5 .  .  R2 .  .
 4 .  .  .  .  .
 3 b  .  .  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`},

		{"no-master-win: a master cannot capture the enemy master", `
rules=no-master-win move=blue points=3 reserve=3,1
 5 .  .  .  .  .
 4 .  .  .  .  .
 3 .  .  R  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "c1-c3", "illegal.master"},

		{"no-master-win: a pawn out of the master's tower can", `
rules=no-master-win move=blue points=2/3 reserve=2,1
 5 .  .  .  .  .
 4 .  .  .  .  .
 3 .  .  R  .  .
 2 .  .  .  .  .
 1 .  .  B2 .  .`, "c1/c3", `
rules=no-master-win move=blue points=0/3 reserve=2,1
 5 .  .  .  .  .
 4 .  .  .  .  .
 3 .  .  b# .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`},

		{"without no-master-win the master wins", `
move=blue points=3 reserve=3,1
 5 .  .  .  .  .
 4 .  .  .  .  .
 3 .  .  R  .  .
 2 .  .  .  .  .
 1 .  .  B  .  .`, "c1-c3", `
move=blue points=1/3 reserve=3,1
 5 .  .  .  .  .
 4 .  .  .  .  .
 3 .  .  B2# . .
 2 .  .  .  .  .
 1 .  .  .  .  .`},
	} {
		t.Run(c.rule, c.run)
	}
}

// The decision on the very first turn: seat 1's master is locked then, and
// then only.
func TestTheMasterIsLockedInTheVeryFirstTurn(t *testing.T) {
	p := position(t, "size=6")
	for _, token := range []string{"+1", "d1-e1", "c1-d1"} {
		_, err := try(p, token)
		refused(t, err, "illegal.locked.first")
	}
	p = play(t, p, "a2-a3 end")
	for _, token := range []string{"+1", "c6-b6", "b6-c6"} {
		play(t, p, token)
	}
	p = play(t, p, "a5-a4 end")
	for _, token := range []string{"+1", "d1-e1", "c1-d1"} {
		play(t, p, token)
	}
	p = position(t, "size=6 rules=no-first-lock-master")
	for _, token := range []string{"+1", "d1-e1", "c1-d1"} {
		play(t, p, token)
	}
	_, err := try(play(t, p, "c1-d1"), "+1")
	refused(t, err, "illegal.locked")
}

// A player with no points left, or none from the start, can only end.
func TestWithoutPointsThereIsOnlyTheEnd(t *testing.T) {
	p := read(t, `
move=blue points=1 reserve=1,0
 5 .  .  R  .  .
 4 .  .  r  .  .
 3 .  .  .  .  .
 2 b  .  .  .  .
 1 .  .  B  .  .`)
	p = play(t, p, "a2-a3")
	if a, ok := engine.Formality(p); !ok || a.String() != "end" {
		t.Errorf("%v after the last point", legalTokens(p))
	}
	p = play(t, p, "end")
	if a, ok := engine.Formality(p); !ok || a.String() != "end" {
		t.Errorf("%v with an empty reserve", legalTokens(p))
	}
	_, err := try(p, "c4-c3")
	refused(t, err, "illegal.points")
}
