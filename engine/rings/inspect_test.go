package rings_test

import (
	"math/bits"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// A State tells computer players what its Position does.
func TestStateMatchesPosition(t *testing.T) {
	random := enginetest.Random(3)
	for seats := 2; seats <= 6; seats++ {
		p := start(t, enginetest.Sample(3, 4), seats)
		for p.Seat() != engine.Nobody {
			checkState(t, p, seats)
			legal := p.Legal()
			if n := len(legal); n > 1 {
				legal = legal[:n-1] // no pass
			}
			q, err := p.Apply(legal[random.IntN(len(legal))])
			if err != nil {
				t.Fatal(err)
			}
			p = q.(*rings.Position)
			if p.Turns() == 20 && seats > 2 && !p.Converting() {
				p = retire(t, p, 2)
			}
		}
		checkState(t, p, seats)
	}
}

// checkState compares what the State and the Position say.
func checkState(t *testing.T, p *rings.Position, seats int) {
	t.Helper()
	s := p.State()
	agree := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Fatalf("%s differs in\n%s", what, draw(p))
		}
	}
	agree("Converting", s.Converting() == p.Converting())
	agree("EmptyCount", s.EmptyCount() == p.EmptyCount())
	agree("CircleCount", s.CircleCount() == len(p.Circles()))
	agree("Turn", p.Seat() == engine.Nobody || s.Turn() == p.Seat())
	for seat := engine.Seat(1); int(seat) <= seats; seat++ {
		agree("PassedSeats", s.PassedSeats()>>seat&1 != 0 == p.Passed(seat))
		agree("ActiveSeats", s.ActiveSeats()>>seat&1 != 0 == !p.Retired(seat))
	}
	free, points := s.EmptySet(), p.Points()
	empty := 0
	for _, w := range free {
		empty += bits.OnesCount64(w)
	}
	agree("EmptySet", empty == p.EmptyCount())
	for i, at := range points {
		stone := s.Stones()[i]
		agree("Stones", engine.Seat(stone&7) == p.Owner(at) && stone>>3 != 0 == p.Safe(at))
		agree("EmptySet", free[i/64]>>(i%64)&1 != 0 == (stone == 0))
		for _, c := range p.Circles() {
			corners := c.Points()
			agree("CirclesAt", slices.Contains(s.CirclesAt(i), uint8(c.Number-1)) == slices.Contains(corners[:], at))
		}
	}
	for _, c := range p.Circles() {
		tally, around := s.Tally(c.Number-1), 0
		for seat := engine.Seat(1); int(seat) <= seats; seat++ {
			stones, unsafe := 0, 0
			for _, at := range c.Points() {
				if p.Owner(at) == seat {
					stones++
					if !p.Safe(at) {
						unsafe++
					}
				}
			}
			of := tally >> (10 * (seat - 1))
			agree("Tally", int(of&7) == unsafe && int(of>>3&7) == stones && int(of>>6&15) == p.Influence(c.Number, seat))
			around += int(of>>6&15) - stones
		}
		agree("Tally", int(tally>>60&7) == around && tally>>63 != 0 == (p.Ring(c.Number) != engine.Nobody))
	}
}
