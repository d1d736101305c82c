package towers_test

import (
	"iter"
	"strings"
	"testing"

	"castellan/engine"
)

// fields is the tokens of a text.
func fields(text string) iter.Seq[string] { return strings.FieldsSeq(text) }

// quiet is a board on which both can go to and fro.
const quiet = `
move=blue points=2 reserve=2,2
 5 r  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 b  .  B  .  .`

// "End": how games end, and how they do not.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		rule, before, play string
		winner             engine.Seat
		reason             string // empty where the game goes on
	}{
		{"an attack on the enemy master wins at once", `
move=red points=2 reserve=2,2
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  r  .  .
 2 .  .  .  .  .
 1 b  .  B  .  .`, "c3-c1", 2, "master"},
		{"by the master's tower too", `
move=blue points=2 reserve=2,2
 5 .  .  .  .  .
 4 .  .  .  .  .
 3 .  .  R  .  .
 2 .  .  .  .  .
 1 b  .  B  .  .`, "c1-c3", 1, "master"},
		{"two passes in a row, one by each player", quiet, "end end", 0, "passes"},
		{"one pass is not enough", quiet, "end", 0, ""},
		{"two passes of one player with a turn between them", quiet, "end a5-a4 end end", 0, ""},
		{"a turn after whose end all is as at its start is a pass too", quiet, "a1-a2 a2-a1 end end", 0, "passes"},
		{"an import that goes back to the reserve is a pass", quiet, "+2 end +1 end", 0, "passes"},
		{"a reserve that has changed is no pass", `
move=blue points=2 reserve=2,2
 5 r  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  .  .
 2 .  .  .  .  .
 1 b  b  B  .  .`, "b1-c1 end end", 0, ""},
		{"both positions have stood before", quiet,
			"a1-a2 end a5-a4 end a2-a1 end a4-a5 end a1-a2 end", 0, "repetition"},
		{"one that has stood before is not enough", quiet,
			"a1-a2 end a5-a4 end a2-a1 end a4-a5 end", 0, ""},
		{"nor is one now and one later", quiet,
			"a1-a2 end a5-a4 end a2-a1 end a4-a5 end a1-b1 end a5-a4 end b1-a1 end a4-b4 end", 0, ""},
		{"the two earlier ones need not be successive", quiet,
			"a1-a2 end end a2-a3 end a5-a4 end a3-a2 end end a2-a3 end a4-a5 end a3-a2 end a5-a4 end", 0, "repetition"},
		{"the same cells with the other player to move are another position", quiet,
			"a1-a2 end end a2-a1 end end a1-a2 end", 0, "repetition"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := play(t, read(t, c.before), c.play)
			result, over := p.Result()
			if over != (c.reason != "") || result.Reason != c.reason {
				t.Fatalf("over is %t by %q in\n%s", over, result.Reason, draw(p))
			}
			if !over {
				return
			}
			if c.winner == engine.Nobody {
				if len(result.Winners) != 0 || result.Ranks[0] != 1 || result.Ranks[1] != 1 {
					t.Errorf("a draw has winners %v, ranks %v", result.Winners, result.Ranks)
				}
			} else if len(result.Winners) != 1 || result.Winners[0] != c.winner || result.Ranks[c.winner-1] != 1 || result.Ranks[2-c.winner] != 2 {
				t.Errorf("winners %v, ranks %v, want seat %d", result.Winners, result.Ranks, c.winner)
			}
			if result.Scores != nil || p.Seat() != engine.Nobody || len(p.Legal()) != 0 {
				t.Errorf("scores %v; seat %d can play %v", result.Scores, p.Seat(), p.Legal())
			}
			for _, token := range []string{"end", "+1", "a1-a2", "a1/a2"} {
				_, err := try(p, token)
				refused(t, err, "illegal.over")
			}
		})
	}
}

// The turn that takes the master is completed by that, and so are its points
// and locks as they were.
func TestAWinCompletesTheTurn(t *testing.T) {
	p := read(t, `
move=red points=3 reserve=2,3
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 .  .  r  .  .
 2 .  .  .  .  .
 1 b  .  B  .  .`)
	q := play(t, p, "c3-c1")
	if q.Turns() != p.Turns()+1 {
		t.Errorf("turns %d after %d", q.Turns(), p.Turns())
	}
	if _, ok := q.Master(1); ok {
		t.Error("Blue still has a master")
	}
	if at, ok := q.Master(2); !ok || at.String() != "c5" {
		t.Errorf("Red's master is on %v, %t", at, ok)
	}
}

// An action that takes a pawn off the game makes all earlier positions
// impossible; what comes after it can repeat as well.
func TestRepetitionAfterAnAttack(t *testing.T) {
	p := read(t, `
move=blue points=2 reserve=2,2
 5 r  .  R  .  .
 4 .  .  .  .  .
 3 .  .  .  r  .
 2 .  .  .  .  .
 1 b  .  B  b  .`)
	p = play(t, p, "d1-d3 end a5-a4 end d3-d2 end a4-a5 end d2-d3 end a5-a4 end")
	if r, over := p.Result(); !over || r.Reason != "repetition" {
		t.Errorf("over %t by %q", over, r.Reason)
	}
}
