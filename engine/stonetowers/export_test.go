package stonetowers

import (
	"fmt"

	"castellan/engine"
)

// Board describes a position.
type Board struct {
	Width, Height int
	Turns, Played int // turns of each player, and turns played by both
	Owner         map[Square]engine.Seat
	Level         map[Square]int
}

// FromBoard returns a position, which need not be reachable. It fails if the
// position is not stable, as all positions between turns are.
func FromBoard(b Board) (*Position, error) {
	g := newGeometry(b.Width, b.Height)
	p := &Position{newState(g, b.Turns)}
	s := &p.state
	s.played = uint16(b.Played)
	for square, seat := range b.Owner {
		s.notOwned[seat-1].remove(g.cell(square), 1)
	}
	for square, level := range b.Level {
		c := g.cell(square)
		if level&1 != 0 {
			s.levelBit0.set(c)
		}
		if level&2 != 0 {
			s.levelBit1.set(c)
		}
	}
	for square := range p.allSquares() {
		red, blue := p.Influence(red, square), p.Influence(blue, square)
		c := g.cell(square)
		s.lead[c] = int8(red - blue)
		if red > blue && s.notOwned[0].has(c) || blue > red && s.notOwned[1].has(c) {
			return nil, fmt.Errorf("%v is not stable: Red has influence %d, Blue %d", square, red, blue)
		}
	}
	return p, nil
}

// Lead returns the influence of Red minus that of Blue as the State stores it.
func (p *Position) Lead(s Square) int { return int(p.state.lead[p.state.geo.cell(s)]) }
