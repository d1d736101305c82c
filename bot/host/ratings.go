package host

import (
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// finish records the end of a match with its results and rating changes, and
// returns the record afterwards.
func (h *Host) finish(tx storage.Tx, id storage.MatchID, m *match.Match, out match.Outcome) (rec storage.Match, err error) {
	if err := tx.EndMatch(id, string(out.Ending), out.At); err != nil {
		return rec, err
	}
	if err := tx.RecordResults(id, seatResults(out)); err != nil {
		return rec, err
	}
	if rec, err = tx.Match(id); err != nil {
		return rec, err
	}
	if err := reviseThreadChallenge(tx, rec); err != nil {
		return rec, err
	}
	if err := h.noteShortResignations(tx, rec); err != nil {
		return rec, err
	}
	list := ratingList(rec)
	current, err := tx.SeatRatings(id, list)
	if err != nil {
		return rec, err
	}
	met, err := tx.RatedMeetings(id, list, rec.EndedAt.Add(-rating.Repeat))
	if err != nil {
		return rec, err
	}
	changes := ratingChanges(rec, m, rec.Results, h.levelRating, pastOf(current, met))
	if len(changes) == 0 {
		return rec, nil
	}
	return rec, tx.AddRatingChanges(changes)
}

// levelRating returns the rating of a computer's level, which matches do not
// change: its measured place on the ladder. A level that the game no longer has
// is rated like a new player.
func (h *Host) levelRating(game, key string) rating.Rating {
	r := rating.New()
	r.Deviation = rating.MinDeviation
	if l, err := h.level(game, key); err == nil {
		r.Mean = l.Rating
	}
	return r
}

// IsProvisional reports whether an estimate was provisional at the time of the
// match that it comes from.
func IsProvisional(e storage.Estimate) bool { return rating.Rating(e).IsProvisional() }

// FullMatches is how many rated matches of two people within seven days count in
// full; each further one counts half of the one before.
const FullMatches = rating.FullMatches

// seatResults returns the result of each seat, or nil after an abort.
func seatResults(out match.Outcome) []storage.SeatResult {
	if out.Ending == match.ByAbort {
		return nil
	}
	all := make([]storage.SeatResult, len(out.Result.Ranks))
	for i, place := range out.Result.Ranks {
		r := storage.Lost
		switch won := slices.Contains(out.Result.Winners, engine.Seat(i+1)); {
		case len(out.Result.Winners) == 0:
			r = storage.Drawn
		case won && len(out.Result.Winners) > 1:
			r = storage.Shared
		case won:
			r = storage.Won
		}
		all[i] = storage.SeatResult{Place: place, Result: r}
	}
	return all
}

func ratingList(rec storage.Match) storage.RatingList {
	if slices.ContainsFunc(rec.Seats, func(p storage.Person) bool { return p.Level != "" }) {
		return storage.ComputerList
	}
	return storage.PeopleList
}

// pastRatings is what is known of the people of a match when it ends, on its list.
type pastRatings struct {
	// Rating returns the rating of a person, if there is one.
	Rating func(person string) (storage.Rating, bool)
	// Met counts the matches of two people that were rated together in the time
	// rating.Repeat before.
	Met func(a, b string) int
}

func changesRatings(rec storage.Match, m *match.Match, results []storage.SeatResult) bool {
	return !m.Voided() && !rec.Unrated && len(results) == len(rec.Seats) && DistinctPlayers(rec.Seats) && m.Position().Turns() >= LeastTurns(m)
}

// LeastTurns returns how many turns all players together must have completed for the
// result of a match to be rated: a quarter of a usual match. It is 0 if the game does
// not know how long its matches are.
func LeastTurns(m *match.Match) int {
	return usualTurns(m.Game(), m.Settings().Options, m.Settings().Seats) / 4
}

func usualTurns(g engine.Game, options engine.Options, seats int) int {
	if p, ok := g.(engine.Paced); ok {
		return p.UsualTurns(options, seats)
	}
	return 0
}

// TooShort reports whether the match was to be rated and ended, with a result, before
// it had LeastTurns.
func (v *View) TooShort() bool {
	return v.Rated() && len(v.Record.Results) > 0 && v.Match.Position().Turns() < LeastTurns(v.Match)
}

// DistinctPlayers reports whether no player has two seats. Only the level of a computer
// can have them, and its rating cannot win and lose at once.
func DistinctPlayers(players []storage.Person) bool {
	known := map[string]bool{}
	for _, p := range players {
		known[p.ID] = true
	}
	return len(known) == len(players)
}

// ratingChanges returns the rating changes of a match that has ended, by seat, or nil if
// it is not rated. level returns the rating of a computer's level, which stays the
// same; a match against it counts in full however often it is repeated.
func ratingChanges(rec storage.Match, m *match.Match, results []storage.SeatResult, level func(game, key string) rating.Rating, past pastRatings) []storage.RatingChange {
	if !changesRatings(rec, m, results) {
		return nil
	}
	return rateSeats(rec, results, level, past)
}

// rateSeats returns the rating changes of a rated match that has ended, by seat.
func rateSeats(rec storage.Match, results []storage.SeatResult, level func(game, key string) rating.Rating, past pastRatings) []storage.RatingChange {
	players := make([]rating.Player, len(rec.Seats))
	for i, p := range rec.Seats {
		players[i] = rating.Player{Rating: rating.New(), Rank: results[i].Place, New: rec.NewAccounts>>i&1 == 1}
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
			Match: rec.ID, Seat: i + 1, Person: rec.Seats[i], Game: rec.Game, List: ratingList(rec),
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

// pastOf returns what current ratings and counts of meetings say.
func pastOf(current []storage.Rating, met []storage.Meetings) pastRatings {
	return pastRatings{
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
