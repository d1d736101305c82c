// Package ratings computes the results and rating changes of matches. It also
// recomputes all of them from the logs and compares them with the stored ones.
package ratings

import (
	"fmt"
	"math"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// Results returns the result of each seat, or nil after an abort.
func Results(out match.Outcome) []storage.SeatResult {
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

// List returns the list on which a match is rated.
func List(rec storage.Match) storage.RatingList {
	if slices.ContainsFunc(rec.Seats, func(p storage.Person) bool { return p.Level != "" }) {
		return storage.ComputerList
	}
	return storage.PeopleList
}

// Past is what is known of the people of a match when it ends, on its list.
type Past struct {
	// Rating returns the rating of a person, if there is one.
	Rating func(person string) (storage.Rating, bool)
	// Met counts the matches of two people that were rated together in the time
	// rating.Repeat before.
	Met func(a, b string) int
}

// Progress is called from time to time with how many of all matches are done,
// unless it is nil.
type Progress func(done, total int)

// Report calls the function if there is one.
func (p Progress) Report(done, total int) {
	if p != nil {
		p(done, max(done, total))
	}
}

// Report is the result of recomputing all ratings.
type Report struct {
	Matches     int      // ended
	Rated       int      // of those
	Ratings     int      // one per person, game and list
	Differences []string // between the stored ratings and the logs, a line each
}

// Job is one recomputation.
type Job struct {
	// Within runs each part of the work in a transaction.
	Within func(func(storage.Reader) error) error
	// Rate returns the results and rating changes of an ended match according to
	// its log.
	Rate     func(r storage.Reader, rec storage.Match, past Past) ([]storage.SeatResult, []storage.RatingChange, error)
	Progress Progress
}

// Store recomputes everything and stores it. The ratings must have been deleted.
func (j Job) Store(tx storage.Tx) error {
	return j.recompute(func(_ storage.Reader, e endedMatch) error {
		if err := tx.RecordResults(e.record.ID, e.results); err != nil {
			return err
		}
		if len(e.changes) == 0 {
			return nil
		}
		return tx.AddRatingChanges(e.changes)
	}, func(storage.Reader, map[ratingKey]storage.Rating) error { return nil })
}

// endedMatch is the outcome of a match according to its log.
type endedMatch struct {
	record  storage.Match
	results []storage.SeatResult
	changes []storage.RatingChange
}

// ratingKey identifies a rating.
type ratingKey struct {
	game   string
	list   storage.RatingList
	person string
}

// String returns the game, with the list unless it is that of people.
func (k ratingKey) String() string {
	if k.list == storage.PeopleList {
		return k.game
	}
	return fmt.Sprintf("%s (%s)", k.game, k.list)
}

// known is what has been computed so far.
type known struct {
	ratings map[ratingKey]storage.Rating
	// meetings holds when two people were rated together, the first in the order
	// of their identifiers as the key.
	meetings map[meetingKey][]time.Time
}

type meetingKey struct {
	ratingKey
	other string
}

func (k known) past(rec storage.Match) Past {
	list := List(rec)
	return Past{
		Rating: func(person string) (storage.Rating, bool) {
			r, ok := k.ratings[ratingKey{rec.Game, list, person}]
			return r, ok
		},
		Met: func(a, b string) (n int) {
			for _, at := range k.meetings[meetingKey{ratingKey{rec.Game, list, min(a, b)}, max(a, b)}] {
				if at.After(rec.EndedAt.Add(-rating.Repeat)) {
					n++
				}
			}
			return n
		},
	}
}

// add adds the changes of a match.
func (k known) add(changes []storage.RatingChange) {
	for i, c := range changes {
		key := ratingKey{c.Game, c.List, c.Person.ID}
		k.ratings[key] = storage.Rating{
			Estimate: c.After, Matches: k.ratings[key].Matches + 1, Match: c.Match, At: c.At, EstablishedUntil: c.EstablishedUntil,
		}
		for _, other := range changes[i+1:] {
			a, b := min(c.Person.ID, other.Person.ID), max(c.Person.ID, other.Person.ID)
			pair := meetingKey{ratingKey{c.Game, c.List, a}, b}
			k.meetings[pair] = append(k.meetings[pair], c.At)
		}
	}
}

// ratingsBatch is how many matches are read at a time.
const ratingsBatch = 200

// recompute calls visit for all ended matches in the order in which they ended,
// and then finish with the resulting ratings.
func (j Job) recompute(visit func(storage.Reader, endedMatch) error, finish func(storage.Reader, map[ratingKey]storage.Rating) error) error {
	sofar := known{map[ratingKey]storage.Rating{}, map[meetingKey][]time.Time{}}
	for last, done, total, more := 0, 0, 0, true; more; j.Progress.Report(done, total) {
		err := j.Within(func(r storage.Reader) error {
			records, err := r.EndedAfter(last, ratingsBatch)
			if err == nil && total == 0 {
				total, err = countEnded(r)
			}
			if more = len(records) > 0; err == nil && !more {
				err = finish(r, sofar.ratings)
			}
			for _, rec := range records {
				if err != nil {
					break
				}
				err = j.rateAgain(r, rec, sofar, visit)
				last = rec.EndNumber
				done++
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countEnded counts the matches that have ended.
func countEnded(r storage.Reader) (total int, err error) {
	all, err := r.Counts(time.Unix(0, 0)) // the time does not matter for matches
	for key, n := range all.Matches {
		if key.Ending != "" {
			total += n
		}
	}
	return total, err
}

// rateAgain recomputes the results and changes of one match and adds them to what
// is known.
func (j Job) rateAgain(r storage.Reader, rec storage.Match, sofar known, visit func(storage.Reader, endedMatch) error) error {
	e := endedMatch{record: rec}
	var err error
	if e.results, e.changes, err = j.Rate(r, rec, sofar.past(rec)); err != nil {
		return err
	}
	sofar.add(e.changes)
	return visit(r, e)
}

// Compare recomputes the ratings and lists how the stored ones differ.
func (j Job) Compare() (report Report, err error) {
	differ := func(format string, args ...any) {
		report.Differences = append(report.Differences, fmt.Sprintf(format, args...))
	}
	err = j.recompute(func(r storage.Reader, e endedMatch) error {
		report.Matches++
		if len(e.changes) > 0 {
			report.Rated++
		}
		if !slices.Equal(e.record.Results, e.results) {
			differ("match %d: the results are %v, stored are %v", e.record.ID, e.results, e.record.Results)
		}
		stored, err := r.RatingChanges(e.record.ID)
		if err != nil {
			return err
		}
		if len(stored) != len(e.changes) {
			differ("match %d: it changes %d ratings, stored are %d", e.record.ID, len(e.changes), len(stored))
			return nil
		}
		for i, want := range e.changes {
			if !sameChange(stored[i], want) {
				differ("match %d, seat %d: the rating goes from %s to %s, stored is from %s to %s", want.Match, want.Seat,
					format(want.Before), format(want.After), format(stored[i].Before), format(stored[i].After))
			}
		}
		return nil
	}, func(r storage.Reader, ratings map[ratingKey]storage.Rating) error {
		report.Ratings = len(ratings)
		stored, err := r.AllRatings()
		for _, s := range stored {
			key := ratingKey{s.Game, s.List, s.Person.ID}
			want, ok := ratings[key]
			switch {
			case !ok:
				differ("person %s has no rating in %s, stored is %s", key.person, key, format(s.Estimate))
			case !sameEstimate(s.Estimate, want.Estimate) || s.Matches != want.Matches || s.Match != want.Match || !s.At.Equal(want.At):
				differ("the rating of person %s in %s is %s after %d matches, stored is %s after %d", key.person, key,
					format(want.Estimate), want.Matches, format(s.Estimate), s.Matches)
			}
			delete(ratings, key)
		}
		for key := range ratings {
			differ("the rating of person %s in %s is not stored", key.person, key)
		}
		return err
	})
	return report, err
}

func sameChange(a, b storage.RatingChange) bool {
	return math.Abs(a.Weight-b.Weight) <= tolerance && a.Seat == b.Seat && a.Person.ID == b.Person.ID && a.Game == b.Game && a.List == b.List && a.Place == b.Place && a.At.Equal(b.At) &&
		sameEstimate(a.Before, b.Before) && sameEstimate(a.After, b.After)
}

// tolerance is the largest difference between equal estimates: processors differ
// in the last digits.
const tolerance = 1e-6

func sameEstimate(a, b storage.Estimate) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= tolerance }
	return near(a.Mean, b.Mean) && near(a.Deviation, b.Deviation) && near(a.Volatility, b.Volatility)
}

func format(e storage.Estimate) string { return fmt.Sprintf("%.3f ± %.3f", e.Mean, e.Deviation) }
