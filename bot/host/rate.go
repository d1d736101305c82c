package host

import (
	"errors"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// finish records that a match has ended, how for whom, and what that does to
// ratings.
func (h *Host) finish(tx storage.Tx, id storage.MatchID, out match.Outcome) error {
	if err := tx.EndMatch(id, string(out.Ending), out.At); err != nil {
		return err
	}
	if err := tx.RecordResults(id, results(out)); err != nil {
		return err
	}
	rec, err := tx.Match(id)
	if err != nil {
		return err
	}
	if err := reportEnd(tx, rec); err != nil {
		return err
	}
	changes, err := changes(rec, rec.Results, func(person string) (storage.Rating, error) {
		return tx.Rating(rec.Game, listOf(rec), person)
	})
	if err != nil || len(changes) == 0 {
		return err
	}
	return tx.AddRatingChanges(changes)
}

// results is how a match ended for each seat; nil where it was called off.
func results(out match.Outcome) []storage.SeatResult {
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

// isRated reports whether a match that has ended so changes ratings: it was
// agreed to, it has a result, and everybody at it is somebody else.
func isRated(rec storage.Match, results []storage.SeatResult) bool {
	return !rec.Unrated && len(results) == len(rec.Seats) && Distinct(rec.Seats)
}

// Distinct reports whether everybody at a table is somebody else. Several
// computers of one level are not: one rating cannot win and lose at once.
func Distinct(people []storage.Person) bool {
	known := map[string]bool{}
	for _, p := range people {
		known[p.ID] = true
	}
	return len(known) == len(people)
}

// Rated reports whether a match will change ratings if it comes to a result, or
// has.
func (v *View) Rated() bool { return !v.Record.Unrated && Distinct(v.Record.Seats) }

// listOf is the list on which a match is rated.
func listOf(rec storage.Match) storage.List {
	if len(computers(rec.Seats)) > 0 {
		return storage.AgainstComputer
	}
	return storage.AmongPeople
}

// changes is what a match that has ended does to the ratings of its seats; nil
// where it is not rated. present is the rating of a person in the game and on
// the list of the match, or storage.ErrNotFound.
func changes(rec storage.Match, results []storage.SeatResult, present func(person string) (storage.Rating, error)) ([]storage.RatingChange, error) {
	if !isRated(rec, results) {
		return nil, nil
	}
	players := make([]rating.Player, len(rec.Seats))
	for i, p := range rec.Seats {
		players[i] = rating.Player{Rating: rating.New(), Rank: results[i].Place}
		switch r, err := present(p.ID); {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			players[i].Rating = rating.Rating(r.Figures)
			players[i].Idle = rec.EndedAt.Sub(r.At)
		}
	}
	all := make([]storage.RatingChange, len(players))
	for i, after := range rating.RateMatch(players) {
		all[i] = storage.RatingChange{
			Match: rec.ID, Seat: i + 1, Person: rec.Seats[i], Game: rec.Game, List: listOf(rec),
			Place: results[i].Place, At: rec.EndedAt,
			Before: storage.Figures(players[i].Rating), After: storage.Figures(after), Settled: settledUntil(after, rec.EndedAt),
		}
	}
	return all, nil
}

// settledUntil is until when a rating is not provisional, zero where it is.
func settledUntil(r rating.Rating, at time.Time) time.Time {
	if d := r.ProvisionalAfter(); d > 0 {
		return at.Add(d)
	}
	return time.Time{}
}

// IsProvisional reports whether the figures of a rating are those of a
// provisional one, at the time of the match that made them.
func IsProvisional(f storage.Figures) bool { return rating.Rating(f).IsProvisional() }
