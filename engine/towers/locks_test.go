package towers_test

import (
	"testing"

	"castellan/engine"
)

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
