package towers

// past is a position between two turns and those before it, as far as they can
// stand again. It never changes and is shared by the positions after it. A
// position here is what the rules page says: the cells, the reserves and who
// is to move.
type history struct {
	before   *history // after the turn before; nil at the start
	hash     hash
	board    [cells]piece
	reserve  [2]uint8
	mover    uint8
	pawns    int  // of both, on the board and in reserve
	repeated bool // it had stood before
}

// with is the past after one more turn has led to the position in s; the
// receiver is nil at the start of the game.
func (p *history) add(s *State) *history {
	next := &history{hash: s.hash(), board: s.board, reserve: s.reserve, mover: s.mover, pawns: s.pawns()}
	if p == nil || p.pawns != next.pawns {
		// A pawn that has left the game never comes back, so no earlier
		// position can stand again and none need be kept.
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

// pawns is the number of pawns in the game.
func (s *State) pawns() int {
	n := int(s.reserve[0]) + int(s.reserve[1])
	for _, p := range s.board {
		if p != wall {
			n += p.height()
		}
	}
	return n
}
