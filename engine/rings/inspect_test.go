package rings_test

import (
	"math/bits"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
)

// What a computer player is told of a State is what the Position says.
func TestTheStateTellsWhatThePositionDoes(t *testing.T) {
	random := xorshift(3)
	for seats := 2; seats <= 6; seats++ {
		p := start(t, 4, seats)
		for p.Seat() != engine.Nobody {
			checkInspection(t, p, seats)
			legal := p.Legal()
			if n := len(legal); n > 1 {
				legal = legal[:n-1] // no pass
			}
			q, err := p.Apply(legal[random.IntN(len(legal))])
			if err != nil {
				t.Fatal(err)
			}
			p = q.(*rings.Position)
			if p.Turns() == 40 && seats > 2 && !p.Converting() {
				p = retire(t, p, 2)
			}
		}
		checkInspection(t, p, seats)
	}
}

func checkInspection(t *testing.T, p *rings.Position, seats int) {
	t.Helper()
	s := p.State()
	want := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Fatalf("%s is wrong in\n%s", what, draw(p))
		}
	}
	want("Converting", s.Converting() == p.Converting())
	want("Empty", s.EmptyCount() == p.EmptyCount())
	want("Circles", s.CircleCount() == len(p.Circles()))
	want("Turn", p.Seat() == engine.Nobody || s.Turn() == p.Seat())
	for seat := engine.Seat(1); int(seat) <= seats; seat++ {
		want("Passed", s.PassedSeats()>>seat&1 != 0 == p.Passed(seat))
		want("Playing", s.ActiveSeats()>>seat&1 != 0 == !p.Retired(seat))
	}
	free, points := s.EmptySet(), p.Points()
	empty := 0
	for _, w := range free {
		empty += bits.OnesCount64(w)
	}
	want("Free", empty == p.EmptyCount())
	for i, at := range points {
		stone := s.Stones()[i]
		want("Stones", engine.Seat(stone&7) == p.Owner(at) && stone>>3 != 0 == p.Safe(at))
		want("Free", free[i/64]>>(i%64)&1 != 0 == (stone == 0))
		for _, c := range p.Circles() {
			corners := c.Points()
			want("On", slices.Contains(s.CirclesAt(i), uint8(c.Number-1)) == slices.Contains(corners[:], at))
		}
	}
	for _, c := range p.Circles() {
		tally, around := s.Tally(c.Number-1), 0
		for seat := engine.Seat(1); int(seat) <= seats; seat++ {
			stones, loose := 0, 0
			for _, at := range c.Points() {
				if p.Owner(at) == seat {
					stones++
					if !p.Safe(at) {
						loose++
					}
				}
			}
			of := tally >> (10 * (seat - 1))
			want("Tally", int(of&7) == loose && int(of>>3&7) == stones && int(of>>6&15) == p.Influence(c.Number, seat))
			around += int(of>>6&15) - stones
		}
		want("Tally", int(tally>>60&7) == around && tally>>63 != 0 == (p.Ring(c.Number) != engine.Nobody))
	}
}
