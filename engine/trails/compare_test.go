package trails_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// differences says in which respects a position is not what the plain rules
// have.
func differences(p *trails.Position, want *plain) []string {
	var out []string
	differ := func(what string, got, want any) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, not %v", what, got, want))
		}
	}
	for rank := range want.size {
		for file := range want.size {
			s := trails.Square{X: file, Y: rank}
			if got, want := letter(p, s), plainLetter(want.square[rank][file]); got != want {
				differ(s.String(), got, want)
			}
		}
	}
	for seat := engine.Seat(1); seat <= 2; seat++ {
		w := want.player[seat]
		differ(fmt.Sprint("head of ", seat), p.Head(seat), trails.Square{X: w.head.file, Y: w.head.rank})
		differ(fmt.Sprint("boost of ", seat), p.Boost(seat), w.boost)
		differ(fmt.Sprint("taken by ", seat), p.Taken(seat), w.taken)
		last, moved := p.LastDirection(seat)
		differ(fmt.Sprint("moved of ", seat), moved, w.moved)
		if moved && w.moved {
			differ(fmt.Sprint("last of ", seat), last.String(), w.last)
		}
	}
	if got, want := legalTokens(p), want.legal(); !slices.Equal(got, want) {
		differ("legal", fmt.Sprint(got), fmt.Sprint(want))
	}
	for _, d := range []trails.Direction{trails.Up, trails.Down, trails.Left, trails.Right} {
		target, ok := p.Target(d)
		if !ok {
			continue
		}
		at, _, _ := want.try(want.to, d.String())
		differ("reach "+d.String(), target, trails.Square{X: at.file, Y: at.rank})
	}

	result, over := p.Result()
	differ("over", over, want.over)
	if over && want.over {
		differ("winners", fmt.Sprint(result.Winners), fmt.Sprint([]int{want.winner}))
		differ("reason", result.Reason, want.reason)
		differ("seat", p.Seat(), engine.Nobody)
	} else {
		differ("seat", p.Seat(), engine.Seat(want.to))
	}
	return out
}

func legalTokens(p engine.Position) []string {
	var out []string
	for _, a := range p.Legal() {
		out = append(out, a.String())
	}
	return out
}

// letter is what stands on a square by the methods of Position alone.
func letter(p *trails.Position, s trails.Square) string {
	if o := p.Owner(s); o != engine.Nobody {
		return string(rune('0' + o))
	}
	if s.X == s.Y { // the diagonal with the towers
		for _, t := range p.Towers() {
			if t.Square == s {
				return "T"
			}
		}
	}
	return "."
}

func plainLetter(b byte) string {
	switch b {
	case plainFree:
		return "."
	case plainTower:
		return "T"
	}
	return string(rune('0' + b))
}

// boards is every combination of options whose towers fit.
func boards() (out []board) {
	for size := 5; size <= 21; size += 2 {
		for towers := 1; towers <= 9; towers++ {
			for distance := 0; distance <= 3; distance++ {
				fit := true
				for _, s := range plainTowers(size, towers, distance) {
					fit = fit && (&plain{size: size}).onBoard(s)
				}
				if fit {
					out = append(out, board{size, towers, distance})
				}
			}
		}
	}
	return out
}

type board struct{ size, towers, distance int }

func (b board) String() string {
	return fmt.Sprintf("size=%d towers=%d distance=%d", b.size, b.towers, b.distance)
}

// Random games on every board: the position, the state inside it and the plain
// rules agree on everything, and taking all moves back leads to the start.
func TestFastAndPlainRulesAgree(t *testing.T) {
	games := 12
	if testing.Short() || enginetest.RaceEnabled {
		games = 2
	}
	random, endings := xorshift(20), map[string]int{}
	for _, b := range boards() {
		start := position(t, b.String())
		for range games {
			p, want := start, newPlain(b.size, b.towers, b.distance)
			state := p.State()
			var before []trails.State
			var undo []trails.Undo
			for !want.over {
				if d := differences(p, want); d != nil {
					t.Fatalf("%s after %d moves: %v\n%s", b, p.Turns(), d, p.Text())
				}
				legal := p.Legal()
				a := legal[random.IntN(len(legal))].(trails.Direction)
				// A third of the moves go straight on, so that boosts grow.
				if last, ok := p.LastDirection(p.Seat()); ok && random.IntN(3) == 0 {
					if _, can := p.Target(last); can {
						a = last
					}
				}
				before = append(before, state)
				undo = append(undo, state.Make(a))
				p = apply(t, p, a)
				want.play(a.String())
				if state != p.State() {
					t.Fatalf("%s: the state after %v is not that of the position", b, a)
				}
			}
			if d := differences(p, want); d != nil {
				t.Fatalf("%s at the end: %v\n%s", b, d, p.Text())
			}
			endings[want.reason]++
			for i := len(undo) - 1; i >= 0; i-- {
				state.Unmake(undo[i])
				if state != before[i] {
					t.Fatalf("%s: taking back move %d does not restore the state", b, i)
				}
			}
		}
	}
	for _, reason := range []string{"towers", "opponent-stuck", "self-stuck"} {
		if endings[reason] == 0 {
			t.Errorf("no game ended by %s: the comparison says nothing of it", reason)
		}
	}
}

// Playouts of the benchmark are genuine: both implementations, given the same
// choices, play the same game.
func TestPlayoutsAgree(t *testing.T) {
	start := position(t, "").State()
	fast, slow := xorshift(3), xorshift(3)
	for range 2000 {
		// The order of the legal moves differs, so choices are mapped by token.
		s, p := start, newPlain(11, 3, 1)
		for !p.over {
			tokens := p.legal()
			if s.Moves().Len() != len(tokens) {
				t.Fatalf("%d legal moves, not %d", s.Moves().Len(), len(tokens))
			}
			d := s.Moves().At(fast.IntN(len(tokens)))
			if !slices.Contains(tokens, d.String()) {
				t.Fatalf("%v is not among %v", d, tokens)
			}
			s.Play(d)
			p.play(d.String())
		}
		winner, why := s.Outcome()
		if int(winner) != p.winner || why.String() != p.reason {
			t.Fatalf("%v by %v, not %d by %s", winner, why, p.winner, p.reason)
		}
	}
	if n, winner := plainPlayout(&slow); n == 0 || winner == 0 {
		t.Errorf("a plain playout ended after %d moves without a winner", n)
	}
}
