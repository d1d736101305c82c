package towers_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

// differences lists how a position differs from the reference.
func differences(p *towers.Position, want *reference) []string {
	var d enginetest.Differences
	for y := range want.size {
		for x := range want.size {
			s := towers.Square{X: x, Y: y}
			t := want.board[s.String()]
			d.Equal(s.String(), p.At(s), towers.Tower{Owner: engine.Seat(t.owner), Height: t.height, Master: t.master})
			d.Equal("lock of "+s.String(), p.Locked(s), want.locked[s.String()])
		}
	}
	for seat := engine.Seat(1); seat <= 2; seat++ {
		d.Equal(fmt.Sprint("reserve of ", seat), p.Reserve(seat), want.reserve[int(seat)])
		at, ok := p.Master(seat)
		d.Equal(fmt.Sprint("master of ", seat, " on the board"), ok, want.master(int(seat)) != "")
		if ok {
			d.Equal(fmt.Sprint("master of ", seat), at.String(), want.master(int(seat)))
		}
	}
	left, _ := p.MovePoints()
	d.Equal("points", left, want.points)
	d.Equal("turns", p.Turns(), want.turns)
	got := enginetest.LegalTokens(p)
	slices.Sort(got)
	if want := want.legal(); !slices.Equal(got, want) {
		d.Equal("legal", fmt.Sprint(got), fmt.Sprint(want))
	}

	result, over := p.Result()
	d.Equal("over", over, want.over)
	if over && want.over {
		winners := "[]"
		if want.winner != 0 {
			winners = fmt.Sprint([]int{want.winner})
		}
		d.Equal("winners", fmt.Sprint(result.Winners), winners)
		d.Equal("reason", result.Reason, want.reason)
		d.Equal("seat", p.Seat(), engine.Nobody)
	} else {
		d.Equal("seat", p.Seat(), engine.Seat(want.to))
	}
	return d
}

// referenceOf returns the start by the reference implementation.
func referenceOf(p *towers.Position) *reference { return newReference(p.Size(), p.Rules()...) }

// In random games of all kinds, the position and the reference implementation
// agree on everything, and different positions have different hashes.
func TestAgreesWithReference(t *testing.T) {
	games := enginetest.Sample(2, 12)
	random, endings, seen := enginetest.Random(20), map[string]int{}, enginetest.HashSet{}
	for _, options := range optionSets {
		for range games {
			p := position(t, options)
			want := referenceOf(p)
			for n := 0; n < 1500 && !want.over; n++ {
				if d := differences(p, want); d != nil {
					t.Fatalf("%s after %d turns: %v\n%s", options, p.Turns(), d, draw(p))
				}
				seen.Add(t, p, fmt.Sprint(draw(p), p.State().Moved && slices.Contains(p.Rules(), "import-first")))
				a := choose(p, &random)
				p = enginetest.Play(t, p, a.String())
				want.play(a.String())
			}
			if d := differences(p, want); d != nil {
				t.Fatalf("%s at the end: %v\n%s", options, d, draw(p))
			}
			endings[want.reason]++
		}
	}
	for _, reason := range []string{"master", "passes"} {
		if endings[reason] == 0 {
			t.Errorf("no game ended by %s", reason)
		}
	}
}

// Games that shuttle a pawn reach both kinds of draw, again and again.
func TestDrawsAgree(t *testing.T) {
	random, endings := enginetest.Random(9), map[string]int{}
	for range 400 {
		p := position(t, "size=5")
		want := referenceOf(p)
		for !want.over {
			// Mostly one pawn that goes to and fro, in turns of one action.
			legal := enginetest.LegalTokens(p)
			tokens := slices.DeleteFunc(slices.Clone(legal), func(token string) bool {
				return !slices.Contains([]string{"a2-a3", "a3-a2", "e4-e3", "e3-e4"}, token)
			})
			if len(tokens) == 0 || random.IntN(12) == 0 {
				tokens = []string{"end"}
			}
			if random.IntN(25) == 0 {
				tokens = legal
			}
			token := tokens[random.IntN(len(tokens))]
			p = enginetest.Play(t, p, token)
			want.play(token)
			if d := differences(p, want); d != nil {
				t.Fatalf("after %s: %v\n%s", token, d, draw(p))
			}
		}
		endings[want.reason]++
	}

	if endings["repetition"] < 20 || endings["passes"] < 20 {
		t.Errorf("too few draws of each kind: %v", endings)
	}
}

// Of all actions that can be written, exactly those that are not legal are
// refused.
func TestRefusalsAgreeWithLegal(t *testing.T) {
	random, all := enginetest.Random(8), towers.Actions()
	for _, options := range optionSets {
		p := position(t, options)
		for n := 0; n < 40 && p.Seat() != engine.Nobody; n++ {
			if n%enginetest.Sample(20, 5) == 0 {
				legal := p.Legal()
				for _, a := range all {
					_, err := p.Apply(a)
					if (err == nil) != slices.Contains(legal, engine.Action(a)) {
						t.Fatalf("%v: %v, legal %v\n%s", a, err, legal, draw(p))
					}
				}
			}
			p = enginetest.Play(t, p, choose(p, &random).String())
		}
	}
}
