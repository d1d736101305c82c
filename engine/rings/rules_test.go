package rings_test

import (
	"strings"
	"testing"

	"castellan/engine/rings"
)

// Every rule of "Terms" and "A turn", on drawn boards.
func TestTurn(t *testing.T) {
	for _, c := range []struct{ rule, before, play, after string }{
		{"place a stone on any empty point", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "F5 end", `
seats=2 move=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`},

		{"only on an empty one, whoever has the other", `
seats=2 move=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "F5", "illegal.occupied"},

		{"a majority is influence strictly greater than that of all others and the empty points: three of six are not enough", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b .   8 . .
 6 .   9 . b  10 . .  11 .
 7   . .  12 r .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "G7 10", "illegal.majority"},

		{"four are: all stones of others on the circle become his, together", `
seats=3 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 . .  11 .
 7   . .  12 r g  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "H6 10", `
seats=3 move=blue convert
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 B B   8 . .
 6 .   9 . B  10 B .  11 .
 7   . .  12 B B  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`},

		{"six points of one player are a ring: its influence on the neighbours makes the next conversion possible", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 . r  11 .
 7   . .  12 b b  13 b .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "H6 13 end", `
seats=2 move=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 B B   8 . .
 6 .   9 . B  10 B b  11 .
 7   . .  12 B B  13 b .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`},

		{"a ring counts against the others as well: the same four without it are no majority", `
seats=2 move=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 b r  11 .
 7   . .  12 b b  13 r r
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "H8 13", "illegal.majority"},

		{"safe stones stay, the others on the circle are converted", `
seats=2 move=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 b b   5 . .   6 .
 5   . b   7 b b   8 . .
 6 .   9 b b  10 r r  11 .
 7   . .  12 r r  13 r .
 8 .  14 . r  15 r r  16 .
 9   . .  17 r r  18 . .
10       . .  19 . .
11           . .`, "pass 10", `
seats=2 move=red convert passed=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 b b   5 . .   6 .
 5   . b   7 b r   8 . .
 6 .   9 b b  10 r r  11 .
 7   . .  12 r r  13 r .
 8 .  14 . r  15 r r  16 .
 9   . .  17 r r  18 . .
10       . .  19 . .
11           . .`},

		{"conversion is optional: the turn can end instead", `
seats=2 move=blue convert
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 b .  11 .
 7   . .  12 r r  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "end", `
seats=2 move=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 b .  11 .
 7   . .  12 r r  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`},

		{"a player who passes may still convert", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 b .  11 .
 7   . .  12 r r  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "pass 10 end", `
seats=2 move=red passed=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 B B   8 . .
 6 .   9 . B  10 B .  11 .
 7   . .  12 B B  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`},

		{"the placement comes first: no conversion before it", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 b .  11 .
 7   . .  12 r r  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "10", "illegal.first"},

		{"nor the end", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "end", "illegal.end"},

		{"one stone a turn", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "A4 A6", "illegal.placed"},

		{"and no pass after it", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "A4 pass", "illegal.pass"},

		{"without a stone of another there is nothing to convert", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 . b  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "H6 10", "illegal.nothing"},

		{"nor where all stones of others are safe", `
seats=2 move=red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 b b   5 . .   6 .
 5   . b   7 b r   8 . .
 6 .   9 b b  10 r r  11 .
 7   . .  12 r r  13 r .
 8 .  14 . r  15 r r  16 .
 9   . .  17 r r  18 . .
10       . .  19 . .
11           . .`, "pass 10", "illegal.safe"},

		{"a placement breaks the sequence of passes", `
seats=2 move=red passed=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "A4 end", `
seats=2 move=blue
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 r   4 . .   5 . .   6 .
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`},

		{"the turn skips who has retired", `
seats=4 move=blue retired=gold+red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . .   5 . .   6 .
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`, "A4 end L4 end", `
seats=4 move=blue retired=gold+red
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 b   4 . .   5 . .   6 n
 5   . .   7 . .   8 . .
 6 .   9 . .  10 . .  11 .
 7   . .  12 . .  13 . .
 8 .  14 . .  15 . .  16 .
 9   . .  17 . .  18 . .
10       . .  19 . .
11           . .`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := read(t, c.before)
			drawn := draw(p)
			last, tokens := p, strings.Fields(c.play)
			var err error
			for _, token := range tokens {
				a, bad := last.Parse(token)
				if bad != nil {
					t.Fatal(bad)
				}
				next, refusal := last.Apply(a)
				if err = refusal; err != nil {
					break
				}
				last = next.(*rings.Position)
			}
			if draw(p) != drawn {
				t.Errorf("the position has become\n%s", draw(p))
			}
			if id, illegal := strings.CutPrefix(c.after, "illegal."); illegal {
				refused(t, err, "rings.illegal."+id)
				return
			}
			if err != nil {
				t.Fatalf("%s is refused: %v", c.play, err)
			}
			// A game that has ended is drawn without the one to move.
			want := draw(read(t, c.after))
			if got := draw(last); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
