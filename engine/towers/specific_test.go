package towers_test

import "testing"

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
