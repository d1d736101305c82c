package rings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// Every rule of "Terms" and "A turn". The last action leads to the position
// after, or is refused for that reason.
func TestTurn(t *testing.T) {
	for _, c := range []struct{ rule, before, play, after string }{
		{"place a stone on any empty point",
			"seats=2 move=blue", "F5 end", "seats=2 move=red b=F5"},
		{"only on an empty one, whoever has the other",
			"seats=2 move=red b=F5", "F5", "illegal.occupied"},
		{"a majority is influence strictly greater than that of all others and the empty points: three of six are not enough",
			"seats=2 move=blue b=E6,F5 r=F7", "G7 10", "illegal.majority"},
		{"four are: all stones of others on the circle become theirs, together",
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
			last := p
			var err error
			for token := range strings.FieldsSeq(c.play) {
				next, refusal := enginetest.Try(last, token)
				if err = refusal; err != nil {
					break
				}
				last = next
			}
			if draw(p) != drawn {
				t.Errorf("the position has become %s", draw(p))
			}
			if strings.HasPrefix(c.after, "illegal.") {
				enginetest.Refused(t, err, "rings."+c.after)
			} else if err != nil {
				t.Fatalf("%s is refused: %v", c.play, err)
			} else if draw(last) != c.after {
				t.Errorf("got  %s\nwant %s", draw(last), c.after)
			}
		})
	}
}

// small has a ring of Blue on circle 10. Blue has the majority on 5, 7, 12 and
// 15 too and can convert 12 and 15; Red has the majority on 17.
const small = "b=D6,E4,E6,E8,F5,F7,G5,G7,H6 r=C9,D8,D10,E10,F9"

// format returns the result in one line.
func format(p *rings.Position) string {
	r, over := p.Result()
	if !over {
		return "it goes on"
	}
	return fmt.Sprintf("winners %v ranks %v scores %v %s", r.Winners, r.Ranks, r.Scores, r.Reason)
}

// Every rule of "End".
func TestEnd(t *testing.T) {
	for _, c := range []struct{ rule, head, play, want string }{
		{"one pass does not end the game",
			"seats=2 move=blue", "pass end", "it goes on"},
		{"the game ends with the turn in which the last of all has passed",
			"seats=2 move=blue", "pass end pass end",
			"winners [1] ranks [1 2] scores [5 1] passes"},
		{"not before that turn has ended",
			"seats=2 move=blue", "pass end pass", "it goes on"},
		{"its conversions included, and a pass with conversions is a pass",
			"seats=2 move=blue passed=red", "pass 12 end",
			"winners [1] ranks [1 2] scores [5 1] passes"},
		{"a placement breaks the sequence",
			"seats=2 move=blue", "pass end A4 end pass end", "it goes on"},
		{"and the passes before it count no more",
			"seats=3 move=blue", "pass end pass end A4 end pass end pass end", "it goes on"},
		{"three have to pass where three play",
			"seats=3 move=blue", "pass end pass end pass end",
			"winners [1] ranks [1 2 3] scores [5 1 0] passes"},
		{"a pass of the retired is not needed",
			"seats=3 move=red retired=blue", "pass end pass end",
			"winners [2] ranks [3 1 2] scores [5 1 0] passes"},
		{"the retired rank below everyone who was still playing, above those who retired before them",
			"seats=5 move=red retired=green+blue+violet",
			"pass end pass end", "winners [2] ranks [4 1 2 5 3] scores [5 1 0 0 0] passes"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := play(t, read(t, c.head+" "+small), c.play)
			if got := format(p); got != c.want {
				t.Errorf("got  %s\nwant %s in %s", got, c.want, draw(p))
			}
		})
	}
}

// Players who share the highest score share the win.
func TestSharedWin(t *testing.T) {
	p := play(t, start(t, 3, 4), "pass end pass end pass end pass end")
	if got, want := format(p), "winners [1 2 3 4] ranks [1 1 1 1] scores [0 0 0 0] passes"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p = play(t, start(t, 3, 3), "A4 end L4 end pass end  B3 end K3 end pass end  C3 end J3 end pass end"+
		"  B5 end K5 end pass end  pass end pass end")
	if got, want := format(p), "winners [1 2] ranks [1 1 3] scores [1 1 0] passes"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The rules about retired seats.
func TestRetire(t *testing.T) {
	at := func(head string) *rings.Position { return read(t, head+" "+small) }

	p := retire(t, at("seats=3 move=blue passed=gold+red"), 1)
	if got, want := format(p), "winners [2] ranks [3 1 2] scores [5 1 0] passes"; got != want {
		t.Errorf("everybody still playing has passed: got  %s\nwant %s", got, want)
	}
	p = retire(t, at("seats=3 move=gold passed=red"), 1)
	if p.Seat() != 3 || format(p) != "it goes on" {
		t.Errorf("seat %d is to act, %s", p.Seat(), format(p))
	}
	if p = retire(t, p, 2); format(p) != "winners [3] ranks [3 2 1] scores [5 1 0] alone" {
		t.Errorf("the last one to stay: %s", format(p))
	}
	p = retire(t, at("seats=4 move=blue passed=blue"), 1)
	if p.Seat() != 2 || p.Passed(1) || p.Turns() != 0 {
		t.Errorf("after the mover has left seat %d is to act, turn %d", p.Seat(), p.Turns())
	}
	// The stones of a retired seat count as before.
	if p.Majority(10) != 1 || p.Score(1) != 5 || p.Owner(rings.Point{Column: 5, Row: 5}) != 1 {
		t.Errorf("the majority on 10 is seat %d's, the score %d", p.Majority(10), p.Score(1))
	}
	// Others can convert them.
	q := read(t, "seats=3 move=red retired=blue "+small)
	if got := fmt.Sprint(play(t, q, "pass").Convertible()); got != "[17]" {
		t.Errorf("red can convert %s", got)
	}
}

func TestRetireRefused(t *testing.T) {
	p := start(t, 3, 3)
	for _, c := range []struct {
		p    *rings.Position
		seat engine.Seat
		want string
	}{
		{p, 0, "rings.retire.nobody"},
		{p, 4, "rings.retire.nobody"},
		{p, -1, "rings.retire.nobody"},
		{retire(t, p, 2), 2, "rings.retire.twice"},
		{play(t, p, "A4"), 1, "rings.retire.open"},
		{play(t, p, "A4"), 2, "rings.retire.open"},
		{play(t, p, "pass end pass end pass end"), 2, "rings.retire.over"},
		{retire(t, retire(t, p, 2), 1), 3, "rings.retire.over"},
	} {
		_, err := c.p.Retire(c.seat)
		var why *rings.RetireError
		if !errors.As(err, &why) || why.Why.ID != c.want || why.Seat != c.seat || err.Error() == "" {
			t.Errorf("seat %d: %v, want %s", c.seat, err, c.want)
		}
	}
}

// On a full board pass is a formality, and so is end where nothing can be
// converted.
func TestFormalities(t *testing.T) {
	p := start(t, 3, 2)
	random := enginetest.Random(9)
	for p.EmptyCount() > 0 {
		p = play(t, p, choose(p, &random).String())
		a, ok := engine.Formality(p)
		if ok && a.String() == engine.Pass {
			break
		}
		if ok != (p.Converting() && len(p.Convertible()) == 0) {
			t.Fatalf("formality %v, %t in %s", a, ok, draw(p))
		}
	}
	for p.Converting() {
		p = play(t, p, "end")
	}
	if got := fmt.Sprint(enginetest.LegalTokens(p)); got != "[pass]" {
		t.Errorf("on a full board %s is legal", got)
	}
}
