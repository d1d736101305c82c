package towers

import "castellan/engine/grid"

// history records a position between two turns and links to the earlier ones
// that can occur again. It is immutable and shared by later positions. As on
// the rules page, a position is the cells, the reserves and the player to move.
type history struct {
	before   *history // one turn earlier; nil at the start
	hash     grid.Hash
	board    [cells]piece
	reserve  [2]uint8
	mover    uint8
	pawns    int  // of both players, on the board and in reserve
	repeated bool // the position occurred before
}

// add returns the history after one more turn has led to s. The receiver is nil
// at the start of the game.
func (p *history) add(s *State) *history {
	next := &history{hash: s.hash(), board: s.board, reserve: s.reserve, mover: s.mover, pawns: s.pawns()}
	if p == nil || p.pawns != next.pawns {
		// A pawn that has left the game never returns, so no earlier
		// position can occur again.
		return next
	}
	next.before = p
	// Only every other position has the same player to move.
	for q := p.before; q != nil; q = q.before {
		if next.equal(q) {
			next.repeated = true
			break
		}
		if q = q.before; q == nil {
			break
		}
	}
	return next
}

func (p *history) equal(q *history) bool {
	return p.hash == q.hash && p.board == q.board && p.reserve == q.reserve && p.mover == q.mover
}

// pawns returns the number of pawns in the game.
func (s *State) pawns() int {
	n := int(s.reserve[0]) + int(s.reserve[1])
	for _, p := range s.board {
		if p != wall {
			n += p.height()
		}
	}
	return n
}

// Moved reports whether the open turn has an action other than imports. Under
// the rule import-first, such an action rules out imports.
func (p *Position) Moved() bool { return p.state.moved }

// PreviousPassed reports whether the last turn was a pass; a second one ends
// the game.
func (p *Position) PreviousPassed() bool { return p.state.passed }

// History returns the positions between turns, the latest first, beginning with
// the position at the start of the open turn. It goes back as far as positions
// can repeat, for the draw by repetition.
func (p *Position) History() []*Position {
	var all []*Position
	turns := p.turns
	if p.state.ending == Master {
		turns-- // the turn that took the master was never ended
	}
	for q := p.history; q != nil; q = q.before {
		all = append(all, q.position(turns, p))
		turns--
	}
	return all
}

// position returns the recorded position after so many turns of the same game
// as another.
func (p *history) position(turns int, of *Position) *Position {
	if turns == 0 {
		return start(of.Size(), of.state.rules)
	}
	s := State{size: of.state.size, rules: of.state.rules, walls: of.state.walls, locked: of.state.walls}
	for c, piece := range p.board {
		switch piece {
		case 0:
		case wall:
			s.board[c] = wall
		default:
			s.put(cell(c), piece)
		}
	}
	s.reserve, s.mover = p.reserve, p.mover
	// A turn that removed pawns from the game was not a pass.
	s.passed = p.before != nil && p.reserve == p.before.reserve && p.board == p.before.board
	s.beginTurn()
	return &Position{state: s, history: p, turns: turns}
}
