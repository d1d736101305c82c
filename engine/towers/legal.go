package towers

import "math/bits"

// AppendLegal appends the complete list of legal actions: for each tower from
// a1 along the ranks its moves, then the pawns that can be taken out of it;
// imports from the smallest; the end of the turn. It appends nothing when the
// game is over.
func (s *State) AppendLegal(to []Action) []Action {
	if s.ending != Ongoing {
		return to
	}
	if s.points > 0 {
		own, pawns, others := &s.own[s.mover&1], s.pawnTargets(), s.targets()
		for w := range own {
			for free := own[w] &^ s.locked[w]; free != 0; free &= free - 1 {
				from := cell(w<<6 + bits.TrailingZeros64(free))
				p := s.board[from&(cells-1)]
				height := uint8(p & heightBits)
				switch {
				case p&^redBit == 1:
					to = s.appendRays(to, Action{kind: Move, from: from}, p, s.points, &pawns)
				case height <= s.points:
					to = s.appendRays(to, Action{kind: Move, from: from}, p, s.points/height, &others)
				}
				if height > 1 && (p.isMaster() || s.rules&towerOut != 0) {
					to = s.appendRays(to, Action{kind: TakeOut, from: from}, pawn(s.mover), s.points, &pawns)
				}
			}
		}
		if s.canImport() {
			for n := uint8(1); n <= s.points; n++ {
				to = append(to, Action{kind: Import, count: n})
			}
		}
	}
	return append(to, Action{kind: End})
}

// pawnTargets is the cells that a single pawn may enter, from wherever it
// comes: empty ones, own ones and enemy pawns that are not locked.
func (s *State) pawnTargets() (t set) {
	own, enemy := &s.own[s.mover&1], &s.own[s.mover&1^1]
	for w := range t {
		t[w] = ^(own[w] | enemy[w] | s.locked[w]) | (own[w]|enemy[w]&s.single[w])&^s.locked[w]
	}
	return t
}

// targets is the cells that anything may enter as far as locks go.
func (s *State) targets() set { return set{^s.locked[0], ^s.locked[1]} }

// canImport reports whether a pawn could be imported, were there points.
func (s *State) canImport() bool {
	return !s.locked.has(s.master[s.mover&1]) && (s.rules&importFirst == 0 || !s.moved)
}

// appendRays appends the action with every target of the piece up to reach
// cells away. Only cells among targets are looked at.
func (s *State) appendRays(to []Action, a Action, p piece, reach uint8, targets *set) []Action {
	near := targets.around(a.from)
	for near != 0 {
		i := bits.TrailingZeros32(near)
		near &= near - 1
		c, step := a.from+cell(i)-stride, cell(i)-stride
		for n := reach; ; {
			target := s.board[c&(cells-1)]
			if target != 0 && !s.mayEnter(p, target) {
				break
			}
			to = append(to, Action{kind: a.kind, from: a.from, to: c})
			if n--; n == 0 || target != 0 {
				break
			}
			if c = c.next(step); !targets.has(c) {
				break
			}
		}
	}
	return to
}

// mayEnter reports whether a piece may go onto a cell that is occupied, by
// anyone, and not locked.
func (s *State) mayEnter(p, target piece) bool {
	if p.player() != target.player() {
		return p&heightBits >= target&heightBits &&
			(s.rules&noMasterWin == 0 || p&target&masterBit == 0)
	}
	// Raised by a single pawn, or the master goes onto one.
	return p&heightBits == 1 && (!p.isMaster() || target&heightBits == 1)
}
