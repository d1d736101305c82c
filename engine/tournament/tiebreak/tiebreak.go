// Package tiebreak computes the figures by which players with the same score are told
// apart, as FIDE Handbook C.07 (in force from March 2026) defines them. Scores are in half
// points, figures in points.
package tiebreak

import "slices"

// Result is a game, or a round without one if Second is negative. Players are named by
// their index. Somebody without a Result in a round has missed it without points.
type Result struct {
	Round                     int // from 1
	First, Second             int
	FirstPoints, SecondPoints int  // half points
	Unplayed                  bool // a bye, or a game to which somebody did not come
	Open                      bool // a game that is not over: it has no points yet
}

// sides calls do for both players of a result, with the opponent, negative if there is
// none, and their half points.
func (r Result) sides(do func(player, opponent, points int)) {
	do(r.First, r.Second, r.FirstPoints)
	if r.Second >= 0 {
		do(r.Second, r.First, r.SecondPoints)
	}
}

// Scores returns the sum of each of n players, in half points.
func Scores(n int, results []Result) []int {
	scores := make([]int, n)
	for _, r := range results {
		r.sides(func(p, _, points int) { scores[p] += points })
	}
	return scores
}

// Wins returns how many games each of n players has won on the board.
func Wins(n int, results []Result) []int {
	wins := make([]int, n)
	for _, r := range results {
		r.sides(func(p, _, points int) {
			if points == 2 && !r.Unplayed {
				wins[p]++
			}
		})
	}
	return wins
}

// SecondsPlayed returns how many games each of n players has played as the second to move.
func SecondsPlayed(n int, results []Result) []int {
	seconds := make([]int, n)
	for _, r := range results {
		if r.Second >= 0 && !r.Unplayed && !r.Open {
			seconds[r.Second]++
		}
	}
	return seconds
}

// DirectEncounter returns the half points of each of the tied players in their games with
// each other, in the order of tied, and whether all of them have met. Games to which
// somebody did not come count like any other, as they should in a round robin (C.07,
// article 15); for Swiss, leave them out of the results.
func DirectEncounter(n int, results []Result, tied []int) (points []int, met bool) {
	points = make([]int, len(tied))
	pairs := map[[2]int]bool{}
	for _, r := range results {
		if r.Second < 0 || r.Open || !slices.Contains(tied, r.First) || !slices.Contains(tied, r.Second) {
			continue
		}
		r.sides(func(p, _, got int) { points[slices.Index(tied, p)] += got })
		pairs[[2]int{min(r.First, r.Second), max(r.First, r.Second)}] = true
	}
	return points, len(pairs) == len(tied)*(len(tied)-1)/2
}

// SonnebornBerger returns for each of n players the sum of the scores of those whom they
// have beaten and half of the scores of those with whom they have drawn. It is meant for
// round robins, in which a game to which somebody did not come counts like any other
// (C.07, article 15).
func SonnebornBerger(n int, results []Result) []float64 {
	scores, sums := Scores(n, results), make([]float64, n)
	for _, r := range results {
		r.sides(func(p, opponent, points int) {
			if opponent >= 0 {
				sums[p] += float64(points*scores[opponent]) / 4
			}
		})
	}
	return sums
}

// Buchholz returns for each of n players the sum of the scores of their opponents without
// the lowest cut ones. It is meant for Swiss. Rounds without a game count by article 16 of
// C.07:
//   - For their opponents, a player who has left, or missed the last rounds with notice,
//     has drawn these; other rounds count with the points that they gave (16.3).
//   - For themselves, a player has met somebody with their own score, but no more than the
//     score of an opponent who did not come, or whom they left waiting, and otherwise no
//     more than a draw in every round so far (16.4).
//   - Rounds that a player missed, with or without notice, are cut before others (16.5).
//
// Games that are not over add nothing.
func Buchholz(n int, results []Result, cut int) []float64 {
	rounds := 0
	for _, r := range results {
		rounds = max(rounds, r.Round)
	}
	scores := Scores(n, results)
	type cell struct {
		opponent, points int
		played, open     bool
	}
	cells := make([][]cell, n)
	for p := range cells {
		cells[p] = slices.Repeat([]cell{{opponent: -1}}, rounds)
	}
	for _, r := range results {
		r.sides(func(p, opponent, points int) {
			cells[p][r.Round-1] = cell{opponent, points, !r.Unplayed && !r.Open, r.Open}
		})
	}
	// A point without a game is not missed: there was nobody to play.
	missed := func(c cell) bool { return !c.played && !c.open && c.points < 2 }
	adjusted := slices.Clone(scores)
	for p := range n {
		for i := rounds - 1; i >= 0 && missed(cells[p][i]); i-- {
			if cells[p][i].opponent < 0 {
				adjusted[p] += 1 - cells[p][i].points
			}
		}
	}
	sums := make([]float64, n)
	for p := range n {
		var first, others []int // what is cut first, and then
		for _, c := range cells[p] {
			if c.open {
				continue
			}
			points := min(scores[p], rounds)
			switch {
			case c.played:
				points = adjusted[c.opponent]
			case c.opponent >= 0:
				points = min(scores[p], adjusted[c.opponent])
			}
			if missed(c) {
				first = append(first, points)
			} else {
				others = append(others, points)
			}
		}
		slices.Sort(first)
		slices.Sort(others)
		of := append(first, others...)
		for _, points := range of[min(cut, len(of)):] {
			sums[p] += float64(points) / 2
		}
	}
	return sums
}
