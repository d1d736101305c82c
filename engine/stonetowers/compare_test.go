package stonetowers_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

// differences says in which respects a position is not what the plain rules
// have.
func differences(p *stonetowers.Position, want *plain) []string {
	var out []string
	differ := func(what string, got, want any) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, not %v", what, got, want))
		}
	}
	castles := [3]int{}
	for _, at := range want.order {
		s := stonetowers.Square{X: at.file, Y: at.rank}
		got := plainCell{int(p.Owner(s)), p.Level(s)}
		differ(s.String(), got, *want.at(at))
		if got.level > 0 {
			castles[got.owner]++
		}
		reds, blues := want.influence(1, at), want.influence(2, at)
		if p.Influence(red, s) != reds || p.Influence(blue, s) != blues {
			differ("influence on "+s.String(), fmt.Sprint(p.Influence(red, s), p.Influence(blue, s)), fmt.Sprint(reds, blues))
		}
		differ("lead on "+s.String(), p.Lead(s), reds-blues)
	}
	for player := 1; player <= 2; player++ {
		seat := engine.Seat(player)
		differ(fmt.Sprint("turns of ", player), p.TurnsPlayed(seat), want.played[player])
		differ(fmt.Sprint("score of ", player), p.SquareCount(seat), want.score(player))
		differ(fmt.Sprint("castles of ", player), p.CastleCount(seat), castles[player])
	}
	differ("turns", p.Turns(), want.played[1]+want.played[2])
	if got, want := legalTokens(p), plainTokens(want); !slices.Equal(got, want) {
		differ("legal", fmt.Sprint(got), fmt.Sprint(want))
	}
	result, over := p.Result()
	differ("over", over, want.over())
	if !over || !want.over() {
		differ("seat", p.Seat(), engine.Seat(want.to))
		return out
	}
	winners := []engine.Seat{}
	if w := want.winner(); w != 0 {
		winners = append(winners, engine.Seat(w))
	}
	differ("winners", fmt.Sprint(result.Winners), fmt.Sprint(winners))
	differ("scores", fmt.Sprint(result.Scores), fmt.Sprint([]int{want.score(1), want.score(2)}))
	differ("reason", result.Reason, "turns")
	differ("seat", p.Seat(), engine.Nobody)
	return out
}

func plainTokens(p *plain) []string {
	var out []string
	for _, a := range p.legal() {
		out = append(out, a.String())
	}
	return out
}

// fierce is the one of a few random legal actions that gains the most squares
// for the mover, so that castles meet and fall.
func fierce(p *stonetowers.Position, tries int, random *xorshift) stonetowers.Action {
	legal := p.Legal()
	best, most := stonetowers.Action{}, -1
	for range tries {
		a := legal[random.IntN(len(legal))].(stonetowers.Action)
		next, err := p.Apply(a)
		if err != nil {
			panic(err)
		}
		q, seat := next.(*stonetowers.Position), p.Seat()
		if gain := q.SquareCount(seat) - p.SquareCount(seat) + 5*(p.CastleCount(3-seat)-q.CastleCount(3-seat)); gain > most {
			best, most = a, gain
		}
	}
	return best
}

