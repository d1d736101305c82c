package rings_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// differences lists how a position differs from the reference.
func differences(p *rings.Position, want *reference) []string {
	var d enginetest.Differences
	d.Equal("points", len(p.Points()), len(want.point))
	for _, at := range p.Points() {
		s := spot{at.Column, at.Row}
		d.Equal(at.String(), int(p.Owner(at)), want.stone[s])
		d.Equal("safety of "+at.String(), p.Safe(at), want.safe(s))
	}
	d.Equal("circles", len(p.Circles()), len(want.circles))
	scores := map[int]int{}
	for n := range want.circles {
		majority := want.majority(n)
		scores[majority]++
		d.Equal(fmt.Sprint("ring ", n), int(p.Ring(n)), want.ringOf(n))
		d.Equal(fmt.Sprint("majority ", n), int(p.Majority(n)), majority)
		for player := 1; player <= want.seats; player++ {
			d.Equal(fmt.Sprint("influence of ", player, " on ", n), p.Influence(n, engine.Seat(player)), want.influence(player, n))
		}
	}
	for player := 1; player <= want.seats; player++ {
		seat := engine.Seat(player)
		d.Equal(fmt.Sprint("score of ", player), p.Score(seat), scores[player])
		d.Equal(fmt.Sprint("passed ", player), p.Passed(seat), want.passed[player] && !want.gone(player))
		d.Equal(fmt.Sprint("retired ", player), p.Retired(seat), want.gone(player))
	}
	d.Equal("empty points", p.EmptyCount(), len(want.point)-len(want.stone))
	d.Equal("converting", p.Converting(), want.placed)
	d.Equal("turns", p.Turns(), want.turns)
	return append(d, endDifferences(p, want)...)
}

// endDifferences compares the legal actions and the result.
func endDifferences(p *rings.Position, want *reference) []string {
	var d enginetest.Differences
	legal := enginetest.LegalTokens(p)
	slices.Sort(legal)
	d.Equal("legal", fmt.Sprint(legal), fmt.Sprint(want.legal()))
	result, over := p.Result()
	d.Equal("over", over, want.over)
	if over && want.over {
		d.Equal("winners", fmt.Sprint(result.Winners), want.winners())
		d.Equal("ranks", fmt.Sprint(result.Ranks), fmt.Sprint(want.ranks()))
		d.Equal("reason", result.Reason, want.reason)
		d.Equal("seat", p.Seat(), engine.Nobody)
		for i, s := range result.Scores {
			d.Equal(fmt.Sprint("score of ", i+1), s, want.score(i+1))
		}
	} else {
		d.Equal("seat", int(p.Seat()), want.turn)
	}
	return d
}

// In random games on every board with every number of seats, some of which
// retire, the position, its State and the reference implementation agree on
// everything.
func TestAgreesWithReference(t *testing.T) {
	random, seen := enginetest.Random(20), map[string]int{}
	for side := 3; side <= 6; side++ {
		for seats := 2; seats <= 6; seats++ {
			few, many := []int{3: 3, 4: 1, 5: seats % 2, 6: 1 - seats%2}[side], []int{3: 12, 4: 5, 5: 2, 6: 1}[side]
			for range enginetest.Sample(few, many) {
				compareGame(t, side, seats, &random, seen)
			}
		}
	}
	for _, what := range []string{"conversions", "rings", "rings by conversion", "two rings at once", "passes", "alone", "ended by a retirement"} {
		if seen[what] == 0 {
			t.Errorf("no %s in any game", what)
		}
	}
}

func compareGame(t *testing.T, side, seats int, random *enginetest.Random, seen map[string]int) {
	t.Helper()
	p, want := start(t, side, seats), newReference(side, seats)
	state := p.State()
	hashes := enginetest.HashSet{}
	for step := 0; !want.over; step++ {
		// Everything on the small boards, every tenth position of the others.
		found := endDifferences(p, want)
		if side == 3 || step%10 == 0 {
			found = differences(p, want)
			hashes.Add(t, p, draw(p))
		}
		if found != nil {
			t.Fatalf("side %d, %d seats: %v\n%s", side, seats, found, draw(p))
		}
		// On a full board seats may retire instead of passing.
		leaves := random.IntN(150) == 0 || p.EmptyCount() == 0 && random.IntN(3) == 0
		if leaves && !p.Converting() && len(p.RetiredInOrder()) < seats-1 && seats > 2 {
			if seat := engine.Seat(1 + random.IntN(seats)); !p.Retired(seat) {
				p = retire(t, p, seat)
				want.retire(int(seat))
				state = p.State()
				if want.over && want.reason == "passes" {
					seen["ended by a retirement"]++
				}
				continue
			}
		}
		a := choose(p, random)
		m, ok := p.Move(a)
		if !ok || !state.Legal(m) || p.Action(m) != a {
			t.Fatalf("%v is move %d, which is %v", a, m, p.Action(m))
		}
		state.Play(m)
		next := play(t, p, a.String())
		if state != next.State() {
			t.Fatalf("the state after %v is not that of the position", a)
		}
		count(seen, p, next, a)
		p = next
		want.play(a.String())
	}
	seen[want.reason]++
	if found := differences(p, want); found != nil {
		t.Fatalf("side %d, %d seats, at the end: %v\n%s", side, seats, found, draw(p))
	}
}

// count counts events, to show that the comparison has met all of them.
func count(seen map[string]int, p, next *rings.Position, a rings.Action) {
	closed := 0
	for _, c := range p.Circles() {
		if p.Ring(c.Number) == engine.Nobody && next.Ring(c.Number) != engine.Nobody {
			closed++
		}
	}
	switch {
	case a.Kind == rings.Convert && closed > 0:
		seen["rings by conversion"] += closed
	case closed > 0:
		seen["rings"] += closed
	}
	if closed > 1 {
		seen["two rings at once"]++
	}
	if a.Kind == rings.Convert {
		seen["conversions"]++
	}
}
