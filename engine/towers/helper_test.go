package towers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

// position returns the start with options such as "size=6 rules=tower-out".
func position(t enginetest.T, options string) *towers.Position {
	t.Helper()
	return enginetest.Start[*towers.Position](t, towers.Game{}, options, 2)
}

// play plays tokens that must be legal.
func play(t enginetest.T, p *towers.Position, tokens string) *towers.Position {
	t.Helper()
	return enginetest.Play(t, p, tokens)
}

// try plays a token that need not be legal.
func try(p *towers.Position, token string) (*towers.Position, error) { return enginetest.Try(p, token) }

// refused checks that an action was refused for that reason.
func refused(t enginetest.T, err error, id string) {
	t.Helper()
	enginetest.Refused(t, err, "towers."+id)
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
	b := towers.Board{Mover: 1, Towers: map[towers.Square]towers.Tower{}}
	for word := range strings.FieldsSeq(line) {
		if err := readWord(&b, word); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
	}
	p, err := towers.Build(b)
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return p
}

func readWord(b *towers.Board, word string) (err error) {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "rules":
		b.Rules = strings.Split(value, "+")
	case "move":
		b.Mover = engine.Seat(slices.Index(colours, value))
	case "points":
		left, of, _ := strings.Cut(value, "/")
		b.Points, err = strconv.Atoi(left)
		b.Budget, _ = strconv.Atoi(of)
	case "reserve":
		_, err = fmt.Sscanf(value, "%d,%d", &b.Reserve[0], &b.Reserve[1])
	case "moved":
		b.Moved = true
	case "passed":
		b.Passed = true
	default:
		return readBoard(b, enginetest.BoardCells(word))
	}
	return err
}

func readBoard(b *towers.Board, ranks [][]string) error {
	b.Size = len(ranks)
	for i, cells := range ranks {
		if len(cells) != b.Size {
			return fmt.Errorf("a rank of %d squares, not %d", len(cells), b.Size)
		}
		for x, cell := range cells {
			s := towers.Square{X: x, Y: b.Size - 1 - i}
			rest, locked := strings.CutSuffix(cell, "#")
			if locked {
				b.Locked = append(b.Locked, s)
			}
			if rest == "." {
				continue
			}
			k := strings.Index("bBrR", rest[:1])
			tower := towers.Tower{Owner: engine.Seat(1 + k/2), Height: 1, Master: k%2 == 1}
			if len(rest) > 1 {
				tower.Height, _ = strconv.Atoi(rest[1:])
			}
			if k < 0 || tower.Height == 0 {
				return fmt.Errorf("a square %q", cell)
			}
			b.Towers[s] = tower
		}
	}
	return nil
}

// Positions of random games, drawn and read, have the same hash and the same
// legal actions, though they have no history.
func TestDrawAndRead(t *testing.T) {
	random := enginetest.Random(11)
	for _, options := range optionSets {
		p := position(t, options)
		for n := 0; n < 150 && p.Seat() != engine.Nobody; n++ {
			line := draw(p)
			if p.Moved() {
				line = "moved " + line
			}
			q := read(t, line)
			if draw(q) != draw(p) || q.Hash() != p.Hash() || !slices.Equal(q.Legal(), p.Legal()) {
				t.Fatalf("drawn %s, read %s", line, draw(q))
			}
			p = play(t, p, choose(p, &random).String())
		}
	}
}
