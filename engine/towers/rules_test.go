package towers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

// "Setup": two home rows of pawns, the masters in the outer ones.
func TestSetup(t *testing.T) {
	for _, c := range []struct{ options, board string }{
		{"",
			"move=blue points=1 reserve=1,1 rrRrr/rrrrr/...../bbbbb/bbB#bb"},
		{"size=6 rules=no-first-lock-master",
			"rules=no-first-lock-master move=blue points=2 reserve=2,2 rrRrrr/rrrrrr/....../....../bbbbbb/bbbBbb"},
		{"size=7 rules=master-at-corner",
			"rules=master-at-corner move=blue points=3 reserve=3,3 Rrrrrrr/rrrrrrr/......./......./......./bbbbbbb/bbbbbbB#"},
		{"size=10",
			"move=blue points=6 reserve=6,6 rrrrRrrrrr/rrrrrrrrrr/........../........../........../........../........../........../bbbbbbbbbb/bbbbbB#bbbb"},
	} {
		if got := draw(position(t, c.options)); got != c.board {
			t.Errorf("%s: got %s, want %s", c.options, got, c.board)
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

// Legal lists moves square by square, then imports, then the end.
func TestOrderOfLegalActions(t *testing.T) {
	p := read(t, "rules=tower-out move=blue points=2 reserve=2,1 ..R../...../...b2./b..../....B")
	const want = "[e1-d1 e1-c1 e1-e2 e1-e3 a2-a1 a2-b2 a2-c2 a2-a3 a2-a4 " +
		"d3-d2 d3-c3 d3-e3 d3-d4 d3/d2 d3/d1 d3/c3 d3/b3 d3/e3 d3/d4 d3/d5 +1 +2 end]"
	if got := fmt.Sprint(p.Legal()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// turnTest is a list of actions. The last one leads to the position after, or
// is refused for that reason.
type turnTest struct{ rule, before, play, after string }

func (c turnTest) run(t *testing.T) {
	tokens := strings.Fields(c.play)
	last := tokens[len(tokens)-1]
	p := play(t, read(t, c.before), strings.Join(tokens[:len(tokens)-1], " "))
	q, err := try(p, last)
	if strings.HasPrefix(c.after, "illegal.") {
		refused(t, err, c.after)
		if slices.Contains(enginetest.LegalTokens(p), last) {
			t.Errorf("%s is refused, but among the legal actions", last)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if draw(q) != c.after {
		t.Errorf("got  %s\nwant %s", draw(q), c.after)
	}
}

// "A turn": moves, raising, attacks, captures.
func TestMoves(t *testing.T) {
	for _, c := range []turnTest{
		{"a pawn moves in a straight line for one point a cell",
			"move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..",
			"a2-d2", "move=blue points=0/3 reserve=3,1 ..R../...../...../...b./..B.."},
		{"cost = height × cells",
			"move=blue points=5 reserve=5,1 ..R../...../...../b2..../..B..",
			"a2-a4", "move=blue points=1/5 reserve=5,1 ..R../b2..../...../...../..B.."},
		{"a tower whose cost the points do not allow",
			"move=blue points=3 reserve=3,1 ..R../...../...../b2..../..B..", "a2-a4", "illegal.points"},
		{"every cell on the way is empty",
			"move=blue points=3 reserve=3,1 ..R../...../r..../b..../..B..", "a2-a4", "illegal.way"},
		{"up, down, left or right",
			"move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..", "a2-b3", "illegal.straight"},
		{"to where it stands is no straight line either",
			"move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..", "a2-a2", "illegal.straight"},
		{"the opponent's towers are not one's own to move",
			"move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..", "c5-c4", "illegal.own"},
		{"nothing moves from an empty square",
			"move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..", "e4-e3", "illegal.own"},
		{"nothing leaves the board",
			"move=blue points=3 reserve=3,1 ..R../...../...../....b/..B..", "e2-f2", "illegal.board"},
		{"an own tower is raised by one by a single pawn, and locked",
			"move=blue points=3 reserve=3,1 ..R../...../...../b3.b../..B..",
			"c2-a2", "move=blue points=1/3 reserve=3,1 ..R../...../...../b4#..../..B.."},
		{"never a tower onto a tower",
			"move=blue points=4 reserve=4,1 ..R../...../...../b3b2.../..B..", "b2-a2", "illegal.raise"},
		{"nor onto a single pawn",
			"move=blue points=4 reserve=4,1 ..R../...../...../bb2.../..B..", "b2-a2", "illegal.raise"},
		{"a master moved onto a single pawn is a master tower of height 2",
			"move=blue points=3 reserve=3,1 ..R../...../...../...../b.B..",
			"c1-a1", "move=blue points=1/3 reserve=3,1 ..R../...../...../...../B2#...."},
		{"a master may only be moved onto a single pawn",
			"move=blue points=3 reserve=3,1 ..R../...../...../...../b2.B..", "c1-a1", "illegal.raise.master"},
		{"a master's tower is a tower: it goes onto no other",
			"move=blue points=4/5 reserve=4,1 ..R../...../...../...../b.B2..", "c1-a1", "illegal.raise"},
		{"a single pawn may be moved onto the master's own tower of any height",
			"move=blue points=3/5 reserve=3,1 ..R../...../...../...../b.B3..",
			"a1-c1", "move=blue points=1/5 reserve=3,1 ..R../...../...../...../..B4#.."},
		{"the enemy tower is removed from the game and the mover stands there, locked",
			"move=blue points=4 reserve=4,1 ..R../...../b2.r2../...../..B..",
			"a3-c3", "move=blue points=0/4 reserve=4,1 ..R../...../..b2#../...../..B.."},
		{"an attack takes an enemy tower of at most the mover's height",
			"move=blue points=4 reserve=4,1 ..R../...../b2.r3../...../..B..", "a3-c3", "illegal.attack"},
		{"the master's tower captures: the enemy pawns are added to it, and exported at the end",
			"move=blue points=3/4 reserve=3,1 ..R../...../...../..r2../..B2..",
			"c1-c2", "move=blue points=1/4 reserve=3,1 ..R../...../...../..B4#../....."},
		{"at the end every pawn on the master's tower but the master returns to the reserve",
			"move=blue points=1/4 reserve=3,1 ..R../...../...../..B4#../.....",
			"end", "move=red points=1 reserve=6,1 ..R../...../...../..B../....."},
	} {
		t.Run(c.rule, c.run)
	}
}

// "Take out", "Import", "End" and the locks.
func TestTakeOutImportAndLocks(t *testing.T) {
	for _, c := range []turnTest{
		{"one pawn leaves the master's tower and moves on its own, cost = cells; the master stays",
			"move=blue points=3/4 reserve=3,1 ..R../...../...../...../..B3..",
			"c1/c3", "move=blue points=1/4 reserve=3,1 ..R../...../..b../...../..B2.."},
		{"what is taken out raises as a single pawn does",
			"move=blue points=3/4 reserve=3,1 ..R../...../...../...../..B3b2.",
			"c1/d1", "move=blue points=2/4 reserve=3,1 ..R../...../...../...../..B2b3#."},
		{"what is taken out attacks as a single pawn does",
			"move=blue points=3/4 reserve=3,1 ..R../...../...../..r2../..B3..", "c1/c2", "illegal.attack"},
		{"height 2 or more",
			"move=blue points=3 reserve=3,1 ..R../...../...../...../..B..", "c1/c2", "illegal.out.single"},
		{"other towers give no pawns",
			"move=blue points=3 reserve=3,1 ..R../...../.b2.../...../..B..", "b3/b4", "illegal.out.tower"},
		{"reserve pawns are put on the master, one move point each; it locks nothing",
			"move=blue points=3 reserve=3,1 ..R../...../...../...../..B..",
			"+2", "move=blue points=1/3 reserve=1,1 ..R../...../...../...../..B3.."},
		{"+2 is the same as +1 +1",
			"move=blue points=3 reserve=3,1 ..R../...../...../...../..B..",
			"+1 +1", "move=blue points=1/3 reserve=1,1 ..R../...../...../...../..B3.."},
		{"no more than there are points",
			"move=blue points=2/3 reserve=3,1 ..R../...../...../...../..B..", "+3", "illegal.points"},
		{"no import when the master's cell is locked",
			"move=blue points=3 reserve=3,1 ..R../...../...../...../.bB..", "b1-c1 +1", "illegal.locked"},
		{"nothing moves from a locked cell",
			"move=blue points=3 reserve=3,1 ..R../...../b#..../...../..B..", "a3-a4", "illegal.locked"},
		{"nothing moves onto a locked cell",
			"move=blue points=3 reserve=3,1 ..R../...../b#.b../...../..B..", "c3-a3", "illegal.locked"},
		{"nothing moves out of a locked cell",
			"move=blue points=3/5 reserve=3,1 ..R../...../...../...../.bB3..", "b1-c1 c1/c2", "illegal.locked"},
		{"an empty target is not locked, so that a pawn goes around a corner",
			"move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..",
			"a2-a3 a3-c3", "move=blue points=0/3 reserve=3,1 ..R../...../..b../...../..B.."},
		{"all locks go at the end of the turn",
			"move=blue points=2 reserve=2,3 ..R../...../...../bb.../..B..",
			"a2-b2 end", "move=red points=3 reserve=2,3 ..R../...../...../.b2.../..B.."},
	} {
		t.Run(c.rule, c.run)
	}
}

// The master of seat 1 is locked during the first turn of the game only.
func TestFirstTurnLock(t *testing.T) {
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
func TestNoPointsLeft(t *testing.T) {
	p := read(t, "move=blue points=1 reserve=1,0 ..R../..r../...../b..../..B..")
	p = play(t, p, "a2-a3")
	if a, ok := engine.Formality(p); !ok || a.String() != "end" {
		t.Errorf("%v after the last point", enginetest.LegalTokens(p))
	}
	p = play(t, p, "end")
	if a, ok := engine.Formality(p); !ok || a.String() != "end" {
		t.Errorf("%v with an empty reserve", enginetest.LegalTokens(p))
	}
	_, err := try(p, "c4-c3")
	refused(t, err, "illegal.points")
}

// "Specific rules", each with and without.
func TestSpecificRules(t *testing.T) {
	for _, c := range []turnTest{
		{"tower-out: one pawn can be taken out of any own tower",
			"rules=tower-out move=blue points=3 reserve=3,1 ..R../...../.b2.../...../..B..",
			"b3/b4", "rules=tower-out move=blue points=2/3 reserve=3,1 ..R../.b.../.b.../...../..B.."},
		{"lock-after-move: locked wherever it arrives, on an empty cell too",
			"rules=lock-after-move move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..",
			"a2-a3", "rules=lock-after-move move=blue points=2/3 reserve=3,1 ..R../...../b#..../...../..B.."},
		{"lock-after-move: an import is no move and locks nothing",
			"rules=lock-after-move move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..",
			"+1 c1/c2", "rules=lock-after-move move=blue points=1/3 reserve=2,1 ..R../...../...../b.b#../..B.."},
		{"lock-split-tower: taking a pawn out of a tower, the master's too, locks that tower",
			"rules=lock-split-tower move=blue points=3/5 reserve=3,1 ..R../...../...../...../..B3..",
			"c1/c2 c1/d1", "illegal.locked"},
		{"without lock-split-tower the tower gives another",
			"move=blue points=3/5 reserve=3,1 ..R../...../...../...../..B3..",
			"c1/c2 c1/d1", "move=blue points=1/5 reserve=3,1 ..R../...../...../..b../..Bb."},
		{"import-first: imports only before any other action of the turn",
			"rules=import-first move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..",
			"a2-a3 +1", "illegal.import.first"},
		{"import-first: one import after another",
			"rules=import-first move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..",
			"+1 +1", "rules=import-first move=blue points=1/3 reserve=1,1 ..R../...../...../b..../..B3.."},
		{"import-first: the next turn may import again",
			"rules=import-first move=blue points=3 reserve=3,1 ..R../...../...../b..../..B..",
			"a2-a3 end +1", "rules=import-first move=red points=0/1 reserve=3,0 ..R2../...../b..../...../..B.."},
		{"no-master-win: a master cannot capture the enemy master",
			"rules=no-master-win move=blue points=3 reserve=3,1 ...../...../..R../...../..B..",
			"c1-c3", "illegal.master"},
		{"no-master-win: a pawn out of the master's tower can",
			"rules=no-master-win move=blue points=2/3 reserve=2,1 ...../...../..R../...../..B2..",
			"c1/c3", "rules=no-master-win move=nobody points=0/3 reserve=2,1 ...../...../..b#../...../..B.."},
		{"without no-master-win the master wins",
			"move=blue points=3 reserve=3,1 ...../...../..R../...../..B..",
			"c1-c3", "move=nobody points=1/3 reserve=3,1 ...../...../..B2#../...../....."},
	} {
		t.Run(c.rule, c.run)
	}
}

// quiet is a position in which both players can shuttle a pawn.
const quiet = "move=blue points=2 reserve=2,2 r.R../...../...../...../b.B.."

// Every rule of "End".
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		rule, before, play string
		winner             engine.Seat
		reason             string // empty where the game goes on
	}{
		{"an attack on the enemy master wins at once",
			"move=red points=2 reserve=2,2 ..R../...../..r../...../b.B..", "c3-c1", 2, "master"},
		{"by the master's tower too",
			"move=blue points=2 reserve=2,2 ...../...../..R../...../b.B..", "c1-c3", 1, "master"},
		{"two passes in a row, one by each player", quiet, "end end", 0, "passes"},
		{"one pass is not enough", quiet, "end", 0, ""},
		{"two passes of one player with a turn between them", quiet, "end a5-a4 end end", 0, ""},
		{"a turn after whose end all is as at its start is a pass too", quiet, "a1-a2 a2-a1 end end", 0, "passes"},
		{"an import that goes back to the reserve is a pass", quiet, "+2 end +1 end", 0, "passes"},
		{"a reserve that has changed is no pass",
			"move=blue points=2 reserve=2,2 r.R../...../...../...../bbB..", "b1-c1 end end", 0, ""},
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
				t.Fatalf("over is %t by %q in %s", over, result.Reason, draw(p))
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

// Taking the master completes the turn.
func TestWinCompletesTurn(t *testing.T) {
	p := read(t, "move=red points=3 reserve=2,3 ..R../...../..r../...../b.B..")
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

// Positions before an attack cannot occur again; those after it can.
func TestRepetitionAfterAnAttack(t *testing.T) {
	p := read(t, "move=blue points=2 reserve=2,2 r.R../...../...r./...../b.Bb.")
	p = play(t, p, "d1-d3 end a5-a4 end d3-d2 end a4-a5 end d2-d3 end a5-a4 end")
	if r, over := p.Result(); !over || r.Reason != "repetition" {
		t.Errorf("over %t by %q", over, r.Reason)
	}
}
