package towers

// Moved reports whether the open turn has an action other than imports: by the
// rule import-first there is no import after one.
func (p *Position) Moved() bool { return p.state.moved }

// Passed reports whether the turn before the open one was a pass: one more ends
// the game.
func (p *Position) PreviousPassed() bool { return p.state.passed }

// Earlier is the positions between turns that the game has gone through, the
// last one first: it begins with the position at the start of the open turn.
// They go back as far as any can stand again, for the draw by repetition.
func (p *Position) History() []*Position {
	var all []*Position
	turns := p.turns
	if p.state.ending == Master {
		turns-- // the turn that took the master was never ended
	}
	for q := p.past; q != nil; q = q.before {
		all = append(all, q.position(turns, p))
		turns--
	}
	return all
}

// position is the position itself, after so many turns, in the same game as
// another.
func (p *past) position(turns int, of *Position) *Position {
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
	// A turn that takes pawns out of the game is no pass.
	s.passed = p.before != nil && p.reserve == p.before.reserve && p.board == p.before.board
	s.beginTurn()
	return &Position{state: s, past: p, turns: turns}
}
