package rings

import (
	"fmt"

	"castellan/engine"
)

// Board describes a position.
type Board struct {
	Side, Seats int
	Stones      map[Point]engine.Seat
	Mover       engine.Seat
	Converting  bool
	Passed      []engine.Seat
	Retired     []engine.Seat // in order
}

// Build returns a position, which need not be reachable.
func Build(b Board) (*Position, error) {
	p := start(b.Side, b.Seats)
	s := &p.state
	for at, seat := range b.Stones {
		i, ok := s.geo.index[at]
		if !ok {
			return nil, fmt.Errorf("there is no point %v", at)
		}
		s.mover = uint8(seat)
		s.placeStone(i)
	}
	s.mover, s.converting = uint8(b.Mover), b.Converting
	for i, seat := range b.Retired {
		p.retired[seat-1] = uint8(i + 1)
		s.playing &^= 1 << seat
	}
	for _, seat := range b.Passed {
		s.passed |= 1 << seat
	}
	if !b.Converting {
		s.checkEnd()
	}
	return p, nil
}

// RetiredInOrder returns the retired seats, the first to retire first.
func (p *Position) RetiredInOrder() (out []engine.Seat) {
	for n := uint8(1); ; n++ {
		found := false
		for i, r := range p.retired {
			if r == n {
				out, found = append(out, engine.Seat(i+1)), true
			}
		}
		if !found {
			return out
		}
	}
}
