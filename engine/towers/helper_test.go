package towers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/engine/enginetest"
	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// position returns the start with options such as "size=6 rules=tower-out".
func position(t enginetest.T, options string) *towers.Position {
	t.Helper()
	return enginetest.Start[*towers.Position](t, towers.Game{}, options, 2)
}

// choose returns a random legal action; the end of the turn is rare while there
// are move points left.
func choose(p *towers.Position, random *enginetest.Random) towers.Action {
	legal := p.Legal()
	n := len(legal)
	if n > 1 && random.IntN(8) > 0 {
		n-- // the end of the turn is the last
	}
	return legal[random.IntN(n)].(towers.Action)
}

// optionSets are all sizes without specific rules, each rule alone, and
// combinations.
var optionSets = []string{
	"size=5", "size=6", "size=7", "size=8", "size=9", "size=10",
	"size=5 rules=tower-out", "size=7 rules=lock-after-move", "size=6 rules=lock-split-tower", "size=8 rules=import-first",
	"size=5 rules=no-first-lock-master", "size=6 rules=master-at-corner", "size=5 rules=no-master-win",
	"size=6 rules=tower-out+lock-split-tower", "size=9 rules=lock-after-move+lock-split-tower",
	"size=7 rules=tower-out+import-first+no-master-win",
	"size=8 rules=tower-out+lock-after-move+lock-split-tower+import-first+no-first-lock-master+master-at-corner+no-master-win",
}

var colours = []string{"nobody", "blue", "red"}

// draw returns a position in one line:
//
//	rules=tower-out move=blue points=2/3 reserve=3,1 ..Rr2./.r#.../...../b.b3../..B2.b
//
// "points=2/3" is the move points left of those at the start of the turn, where
// "points=3" is all of them. The last word is the board, rank by rank from the
// top: b and r are pawns, B and R masters, a number is the height of a tower, #
// marks a locked square. read also understands "moved", the turn has an action
// other than imports, and "passed", the turn before was a pass.
func draw(p *towers.Position) string {
	out := ""
	if r := p.Rules(); r != nil {
		out = "rules=" + strings.Join(r, "+") + " "
	}
	left, of := p.MovePoints()
	points := strconv.Itoa(left)
	if left != of {
		points += "/" + strconv.Itoa(of)
	}
	return fmt.Sprintf("%smove=%s points=%s reserve=%d,%d %s", out, colours[p.Seat()], points, p.Reserve(1), p.Reserve(2), enginetest.BoardLine(p.Text()))
}

// read returns the position that draw writes as line.
func read(t enginetest.T, line string) *towers.Position {
	t.Helper()
	fields := map[string]string{}
	for word := range strings.FieldsSeq(line) {
		key, value, ok := strings.Cut(word, "=")
		if !ok && strings.Contains(word, "/") {
			key, value = "board", word
		}
		fields[key] = value
	}
	var reserve [2]int
	if _, err := fmt.Sscanf(fields["reserve"], "%d,%d", &reserve[0], &reserve[1]); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	s := board.NewEmpty(strings.Count(fields["board"], "/")+1, rulesOf(strings.Split(fields["rules"], "+")))
	s.Reserve = [2]uint8{uint8(reserve[0]), uint8(reserve[1])}
	s.Mover = uint8(max(0, slices.Index(colours, fields["move"])-1))
	for i, cells := range enginetest.BoardCells(fields["board"]) {
		for x, text := range cells {
			rest, locked := strings.CutSuffix(text, "#")
			c := towers.Cell(towers.Square{X: x, Y: int(s.Size) - 1 - i})
			if rest != "." {
				k := strings.Index("bBrR", rest[:1])
				height, _ := strconv.Atoi(rest[1:])
				s.Put(c, board.Pawn(uint8(k/2))+board.Piece(max(height-1, 0))+board.MasterBit*board.Piece(k%2))
			}
			if locked {
				s.Lock(c)
			}
		}
	}
	left, of, _ := strings.Cut(fields["points"], "/")
	points, _ := strconv.Atoi(left)
	budget, _ := strconv.Atoi(of)
	s.BeginTurn()
	s.Points, s.Budget = uint8(points), uint8(max(points, budget))
	_, s.Passed = fields["passed"]
	_, s.Moved = fields["moved"]
	if s.Acted() || s.Moved {
		s.StartKey = ^s.BoardKey // unlike every board, so that the end of the turn is no pass
	}
	if s.Master[0] == board.Nowhere || s.Master[1] == board.Nowhere {
		s.Ending = board.Master
	}
	return towers.PositionOf(s)
}

func rulesOf(names []string) (r board.Rules) {
	all, _ := towers.Game{}.Options().Lookup("rules")
	for i, name := range all.Choices {
		if slices.Contains(names, name) {
			r |= 1 << i
		}
	}
	return r
}
