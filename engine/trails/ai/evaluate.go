package ai

import (
	"math"
	"math/bits"

	"castellan/engine/search"
)

// weight is what a term counts on an empty board and on a full one, in the
// units of search.Evaluator; in between it is in between.
type weight struct{ open, late float64 }

// The weights were fitted to 12,000 positions of games on boards of 7 to 13
// squares, more than half of them solved, by logistic regression. Space counts
// one way while somebody reaches the towers that he lacks before the other, and
// another way when nobody does.
var (
	contested = terrain{
		toMove: weight{5, -65},
		first:  weight{-90, 498}, reach: weight{40, 31},
	}
	barren = terrain{
		toMove: weight{22, -96}, even: weight{-8, 8},
		first: weight{120, 536}, reach: weight{79, 1},
	}
	able    = weight{-223, 136}
	share   = weight{-13, 404}
	close   = weight{-537, -309}
	nearer  = weight{1574, 294}
	racing  = weight{606, 332}
	leading = weight{297, 408}
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

// prospect is what towers promise a player; nothing where he cannot reach as
// many as he lacks.
type prospect struct {
	able    float64 // 1
	share   float64 // of those that he lacks he reaches so many before the other, from 0 to 1
	close   float64 // for every tower that he reaches, one over the moves it takes
	nearer  float64 // the same over how many he lacks
	racing  float64 // one over the moves to the last of those that he lacks
	leading float64 // the same of those alone that he reaches before the other
}

// ranking is times, the soonest first.
type ranking struct {
	times [mostTowers]uint8
	n     int
}

func (o *ranking) add(t uint8) {
	k := o.n
	for ; k > 0 && o.times[k-1] > t; k-- {
		o.times[k] = o.times[k-1]
	}
	o.times[k] = t
	o.n++
}

// towers is what towers promise a player who lacks so many: 0 for the mover.
func (v *sight) towers(i, lacks int) (p prospect) {
	var all, ahead ranking
	for k, t := range v.tower[i&1][:v.left] {
		if t == never {
			continue
		}
		p.close += 1 / float64(t)
		all.add(t)
		if other := v.tower[i&1^1][k]; t < other || t == other && i == 0 {
			ahead.add(t)
		}
	}
	if all.n < lacks {
		return prospect{}
	}
	p.able = 1
	p.nearer = p.close / float64(lacks)
	p.racing = 1 / float64(all.times[lacks-1])
	p.share = min(1, float64(ahead.n)/float64(lacks))
	if ahead.n >= lacks {
		p.leading = 1 / float64(ahead.times[lacks-1])
	}
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
	if own.leading == 0 && his.leading == 0 {
		ground = &barren
	}
	sum := ground.toMove.at(free) +
		ground.even.at(free)*float64(v.even) +
		ground.first.at(free)*(logs[v.first[0]+1]-logs[v.first[1]+1]) +
		ground.reach.at(free)*(logs[v.reach[0]+1]-logs[v.reach[1]+1]) +
		able.at(free)*(own.able-his.able) +
		share.at(free)*(own.share-his.share) +
		close.at(free)*(own.close-his.close) +
		nearer.at(free)*(own.nearer-his.nearer) +
		racing.at(free)*(own.racing-his.racing) +
		leading.at(free)*(own.leading-his.leading)
	return int(max(-search.MaxValue, min(math.Round(sum), search.MaxValue)))
}
