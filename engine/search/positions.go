package search

import (
	"fmt"
	"math/rand/v2"

	"castellan/engine"
)

// Positions is a State of any game, by its positions alone: it allocates, and
// is slower by far than a state made for a game. Its moves are the actions that
// are legal, by number.
type PositionState struct {
	stack []engine.Position
	legal [][]engine.Action
	seats int
}

// NewPositions is the state of a game from a position on. The seats of the
// match must be known, for a position does not tell them.
func NewPositionState(p engine.Position, seats int) *PositionState {
	return &PositionState{stack: []engine.Position{p}, legal: [][]engine.Action{p.Legal()}, seats: seats}
}

func (s *PositionState) top() engine.Position { return s.stack[len(s.stack)-1] }

// Seat is whose action is next, from 0, or -1.
func (s *PositionState) Seat() int { return int(s.top().Seat()) - 1 }

// Seats is the number of seats.
func (s *PositionState) Seats() int { return s.seats }

// Moves is every legal action.
func (s *PositionState) Moves(to []Move) []Move {
	for i := range s.legal[len(s.legal)-1] {
		to = append(to, Move(i))
	}
	return to
}

// Make plays an action.
func (s *PositionState) Make(m Move) {
	p, err := s.top().Apply(s.legal[len(s.legal)-1][m])
	if err != nil {
		panic(fmt.Sprintf("search: %v", err)) // it was one of Moves
	}
	s.stack, s.legal = append(s.stack, p), append(s.legal, p.Legal())
}

// Unmake takes the last action back.
func (s *PositionState) Unmake() {
	s.stack, s.legal = s.stack[:len(s.stack)-1], s.legal[:len(s.legal)-1]
}

// Hash is the position's, which leaves out whose action it is in no game.
func (s *PositionState) Hash() uint64 { return s.top().Hash() }

// Share gives every winner as much, and everybody as much of a draw.
func (s *PositionState) Payoffs(values []float64) {
	r, _ := s.top().Result()
	Payoffs(r, values)
}

// Share fills in the share of the win that a result gives every seat.
func Payoffs(r engine.Result, values []float64) {
	clear(values)
	if len(r.Winners) == 0 {
		for i := range values {
			values[i] = 1 / float64(len(values))
		}
	}
	for _, w := range r.Winners {
		values[w-1] = 1 / float64(len(r.Winners))
	}
}

// Actions is the one action that a move is.
func (s *PositionState) Actions(m Move) []engine.Action {
	return s.legal[len(s.legal)-1][m : m+1 : m+1]
}

// Playout plays legal actions at random to the end.
func (s *PositionState) Playout(random *rand.PCG, values []float64) {
	p := s.top()
	for p.Seat() != engine.Nobody {
		legal := p.Legal()
		q, err := p.Apply(legal[random.Uint64()%uint64(len(legal))])
		if err != nil {
			panic(fmt.Sprintf("search: %v", err)) // it was legal
		}
		p = q
	}
	r, _ := p.Result()
	Payoffs(r, values)
}
