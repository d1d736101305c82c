package towersearch

// ended is how much better than the other the player stands whose turn it is,
// were he to end it now. Lost says that his master could be taken at once.
func (s *State) ended() (value int, lost bool) {
	m := s.mover & 1
	reserve := s.reserve
	reserve[m] += uint8(s.board[s.master[m]&(cells-1)].height() - 1)
	theirs, mine := int(reserve[m^1]), int(reserve[m])
	attack := s.strike(m^1, theirs+far, theirs)
	threat := s.strike(m, mine+far, mine)
	value = s.side(m, mine) - s.side(m^1, theirs)
	value += near(threat-mine, 0) - near(attack-theirs, 1)
	return value, attack <= theirs
}

// far is how many points more than there are a strike is of interest.
const far = 3

// near is what it is worth that a strike lacks so many points.
func near(lacks, next int) int {
	switch {
	case lacks <= 0:
		return threats[next][0]
	case lacks <= far:
		return threats[next][lacks]
	}
	return 0
}

var threats = [2][far + 1]int{{60, 25, 12, 6}, {300, 30, 15, 8}}

// side is what a player has.
func (s *State) side(player uint8, reserve int) int {
	value := 80 * reserve
	at := only(s.master[player])
	own := s.own[player]
	value += 50 * own.count()
	for tall := own.and(s.tall).without(at); !tall.empty(); {
		c := tall.first()
		tall.remove(c)
		value += 35 * (s.board[c&(cells-1)].height() - 1)
	}
	around := at.around()
	value += 6 * around.and(own).count()
	return value
}

// Evaluate is how the seat whose action is next stands: at the start of a turn
// as the other has left it, within one as if it ended now.
func (s *State) Evaluate() int {
	cost := s.strikeNow()
	if cost <= int(s.points) {
		return 9000 - cost
	}
	if s.acted {
		value, lost := s.ended()
		if lost {
			value -= 2000
		}
		return value
	}
	s.mover ^= 1
	value, _ := s.ended()
	s.mover ^= 1
	return -value
}
