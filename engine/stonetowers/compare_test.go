package stonetowers_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

// differences lists how a position differs from the reference.
func differences(p *stonetowers.Position, want *reference) []string {
	var d enginetest.Differences
	castles := [3]int{}
	for _, at := range want.order {
		s := stonetowers.Square{X: at.file, Y: at.rank}
		got := referenceCell{int(p.Owner(s)), p.Level(s)}
		d.Equal(s.String(), got, *want.at(at))
		if got.level > 0 {
			castles[got.owner]++
		}
		reds, blues := want.influence(1, at), want.influence(2, at)
		if p.Influence(red, s) != reds || p.Influence(blue, s) != blues {
			d.Equal("influence on "+s.String(), fmt.Sprint(p.Influence(red, s), p.Influence(blue, s)), fmt.Sprint(reds, blues))
		}
		d.Equal("lead on "+s.String(), p.Lead(s), reds-blues)
	}
	for player := 1; player <= 2; player++ {
		seat := engine.Seat(player)
		d.Equal(fmt.Sprint("turns of ", player), p.TurnsPlayed(seat), want.played[player])
		d.Equal(fmt.Sprint("score of ", player), p.SquareCount(seat), want.score(player))
		d.Equal(fmt.Sprint("castles of ", player), p.CastleCount(seat), castles[player])
	}
	d.Equal("turns", p.Turns(), want.played[1]+want.played[2])
	if got, want := enginetest.LegalTokens(p), referenceTokens(want); !slices.Equal(got, want) {
		d.Equal("legal", fmt.Sprint(got), fmt.Sprint(want))
	}
	result, over := p.Result()
	d.Equal("over", over, want.over())
	if !over || !want.over() {
		d.Equal("seat", p.Seat(), engine.Seat(want.to))
		return d
	}
	winners := []engine.Seat{}
	if w := want.winner(); w != 0 {
		winners = append(winners, engine.Seat(w))
	}
	d.Equal("winners", fmt.Sprint(result.Winners), fmt.Sprint(winners))
	d.Equal("scores", fmt.Sprint(result.Scores), fmt.Sprint([]int{want.score(1), want.score(2)}))
	d.Equal("reason", result.Reason, "turns")
	d.Equal("seat", p.Seat(), engine.Nobody)
	return d
}

func referenceTokens(p *reference) []string {
	var out []string
	for _, a := range p.legal() {
		out = append(out, a.String())
	}
	return out
}

// aggressive returns the one of a few random legal actions that gains the most
// squares for the mover, so that castles meet and fall.
func aggressive(p *stonetowers.Position, tries int, random *enginetest.Random) stonetowers.Action {
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

// fallen returns the squares of the castles that a turn from p to q destroyed.
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

// distance returns the number of steps between two squares.
func distance(a, b stonetowers.Square) int {
	return max(a.X-b.X, b.X-a.X) + max(a.Y-b.Y, b.Y-a.Y)
}

// In random games on boards of every width and height, the position, its State
// and the reference implementation agree on everything. The full matrix has
// every size.
func TestAgreesWithReference(t *testing.T) {
	games, step := enginetest.Sample(1, 3), enginetest.Sample(2, 1)
	random := enginetest.Random(20)
	passes, destroyed, dominoes := 0, 0, 0
	for width := 4; width <= 16; width++ {
		for height := 4 + width%step; height <= 16; height += step {
			for range games {
				turns := 5 + random.IntN(min(96, 3*width*height/2))
				tries := 1 + random.IntN(6)
				p := sized(t, width, height, turns)
				want := newReference(width, height, turns)
				state := p.State()
				for {
					if d := differences(p, want); d != nil {
						t.Fatalf("after %d turns: %v\n%s", p.Turns(), d, draw(p))
					}
					if want.over() {
						break
					}
					a := aggressive(p, tries, &random)
					moves := state.Moves()
					k := slices.Index(p.Legal(), engine.Action(a))
					state.Play(moves.At(k))
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
			}
		}
	}
	t.Logf("%d castles fell, %d of them as dominoes; %d passes", destroyed, dominoes, passes)
	if passes == 0 || dominoes == 0 {
		t.Error("no game had a pass, or none a domino effect")
	}
}

// Both implementations, given the same choices, play the same game: the
// benchmark compares like with like.
func TestPlayoutsAgree(t *testing.T) {
	start := position(t, "").State()
	random := enginetest.Random(3)
	for range enginetest.Sample(100, 500) {
		s, p := start, newReference(8, 8, 20)
		for !p.over() {
			legal, moves := p.legal(), s.Moves()
			if moves.Len() != len(legal) {
				t.Fatalf("%d legal moves, not %d", moves.Len(), len(legal))
			}
			m := drawMove(&s, &random)
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
	if n, owned := referencePlayout(&random); n != 40 || owned[0]+owned[1] > 64 {
		t.Errorf("a playout of the reference ended after %d turns with %v squares", n, owned)
	}
}

// MoveOn numbers the squares by file and then by rank, and reports legal moves.
func TestMoveOn(t *testing.T) {
	random := enginetest.Random(8)
	for _, options := range []string{"width=4 height=4 turns=30", "width=16 height=16 turns=100", "width=5 height=16 turns=60"} {
		for p := position(t, options); p.Seat() != engine.Nobody; p = apply(t, p, aggressive(p, 3, &random)) {
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
