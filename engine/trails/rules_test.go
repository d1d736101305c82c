package trails_test

import (
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
)

// Every rule of "A turn". The move leads to the position after, or is refused
// for that reason.
func TestTurn(t *testing.T) {
	for _, c := range []struct{ rule, before, move, after string }{
		{"the first move goes one square",
			"towers=1 move=blue B..../...../..T../...../....R",
			"right", "towers=1 move=red blue=right:0 bB.../...../..T../...../....R"},
		{"playing the same direction as one's own last turn adds 1 to the boost, and every free square on the way is occupied",
			"towers=1 move=blue blue=right:0 red=up:0 bB.../...../..T../....R/....r",
			"right", "towers=1 move=red blue=right:1 red=up:0 bbbB./...../..T../....R/....r"},
		{"any other direction sets the boost to 0",
			"towers=1 move=blue blue=right:1 red=up:1 bbbB./....R/..T.r/....r/....r",
			"down", "towers=1 move=red blue=down:0 red=up:1 bbbb./...BR/..T.r/....r/....r"},
		{"the other player's direction does not matter",
			"towers=1 move=red blue=down:0 b..../B..../..T../...../....R",
			"left", "towers=1 move=blue blue=down:0 red=left:0 b..../B..../..T../...../...Rr"},
		{"the move jumps over occupied squares of anyone, which stay as they are",
			"towers=1 move=blue blue=right:2 red=left:0 bBr.b../b....../......./...T.../......./......./.....Rr",
			"right", "towers=1 move=red blue=right:3 red=left:0 bbrbbB./b....../......./...T.../......./......./.....Rr"},
		{"towers on the way stay as they are",
			"towers=1 move=blue blue=right:1 red=left:0 b....../b....../b....../bB.T.../......./......./.....Rr",
			"right", "towers=1 move=red blue=right:2 red=left:0 b....../b....../b....../bbbTB../......./......./.....Rr"},
		{"a tower is taken where it is the target and the boost is at least 1",
			"towers=3 move=blue blue=right:0 red=left:0 b....../b....../b...T../bB.T.../..T..../......./.....Rr",
			"right", "towers=3 move=red blue=right:1 red=left:0 b....../b....../b...T../bbbB.../..T..../......./.....Rr"},
		{"a tower next to the head is not taken by a move without boost",
			"towers=3 move=blue blue=down:1 red=left:0 b....../b....../b...T../bbBT.../..T..../......./.....Rr",
			"right", "illegal.tower"},
		{"a move over the edge ends on the last square before it, and the boost counts as grown",
			"towers=1 move=blue blue=right:1 red=up:0 bbbB./...../..T../....R/....r",
			"right", "towers=1 move=red blue=right:2 red=up:0 bbbbB/...../..T../....R/....r"},
		{"a move over the edge jumps as well",
			"towers=1 move=red blue=right:0 red=up:3 bB.../....b/..T../....R/....r",
			"up", "towers=1 move=blue blue=right:0 red=up:4 bB..R/....b/..T.r/....r/....r"},
		{"a move that the edge cuts short needs the last square free",
			"towers=1 move=blue blue=right:1 red=up:2 bbbBR/....r/..T.r/....r/....r", "right", "illegal.edge"},
		{"an edge square with a tower on it does not qualify",
			"towers=2 distance=2 move=blue blue=right:0 red=up:0 bbbBT/...../...../....R/T...r",
			"right", "illegal.edge.tower"},
		{"a tower on the edge is taken where the move ends there by itself",
			"towers=2 distance=2 move=blue blue=right:0 red=up:0 bbB.T/...../...../....R/T...r",
			"right", "towers=2 distance=2 move=red blue=right:1 red=up:0 bbbbB/...../...../....R/T...r"},
		{"one's own head on the edge does not qualify",
			"towers=1 move=blue blue=right:2 red=up:0 bbbbB/...../..T../....R/....r", "right", "illegal.beyond"},
		{"nor does the base, before the first move",
			"towers=1 move=red blue=right:0 bB.../...../..T../...../....R", "down", "illegal.beyond"},
		{"without a boost the target must be free of others",
			"towers=1 move=blue blue=down:0 red=left:0 bb.../.Br../..T../...../...Rr", "right", "illegal.occupied"},
		{"and of one's own trail",
			"towers=1 move=blue blue=down:0 red=left:0 bb.../.Br../..T../...../...Rr", "up", "illegal.occupied"},
		{"with a boost too",
			"towers=1 move=blue blue=right:0 red=left:0 bB.r./..r../..T../...../...Rr", "right", "illegal.jump"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			before := read(t, c.before)
			drawn := draw(before)
			next, err := enginetest.Try(before, c.move)
			if draw(before) != drawn {
				t.Errorf("the position has become %s", draw(before))
			}
			if strings.HasPrefix(c.after, "illegal.") {
				enginetest.Refused(t, err, "trails."+c.after)
			} else if err != nil {
				t.Fatalf("%s is refused: %v", c.move, err)
			} else if want := draw(read(t, c.after)); draw(next) != want {
				t.Errorf("got  %s\nwant %s", draw(next), want)
			}
		})
	}
}

// Every rule of "End": Blue moves and the game is over.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		rule, before, move string
		winner             engine.Seat
		reason             string
	}{
		{"the mover has taken more than half of the towers",
			"towers=3 move=blue blue=right:0 red=left:0 b....../b....../b...T../bB.T.../bbb..../......./.....Rr", "right", 1, "towers"},
		{"half of the towers is not more than half",
			"towers=2 distance=2 move=blue blue=right:0 red=up:0 bbB.T/...../...../....R/T...r", "right", engine.Nobody, ""},
		{"the opponent has no legal move",
			"towers=1 move=blue blue=down:0 bbbbb/....b/..T.b/....b/..B.R", "right", 1, "opponent-stuck"},
		{"the mover has no legal move for their next turn",
			"towers=1 move=blue blue=down:0 red=up:1 b...R/....r/..T.r/...rr/bbB.r", "right", 2, "self-stuck"},
		{"the opponent being stuck comes before the mover being stuck",
			"towers=1 move=blue blue=down:0 bbbbb/....b/..T.b/...bb/bbB.R", "right", 1, "opponent-stuck"},
		{"the towers come before the opponent being stuck",
			"towers=1 move=blue blue=right:0 b..../.bbb./B.Tb./.bbbb/...bR", "right", 1, "towers"},
		{"a free square out of reach is no move",
			"towers=1 move=blue blue=down:0 red=up:3 b..bR/...br/..T.r/...rr/bb.Br", "left", 1, "opponent-stuck"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			q := enginetest.Play(t, read(t, c.before), c.move)
			result, over := q.Result()
			if over != (c.winner != engine.Nobody) {
				t.Fatalf("over is %t in %s", over, draw(q))
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
			for _, d := range directions {
				_, err := q.Apply(d)
				enginetest.Refused(t, err, "trails.illegal.over")
			}
		})
	}
}
