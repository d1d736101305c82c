package stonetowers

import (
	"fmt"

	"castellan/engine"
)

// Setup describes a position.
type Setup struct {
	Width, Height int
	Turns, Played int // turns of each player, and turns played by both
	Owner         map[Square]engine.Seat
	Level         map[Square]int
}

// FromSetup returns a position, which need not be reachable. It fails if the
// position is not stable, as all positions between turns are.
func FromSetup(b Setup) (*Position, error) {
	p := &Position{newState(newBoard(b.Width, b.Height), b.Turns)}
	s := &p.state
	s.Left -= int16(b.Played)
	for square, seat := range b.Owner {
		at := &s.At[s.cell(square)]
		*at = at.With(Owner(seat), b.Level[square])
		s.Owned[seat-1]++
	}
	for square := range p.allSquares() {
		red, blue := p.Influence(red, square), p.Influence(blue, square)
		at := &s.At[s.cell(square)]
		*at += Content(red - blue)
		if at.FlipsTo(0) || at.FlipsTo(1) {
			return nil, fmt.Errorf("%v is not stable: Red has influence %d, Blue %d", square, red, blue)
		}
	}
	return p, nil
}

// Lead returns the influence of Red minus that of Blue as the State stores it.
func (s *State) Lead(at Square) int { return s.At[s.cell(at)].Lead() }

func (s *State) Same(p *Position) bool {
	for _, c := range s.Cells {
		if s.At[c] != p.state.At[c] {
			return false
		}
	}
	return s.Owned == p.state.Owned && s.Left == p.state.Left
}

func (p *Position) Move(a Action) Cell {
	m, _ := p.move(a)
	return m
}
