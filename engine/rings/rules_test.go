package rings_test

import (
	"strings"
	"testing"

	"castellan/engine/rings"
)

// Every rule of "Terms" and "A turn", on drawn boards.
func TestTurn(t *testing.T) {
	for _, c := range []struct{ rule, before, play, after string }{
		{"place a stone on any empty point",
			"seats=2 move=blue", "F5 end", "seats=2 move=red b=F5"},
		{"only on an empty one, whoever has the other",
			"seats=2 move=red b=F5", "F5", "illegal.occupied"},
		{"a majority is influence strictly greater than that of all others and the empty points: three of six are not enough",
			"seats=2 move=blue b=E6,F5 r=F7", "G7 10", "illegal.majority"},
		{"four are: all stones of others on the circle become his, together",
			"seats=3 move=blue b=E6,F5,G5 r=F7 g=G7", "H6 10", "seats=3 move=blue convert b=E6,F5,F7,G5,G7,H6"},
		{"six points of one player are a ring: its influence on the neighbours makes the next conversion possible",
			"seats=2 move=blue b=E6,F5,F7,G5,G7,J7 r=I6", "H6 13 end", "seats=2 move=red b=E6,F5,F7,G5,G7,H6,I6,J7"},
		{"a ring counts against the others as well: the same four without it are no majority",
			"seats=2 move=red b=E6,F5,F7,G5,G7,H6 r=I6,J7,K7", "H8 13", "illegal.majority"},
		{"safe stones stay, the others on the circle are converted",
			"seats=2 move=red b=C5,D4,D6,E4,E6,F5,G5 r=E8,F7,F9,G7,G9,H6,H8,I6,I8,J7",
			"pass 10", "seats=2 move=red convert passed=red b=C5,D4,D6,E4,E6,F5 r=E8,F7,F9,G5,G7,G9,H6,H8,I6,I8,J7"},
		{"conversion is optional: the turn can end instead",
			"seats=2 move=blue convert b=E6,F5,G5,H6 r=F7,G7", "end", "seats=2 move=red b=E6,F5,G5,H6 r=F7,G7"},
		{"a player who passes may still convert",
			"seats=2 move=blue b=E6,F5,G5,H6 r=F7,G7",
			"pass 10 end", "seats=2 move=red passed=blue b=E6,F5,F7,G5,G7,H6"},
		{"the placement comes first: no conversion before it",
			"seats=2 move=blue b=E6,F5,G5,H6 r=F7,G7", "10", "illegal.first"},
		{"nor the end",
			"seats=2 move=blue", "end", "illegal.end"},
		{"one stone a turn",
			"seats=2 move=blue", "A4 A6", "illegal.placed"},
		{"and no pass after it",
			"seats=2 move=blue", "A4 pass", "illegal.pass"},
		{"without a stone of another there is nothing to convert",
			"seats=2 move=blue b=E6,F5,G5", "H6 10", "illegal.nothing"},
		{"nor where all stones of others are safe",
			"seats=2 move=red b=C5,D4,D6,E4,E6,F5 r=E8,F7,F9,G5,G7,G9,H6,H8,I6,I8,J7", "pass 10", "illegal.safe"},
		{"a placement breaks the sequence of passes",
			"seats=2 move=red passed=blue", "A4 end", "seats=2 move=blue r=A4"},
		{"the turn skips who has retired",
			"seats=4 move=blue retired=gold+red", "A4 end L4 end", "seats=4 move=blue retired=gold+red b=A4 n=L4"},
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
