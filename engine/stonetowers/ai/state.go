package ai

import (
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
)

// Shorter names for what the tables are indexed by.
type (
	cell   = stonetowers.Cell
	square = stonetowers.Content
)

const (
	maxCells = stonetowers.MaxCells
	squares  = stonetowers.Contents
)

// pass is the move that passes.
const pass cell = 0

// state is the search state: that of the rules, with the evaluation and the hash,
// which follow the changes of each move. A move is a cell.
type state struct {
	stonetowers.State
	history stonetowers.History
	sum     tapered // score of all squares, for Red
	hash    uint64  // of all squares
	tables  *evalTables
	marks   []mark
	gainAt  [maxCells]tapered // buffer of EvaluateMoves
}

// mark holds the values that Unmake restores besides the squares.
type mark struct {
	sum  tapered
	hash uint64
}

var (
	_ search.Playouter = (*state)(nil)
	_ search.Evaluator = (*state)(nil)
)

func newState(p *stonetowers.Position, w *evalTables) *state {
	s := &state{State: p.State(), history: stonetowers.NewHistory(), tables: w, marks: make([]mark, 0, 256)}
	for _, c := range s.Cells {
		s.sum += w.value[s.At[c]]
		s.hash ^= key(c, s.At[c])
	}
	return s
}

func (s *state) Seat() int {
	if s.Left == 0 {
		return -1
	}
	return s.Player()
}

func (s *state) Seats() int { return 2 }

// Moves appends all legal moves by file and rank.
func (s *state) Moves(to []search.Move) []search.Move {
	if s.Left == 0 {
		return to
	}
	before, open := len(to), stonetowers.Playable(s.Player())
	for _, c := range s.Cells {
		if open[s.At[c]&(squares-1)] {
			to = append(to, search.Move(c))
		}
	}
	if len(to) == before {
		to = append(to, search.Move(pass))
	}
	return to
}

func (s *state) Make(m search.Move) {
	s.marks = append(s.marks, mark{s.sum, s.hash})
	s.State.Make(cell(m), &s.history)
	sum, value := s.sum, &s.tables.value
	for _, ch := range s.history.Last() {
		sum += value[ch.Now&(squares-1)] - value[ch.Was&(squares-1)]
		if ch.Was.OwnerAndLevel() != ch.Now.OwnerAndLevel() {
			s.hash ^= key(ch.At, ch.Was) ^ key(ch.At, ch.Now)
		}
	}
	s.sum = sum
}

func (s *state) Unmake() {
	s.State.Unmake(&s.history)
	last := len(s.marks) - 1
	s.sum, s.hash = s.marks[last].sum, s.marks[last].hash
	s.marks = s.marks[:last]
}

// Hash covers the squares and the turns left, which imply the side to move. The
// lead follows from the castles.
func (s *state) Hash() uint64 { return s.hash ^ uint64(s.Left)*0x9e3779b97f4a7c15 }

// key returns the part of a square in the hash, from its cell, owner and level
// (Zobrist, 1970). It is computed, not looked up.
func key(c cell, q square) uint64 { return search.Mix(uint64(c)<<4 | q.OwnerAndLevel()) }

// Payoffs gives the win to the player with more squares, or half to each.
func (s *state) Payoffs(values []float64) { payoffs(&s.State, values) }

func payoffs(s *stonetowers.State, values []float64) {
	switch d := s.Owned[0] - s.Owned[1]; {
	case d > 0:
		values[0], values[1] = 1, 0
	case d < 0:
		values[0], values[1] = 0, 1
	default:
		values[0], values[1] = 0.5, 0.5
	}
}

func (s *state) Playout(random *rand.PCG, values []float64) {
	end := s.State
	for end.Left > 0 {
		end.Play(randomMove(&end, random))
	}
	payoffs(&end, values)
}

// randomMove returns a legal move, each with the same chance: it draws squares
// until one can be played.
func randomMove(s *stonetowers.State, random *rand.PCG) cell {
	open, cells := stonetowers.Playable(s.Player()), s.Cells
	n := uint64(len(cells))
	for bits := uint64(0); ; {
		for i := range 128 { // two numbers of 32 bits from each of 64
			if i&1 == 0 {
				bits = random.Uint64()
			}
			c := cells[(bits&(1<<32-1))*n>>32]
			if bits >>= 32; open[s.At[c]&(squares-1)] {
				return c
			}
		}
		if s.MustPass() {
			return pass
		}
	}
}

func (s *state) Actions(m search.Move) []engine.Action { return []engine.Action{s.Action(cell(m))} }

func (s *state) MovesLeft() int { return int(s.Left) }
