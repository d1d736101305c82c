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
		state := p.State()
		d.Equal("lead on "+s.String(), state.Lead(s), reds-blues)
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

// shuffle changes the order in which squares are counted, which must not matter.
func (p *reference) shuffle(random *enginetest.Random) {
	for i := len(p.order) - 1; i > 0; i-- {
		j := random.IntN(i + 1)
		p.order[i], p.order[j] = p.order[j], p.order[i]
	}
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

// In random games on boards of every width and height, the position and the reference
// implementation agree on everything, in whatever order the reference counts the
// squares. Making a move and taking it back, as searches do, leads to the same
// positions, and different positions have different hashes. The full matrix has every
// size.
func TestAgreesWithReference(t *testing.T) {
	games, step := enginetest.Sample(1, 3), enginetest.Sample(2, 1)
	random, orders, seen := enginetest.Random(20), enginetest.Random(1), enginetest.HashSet{}
	passes, destroyed, dominoes := 0, 0, 0
	for width := 4; width <= 16; width++ {
		for height := 4 + width%step; height <= 16; height += step {
			for range games {
				turns := 5 + random.IntN(min(96, 3*width*height/2))
				tries := 1 + random.IntN(6)
				p := sized(t, width, height, turns)
				want := newReference(width, height, turns)
				state, history := p.State(), stonetowers.NewHistory()
				for {
					if d := differences(p, want); d != nil {
						t.Fatalf("after %d turns: %v\n%s", p.Turns(), d, draw(p))
					}
					if width*height <= 36 {
						seen.Add(t, p, draw(p))
					}
					if want.over() {
						break
					}
					a := aggressive(p, tries, &random)
					before := state
					state.Make(p.Move(a), &history)
					after := state
					if state.Unmake(&history); state != before {
						t.Fatalf("%v taken back leaves another state\n%s", a, draw(p))
					}
					state = after
					q := apply(t, p, a)
					want.shuffle(&orders)
					want.play(want.legal()[slices.Index(p.Legal(), engine.Action(a))])
					if !state.Same(q) {
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

// The place of a square is the number of edges that it touches, which evaluations tell
// apart.
func TestPlaces(t *testing.T) {
	s := sized(t, 4, 5, 10).State()
	for _, c := range s.Cells {
		at, edges := s.Square(c), 0
		if at.X == 0 || at.X == 3 {
			edges++
		}
		if at.Y == 0 || at.Y == 4 {
			edges++
		}
		if int(s.At[c].Place()) != edges {
			t.Errorf("%v has the place %d", at, s.At[c].Place())
		}
	}
}
