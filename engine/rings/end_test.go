package rings_test

import (
	"errors"
	"fmt"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
)

// small is a board of side 3 on which Blue has a ring on circle 10 and the
// majority on 5, 7, 12 and 15 besides, Red on 17. Blue can convert 12 and 15.
const small = `
   A B C D E F G H I J K L
 1           . .
 2       . .   1 . .
 3   . .   2 . .   3 . .
 4 .   4 . b   5 . .   6 .
 5   . .   7 b b   8 . .
 6 .   9 b b  10 b .  11 .
 7   . .  12 b b  13 . .
 8 .  14 r b  15 . .  16 .
 9   . r  17 r .  18 . .
10       r r  19 . .
11           . .`

// format is a result in a line.
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
		{"one pass does not end the game", "seats=2 move=blue", "pass end", "it goes on"},
		{"the game ends with the turn in which the last of all has passed", "seats=2 move=blue", "pass end pass end",
			"winners [1] ranks [1 2] scores [5 1] passes"},
		{"not before that turn has ended", "seats=2 move=blue", "pass end pass", "it goes on"},
		{"its conversions included, and a pass with conversions is a pass", "seats=2 move=blue passed=red", "pass 12 end",
			"winners [1] ranks [1 2] scores [5 1] passes"},
		{"a placement breaks the sequence", "seats=2 move=blue", "pass end A4 end pass end", "it goes on"},
		{"and the passes before it count no more", "seats=3 move=blue", "pass end pass end A4 end pass end pass end", "it goes on"},
		{"three have to pass where three play", "seats=3 move=blue", "pass end pass end pass end",
			"winners [1] ranks [1 2 3] scores [5 1 0] passes"},
		{"a pass of the retired is not needed", "seats=3 move=red retired=blue", "pass end pass end",
			"winners [2] ranks [3 1 2] scores [5 1 0] passes"},
		{"the retired rank below everyone who was still playing, above those who retired before them",
			"seats=5 move=red retired=green+blue+violet", "pass end pass end", "winners [2] ranks [4 1 2 5 3] scores [5 1 0 0 0] passes"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := play(t, read(t, c.head+small), c.play)
			if got := format(p); got != c.want {
				t.Errorf("got  %s\nwant %s\n%s", got, c.want, draw(p))
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

// The decision about retired seats.
func TestRetire(t *testing.T) {
	at := func(head string) *rings.Position { return read(t, head+small) }

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
	// His stones count as before: the others' majorities, and his influence.
	if p.Majority(10) != 1 || p.Score(1) != 5 || p.Owner(rings.Point{Column: 5, Row: 5}) != 1 {
		t.Errorf("the majority on 10 is seat %d's, the score %d", p.Majority(10), p.Score(1))
	}
	// Others can convert them.
	q := read(t, "seats=3 move=red retired=blue"+small)
	if got := fmt.Sprint(play(t, q, "pass").Convertible()); got != "[17]" {
		t.Errorf("red can convert %s", got)
	}
}

// Refusals of a retirement say why.
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

// Where nothing can be placed any more, pass is the one legal action, a
// formality; so is end where nothing can be converted.
func TestFormalities(t *testing.T) {
	p := start(t, 3, 2)
	random := xorshift(9)
	for p.EmptyCount() > 0 {
		p = play(t, p, choose(p, &random).String())
		a, ok := engine.Formality(p)
		if ok && a.String() == engine.Pass {
			break
		}
		if ok != (p.Converting() && len(p.Convertible()) == 0) {
			t.Fatalf("formality %v, %t\n%s", a, ok, draw(p))
		}
	}
	for p.Converting() {
		p = play(t, p, "end")
	}
	if got := fmt.Sprint(legalTokens(p)); got != "[pass]" {
		t.Errorf("on a full board %s is legal", got)
	}
}
