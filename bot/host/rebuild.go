package host

import (
	"context"
	"fmt"
	"math"

	"castellan/storage"
)

// Recount is what counting all ratings anew from the logs has found.
type Recount struct {
	Matches int // that have ended
	Rated   int // of them
	Ratings int // of a person in a game
	// Differences is what is stored and is not what the logs say, a line each.
	Differences []string
}

// CheckRatings counts all results and ratings anew from the logs of the
// matches and compares them with what is stored. It changes nothing. It fails
// with ErrCannotReplay where a match cannot be rebuilt.
func (h *Host) CheckRatings(ctx context.Context) (c Recount, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		c, err = h.compare(r)
		return err
	})
	return c, err
}

// RebuildRatings counts all results and ratings anew from the logs of the
// matches, and stores them where they differ from what is stored, all or
// nothing. The differences are those that it found. It fails as CheckRatings
// does.
func (h *Host) RebuildRatings(ctx context.Context) (c Recount, err error) {
	err = h.store.Update(ctx, func(tx storage.Tx) error {
		if c, err = h.compare(tx); err != nil || len(c.Differences) == 0 {
			return err
		}
		if err := tx.DeleteRatings(); err != nil {
			return err
		}
		_, err := h.recount(tx, func(one counted) error {
			if err := tx.RecordResults(one.match.ID, one.results); err != nil {
				return err
			}
			if len(one.changes) == 0 {
				return nil
			}
			return tx.AddRatingChanges(one.changes)
		})
		return err
	})
	return c, err
}

// counted is what the log of a match that has ended says.
type counted struct {
	match   storage.Match
	results []storage.SeatResult
	changes []storage.RatingChange
}

// ratingKey is whose rating in which game, on which list.
type ratingKey struct {
	game   string
	list   storage.RatingList
	person string
}

// where is the game, and the list unless it is that of people.
func (k ratingKey) where() string {
	if k.list == storage.PeopleList {
		return k.game
	}
	return fmt.Sprintf("%s (%s)", k.game, k.list)
}

// atOnce is how many matches are read together.
const atOnce = 200

// recount goes through all matches that have ended, in the order in which they
// did, and gives the ratings that come of them.
func (h *Host) recount(r storage.Reader, each func(counted) error) (map[ratingKey]storage.Rating, error) {
	ratings := map[ratingKey]storage.Rating{}
	for last := 0; ; {
		matches, err := r.EndedAfter(last, atOnce)
		if err != nil || len(matches) == 0 {
			return ratings, err
		}
		for _, rec := range matches {
			last = rec.EndNumber
			v, err := h.rebuild(r, rec)
			if err != nil {
				return nil, err
			}
			out, over := v.Match.Over()
			if !over {
				return nil, fmt.Errorf("match %d: %w: it is recorded as ended, and its log goes on", rec.ID, ErrCannotReplay)
			}
			one := counted{match: rec, results: results(out)}
			one.changes, err = changes(rec, one.results, func(person string) (storage.Rating, error) {
				if known, ok := ratings[ratingKey{rec.Game, listOf(rec), person}]; ok {
					return known, nil
				}
				return storage.Rating{}, storage.ErrNotFound
			})
			if err != nil {
				return nil, err
			}
			for _, c := range one.changes {
				key := ratingKey{c.Game, c.List, c.Person.ID}
				ratings[key] = storage.Rating{
					Game: c.Game, List: c.List, Person: c.Person, Estimate: c.After, Matches: ratings[key].Matches + 1,
					Match: c.Match, At: c.At, EstablishedUntil: c.EstablishedUntil,
				}
			}
			if err := each(one); err != nil {
				return nil, err
			}
		}
	}
}

// compare counts anew and says what is stored otherwise.
func (h *Host) compare(r storage.Reader) (c Recount, err error) {
	differ := func(format string, args ...any) { c.Differences = append(c.Differences, fmt.Sprintf(format, args...)) }
	ratings, err := h.recount(r, func(one counted) error {
		c.Matches++
		if len(one.changes) > 0 {
			c.Rated++
		}
		if fmt.Sprint(one.match.Results) != fmt.Sprint(one.results) {
			differ("match %d: the results are %v, stored are %v", one.match.ID, one.results, one.match.Results)
		}
		stored, err := r.RatingChanges(one.match.ID)
		if err != nil {
			return err
		}
		if len(stored) != len(one.changes) {
			differ("match %d: it changes %d ratings, stored are %d", one.match.ID, len(one.changes), len(stored))
			return nil
		}
		for i, want := range one.changes {
			if !sameChange(stored[i], want) {
				differ("match %d, seat %d: the rating goes from %s to %s, stored is from %s to %s", want.Match, want.Seat,
					inShort(want.Before), inShort(want.After), inShort(stored[i].Before), inShort(stored[i].After))
			}
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	c.Ratings = len(ratings)
	stored, err := r.AllRatings()
	if err != nil {
		return c, err
	}
	for _, s := range stored {
		key := ratingKey{s.Game, s.List, s.Person.ID}
		want, ok := ratings[key]
		switch {
		case !ok:
			differ("person %s has no rating in %s, stored is %s", key.person, key.where(), inShort(s.Estimate))
		case !sameFigures(s.Estimate, want.Estimate) || s.Matches != want.Matches || s.Match != want.Match || !s.At.Equal(want.At):
			differ("the rating of person %s in %s is %s after %d matches, stored is %s after %d", key.person, key.where(),
				inShort(want.Estimate), want.Matches, inShort(s.Estimate), s.Matches)
		}
		delete(ratings, key)
	}
	for key := range ratings {
		differ("the rating of person %s in %s is not stored", key.person, key.where())
	}
	return c, nil
}

func sameChange(a, b storage.RatingChange) bool {
	return a.Seat == b.Seat && a.Person.ID == b.Person.ID && a.Game == b.Game && a.List == b.List && a.Place == b.Place && a.At.Equal(b.At) &&
		sameFigures(a.Before, b.Before) && sameFigures(a.After, b.After)
}

// digits is how far figures may be apart and be the same: processors differ in
// the last digits of what they calculate.
const digits = 1e-6

func sameFigures(a, b storage.Estimate) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= digits }
	return near(a.Mean, b.Mean) && near(a.Deviation, b.Deviation) && near(a.Volatility, b.Volatility)
}

func inShort(f storage.Estimate) string { return fmt.Sprintf("%.3f ± %.3f", f.Mean, f.Deviation) }
