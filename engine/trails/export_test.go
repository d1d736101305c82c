package trails

import (
	"fmt"

	"castellan/engine"
)

// Board describes a position; element 0 belongs to Blue.
type Board struct {
	Size, Towers, Distance int
	Mover                  engine.Seat
	Owner                  map[Square]engine.Seat
	Head                   [2]Square
	Moved                  [2]bool
	Last                   [2]Direction
	Boost                  [2]int
}

// vector returns one step in the direction.
func (d Direction) vector() (dx, dy int) {
	switch d {
	case Up:
		return 0, 1
	case Down:
		return 0, -1
	case Left:
		return -1, 0
	}
	return 1, 0
}

// Build returns a position, which need not be reachable. A tower whose square
// has an owner is taken.
func Build(b Board) (*Position, error) {
	if !fits(b.Size, b.Towers, b.Distance) {
		return nil, fmt.Errorf("%d towers do not fit", b.Towers)
	}
	p := start(b.Size, b.Towers, b.Distance)
	s, g := &p.state, p.state.geo
	p.own = [2]board{}
	for square, seat := range b.Owner {
		c := g.cell(square)
		if s.field.tower(c) {
			s.sides[seat-1].taken++
		}
		s.field.occupy(c)
		p.own[seat-1].set(c)
	}
	for i := range s.sides {
		side := &s.sides[i]
		c := g.cell(b.Head[i])
		if !p.own[i].has(c) {
			return nil, fmt.Errorf("the head of seat %d does not stand on its own square", i+1)
		}
		side.head, side.straight = c, straightMove{c, freeBit}
		if !b.Moved[i] {
			continue
		}
		side.bit, side.boost = bitOf[b.Last[i]], uint8(b.Boost[i])
		dx, dy := b.Last[i].vector()
		side.straight.bit = openBit
		to := b.Head[i]
		for range b.Boost[i] + 2 {
			next := Square{to.X + dx, to.Y + dy}
			if !g.contains(next) {
				side.straight.bit = freeBit
				break
			}
			to = next
		}
		side.straight.to = g.cell(to)
	}
	s.mover = uint8(b.Mover - 1)
	s.moves = s.movesFor(&s.sides[s.mover])
	return p, nil
}
