package towers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/towers"
)

// A position drawn in a test is one line and the board of Position.Text:
//
//	rules=tower-out move=blue points=2/3 reserve=3,1
//	 5 .  .  R  r2 .
//	 4 .  r# .  .  .
//	 3 .  .  .  .  .
//	 2 b  .  b3 .  .
//	 1 .  .  B2 .  b
//	   a  b  c  d  e
//
// "points=2/3" is the move points left of those at the start of the turn, where
// "points=3" is all of them; "moved" that the turn has an action other than
// imports, "passed" that the turn before was a pass. b and r are pawns, B and R
// masters, a number is the height of a tower, # marks what is locked. Rules and
// the line of files may be left out.

// draw is a position in that form.
func draw(p *towers.Position) string {
	head := ""
	if r := p.Rules(); r != nil {
		head = "rules=" + strings.Join(r, "+") + " "
	}
	head += "move=" + [...]string{"nobody", "blue", "red"}[p.Seat()]
	left, of := p.MovePoints()
	head += " points=" + strconv.Itoa(left)
	if left != of {
		head += "/" + strconv.Itoa(of)
	}
	head += fmt.Sprintf(" reserve=%d,%d", p.Reserve(1), p.Reserve(2))
	return head + "\n" + p.Text()
}

// read is the position that is drawn.
func read(t testing.TB, text string) *towers.Position {
	t.Helper()
	p, err := parseBoard(text)
	if err != nil {
		t.Fatalf("%v in the board\n%s", err, text)
	}
	return p
}

func parseBoard(text string) (*towers.Position, error) {
	head, rest, _ := strings.Cut(strings.Trim(text, "\n"), "\n")
	b := towers.Board{Mover: 1, Towers: map[towers.Square]towers.Tower{}}
	for _, f := range strings.Fields(head) {
		if err := parseField(&b, f); err != nil {
			return nil, err
		}
	}
	var rows [][]string
	for line := range strings.Lines(rest) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "a" {
			continue
		}
		rows = append(rows, f[1:])
	}
	b.Size = len(rows)
	for i, row := range rows {
		if len(row) != b.Size {
			return nil, fmt.Errorf("a row of %d squares, not %d", len(row), b.Size)
		}
		for x, sign := range row {
			if err := parseSign(&b, towers.Square{X: x, Y: b.Size - 1 - i}, sign); err != nil {
				return nil, err
			}
		}
	}
	return towers.Build(b)
}

func parseSign(b *towers.Board, s towers.Square, sign string) error {
	if sign == "." {
		return nil
	}
	rest, locked := strings.CutSuffix(sign, "#")
	if locked {
		b.Locked = append(b.Locked, s)
	}
	t := towers.Tower{Height: 1, Master: rest[0] < 'a'}
	t.Owner = engine.Seat(1 + strings.Index("br", strings.ToLower(rest[:1])))
	if t.Owner == engine.Nobody {
		return fmt.Errorf("a square %q", sign)
	}
	if rest = rest[1:]; rest != "" {
		var err error
		if t.Height, err = strconv.Atoi(rest); err != nil {
			return fmt.Errorf("a square %q: %w", sign, err)
		}
	}
	b.Towers[s] = t
	return nil
}

func parseField(b *towers.Board, field string) (err error) {
	key, value, _ := strings.Cut(field, "=")
	switch key {
	case "rules":
		b.Rules = strings.Split(value, "+")
	case "move":
		if b.Mover = engine.Seat(1 + slices.Index([]string{"blue", "red"}, value)); b.Mover == 0 {
			err = fmt.Errorf("nobody called %q", value)
		}
	case "points":
		left, of, spent := strings.Cut(value, "/")
		if b.Points, err = strconv.Atoi(left); err == nil && spent {
			b.Budget, err = strconv.Atoi(of)
		}
	case "reserve":
		blue, red, _ := strings.Cut(value, ",")
		if b.Reserve[0], err = strconv.Atoi(blue); err == nil {
			b.Reserve[1], err = strconv.Atoi(red)
		}
	case "moved":
		b.Moved = true
	case "passed":
		b.Passed = true
	default:
		err = fmt.Errorf("nothing called %q", key)
	}
	return err
}

// optionSets is every size without specific rules, each rule alone, and mixed
// ones.
var optionSets = []string{
	"size=5", "size=6", "size=7", "size=8", "size=9", "size=10",
	"size=5 rules=tower-out", "size=7 rules=lock-after-move", "size=6 rules=lock-split-tower", "size=8 rules=import-first",
	"size=5 rules=no-first-lock-master", "size=6 rules=master-at-corner", "size=5 rules=no-master-win",
	"size=6 rules=tower-out+lock-split-tower", "size=9 rules=lock-after-move+lock-split-tower",
	"size=7 rules=tower-out+import-first+no-master-win",
	"size=8 rules=tower-out+lock-after-move+lock-split-tower+import-first+no-first-lock-master+master-at-corner+no-master-win",
}

// Every position of random games, drawn and read again, is the same position:
// it has the same hash and actions, though it has no history.
func TestBoardsAreReadAsTheyAreDrawn(t *testing.T) {
	random := xorshift(11)
	for _, options := range optionSets {
		p := position(t, options)
		imports := true
		for range 300 {
			if p.Seat() == engine.Nobody {
				break
			}
			text := draw(p)
			if !imports {
				text = strings.Replace(text, "move=", "moved move=", 1)
			}
			q := read(t, text)
			if draw(q) != draw(p) || q.Hash() != p.Hash() || !slices.Equal(legalTokens(q), legalTokens(p)) {
				t.Fatalf("drawn\n%sread\n%s", draw(p), draw(q))
			}
			a := choose(p, &random)
			switch a.Kind() {
			case towers.End:
				imports = true
			case towers.Move, towers.TakeOut:
				imports = false
			}
			p = play(t, p, a.String())
		}
	}
}

// choose is a legal action at random that makes games lively: the end of the
// turn only now and then while there are points left.
func choose(p *towers.Position, random *xorshift) towers.Action {
	legal := p.Legal()
	n := len(legal)
	if n > 1 && random.IntN(8) > 0 {
		n-- // the end of the turn is the last
	}
	return legal[random.IntN(n)].(towers.Action)
}
