package rating

import "time"

// Player is somebody at a table, and how the match ended for them.
type Player struct {
	Rating Rating        // after their last rated match; New() where there is none
	Idle   time.Duration // since that match; 0 where there is none
	// Place is 1 for the best; who shares a place is level, as those are who
	// share a win.
	Rank int
}

// Table is the ratings of everybody at a table after the match, in the same
// order. Between two it is Glicko-2 as in the paper. Of three and more each
// player is compared by place with each other, a better place being a win, the
// same place a draw; and as these are results of one match and not of several,
// each counts 1/(n-1) of one. All are rated from what was known as the match
// began. A table of fewer than two changes nothing but the deviation.
func RateMatch(players []Player) []Rating {
	began := make([]Rating, len(players))
	for i, p := range players {
		began[i] = p.Rating.After(p.Idle)
	}
	after := make([]Rating, len(players))
	for i, p := range players {
		var meetings []Result
		for j, other := range players {
			if i != j {
				meetings = append(meetings, Result{
					Opponent: began[j], Score: score(p.Rank, other.Rank), Weight: 1 / float64(len(players)-1),
				})
			}
		}
		after[i] = Update(p.Rating, periods(p.Idle), meetings...)
	}
	return after
}

// score is the result of a place against another.
func score(place, other int) float64 {
	switch {
	case place < other:
		return 1
	case place > other:
		return 0
	}
	return 0.5
}
