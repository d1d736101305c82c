package stonetowers_test

import (
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"
)

// Every rule of "A turn" and of "Influence, after every action", on drawn
// boards. Where the action is refused, after is "illegal." and why.
func TestTurn(t *testing.T) {
	for _, c := range []struct{ rule, before, action, after string }{
		{"build: the castle has level 1, the square becomes one's own, and neighbours nobody else has influence on too", `
turns=20 played=0
 4 .  .  .  .
 3 .  .  .  .
 2 .  .  .  .
 1 .  .  .  .`, "b3", `
turns=20 played=1
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`},

		{"the board's edge counts nothing", `
turns=20 played=1
 4 .  .  .  .
 3 .  .  .  .
 2 .  .  .  .
 1 .  .  .  .`, "d4", `
turns=20 played=2
 4 .  .  b  B1
 3 .  .  .  b
 2 .  .  .  .
 1 .  .  .  .`},

		{"build on one's own flag", `
turns=20 played=2
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "c3", `
turns=20 played=3
 4 .  r  r  .
 3 r  R1 R1 r
 2 .  r  r  .
 1 .  .  .  .`},

		{"never on the opponent's flag", `
turns=20 played=3
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "c3", "illegal.land"},

		{"never on the opponent's castle", `
turns=20 played=3
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b3", "illegal.castle"},

		{"the opponent's castle is not fortified", `
turns=20 played=3
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b3+", "illegal.fortify.theirs"},

		{"fortify one's own castle of level 1 by one level", `
turns=20 played=2
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b3+", `
turns=20 played=3
 4 .  r  .  .
 3 r  R2 r  .
 2 .  r  .  .
 1 .  .  .  .`},

		{"a bare square on one's own castle fortifies", `
turns=20 played=2
 4 .  r  .  .
 3 r  R2 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b3", `
turns=20 played=3
 4 .  r  .  .
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`},

		{"a castle of level 3 is not fortified", `
turns=20 played=2
 4 .  r  .  .
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b3", "illegal.level"},

		{"a flag is not fortified", `
turns=20 played=2
 4 .  r  .  .
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b4+", "illegal.fortify.none"},

		{"an unowned square is not fortified", `
turns=20 played=2
 4 .  r  .  .
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`, "d1+", "illegal.fortify.none"},

		{"the opponent's flag is not fortified", `
turns=20 played=3
 4 .  r  .  .
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b4+", "illegal.land"},

		{"a square that is not on the board", `
turns=20 played=3
 4 .  r  .  .
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`, "e4", "illegal.beyond"},

		{"pass only when neither is possible: one can build", `
turns=20 played=3
 4 .  r  .  .
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`, "pass", "illegal.pass"},

		{"pass only when neither is possible: one can fortify", `
turns=90 played=91
 4 r  R3 R3 R3
 3 R3 R3 R3 r
 2 R3 r  b  B2
 1 R3 r  B3 B3`, "pass", "illegal.pass"},

		{"pass only when neither is possible: the opponent owns every square", `
turns=20 played=3
 4 r  r  r  r
 3 r  R3 r  r
 2 r  r  r  r
 1 r  r  r  r`, "pass", `
turns=20 played=4
 4 r  r  r  r
 3 r  R3 r  r
 2 r  r  r  r
 1 r  r  r  r`},

		{"pass only when neither is possible: one's own castles have level 3", `
turns=90 played=40
 4 R3 R3 R3 R3
 3 R3 R3 R3 R3
 2 b  b  b  b
 1 B3 B3 B3 B3`, "pass", `
turns=90 played=41
 4 R3 R3 R3 R3
 3 R3 R3 R3 R3
 2 b  b  b  b
 1 B3 B3 B3 B3`},

		{"on equal influence the square stays with its owner", `
turns=20 played=3
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "d3", `
turns=20 played=4
 4 .  r  .  b
 3 r  R1 r  B1
 2 .  r  .  b
 1 .  .  .  .`},

		{"strictly greater influence wins the square", `
turns=20 played=5
 4 .  r  .  b
 3 r  R1 r  B1
 2 .  r  .  b
 1 .  .  .  .`, "d3+", `
turns=20 played=6
 4 .  r  .  b
 3 r  R1 b  B2
 2 .  r  .  b
 1 .  .  .  .`},

		{"diagonals do not count", `
turns=20 played=3
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "c2", `
turns=20 played=4
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  B1 b
 1 .  .  b  .`},

		{"when a square changes hands its castle is destroyed and the new owner's flag stands there; on 0 to 0 too the land around it stays", `
turns=20 played=9
 5 .  .  .  .  .
 4 .  .  r  .  .
 3 b  r  R1 r  .
 2 B2 b  B1 B1 b
 1 b  .  b  b  .`, "c2+", `
turns=20 played=10
 5 .  .  .  .  .
 4 .  .  r  .  .
 3 b  r  b  b  .
 2 B2 b  B2 B1 b
 1 b  .  b  b  .`},

		{"the domino effect: losing a castle changes influence around it, all in the same turn", `
turns=20 played=20
 4 r  b  b  r  .
 3 R2 B1 B1 R2 r
 2 r  b  b  r  .
 1 .  .  .  .  .`, "a3+", `
turns=20 played=21
 4 r  b  b  r  .
 3 R3 r  r  R2 r
 2 r  b  b  r  .
 1 .  .  .  .  .`},

		{"the domino effect: squares are counted again until nothing changes", `
turns=20 played=20
 4 .  .  r  r  r
 3 r  r  R2 R2 R2
 2 R2 B1 B1 B1 B1
 1 r  r  R1 R1 r`, "a2+", `
turns=20 played=21
 4 .  .  r  r  r
 3 r  r  R2 R2 R2
 2 R3 r  r  r  r
 1 r  r  R1 R1 r`},

		{"the domino effect ends where a castle stands without its neighbour", `
turns=20 played=20
 4 .  .  r  r  r
 3 r  r  R2 R2 R2
 2 R2 B1 B1 B2 B1
 1 r  r  R2 r  b`, "a2+", `
turns=20 played=21
 4 .  .  r  r  r
 3 r  r  R2 R2 R2
 2 R3 r  r  B2 B1
 1 r  r  R2 r  b`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := read(t, c.before)
			drawn := draw(p)
			a := parse(t, p, c.action)
			next, err := p.Apply(a)
			if draw(p) != drawn {
				t.Errorf("the position has become\n%s", draw(p))
			}
			if id, illegal := strings.CutPrefix(c.after, "illegal."); illegal {
				refused(t, err, "stone-towers.illegal."+id)
				if slices.Contains(p.Legal(), engine.Action(a)) {
					t.Errorf("%s is among the legal actions", a)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s is refused: %v", a, err)
			}
			want := draw(read(t, c.after))
			if got := draw(next.(*stonetowers.Position)); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// The worked examples of the rules page, in a corner of the board: the other
// squares stand as the drawn ones make them.
func TestWorkedExamples(t *testing.T) {
	const flag = `
turns=20 played=9
 4 B1 R1 R1 r
 3 b  r  R1 r
 2 B1 B2 b  .
 1 b  b  .  .`
	const castle = `
turns=20 played=11
 4 B1 R1 R1 r
 3 B1 R1 R1 r
 2 B1 B2 b  .
 1 b  b  .  .`
	centre := stonetowers.Square{X: 1, Y: 2}
	for _, c := range []struct {
		name, board, action string
		stands              string // on the centre before
		red, blue           int    // influence there before
	}{
		{"the flag: if Blue plays the west square", flag, "a3", "r", 2, 2},
		{"the flag: if Blue fortifies the south", flag, "b2+", "r", 2, 2},
		{"the castle: if Blue fortifies west", castle, "a3+", "R1", 3, 3},
		{"the castle: if Blue fortifies south", castle, "b2+", "R1", 3, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, c.board)
			if r, b := p.Influence(red, centre), p.Influence(blue, centre); r != c.red || b != c.blue {
				t.Errorf("on the centre Red has %d, Blue has %d", r, b)
			}
			if p.Owner(centre) != red || strings.HasPrefix(c.stands, "R") != (p.Level(centre) == 1) {
				t.Errorf("it does not stay Red")
			}
			q := play(t, p, c.action)
			if r, b := q.Influence(red, centre), q.Influence(blue, centre); b != c.blue+1 || r != c.red-p.Level(centre) {
				t.Errorf("then Red has %d, Blue has %d", r, b)
			}
			if q.Owner(centre) != blue || q.Level(centre) != 0 {
				t.Errorf("the centre is no Blue flag\n%s", draw(q))
			}
		})
	}
}

// Every rule of "End", on drawn boards.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		rule, before, action string
		over                 bool
		winners              []engine.Seat
		scores               []int
	}{
		{"more squares wins, castles and flags alike: Red", `
turns=5 played=9
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  b
 1 .  .  b  B1`, "d1", true, []engine.Seat{red}, []int{5, 3}},
		{"more squares wins, castles and flags alike: Blue", `
turns=5 played=9
 4 b  r  .  b
 3 r  R3 r  .
 2 .  r  .  .
 1 b  .  .  .`, "d1", true, []engine.Seat{blue}, []int{5, 6}},
		{"equal is a draw", `
turns=5 played=9
 4 b  r  .  b
 3 r  R3 r  .
 2 .  r  .  .
 1 .  .  .  .`, "d1", true, nil, []int{5, 5}},
		{"only after both players have had their turns", `
turns=5 played=8
 4 .  r  .  .
 3 r  R1 r  .
 2 .  r  .  .
 1 .  .  .  .`, "b3", false, nil, nil},
		{"a forced pass counts as one of the turns", `
turns=5 played=9
 4 r  r  r  r
 3 r  R3 r  r
 2 r  r  r  r
 1 r  r  r  r`, "pass", true, []engine.Seat{red}, []int{16, 0}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			q := play(t, read(t, c.before), c.action)
			result, over := q.Result()
			if over != c.over {
				t.Fatalf("over is %t in\n%s", over, draw(q))
			}
			if !slices.Equal(result.Winners, c.winners) || !slices.Equal(result.Scores, c.scores) {
				t.Errorf("%v win with %v, want %v with %v", result.Winners, result.Scores, c.winners, c.scores)
			}
			if !over {
				return
			}
			if result.Reason != "turns" || q.Seat() != engine.Nobody || len(q.Legal()) != 0 {
				t.Errorf("by %q, then seat %d can play %v", result.Reason, q.Seat(), q.Legal())
			}
			for _, token := range []string{"a1", "b3+", "pass"} {
				_, err := q.Apply(parse(t, q, token))
				refused(t, err, "stone-towers.illegal.over")
			}
		})
	}
}

// Options and the start: an empty board on which every square can be built on.
func TestPositionAtTheStart(t *testing.T) {
	p := position(t, "width=5 height=4 turns=7")
	if p.Width() != 5 || p.Height() != 4 || p.TurnsPerPlayer() != 7 || p.Turns() != 0 || p.Seat() != red {
		t.Errorf("%d by %d, %d turns each, %d played, seat %d", p.Width(), p.Height(), p.TurnsPerPlayer(), p.Turns(), p.Seat())
	}
	const want = "a1 a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4 d1 d2 d3 d4 e1 e2 e3 e4"
	if got := strings.Join(legalTokens(p), " "); got != want {
		t.Errorf("legal %s", got)
	}
	for _, seat := range []engine.Seat{engine.Nobody, red, blue, 3} {
		if p.SquareCount(seat) != 0 || p.CastleCount(seat) != 0 {
			t.Errorf("seat %d owns %d squares and %d castles", seat, p.SquareCount(seat), p.CastleCount(seat))
		}
	}
	p = play(t, p, "e4")
	for _, s := range []stonetowers.Square{{X: -1}, {Y: -1}, {X: 5, Y: 3}, {X: 4, Y: 4}, {X: 1 << 40, Y: 1 << 40}} {
		if p.Owner(s) != engine.Nobody || p.Level(s) != 0 {
			t.Errorf("%v, off the board, belongs to seat %d", s, p.Owner(s))
		}
	}
	if p.TurnsPlayed(red) != 1 || p.TurnsPlayed(blue) != 0 || p.Seat() != blue {
		t.Errorf("Red has played %d, Blue %d, seat %d", p.TurnsPlayed(red), p.TurnsPlayed(blue), p.Seat())
	}
	if got := position(t, "").Text(); strings.Count(got, ".") != 64 {
		t.Errorf("the default is not 8 by 8:\n%s", got)
	}
}
