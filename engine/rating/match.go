package rating

import (
	"math"
	"time"
)

// Player is a player of a match, and how they did.
type Player struct {
	Rating Rating        // after their last rated match; New() if there is none
	Idle   time.Duration // since that match; 0 if there is none
	Rank   int           // 1 for the best; players who share a rank are tied
	// Met holds how many rated matches with each of the players, by index, have
	// ended in the time Repeat before this one. It may be shorter: then there
	// were none with the rest.
	Met []int
	// New says that their account had been made shortly before the match.
	New bool
}

// Two players who meet often within the time Repeat tell little new: after
// FullMatches, every further match counts half of the one before.
const (
	Repeat      = 7 * 24 * time.Hour
	FullMatches = 3
)

// meeting returns how much the result against another player counts, from 0 to 1.
func (p Player) meeting(with int) float64 {
	if with >= len(p.Met) {
		return 1
	}
	return math.Ldexp(1, min(0, max(FullMatches-1-p.Met[with], -lastHalving)))
}

// newAccount is how much a result against a new account counts.
const newAccount = 0.25

// credit returns how much a result against a player counts for another one, from 0 to
// 1, given their ratings before the match. A player whose rating is provisional, and
// less certain than that of the other, tells little about the other's strength: in the
// sums of the paper, the result has the weight of the square of the quotient of both
// deviations. Among newcomers, whose ratings are equally uncertain, all counts.
func (p Player) credit(own, before Rating) float64 {
	w := min(1, square(max(own.Deviation, ProvisionalDeviation)/before.Deviation))
	if p.New {
		w *= newAccount
	}
	return w
}

// lastHalving keeps weights above 0.
const lastHalving = 50

// Weight returns how much of a match counts for one of its players because of earlier
// matches with the others: the mean over them. Without others it is 1.
func Weight(players []Player, who int) float64 {
	sum, others := 0.0, float64(len(players)-1)
	for i := range players {
		if i != who {
			sum += players[who].meeting(i) / others
		}
	}
	if len(players) < 2 {
		return 1
	}
	return sum
}

// RateMatch returns the ratings of all players after a match, in the same order.
//
// With two players whose ratings are equally certain it is Glicko-2 as in the paper. With n players, each plays
// every other: a better rank is a win and the same rank a draw. These results
// come from one match, so each has the weight 1/(n-1), and less between two who
// have met often lately or against somebody whose rating is uncertain. All results are computed from the ratings before the
// match. With fewer than two players only the
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
					Opponent: before[j], Score: score(p.Rank, other.Rank), Weight: p.meeting(j) * other.credit(before[i], before[j]) / float64(len(players)-1),
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
