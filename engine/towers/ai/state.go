package ai

import (
	"fmt"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// State is the search state. A move is one action, a board.Move.
type State struct {
	board.State
	weights *weights
	playout board.State  // the state of Playout
	moves   []board.Move // buffer of Moves and Playout
}

var (
	_ search.Evaluator = (*State)(nil)
	_ search.Playouter = (*State)(nil)
)

const moveEnd = search.Move(board.EndTurn)

// NewState returns the search state of a position. It fails for positions of
// other games.
func NewState(p engine.Position) (search.State, error) {
	s, err := newState(p)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func newState(p engine.Position) (*State, error) {
	t, ok := p.(*towers.Position)
	if !ok {
		return nil, fmt.Errorf("towers/ai plays towers, not a position of type %T", p)
	}
	return &State{State: *t.State(), weights: &fittedWeights}, nil
}

func (s *State) Seat() int {
	if s.Ending != board.Ongoing {
		return -1
	}
	return int(s.Mover)
}

func (s *State) Seats() int { return 2 }

// Payoffs gives the win to the player who took the master, or half to each in a
// draw.
func (s *State) Payoffs(values []float64) { payoffs(&s.State, values) }

func payoffs(s *board.State, values []float64) {
	values[0], values[1] = 0.5, 0.5
	if s.Ending == board.Master {
		values[s.Mover&1], values[s.Mover&1^1] = 1, 0
	}
}

// Hash covers the pieces, the locks, the reserves, the side to move and its
// points, the start of the turn and whether the turn before was a pass. It
// leaves out earlier positions, which matter only to draws by repetition.
func (s *State) Hash() uint64 {
	flags := uint64(s.Ending) << 2
	if s.Passed {
		flags |= 1
	}
	if s.Moved && s.Rules&board.ImportFirst != 0 {
		flags |= 2
	}
	return s.TurnKey() ^ s.LockKey ^ search.Mix(2<<32|uint64(s.Budget)<<16|uint64(s.Points)<<8|flags) ^ search.Mix(s.StartKey^1<<63)
}

func (s *State) Make(m search.Move) { s.State.Make(board.Move(m)) }

// Moves appends all legal actions, imports and the end of the turn last.
func (s *State) Moves(to []search.Move) []search.Move {
	s.moves = board.AppendMoves(&s.State, s.moves[:0], board.Outward)
	for _, m := range s.moves {
		to = append(to, search.Move(m))
	}
	return to
}

func (s *State) Actions(m search.Move) []engine.Action { return []engine.Action{actionOf(m)} }

func actionOf(m search.Move) engine.Action { return towers.ActionOf(board.Move(m)) }

func (s *State) Playout(random *rand.PCG, values []float64) {
	p := &s.playout
	p.CopyFrom(&s.State)
	for p.Ending == board.Ongoing {
		s.moves = board.AppendMoves(p, s.moves[:0], board.Outward)
		p.Play(s.moves[random.Uint64()>>32*uint64(len(s.moves))>>32])
	}
	payoffs(p, values)
}
