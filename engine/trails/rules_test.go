package trails_test

import (
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
)

// Every rule of "A turn", on drawn boards.
func TestTurn(t *testing.T) {
	for _, c := range []struct{ rule, before, move, after string }{
		{"the first move goes one square", `
towers=1 move=blue
 5 B . . . .
 4 . . . . .
 3 . . T . .
 2 . . . . .
 1 . . . . R`, "right", `
towers=1 move=red blue=right:0
 5 b B . . .
 4 . . . . .
 3 . . T . .
 2 . . . . .
 1 . . . . R`},

		{"playing the same direction as one's own last turn adds 1 to the boost, and every free square on the way is occupied", `
towers=1 move=blue blue=right:0 red=up:0
 5 b B . . .
 4 . . . . .
 3 . . T . .
 2 . . . . R
 1 . . . . r`, "right", `
towers=1 move=red blue=right:1 red=up:0
 5 b b b B .
 4 . . . . .
 3 . . T . .
 2 . . . . R
 1 . . . . r`},

		{"any other direction sets the boost to 0", `
towers=1 move=blue blue=right:1 red=up:1
 5 b b b B .
 4 . . . . R
 3 . . T . r
 2 . . . . r
 1 . . . . r`, "down", `
towers=1 move=red blue=down:0 red=up:1
 5 b b b b .
 4 . . . B R
 3 . . T . r
 2 . . . . r
 1 . . . . r`},

		{"the other player's direction does not matter", `
towers=1 move=red blue=down:0
 5 b . . . .
 4 B . . . .
 3 . . T . .
 2 . . . . .
 1 . . . . R`, "left", `
towers=1 move=blue blue=down:0 red=left:0
 5 b . . . .
 4 B . . . .
 3 . . T . .
 2 . . . . .
 1 . . . R r`},

		{"the move jumps over occupied squares of anyone, which stay as they are", `
towers=1 move=blue blue=right:2 red=left:0
 7 b B r . b . .
 6 b . . . . . .
 5 . . . . . . .
 4 . . . T . . .
 3 . . . . . . .
 2 . . . . . . .
 1 . . . . . R r`, "right", `
towers=1 move=red blue=right:3 red=left:0
 7 b b r b b B .
 6 b . . . . . .
 5 . . . . . . .
 4 . . . T . . .
 3 . . . . . . .
 2 . . . . . . .
 1 . . . . . R r`},

		{"towers on the way stay as they are", `
towers=1 move=blue blue=right:1 red=left:0
 7 b . . . . . .
 6 b . . . . . .
 5 b . . . . . .
 4 b B . T . . .
 3 . . . . . . .
 2 . . . . . . .
 1 . . . . . R r`, "right", `
towers=1 move=red blue=right:2 red=left:0
 7 b . . . . . .
 6 b . . . . . .
 5 b . . . . . .
 4 b b b T B . .
 3 . . . . . . .
 2 . . . . . . .
 1 . . . . . R r`},

		{"a tower is taken where it is the target and the boost is at least 1", `
towers=3 move=blue blue=right:0 red=left:0
 7 b . . . . . .
 6 b . . . . . .
 5 b . . . T . .
 4 b B . T . . .
 3 . . T . . . .
 2 . . . . . . .
 1 . . . . . R r`, "right", `
towers=3 move=red blue=right:1 red=left:0
 7 b . . . . . .
 6 b . . . . . .
 5 b . . . T . .
 4 b b b B . . .
 3 . . T . . . .
 2 . . . . . . .
 1 . . . . . R r`},

		{"a tower next to the head is not taken by a move without boost", `
towers=3 move=blue blue=down:1 red=left:0
 7 b . . . . . .
 6 b . . . . . .
 5 b . . . T . .
 4 b b B T . . .
 3 . . T . . . .
 2 . . . . . . .
 1 . . . . . R r`, "right", "illegal.tower"},

		{"a move over the edge ends on the last square before it, and the boost counts as grown", `
towers=1 move=blue blue=right:1 red=up:0
 5 b b b B .
 4 . . . . .
 3 . . T . .
 2 . . . . R
 1 . . . . r`, "right", `
towers=1 move=red blue=right:2 red=up:0
 5 b b b b B
 4 . . . . .
 3 . . T . .
 2 . . . . R
 1 . . . . r`},

		{"a move over the edge jumps as well", `
towers=1 move=red blue=right:0 red=up:3
 5 b B . . .
 4 . . . . b
 3 . . T . .
 2 . . . . R
 1 . . . . r`, "up", `
towers=1 move=blue blue=right:0 red=up:4
 5 b B . . R
 4 . . . . b
 3 . . T . r
 2 . . . . r
 1 . . . . r`},

		{"a move that the edge cuts short needs the last square free", `
towers=1 move=blue blue=right:1 red=up:2
 5 b b b B R
 4 . . . . r
 3 . . T . r
 2 . . . . r
 1 . . . . r`, "right", "illegal.edge"},

		{"an edge square with a tower on it does not qualify", `
towers=2 distance=2 move=blue blue=right:0 red=up:0
 5 b b b B T
 4 . . . . .
 3 . . . . .
 2 . . . . R
 1 T . . . r`, "right", "illegal.edge.tower"},

		{"a tower on the edge is taken where the move ends there by itself", `
towers=2 distance=2 move=blue blue=right:0 red=up:0
 5 b b B . T
 4 . . . . .
 3 . . . . .
 2 . . . . R
 1 T . . . r`, "right", `
towers=2 distance=2 move=red blue=right:1 red=up:0
 5 b b b b B
 4 . . . . .
 3 . . . . .
 2 . . . . R
 1 T . . . r`},

		{"one's own head on the edge does not qualify", `
towers=1 move=blue blue=right:2 red=up:0
 5 b b b b B
 4 . . . . .
 3 . . T . .
 2 . . . . R
 1 . . . . r`, "right", "illegal.beyond"},

		{"nor does the base, before the first move", `
towers=1 move=red blue=right:0
 5 b B . . .
 4 . . . . .
 3 . . T . .
 2 . . . . .
 1 . . . . R`, "down", "illegal.beyond"},

		{"without a boost the target must be free of others", `
towers=1 move=blue blue=down:0 red=left:0
 5 b b . . .
 4 . B r . .
 3 . . T . .
 2 . . . . .
 1 . . . R r`, "right", "illegal.occupied"},

		{"and of one's own trail", `
towers=1 move=blue blue=down:0 red=left:0
 5 b b . . .
 4 . B r . .
 3 . . T . .
 2 . . . . .
 1 . . . R r`, "up", "illegal.occupied"},

		{"with a boost too", `
towers=1 move=blue blue=right:0 red=left:0
 5 b B . r .
 4 . . r . .
 3 . . T . .
 2 . . . . .
 1 . . . R r`, "right", "illegal.jump"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			before := read(t, c.before)
			drawn := draw(before)
			d, err := before.Parse(c.move)
			if err != nil {
				t.Fatal(err)
			}
			next, err := before.Apply(d)
			if draw(before) != drawn {
				t.Errorf("the position has become\n%s", draw(before))
			}
			if id, illegal := strings.CutPrefix(c.after, "illegal."); illegal {
				refused(t, err, "trails.illegal."+id)
				return
			}
			if err != nil {
				t.Fatalf("%s is refused: %v", c.move, err)
			}
			// A game that has ended is drawn without the one to move.
			want := draw(read(t, c.after))
			if got := draw(next.(*trails.Position)); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// Every rule of "End", on drawn boards: Blue moves and the game is over.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		rule, before, move string
		winner             engine.Seat
		reason             string
	}{
		{"the mover has taken more than half of the towers", `
towers=3 move=blue blue=right:0 red=left:0
 7 b . . . . . .
 6 b . . . . . .
 5 b . . . T . .
 4 b B . T . . .
 3 b b b . . . .
 2 . . . . . . .
 1 . . . . . R r`, "right", 1, "towers"},

		{"half of the towers is not more than half", `
towers=2 distance=2 move=blue blue=right:0 red=up:0
 5 b b B . T
 4 . . . . .
 3 . . . . .
 2 . . . . R
 1 T . . . r`, "right", engine.Nobody, ""},

		{"the opponent has no legal move", `
towers=1 move=blue blue=down:0
 5 b b b b b
 4 . . . . b
 3 . . T . b
 2 . . . . b
 1 . . B . R`, "right", 1, "opponent-stuck"},

		{"the mover has no legal move for his next turn", `
towers=1 move=blue blue=down:0 red=up:1
 5 b . . . R
 4 . . . . r
 3 . . T . r
 2 . . . r r
 1 b b B . r`, "right", 2, "self-stuck"},

		{"the opponent being stuck comes before the mover being stuck", `
towers=1 move=blue blue=down:0
 5 b b b b b
 4 . . . . b
 3 . . T . b
 2 . . . b b
 1 b b B . R`, "right", 1, "opponent-stuck"},

		{"the towers come before the opponent being stuck", `
towers=1 move=blue blue=right:0
 5 b . . . .
 4 . b b b .
 3 B . T b .
 2 . b b b b
 1 . . . b R`, "right", 1, "towers"},

		{"a free square out of reach is no move", `
towers=1 move=blue blue=down:0 red=up:3
 5 b . . b R
 4 . . . b r
 3 . . T . r
 2 . . . r r
 1 b b . B r`, "left", 1, "opponent-stuck"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := read(t, c.before)
			d, err := p.Parse(c.move)
			if err != nil {
				t.Fatal(err)
			}
			q := apply(t, p, d)
			result, over := q.Result()
			if over != (c.winner != engine.Nobody) {
				t.Fatalf("over is %t in\n%s", over, draw(q))
			}
			if !over {
				return
			}
			if len(result.Winners) != 1 || result.Winners[0] != c.winner || result.Reason != c.reason {
				t.Errorf("%v win by %s, want %d by %s", result.Winners, result.Reason, c.winner, c.reason)
			}
			if result.Ranks[c.winner-1] != 1 || result.Ranks[2-c.winner] != 2 || result.Scores != nil {
				t.Errorf("ranks %v, scores %v", result.Ranks, result.Scores)
			}
			if q.Seat() != engine.Nobody || len(q.Legal()) != 0 {
				t.Errorf("seat %d can play %v after the end", q.Seat(), q.Legal())
			}
			for _, d := range all() {
				_, err := q.Apply(d)
				refused(t, err, "trails.illegal.over")
			}
		})
	}
}
