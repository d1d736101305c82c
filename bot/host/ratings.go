package host

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// finish records the end of a match with its results and rating changes, and
// returns the record afterwards.
func (h *Host) finish(tx storage.Tx, id storage.MatchID, out match.Outcome) (rec storage.Match, err error) {
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
	ratings, err := tx.SeatRatings(id, ratingList(rec))
	if err != nil {
		return rec, err
	}
	changes := h.ratingChanges(rec, rec.Results, func(person string) (storage.Rating, bool) {
		i := slices.IndexFunc(ratings, func(r storage.Rating) bool { return r.Person.ID == person })
		if i < 0 {
			return storage.Rating{}, false
		}
		return ratings[i], true
	})
	if len(changes) == 0 {
		return rec, nil
	}
	return rec, tx.AddRatingChanges(changes)
}

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

// isRated reports whether a match with these results changes ratings.
func isRated(rec storage.Match, results []storage.SeatResult) bool {
	return !rec.Unrated && len(results) == len(rec.Seats) && DistinctPlayers(rec.Seats)
}

// DistinctPlayers reports whether no player has two seats. Only a computer
// level can, and its rating cannot win and lose at once.
func DistinctPlayers(players []storage.Person) bool {
	known := map[string]bool{}
	for _, p := range players {
		known[p.ID] = true
	}
	return len(known) == len(players)
}

// ratingList returns the list on which a match is rated.
func ratingList(rec storage.Match) storage.RatingList {
	if len(computers(rec.Seats)) > 0 {
		return storage.ComputerList
	}
	return storage.PeopleList
}

