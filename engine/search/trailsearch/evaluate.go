package trailsearch

import (
	"math"
	"math/bits"

	"castellan/engine/search"
)

// weight is what a term counts on an empty board and on a full one, in the
// units of search.Evaluator; in between it is in between.
type weight struct{ open, late float64 }

// The weights were fitted to 16,000 positions of games on boards of 7 to 13
// squares, half of them solved, by logistic regression: those of space while
// somebody can still win by towers, and when nobody can.
var (
	contested = terrain{
		toMove: weight{6, -18}, even: weight{6, -17},
		first: weight{28, 415}, reach: weight{137, -86},
	}
	barren = terrain{
		toMove: weight{130, -143}, even: weight{-9, -7},
		first: weight{69, 529}, reach: weight{128, 2},
	}
	able   = weight{-673, -10}
	close  = weight{129, 107}
	racing = weight{1115, 848}
	lacks  = weight{474, 274}
)

// terrain is what space counts.
type terrain struct {
	toMove weight // the move itself
	even   weight // each of the mover's squares that the other reaches as soon
	first  weight // the logarithm of how many squares are reached first
	reach  weight // and of how many are reached at all
}

// at is what a term counts where so much of the board is free, from 0 to 1.
func (w weight) at(free float64) float64 { return w.late + (w.open-w.late)*free }

// logs is the natural logarithm of numbers from 1 to the cells of a board.
var logs = func() (t [mostCells + 2]float64) {
	for i := range t {
		t[i] = math.Log(float64(max(i, 1)))
	}
	return t
}()

// prospect is what towers promise a player.
type prospect struct {
	able   float64 // 1 where he reaches as many towers as he lacks
	close  float64 // for every tower that he reaches, one over the moves it takes
	racing float64 // one over the moves to the last of those that he lacks
	lacks  float64 // one over how many he lacks
}

// towers is what towers promise a player who lacks so many.
func (v *sight) towers(i int, lacks int) (p prospect) {
	var soonest [mostTowers]uint8 // the times in order
	n := 0
	for _, t := range v.tower[i&1][:v.left] {
		if t == never {
			continue
		}
		p.close += 1 / float64(t)
		k := n
		for ; k > 0 && soonest[k-1] > t; k-- {
			soonest[k] = soonest[k-1]
		}
		soonest[k] = t
		n++
	}
	if n < lacks {
		return prospect{}
	}
	p.able, p.lacks, p.racing = 1, 1/float64(lacks), 1/float64(soonest[lacks-1])
	return p
}

// Evaluate weighs which part of the board each reaches first, and how soon each
// can have the towers that he lacks.
func (s *State) Evaluate() int {
	var v sight
	s.look(&v)
	n := 0
	for _, w := range s.free[:s.geo.words] {
		n += bits.OnesCount64(w)
	}
	free := float64(n) / float64(s.geo.cells)
	own := v.towers(0, int(s.need-s.sides[s.mover].taken))
	his := v.towers(1, int(s.need-s.sides[s.mover^1].taken))
	ground := &contested
	if own.able == 0 && his.able == 0 {
		ground = &barren
	}
	sum := ground.toMove.at(free) +
		ground.even.at(free)*float64(v.even) +
		ground.first.at(free)*(logs[v.first[0]+1]-logs[v.first[1]+1]) +
		ground.reach.at(free)*(logs[v.reach[0]+1]-logs[v.reach[1]+1]) +
		able.at(free)*(own.able-his.able) +
		close.at(free)*(own.close-his.close) +
		racing.at(free)*(own.racing-his.racing) +
		lacks.at(free)*(own.lacks-his.lacks)
	return int(max(-search.MaxValue, min(math.Round(sum), search.MaxValue)))
}
