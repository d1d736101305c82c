package towers_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

// differences says in which respects a position is not what the plain rules
// have.
func differences(p *towers.Position, want *plain) []string {
	var out []string
	differ := func(what string, got, want any) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, not %v", what, got, want))
		}
	}
	for y := range want.size {
		for x := range want.size {
			s := towers.Square{X: x, Y: y}
			t := want.board[s.String()]
			differ(s.String(), p.At(s), towers.Tower{Owner: engine.Seat(t.owner), Height: t.height, Master: t.master})
			differ("lock of "+s.String(), p.Locked(s), want.locked[s.String()])
		}
	}
	for seat := engine.Seat(1); seat <= 2; seat++ {
		differ(fmt.Sprint("reserve of ", seat), p.Reserve(seat), want.reserve[int(seat)])
		at, ok := p.Master(seat)
		differ(fmt.Sprint("master of ", seat, " on the board"), ok, want.master(int(seat)) != "")
		if ok {
			differ(fmt.Sprint("master of ", seat), at.String(), want.master(int(seat)))
		}
	}
	left, _ := p.MovePoints()
	differ("points", left, want.points)
	differ("turns", p.Turns(), want.turns)
	got := legalTokens(p)
	slices.Sort(got)
	if want := want.legal(); !slices.Equal(got, want) {
		differ("legal", fmt.Sprint(got), fmt.Sprint(want))
	}

	result, over := p.Result()
	differ("over", over, want.over)
	if over && want.over {
		winners := "[]"
		if want.winner != 0 {
			winners = fmt.Sprint([]int{want.winner})
		}
		differ("winners", fmt.Sprint(result.Winners), winners)
		differ("reason", result.Reason, want.reason)
		differ("seat", p.Seat(), engine.Nobody)
	} else {
		differ("seat", p.Seat(), engine.Seat(want.to))
	}
	return out
}

// plainOf is the start by the plain rules.
func plainOf(p *towers.Position) *plain { return newPlain(p.Size(), p.Rules()...) }

// Random games of all kinds: the position, the state inside it and the plain
// rules agree on everything.
func TestFastAndPlainRulesAgree(t *testing.T) {
	games := 12
	if testing.Short() || enginetest.RaceEnabled {
		games = 2
	}
	random, endings := xorshift(20), map[string]int{}
	for _, options := range optionSets {
		for range games {
			p := position(t, options)
			want := plainOf(p)
			state := p.State()
			for n := 0; n < 1500 && !want.over; n++ {
				if d := differences(p, want); d != nil {
					t.Fatalf("%s after %d turns: %v\n%s", options, p.Turns(), d, draw(p))
				}
				a := choose(p, &random)
				state.Play(a)
				p = play(t, p, a.String())
				want.play(a.String())
				if result, _ := p.Result(); result.Reason != "repetition" && state != p.State() {
					t.Fatalf("%s: the state after %v is not that of the position", options, a)
				}
			}
			if d := differences(p, want); d != nil {
				t.Fatalf("%s at the end: %v\n%s", options, d, draw(p))
			}
			endings[want.reason]++
		}
	}
	t.Log(endings)
	for _, reason := range []string{"master", "passes", "repetition"} {
		if endings[reason] == 0 && games > 2 {
			t.Errorf("no game ended by %s: the comparison says nothing of it", reason)
		}
	}
}

// Games of few pieces that shuffle about come back to positions that have
// stood: both draws, again and again, agree.
func TestDrawsAgree(t *testing.T) {
	random, endings := xorshift(9), map[string]int{}
	for range 400 {
		p := position(t, "size=5")
		want := plainOf(p)
		for !want.over {
			// Mostly one pawn that goes to and fro, in turns of one action.
			legal := legalTokens(p)
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
			p = play(t, p, token)
			want.play(token)
			if d := differences(p, want); d != nil {
				t.Fatalf("after %s: %v\n%s", token, d, draw(p))
			}
		}
		endings[want.reason]++
	}
	t.Log(endings)
	if endings["repetition"] < 20 || endings["passes"] < 20 {
		t.Errorf("too few draws of each kind: %v", endings)
	}
}

// Playouts of the benchmark are genuine: both implementations, given the same
// choices, play the same game. Only the draw by repetition is the position's.
func TestPlayoutsAgree(t *testing.T) {
	start, random := position(t, "").State(), xorshift(3)
	for range 500 {
		s, p := start, newPlain(5)
		for !p.over {
			legal, tokens := s.AppendLegal(nil), p.legal()
			if len(legal) != len(tokens) {
				t.Fatalf("%v, not %v", legal, tokens)
			}
			a := legal[random.IntN(len(legal))]
			if !slices.Contains(tokens, a.String()) {
				t.Fatalf("%v is not among %v", a, tokens)
			}
			s.Play(a)
			p.play(a.String())
		}
		winner, why := s.Outcome()
		if p.reason != "repetition" && (int(winner) != p.winner || why.String() != p.reason) {
			t.Fatalf("%v by %v, not %d by %s", winner, why, p.winner, p.reason)
		}
	}
	if n, winner := plainPlayout(&random); n == 0 || winner < 0 {
		t.Errorf("a plain playout ended after %d actions", n)
	}
}

// Playing and listing allocate nothing.
func TestPlayoutsAllocateNothing(t *testing.T) {
	start, random, buffer := position(t, "size=10").State(), xorshift(4), make([]towers.Action, 0, 1024)
	if n := testing.AllocsPerRun(20, func() { fastPlayout(start, buffer, &random) }); n != 0 {
		t.Errorf("%v allocations a game", n)
	}
}

// The sentence of a refusal and the list of legal actions are two accounts of
// the rules: of every action that can be written they say the same.
func TestRefusalsAndLegalActionsAgree(t *testing.T) {
	random, all := xorshift(8), towers.Actions()
	for _, options := range optionSets {
		p := position(t, options)
		for n := 0; n < 40 && p.Seat() != engine.Nobody; n++ {
			if n%5 == 0 {
				legal := p.Legal()
				for _, a := range all {
					_, err := p.Apply(a)
					if (err == nil) != slices.Contains(legal, engine.Action(a)) {
						t.Fatalf("%v: %v, legal %v\n%s", a, err, legal, draw(p))
					}
				}
			}
			p = play(t, p, choose(p, &random).String())
		}
	}
}