// ratingChanges returns the rating changes of a match that has ended, by seat,
// or nil if it is not rated. A computer's rating stays the same. current returns
// the rating of a person in the game and list of the match, if there is one.
func (h *Host) ratingChanges(rec storage.Match, results []storage.SeatResult, current func(person string) (storage.Rating, bool)) []storage.RatingChange {
	if !isRated(rec, results) {
		return nil
	}
	players := make([]rating.Player, len(rec.Seats))
	for i, p := range rec.Seats {
		players[i] = rating.Player{Rating: rating.New(), Rank: results[i].Place}
		if IsComputer(p) {
			players[i].Rating = h.levelRating(rec.Game, p.Level)
		} else if r, ok := current(p.ID); ok {
			players[i].Rating = rating.Rating(r.Estimate)
			players[i].Idle = rec.EndedAt.Sub(r.At)
		}
	}
	all := make([]storage.RatingChange, len(players))
	for i, after := range rating.RateMatch(players) {
		established := establishedUntil(after, rec.EndedAt)
		if IsComputer(rec.Seats[i]) {
			after, established = players[i].Rating, rec.EndedAt.AddDate(100, 0, 0)
		}
		all[i] = storage.RatingChange{
			Match: rec.ID, Seat: i + 1, Person: rec.Seats[i], Game: rec.Game, List: ratingList(rec),
			Place: results[i].Place, At: rec.EndedAt,
			Before: storage.Estimate(players[i].Rating), After: storage.Estimate(after), EstablishedUntil: established,
		}
	}
	return all
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

// establishedUntil returns the time at which a rating becomes provisional, or the
// zero time if it already is.
func establishedUntil(r rating.Rating, at time.Time) time.Time {
	if d := r.ProvisionalAfter(); d > 0 {
		return at.Add(d)
	}
	return time.Time{}
}

// IsProvisional reports whether an estimate was provisional at the time of the
// match that it comes from.
func IsProvisional(e storage.Estimate) bool { return rating.Rating(e).IsProvisional() }

// Progress is called from time to time with how many of all matches are done,
// unless it is nil.
type Progress func(done, total int)

// Report calls the function if there is one.
func (p Progress) Report(done, total int) {
	if p != nil {
		p(done, max(done, total))
	}
}

// RatingsReport is the result of recomputing all ratings.
type RatingsReport struct {
	Matches     int      // ended
	Rated       int      // of those
	Ratings     int      // one per person, game and list
	Differences []string // between the stored ratings and the logs, a line each
}

// CheckRatings recomputes all results and ratings from the logs and compares
// them with the stored ones. It changes nothing. It fails with ErrCannotReplay
// if a log cannot be replayed. It reads in many short transactions.
func (h *Host) CheckRatings(ctx context.Context, progress Progress) (RatingsReport, error) {
	return h.compareRatings(func(part func(storage.Reader) error) error { return h.store.Report(ctx, part) }, progress)
}

// RebuildRatings recomputes all results and ratings from the logs and stores
// them if they differ from the stored ones, all or nothing. It reports the
// differences that it found. It fails like CheckRatings.
func (h *Host) RebuildRatings(ctx context.Context, progress Progress) (report RatingsReport, err error) {
	err = h.write(ctx, func(tx storage.Tx) error {
		within := func(part func(storage.Reader) error) error { return part(tx) }
		if report, err = h.compareRatings(within, progress); err != nil || len(report.Differences) == 0 {
			return err
		}
		if err := tx.DeleteRatings(); err != nil {
			return err
		}
		return h.recompute(within, progress, func(_ storage.Reader, e endedMatch) error {
			if err := tx.RecordResults(e.record.ID, e.results); err != nil {
				return err
			}
			if len(e.changes) == 0 {
				return nil
			}
			return tx.AddRatingChanges(e.changes)
		}, func(storage.Reader, map[ratingKey]storage.Rating) error { return nil })
	})
	return report, err
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

// ratingsBatch is how many matches are read at a time.
const ratingsBatch = 200

// recompute calls visit for all ended matches in the order in which they ended,
// and then finish with the resulting ratings. It reads within a function that
// runs each part of the work in a transaction.
func (h *Host) recompute(within func(func(storage.Reader) error) error, progress Progress,
	visit func(storage.Reader, endedMatch) error, finish func(storage.Reader, map[ratingKey]storage.Rating) error,
) error {
	ratings := map[ratingKey]storage.Rating{}
	for last, done, total, more := 0, 0, 0, true; more; progress.Report(done, total) {
		err := within(func(r storage.Reader) error {
			records, err := r.EndedAfter(last, ratingsBatch)
			if err == nil && total == 0 {
				total, err = countEnded(r)
			}
			if more = len(records) > 0; err == nil && !more {
				err = finish(r, ratings)
			}
			for _, rec := range records {
				if err != nil {
					break
				}
				err = h.rateAgain(r, rec, ratings, visit)
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

// rateAgain recomputes the outcome of one match and updates the ratings.
func (h *Host) rateAgain(r storage.Reader, rec storage.Match, ratings map[ratingKey]storage.Rating, visit func(storage.Reader, endedMatch) error) error {
	m, err := h.replayLog(r, rec)
	if err != nil {
		return err
	}
	out, over := m.Over()
	if !over {
		return fmt.Errorf("match %d: %w: it is recorded as ended, and its log goes on", rec.ID, ErrCannotReplay)
	}
	e := endedMatch{record: rec, results: seatResults(out)}
	e.changes = h.ratingChanges(rec, e.results, func(person string) (storage.Rating, bool) {
		known, ok := ratings[ratingKey{rec.Game, ratingList(rec), person}]
		return known, ok
	})
	for _, c := range e.changes {
		key := ratingKey{c.Game, c.List, c.Person.ID}
		ratings[key] = storage.Rating{
			Estimate: c.After, Matches: ratings[key].Matches + 1, Match: c.Match, At: c.At, EstablishedUntil: c.EstablishedUntil,
		}
	}
	return visit(r, e)
}

// replayLog reads and replays the whole log of a match, without the cache.
func (h *Host) replayLog(r storage.Reader, rec storage.Match) (*match.Match, error) {
	entries, err := r.Entries(rec.ID)
	if err != nil {
		return nil, err
	}
	m, err := Replay(h.games, rec, entries)
	if err != nil {
		return nil, fmt.Errorf("match %d: %w: %w", rec.ID, ErrCannotReplay, err)
	}
	return m, nil
}

// compareRatings recomputes the ratings and lists how the stored ones differ.
func (h *Host) compareRatings(within func(func(storage.Reader) error) error, progress Progress) (report RatingsReport, err error) {
	differ := func(format string, args ...any) {
		report.Differences = append(report.Differences, fmt.Sprintf(format, args...))
	}
	err = h.recompute(within, progress, func(r storage.Reader, e endedMatch) error {
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
	return a.Seat == b.Seat && a.Person.ID == b.Person.ID && a.Game == b.Game && a.List == b.List && a.Place == b.Place && a.At.Equal(b.At) &&
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
