package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// CheckRatings recomputes all results and ratings from the logs and compares
// them with the stored ones. It changes nothing. It fails with ErrCannotReplay
// if a log cannot be replayed. It reads in many short transactions.
func (h *Host) CheckRatings(ctx context.Context, progress Progress) (RatingsReport, error) {
	_, report, err := h.recomputeRatings(ctx, progress, false)
	return report, err
}

// RebuildRatings recomputes all results and ratings from the logs and stores
// them if they differ from the stored ones, all or nothing. It reports the
// differences that it found. It fails like CheckRatings. The logs are read before
// the transaction that stores, because nobody can play during it.
func (h *Host) RebuildRatings(ctx context.Context, progress Progress) (RatingsReport, error) {
	for {
		job, report, err := h.recomputeRatings(ctx, progress, true)
		if err != nil || len(report.Differences) == 0 {
			return report, err
		}
		if err = h.Write(ctx, job.store); !errors.Is(err, errPeopleChanged) {
			return report, err
		}
	}
}

func (h *Host) recomputeRatings(ctx context.Context, progress Progress, keep bool) (*ratingsJob, RatingsReport, error) {
	job := &ratingsJob{host: h, progress: progress, keep: keep}
	report, err := job.compare(func(part func(storage.Reader) error) error { return h.store.Report(ctx, part) })
	return job, report, err
}

// rateAgain returns the results and rating changes of an ended match according to
// its log.
func (h *Host) rateAgain(r storage.Reader, rec storage.Match, past pastRatings) (
	[]storage.SeatResult, []storage.RatingChange, error,
) {
	m, err := h.replayLog(r, rec)
	if err != nil {
		return nil, nil, err
	}
	out, over := m.Over()
	if !over {
		return nil, nil, fmt.Errorf("match %d: %w: it is recorded as ended, and its log goes on", rec.ID, ErrCannotReplay)
	}
	results := seatResults(out)
	return results, ratingChanges(rec, m, results, h.levelRating, past), nil
}

