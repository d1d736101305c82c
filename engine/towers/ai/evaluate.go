package ai

// far is how many points more than there are a strike is of interest.
const far = 3

// weights is what things are worth.
type weights struct {
	reserve int          // a pawn in reserve
	single  int          // a pawn on the board
	tower   int          // a tower higher than 1
	higher  int          // every pawn of it above the second
	near    int          // an own piece beside the master
	threat  [far + 1]int // a strike at the other master that lacks so many points, with the other to move
	attack  [far + 1]int // one at the own master
}

// What Evaluate says of a master that can be taken in this turn, and takes off
// for one that could be in the next.
const (
	masterValue    = 9_000
	exposedPenalty = 2_000
)

// ended is how much better than the other the player stands whose turn it is,
// were he to end it now. Lost says that his master could be taken at once.
func (s *State) evaluateTurnEnd() (value int, lost bool) {
	m := s.mover & 1
	w := &fittedWeights
	mine := int(s.reserve[m]) + s.board[s.master[m]&(cells-1)].height() - 1
	theirs := int(s.reserve[m^1])
	value = s.material()
	if lacks := s.strike(m, mine+far, mine) - mine; lacks <= far {
		value += w.threat[max(lacks, 0)]
	}
	lacks := s.strike(m^1, theirs+far, theirs) - theirs
	if lacks <= far {
		value -= w.attack[max(lacks, 0)]
	}
	return value, lacks <= 0
}

// material is how much more the player has whose turn it is, were he to end it
// now.
func (s *State) material() int {
	m := s.mover & 1
	mine := int(s.reserve[m]) + s.board[s.master[m]&(cells-1)].height() - 1
	return s.sideMaterial(m, mine) - s.sideMaterial(m^1, int(s.reserve[m^1]))
}

// side is what a player has.
func (s *State) sideMaterial(player uint8, reserve int) int {
	w := &fittedWeights
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
	return value + w.near*at.around().and(own).count()
}

// Evaluate is how the seat whose action is next stands: at the start of a turn
// as the other has left it, within one as if it ended now.
func (s *State) Evaluate() int {
	if cost := s.strikeNow(); cost < never {
		return masterValue - cost
	}
	if s.acted {
		value, lost := s.evaluateTurnEnd()
		if lost {
			value -= exposedPenalty
		}
		return value
	}
	s.mover ^= 1
	value, _ := s.evaluateTurnEnd()
	s.mover ^= 1
	return -value
}

// worth is the weights. The reserve counts most by far: it is the move points
// of every turn to come. In matches at 4,000 nodes 110 for it beat 80 on 7x7 with
// 65 % of 160 games; 110, 150 and 200 could not be told apart in 300 games a
// pair, while a worth that falls with every further pawn took 34 % of 160.
var fittedWeights = weights{
	reserve: 150,
	single:  50,
	tower:   85,
	higher:  35,
	near:    6,
	threat:  [far + 1]int{60, 25, 12, 6},
	attack:  [far + 1]int{300, 30, 15, 8},
}
