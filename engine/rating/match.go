package rating

import "time"

// Player is a player of a match, and how they did.
type Player struct {
	Rating Rating        // after their last rated match; New() if there is none
	Idle   time.Duration // since that match; 0 if there is none
	Rank   int           // 1 for the best; players who share a rank are tied
}

// RateMatch returns the ratings of all players after a match, in the same order.
//
// With two players it is Glicko-2 as in the paper. With n players, each plays
// every other: a better rank is a win and the same rank a draw. These results
// come from one match, so each has the weight 1/(n-1). All results are computed
// from the ratings before the match. With fewer than two players only the
// deviations change.
func RateMatch(players []Player) []Rating {
	before := make([]Rating, len(players))
	for i, p := range players {
		before[i] = p.Rating.After(p.Idle)
	}
	after := make([]Rating, len(players))
	for i, p := range players {
		var results []Result
		for j, other := range players {
			if i != j {
				results = append(results, Result{
					Opponent: before[j], Score: score(p.Rank, other.Rank), Weight: 1 / float64(len(players)-1),
				})
			}
		}
		after[i] = Update(p.Rating, periods(p.Idle), results...)
	}
	return after
}

// score returns the score of a rank against another.
func score(rank, other int) float64 {
	switch {
	case rank < other:
		return 1
	case rank > other:
		return 0
	}
	return 0.5
}