// replayLog reads and replays the whole log of a match, without the cache.
func (h *Host) replayLog(r storage.MatchReader, rec storage.Match) (*match.Match, error) {
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

// ratingsJob is one recomputation.
type ratingsJob struct {
	host     *Host
	progress Progress
	keep     bool // what compare computes, for store

	known computedRatings
	last  int // EndNumber of the last match computed
	done  int // matches computed
	ended []endedMatch
}

// endedMatch is the outcome of a match according to its log.
type endedMatch struct {
	id      storage.MatchID
	results []storage.SeatResult
	changes []storage.RatingChange
}

// errPeopleChanged reports that people have been forgotten since the ratings were
// computed.
var errPeopleChanged = errors.New("the people of matches have changed")

// store stores what compare has computed, and computes only the matches that have
// ended since. It fails with errPeopleChanged.
func (j *ratingsJob) store(tx storage.Tx) error {
	if err := j.checkPeople(tx); err != nil {
		return err
	}
	inTx := func(part func(storage.Reader) error) error { return part(tx) }
	if err := j.compute(inTx, nil, nil); err != nil {
		return err
	}
	if err := tx.DeleteRatings(); err != nil {
		return err
	}
	for _, e := range j.ended {
		if err := tx.RecordResults(e.id, e.results); err != nil {
			return err
		}
		if len(e.changes) > 0 {
			if err := tx.AddRatingChanges(e.changes); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPeople compares the people of the matches computed with the records.
func (j *ratingsJob) checkPeople(r storage.MatchReader) error {
	for last, left := 0, j.ended; len(left) > 0; {
		records, err := r.EndedAfter(last, min(ratingsBatch, len(left)))
		if err != nil {
			return err
		}
		if len(records) == 0 {
			return errPeopleChanged
		}
		for i, rec := range records {
			if left[i].id != rec.ID || slices.ContainsFunc(left[i].changes, func(c storage.RatingChange) bool { return c.Person != rec.Seats[c.Seat-1] }) {
				return errPeopleChanged
			}
			last = rec.EndNumber
		}
		left = left[len(records):]
	}
	return nil
}

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

// computedRatings is what has been computed so far.
type computedRatings struct {
	ratings map[ratingKey]storage.Rating
	// meetings holds when two people were rated together, the first in the order
	// of their identifiers as the key.
	meetings map[meetingKey][]time.Time
}

type meetingKey struct {
	ratingKey
	other string
}

func (k computedRatings) past(rec storage.Match) pastRatings {
	list := ratingList(rec)
	return pastRatings{
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

func (k computedRatings) add(changes []storage.RatingChange) {
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

// compute computes the matches that have ended since the last one computed, in the
// order in which they ended and in parts that within runs in transactions. It calls
// visit for each, and finish in the transaction that finds no more, unless they are
// nil.
func (j *ratingsJob) compute(within func(func(storage.Reader) error) error,
	visit func(storage.Reader, storage.Match, endedMatch) error, finish func(storage.Reader) error,
) error {
	if j.known.ratings == nil {
		j.known = computedRatings{map[ratingKey]storage.Rating{}, map[meetingKey][]time.Time{}}
	}
	for total, more := 0, true; more; j.progress.Report(j.done, total) {
		err := within(func(r storage.Reader) error {
			records, err := r.EndedAfter(j.last, ratingsBatch)
			if err == nil && total == 0 {
				total, err = countEnded(r)
			}
			if more = len(records) > 0; err == nil && !more && finish != nil {
				err = finish(r)
			}
			for _, rec := range records {
				if err != nil {
					break
				}
				err = j.computeMatch(r, rec, visit)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func countEnded(r storage.ClusterReader) (total int, err error) {
	all, err := r.Counts(time.Unix(0, 0)) // the time does not matter for matches
	for key, n := range all.Matches {
		if key.Ending != "" {
			total += n
		}
	}
	return total, err
}

func (j *ratingsJob) computeMatch(r storage.Reader, rec storage.Match, visit func(storage.Reader, storage.Match, endedMatch) error) error {
	results, changes, err := j.host.rateAgain(r, rec, j.known.past(rec))
	if err != nil {
		return err
	}
	e := endedMatch{rec.ID, results, changes}
	j.known.add(changes)
	j.last = rec.EndNumber
	j.done++
	if j.keep {
		j.ended = append(j.ended, e)
	}
	if visit != nil {
		return visit(r, rec, e)
	}
	return nil
}

// compare computes the ratings in parts that within runs in transactions, and lists
// how the stored ones differ.
func (j *ratingsJob) compare(within func(func(storage.Reader) error) error) (report RatingsReport, err error) {
	differ := func(formatEstimate string, args ...any) {
		report.Differences = append(report.Differences, fmt.Sprintf(formatEstimate, args...))
	}
	err = j.compute(within, func(r storage.Reader, rec storage.Match, e endedMatch) error {
		report.Matches++
		if len(e.changes) > 0 {
			report.Rated++
		}
		if !slices.Equal(rec.Results, e.results) {
			differ("match %d: the results are %v, stored are %v", e.id, e.results, rec.Results)
		}
		stored, err := r.RatingChanges(e.id)
		if err != nil {
			return err
		}
		if len(stored) != len(e.changes) {
			differ("match %d: it changes %d ratings, stored are %d", e.id, len(e.changes), len(stored))
			return nil
		}
		for i, want := range e.changes {
			if !sameChange(stored[i], want) {
				differ("match %d, seat %d: the rating goes from %s to %s, stored is from %s to %s", want.Match, want.Seat,
					formatEstimate(want.Before), formatEstimate(want.After), formatEstimate(stored[i].Before), formatEstimate(stored[i].After))
			}
		}
		return nil
	}, func(r storage.Reader) error {
		ratings := maps.Clone(j.known.ratings)
		report.Ratings = len(ratings)
		stored, err := r.AllRatings()
		for _, s := range stored {
			key := ratingKey{s.Game, s.List, s.Person.ID}
			want, ok := ratings[key]
			switch {
			case !ok:
				differ("person %s has no rating in %s, stored is %s", key.person, key, formatEstimate(s.Estimate))
			case !sameEstimate(s.Estimate, want.Estimate) || s.Matches != want.Matches || s.Match != want.Match || !s.At.Equal(want.At):
				differ("the rating of person %s in %s is %s after %d matches, stored is %s after %d", key.person, key,
					formatEstimate(want.Estimate), want.Matches, formatEstimate(s.Estimate), s.Matches)
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
	return math.Abs(a.Weight-b.Weight) <= estimateTolerance && a.Seat == b.Seat && a.Person.ID == b.Person.ID && a.Game == b.Game && a.List == b.List && a.Place == b.Place && a.At.Equal(b.At) &&
		sameEstimate(a.Before, b.Before) && sameEstimate(a.After, b.After)
}

// estimateTolerance is the largest difference between equal estimates: processors differ
// in the last digits.
const estimateTolerance = 1e-6

func sameEstimate(a, b storage.Estimate) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= estimateTolerance }
	return near(a.Mean, b.Mean) && near(a.Deviation, b.Deviation) && near(a.Volatility, b.Volatility)
}

func formatEstimate(e storage.Estimate) string {
	return fmt.Sprintf("%.3f ± %.3f", e.Mean, e.Deviation)
}
