package towersearch

// far is how many points more than there are a strike is of interest.
const far = 3

// weights is what things are worth.
type weights struct {
	reserve int          // a pawn in reserve
	single  int          // a pawn on the board
	tower   int          // a tower higher than 1
	higher  int          // every pawn of it above the second
	near    int          // an own piece beside the master
	open    int          // an empty cell beside the master
	threat  [far + 1]int // a strike at the other master that lacks so many points, with the other to move
	attack  [far + 1]int // one at the own master
}

// ended is how much better than the other the player stands whose turn it is,
// were he to end it now. Lost says that his master could be taken at once.
func (s *State) ended() (value int, lost bool) {
	m := s.mover & 1
	w := s.weights
	mine := int(s.reserve[m]) + s.board[s.master[m]&(cells-1)].height() - 1
	theirs := int(s.reserve[m^1])
	free := s.free(s.walls)
	value = s.side(m, mine, free) - s.side(m^1, theirs, free)
	if lacks := s.strike(m, mine+far, mine) - mine; lacks <= far {
		value += w.threat[max(lacks, 0)]
	}
	lacks := s.strike(m^1, theirs+far, theirs) - theirs
	if lacks <= far {
		value -= w.attack[max(lacks, 0)]
	}
	return value, lacks <= 0
}

// side is what a player has.
func (s *State) side(player uint8, reserve int, free set) int {
	w := s.weights
	value := w.reserve * reserve
	at := only(s.master[player&1])
	own := s.own[player&1]
	tall := own.and(s.tall).without(at)
	value += w.single * (own.count() - tall.count())
	for !tall.empty() {
		c := tall.first()
		tall.remove(c)
		value += w.tower + w.higher*(s.board[c&(cells-1)].height()-2)
	}
	around := at.around()
	return value + w.near*around.and(own).count() + w.open*around.and(free).count()
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

// weightsOf is the weights on a board of that size.
func weightsOf(int) *weights { return &standard }

var standard = weights{
	reserve: 150,
	single:  50,
	tower:   85,
	higher:  35,
	near:    6,
	threat:  [far + 1]int{60, 25, 12, 6},
	attack:  [far + 1]int{300, 30, 15, 8},
}
