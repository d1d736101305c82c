package ratings

import (
	"slices"
	"time"

	"castellan/engine/rating"
	"castellan/storage"
)

// isRated reports whether a match with these results changes ratings.
func isRated(rec storage.Match, results []storage.SeatResult) bool {
	return !rec.Unrated && len(results) == len(rec.Seats) && Distinct(rec.Seats)
}

// Distinct reports whether no player has two seats. Only the level of a computer
// can have them, and its rating cannot win and lose at once.
func Distinct(players []storage.Person) bool {
	known := map[string]bool{}
	for _, p := range players {
		known[p.ID] = true
	}
	return len(known) == len(players)
}

// Changes returns the rating changes of a match that has ended, by seat, or nil if
// it is not rated. level returns the rating of a computer's level, which stays the
// same; a match against it counts in full however often it is repeated.
func Changes(rec storage.Match, results []storage.SeatResult, level func(game, key string) rating.Rating, past Past) []storage.RatingChange {
	if !isRated(rec, results) {
		return nil
	}
	players := make([]rating.Player, len(rec.Seats))
	for i, p := range rec.Seats {
		players[i] = rating.Player{Rating: rating.New(), Rank: results[i].Place}
		if p.Level != "" {
			players[i].Rating = level(rec.Game, p.Level)
			continue
		}
		if r, ok := past.Rating(p.ID); ok {
			players[i].Rating = rating.Rating(r.Estimate)
			players[i].Idle = rec.EndedAt.Sub(r.At)
		}
		players[i].Met = make([]int, len(rec.Seats))
		for j, other := range rec.Seats {
			if i != j && other.Level == "" {
				players[i].Met[j] = past.Met(p.ID, other.ID)
			}
		}
	}
	all := make([]storage.RatingChange, len(players))
	for i, after := range rating.RateMatch(players) {
		established := establishedUntil(after, rec.EndedAt)
		if rec.Seats[i].Level != "" {
			after, established = players[i].Rating, rec.EndedAt.AddDate(100, 0, 0)
		}
		all[i] = storage.RatingChange{
			Match: rec.ID, Seat: i + 1, Person: rec.Seats[i], Game: rec.Game, List: List(rec),
			Place: results[i].Place, At: rec.EndedAt, Weight: rating.Weight(players, i),
			Before: storage.Estimate(players[i].Rating), After: storage.Estimate(after), EstablishedUntil: established,
		}
	}
	return all
}

// establishedUntil returns the time at which a rating becomes provisional, or the
// zero time if it already is.
func establishedUntil(r rating.Rating, at time.Time) time.Time {
	if d := r.ProvisionalAfter(); d > 0 {
		return at.Add(d)
	}
	return time.Time{}
}

// PastOf returns what current ratings and counts of meetings say.
func PastOf(current []storage.Rating, met []storage.Meetings) Past {
	return Past{
		Rating: func(person string) (storage.Rating, bool) {
			i := slices.IndexFunc(current, func(r storage.Rating) bool { return r.Person.ID == person })
			if i < 0 {
				return storage.Rating{}, false
			}
			return current[i], true
		},
		Met: func(a, b string) int {
			i := slices.IndexFunc(met, func(m storage.Meetings) bool { return m.A == min(a, b) && m.B == max(a, b) })
			if i < 0 {
				return 0
			}
			return met[i].Count
		},
	}
}
