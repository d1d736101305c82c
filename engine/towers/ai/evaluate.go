package ai

import "castellan/engine/towers/internal/board"

// far is the greatest number of points lacking for a strike that the evaluation
// considers.
const far = 3

type weights struct {
	reserve int          // a pawn in reserve
	support int          // a pawn in reserve and a piece on the board
	single  int          // a pawn on the board
	tower   int          // a tower higher than 1
	higher  int          // each pawn of it above the second
	near    int          // an own piece beside the master
	threat  [far + 1]int // a strike at the opponent's master that lacks so many points, with the opponent to move
	attack  [far + 1]int // the same at the own master
}

// masterValue is the evaluation of a strike in this turn; exposedPenalty is
// subtracted for one that the opponent threatens.
const (
	masterValue    = 9_000
	exposedPenalty = 2_000
)

// evaluateTurnEnd returns the evaluation for the side to move as if it ended
// its turn now. lost reports that its master could then be taken at once.
func (s *State) evaluateTurnEnd() (value int, lost bool) {
	m := s.Mover & 1
	w := s.weights
	mine := int(s.Reserve[m]) + s.Board[s.Master[m]&(board.Cells-1)].Height() - 1
	theirs := int(s.Reserve[m^1])
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

// material returns the difference in material for the side to move as if it
// ended its turn now.
func (s *State) material() int {
	m := s.Mover & 1
	mine := int(s.Reserve[m]) + s.Board[s.Master[m]&(board.Cells-1)].Height() - 1
	return s.sideMaterial(m, mine) - s.sideMaterial(m^1, int(s.Reserve[m^1]))
}

func (s *State) sideMaterial(player uint8, reserve int) int {
	w := s.weights
	value := (w.reserve + w.support*s.Own[player&1].Count()) * reserve
	at := board.Only(s.Master[player&1])
	own := s.Own[player&1]
	tall := own.Without(s.Single.Or(at))
	value += w.single * (own.Count() - tall.Count())
	for !tall.Empty() {
		c := tall.First()
		tall.Remove(c)
		value += w.tower + w.higher*(s.Board[c&(board.Cells-1)].Height()-2)
	}
	return value + w.near*at.Around().And(own).Count()
}

// Evaluate returns the evaluation for the side to move: at the start of a turn
// as the opponent left it, within a turn as if it ended now.
func (s *State) Evaluate() int {
	if cost := s.strikeNow(); cost < never {
		return masterValue - cost
	}
	if s.Acted() {
		value, lost := s.evaluateTurnEnd()
		if lost {
			value -= exposedPenalty
		}
		return value
	}
	s.Mover ^= 1
	value, _ := s.evaluateTurnEnd()
	s.Mover ^= 1
	return -value
}

// fittedWeights are the weights of all players but the master. The reserve counts
// most by far: it is the move points of all turns to come. In matches at 4,000 nodes on 7x7, 110
// for it beat 80 with 65 % of 160 games; 110, 150 and 200 were even in 300
// games a pair. A weight that falls with every further pawn scored 34 % of 160.
var fittedWeights = weights{
	reserve: 150,
	single:  50,
	tower:   85,
	higher:  35,
	near:    6,
	threat:  [far + 1]int{60, 25, 12, 6},
	attack:  [far + 1]int{300, 30, 15, 8},
}

// masterWeights are the weights of the master. Those of pawns and towers follow,
// roughly, a least-squares fit to the values of searches four and five turns deep,
// of 1,519 positions on 5x5. A pawn in reserve is worth more the more pieces it can
// move; a tower is worth less than its pawns on their own, the less the higher it
// is: it moves slowly.
var masterWeights = weights{
	reserve: 120,
	support: 14,
	single:  52,
	tower:   30,
	higher:  -40,
	near:    3,
	threat:  fittedWeights.threat,
	attack:  fittedWeights.attack,
}
