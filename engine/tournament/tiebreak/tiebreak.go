// Package tiebreak computes the figures by which players with the same score are told
// apart, as FIDE Handbook C.07 (2024) defines them. Scores are in half points, figures in
// points.
package tiebreak

import "slices"

// Result is a finished game, or a round without one if Second is negative. Players are
// named by their index.
type Result struct {
	Round                     int // from 1
	First, Second             int
	FirstPoints, SecondPoints int  // half points
	Unplayed                  bool // a bye, or a game to which somebody did not come
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
		if r.Second >= 0 && !r.Unplayed {
			seconds[r.Second]++
		}
	}
	return seconds
}

// DirectEncounter returns the half points of each of the tied players in their games with
// each other, in the order of tied, and whether all of them have met.
func DirectEncounter(n int, results []Result, tied []int) (points []int, met bool) {
	points = make([]int, len(tied))
	pairs := map[[2]int]bool{}
	for _, r := range results {
		if r.Second < 0 || !slices.Contains(tied, r.First) || !slices.Contains(tied, r.Second) {
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
// the lowest cut ones. It is meant for Swiss (C.07, article 16): in rounds without a game
// a player counts as having met somebody with their own score, and if they have left, the
// rounds that they missed at the end count as draws for those who have met them. Of the
// sum, rounds that a player missed of their own accord are left out first.
func Buchholz(n int, results []Result, cut int) []float64 {
	rounds := 0
	for _, r := range results {
		rounds = max(rounds, r.Round)
	}
	scores := Scores(n, results)
	type cell struct {
		opponent, points int
		there, played    bool
	}
	cells := make([][]cell, n)
	for p := range cells {
		cells[p] = make([]cell, rounds)
		for i := range cells[p] {
			cells[p][i].opponent = -1
		}
	}
	for _, r := range results {
		r.sides(func(p, opponent, points int) {
			// A point without a game is no absence: there was nobody to play.
			cells[p][r.Round-1] = cell{opponent, points, !r.Unplayed || points == 2, !r.Unplayed}
		})
	}
	adjusted := make([]int, n)
	for p := range n {
		adjusted[p] = scores[p]
		for i := rounds - 1; i >= 0 && !cells[p][i].there; i-- {
			adjusted[p] += 1 - cells[p][i].points
		}
	}
	sums := make([]float64, n)
	for p := range n {
		var missed, others []int
		for _, c := range cells[p] {
			switch {
			case c.played:
				others = append(others, adjusted[c.opponent])
			case c.there:
				others = append(others, scores[p])
			default:
				missed = append(missed, scores[p])
			}
		}
		slices.Sort(others)
		of := append(missed, others...)
		for _, points := range of[min(cut, len(of)):] {
			sums[p] += float64(points) / 2
		}
	}
	return sums
}
