package search

import (
	"fmt"
	"math/rand/v2"

	"castellan/engine"
)

// PositionState is a State of any game, made of its positions. It allocates and
// is far slower than a state made for a game. A move is the index of a legal
// action.
type PositionState struct {
	stack []engine.Position
	legal [][]engine.Action
	seats int
}

// NewPositionState returns the state of a position. The caller must know the
// number of seats, which a position does not tell.
func NewPositionState(p engine.Position, seats int) *PositionState {
	return &PositionState{stack: []engine.Position{p}, legal: [][]engine.Action{p.Legal()}, seats: seats}
}

func (s *PositionState) top() engine.Position { return s.stack[len(s.stack)-1] }

func (s *PositionState) Seat() int { return int(s.top().Seat()) - 1 }

func (s *PositionState) Seats() int { return s.seats }

func (s *PositionState) Moves(to []Move) []Move {
	for i := range s.legal[len(s.legal)-1] {
		to = append(to, Move(i))
	}
	return to
}

func (s *PositionState) Make(m Move) {
	p := mustApply(s.top(), s.legal[len(s.legal)-1][m])
	s.stack, s.legal = append(s.stack, p), append(s.legal, p.Legal())
}

func (s *PositionState) Unmake() {
	s.stack, s.legal = s.stack[:len(s.stack)-1], s.legal[:len(s.legal)-1]
}

// Hash returns the hash of the position, which in all games covers the seat to
// move.
func (s *PositionState) Hash() uint64 { return s.top().Hash() }

func (s *PositionState) Payoffs(values []float64) {
	r, _ := s.top().Result()
	Payoffs(r, values)
}

func (s *PositionState) Actions(m Move) []engine.Action {
	return s.legal[len(s.legal)-1][m : m+1 : m+1]
}

func (s *PositionState) Playout(random *rand.PCG, values []float64) {
	r, _ := playOut(s.top(), random).Result()
	Payoffs(r, values)
}

// Payoffs fills in each seat's share of the win, given the result of a game.
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

// playOut plays random legal actions to the end of the game.
func playOut(p engine.Position, random *rand.PCG) engine.Position {
	for p.Seat() != engine.Nobody {
		legal := p.Legal()
		p = mustApply(p, legal[random.Uint64()%uint64(len(legal))])
	}
	return p
}

func mustApply(p engine.Position, a engine.Action) engine.Position {
	q, err := p.Apply(a)
	if err != nil {
		panic(fmt.Sprintf("search: a legal action fails: %v", err))
	}
	return q
}