// fallen is the squares of the castles that a turn from p to q has destroyed.
func fallen(p, q *stonetowers.Position) (out []stonetowers.Square) {
	for x := range p.Width() {
		for y := range p.Height() {
			if s := (stonetowers.Square{X: x, Y: y}); q.Level(s) < p.Level(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// distance is how many steps from square to square lie between two.
func distance(a, b stonetowers.Square) int {
	return max(a.X-b.X, b.X-a.X) + max(a.Y-b.Y, b.Y-a.Y)
}

// Random games on boards of every size: the position, the state inside it and
// the plain rules agree on everything, and taking all actions back leads to the
// start.
func TestFastAndPlainRulesAgree(t *testing.T) {
	games := 3
	if testing.Short() || enginetest.RaceEnabled {
		games = 1
	}
	random := xorshift(20)
	passes, destroyed, dominoes := 0, 0, 0
	for width := 4; width <= 16; width++ {
		for height := 4; height <= 16; height++ {
			for range games {
				turns := 5 + random.IntN(min(96, 3*width*height/2))
				tries := 1 + random.IntN(6)
				p := position(t, fmt.Sprintf("width=%d height=%d turns=%d", width, height, turns))
				want := newPlain(width, height, turns)
				state := p.State()
				var before []stonetowers.State
				var undo []stonetowers.Undo
				for {
					if d := differences(p, want); d != nil {
						t.Fatalf("after %d turns: %v\n%s", p.Turns(), d, draw(p))
					}
					if want.over() {
						break
					}
					a := fierce(p, tries, &random)
					moves := state.Moves()
					k := slices.Index(p.Legal(), engine.Action(a))
					before = append(before, state)
					undo = append(undo, state.Make(moves.At(k)))
					q := apply(t, p, a)
					want.play(want.legal()[k])
					if state != q.State() {
						t.Fatalf("the state after %v is not that of the position\n%s", a, draw(p))
					}
					if a.Kind == stonetowers.Pass {
						passes++
					}
					for _, s := range fallen(p, q) {
						destroyed++
						if far := distance(s, a.Square); far > 1 { // not by the castle itself
							dominoes++
						}
					}
					p = q
				}
				for i := len(undo) - 1; i >= 0; i-- {
					state.Unmake(undo[i])
					if state != before[i] {
						t.Fatalf("taking back turn %d does not restore the state", i)
					}
				}
			}
		}
	}
	t.Logf("%d castles fell, %d of them as dominoes; %d passes", destroyed, dominoes, passes)
	if passes == 0 || dominoes == 0 {
		t.Error("the comparison says nothing of passes or of dominoes")
	}
}

// Playouts of the benchmark are genuine: both implementations, given the same
// choices, play the same game.
func TestPlayoutsAgree(t *testing.T) {
	start := position(t, "").State()
	random := xorshift(3)
	for range 500 {
		s, p := start, newPlain(8, 8, 20)
		for !p.over() {
			legal, moves := p.legal(), s.Moves()
			if moves.Len() != len(legal) {
				t.Fatalf("%d legal moves, not %d", moves.Len(), len(legal))
			}
			m := draft(&s, &random)
			k := 0
			for k < len(legal) && moves.At(k) != m {
				k++
			}
			if k == len(legal) {
				t.Fatalf("move %d is not legal", m)
			}
			s.Play(m)
			p.play(legal[k])
		}
		if got, want := s.SquareCounts(), [2]int{p.score(1), p.score(2)}; got != want || s.Seat() != engine.Nobody {
			t.Fatalf("%v squares, not %v", got, want)
		}
	}
	if n, owned := fastPlayout(start, &random); n != 40 || owned[0]+owned[1] > 64 {
		t.Errorf("a playout ended after %d turns with %v squares", n, owned)
	}
	if n, owned := plainPlayout(&random); n != 40 || owned[0]+owned[1] > 64 {
		t.Errorf("a plain playout ended after %d turns with %v squares", n, owned)
	}
}

// Try knows the legal moves: number k is square k by file and then by rank.
func TestTryIsLegalWhereMovesHasIt(t *testing.T) {
	random := xorshift(8)
	for _, options := range []string{"width=4 height=4 turns=30", "width=16 height=16 turns=100", "width=5 height=16 turns=60"} {
		for p := position(t, options); p.Seat() != engine.Nobody; p = apply(t, p, fierce(p, 3, &random)) {
			s := p.State()
			moves, tried := s.Moves(), 0
			for k := range s.Size() {
				m, ok := s.MoveOn(k)
				if ok != moves.Has(m) {
					t.Fatalf("square %d: legal %t\n%s", k, ok, draw(p))
				}
				if ok && moves.At(tried) != m {
					t.Fatalf("square %d: not number %d of the moves", k, tried)
				}
				if ok && s.Action(m) != p.Legal()[tried] {
					t.Fatalf("square %d: %v is not number %d of the legal actions", k, s.Action(m), tried)
				}
				if ok {
					tried++
				}
			}
			if tried != moves.Len() && p.Legal()[0] != (stonetowers.Action{Kind: stonetowers.Pass}) {
				t.Fatalf("%d of %d moves\n%s", tried, moves.Len(), draw(p))
			}
		}
	}
}
