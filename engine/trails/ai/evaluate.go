package ai

import (
	"math"
	"math/bits"

	"castellan/engine/search"
)

// weight is the weight of a term on an empty and on a full board, in the units
// of search.Evaluator; in between it is interpolated.
type weight struct{ open, late float64 }

// The weights were fitted by logistic regression to 12,000 positions of games
// on boards of 7 to 13 squares, more than half of them solved. Space counts
// differently when nobody reaches the towers they lack before the opponent.
var (
	contested = spaceWeights{
		toMove: weight{5, -65},
		first:  weight{-90, 498}, reach: weight{40, 31},
	}
	barren = spaceWeights{
		toMove: weight{22, -96}, even: weight{-8, 8},
		first: weight{120, 536}, reach: weight{79, 1},
	}
	able    = weight{-223, 136}
	share   = weight{-13, 404}
	closest = weight{-537, -309}
	nearer  = weight{1574, 294}
	racing  = weight{606, 332}
	leading = weight{297, 408}
)

type spaceWeights struct {
	toMove weight // having the move
	even   weight // each of the mover's squares that the opponent reaches as soon
	first  weight // logarithm of the number of squares reached first
	reach  weight // logarithm of the number of squares reached at all
}

// at interpolates for a free part of the board, from 0 to 1.
func (w weight) at(free float64) float64 { return w.late + (w.open-w.late)*free }

// logs tabulates natural logarithms up to the number of cells.
var logs = func() (t [mostCells + 2]float64) {
	for i := range t {
		t[i] = math.Log(float64(max(i, 1)))
	}
	return t
}()

// towerOutlook holds the terms for towers of one player. All are 0 if the
// player cannot reach as many as they lack.
type towerOutlook struct {
	able    float64 // 1
	share   float64 // of the towers that they lack, the part reached first, from 0 to 1
	close   float64 // sum over reachable towers of one over the moves to it
	nearer  float64 // close over the number of towers lacking
	racing  float64 // one over the moves to the last tower lacking
	leading float64 // the same among towers reached first
}

// sortedTimes holds times in ascending order.
type sortedTimes struct {
	times [mostTowers]uint8
	n     int
}

func (o *sortedTimes) add(t uint8) {
	k := o.n
	for ; k > 0 && o.times[k-1] > t; k-- {
		o.times[k] = o.times[k-1]
	}
	o.times[k] = t
	o.n++
}

// towers returns the outlook of player i, 0 for the mover, who lacks that many.
func (v *reachability) towers(i, lacks int) (p towerOutlook) {
	var all, ahead sortedTimes
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
		return towerOutlook{}
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

// Evaluate weighs the squares that each player reaches first, and how soon each
// can take the towers they lack.
func (s *State) Evaluate() int { return s.evaluate(horizon) }

// evaluate looks only a number of moves ahead.
func (s *State) evaluate(steps int) int {
	var v reachability
	s.computeReach(&v, steps)
	n := 0
	for _, w := range s.free[:s.geo.words] {
		n += bits.OnesCount64(w)
	}
	free := float64(n) / float64(s.geo.cells)
	mover := s.Mover()
	own := v.towers(0, s.TowersToWin()-s.Taken(mover))
	theirs := v.towers(1, s.TowersToWin()-s.Taken(3-mover))
	ground := &contested
	if own.leading == 0 && theirs.leading == 0 {
		ground = &barren
	}
	sum := ground.toMove.at(free) +
		ground.even.at(free)*float64(v.even) +
		ground.first.at(free)*(logs[v.first[0]+1]-logs[v.first[1]+1]) +
		ground.reach.at(free)*(logs[v.reach[0]+1]-logs[v.reach[1]+1]) +
		able.at(free)*(own.able-theirs.able) +
		share.at(free)*(own.share-theirs.share) +
		closest.at(free)*(own.close-theirs.close) +
		nearer.at(free)*(own.nearer-theirs.nearer) +
		racing.at(free)*(own.racing-theirs.racing) +
		leading.at(free)*(own.leading-theirs.leading)
	return int(max(-search.MaxValue, min(math.Round(sum), search.MaxValue)))
}
