package storagetest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/storagetest"
)

// writers is the number of goroutines that update a store at a time.
const writers = 8

// write runs fn for each writer at the same time.
func write(fn func(writer int)) {
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { fn(i) })
	}
	wg.Wait()
}

// concurrencyTests check that updates have the effect of running one after another.
var concurrencyTests = []test{
	{"NoUpdateMissesAnother", func(t *testing.T, s storage.Store) {
		// Each writer appends to a match of its own if no other has begun: without
		// writing what another one writes, only one of them may find that.
		var ids []storage.MatchID
		for range writers {
			ids = append(ids, insertMatch(t, s, newMatch()))
		}
		taken := errors.New("taken")
		var wins atomic.Int32
		write(func(writer int) {
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				for _, id := range ids {
					if m, err := tx.Match(id); err != nil || m.Seq > 0 {
						return errors.Join(err, taken)
					}
					runtime.Gosched()
				}
				return storagetest.Append(tx, ids[writer], newEntries(0, 1))
			})
			if err == nil {
				wins.Add(1)
			} else if err.Error() != taken.Error() {
				t.Errorf("update: %v", err)
			}
		})
		if wins.Load() != 1 {
			t.Errorf("%d writers win, want 1", wins.Load())
		}
	}},
	{"LimitsAreKept", func(t *testing.T, s storage.Store) {
		// A person may have three open challenges.
		var made atomic.Int32
		write(func(int) {
			wantClass(t, "update", s.Update(context.Background(), func(tx storage.Tx) error {
				a, err := tx.ChallengeActivity(alice.ID, "g", minute(-1), minute(0))
				if err != nil || len(a.OpenBy) >= 3 {
					return err
				}
				return errorOf(tx.InsertChallenge(newChallenge()))
			}), nil)
			made.Add(1)
		})
		if open := view(t, s, func(r storage.Reader) ([]storage.Challenge, error) { return r.OpenChallenges("") }); len(open) != 3 || made.Load() != writers {
			t.Errorf("%d challenges are open after %d updates, want 3", len(open), made.Load())
		}
	}},
	{"EndNumbersFollowTheEnds", func(t *testing.T, s storage.Store) {
		const each = 5
		numbers := make([][]int, writers)
		ids := make([][]storage.MatchID, writers)
		for w := range writers {
			for range each {
				ids[w] = append(ids[w], insertMatch(t, s, newMatch()))
			}
		}
		write(func(w int) {
			for _, id := range ids[w] {
				wantClass(t, "end", s.Update(context.Background(), func(tx storage.Tx) error {
					return errors.Join(tx.EndMatch(id, "rules", minute(1)),
						tx.RecordResults(id, []storage.SeatResult{{Place: 1, Result: storage.Won}, {Place: 2, Result: storage.Lost}}))
				}), nil)
				numbers[w] = append(numbers[w], matchOf(t, s, id).EndNumber)
			}
		})
		seen := map[int]bool{}
		for w, own := range numbers {
			for i, n := range own {
				if seen[n] || n < 1 || n > writers*each || i > 0 && n <= own[i-1] {
					t.Errorf("writer %d ends matches with the numbers %v", w, own)
				}
				seen[n] = true
			}
		}
		streak := view(t, s, func(r storage.Reader) (storage.Streaks, error) { return r.Streaks(alice.ID) })
		head := view(t, s, func(r storage.Reader) (storage.HeadToHead, error) { return r.HeadToHead(alice.ID, bob.ID) })
		counts := view(t, s, func(r storage.Reader) (storage.Counts, error) { return r.Counts(minute(1)) })
		if streak.Length != writers*each || head.Ahead != writers*each || counts.Matches[storage.GameEnding{Game: "a", Ending: "rules"}] != writers*each {
			t.Errorf("counted are %+v, %+v and %+v", streak, head, counts)
		}
	}},
	{"ProcessedOnce", func(t *testing.T, s storage.Store) {
		// The loser of each race goes on in the same transaction.
		id := insertMatch(t, s, newMatch())
		var wins, conflicts atomic.Int32
		write(func(writer int) {
			var first, second error
			wantClass(t, "update", s.Update(context.Background(), func(tx storage.Tx) error {
				first = tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "1", At: minute(0)})
				second = errorOf(tx.Advance(storage.Advance{Match: id, After: storage.Root(newMatch()), Entries: newEntries(0, 1)}))
				return tx.SetLocale(fmt.Sprint("writer", writer), "de")
			}), nil)
			if first == nil && second == nil {
				wins.Add(1)
			} else if errors.Is(first, storage.ErrAlreadyProcessed) && errors.Is(second, storage.ErrConflict) {
				conflicts.Add(1)
			}
			if locale := view(t, s, func(r storage.Reader) (string, error) { return r.Locale(fmt.Sprint("writer", writer)) }); locale != "de" {
				t.Error("the update has not gone on")
			}
		})
		if wins.Load() != 1 || conflicts.Load() != writers-1 {
			t.Errorf("%d writers win and %d lose", wins.Load(), conflicts.Load())
		}
	}},
	{"RatingsAddUp", func(t *testing.T, s storage.Store) {
		var ids []storage.MatchID
		for range writers {
			ids = append(ids, insertMatch(t, s, newMatch()))
		}
		write(func(writer int) {
			id := ids[writer]
			wantClass(t, "rate", s.Update(context.Background(), func(tx storage.Tx) error {
				before := storage.Rating{}
				all, err := tx.SeatRatings(id, storage.PeopleList)
				for _, r := range all {
					before = r
				}
				after := before.Estimate
				after.Mean++
				return errors.Join(err, tx.EndMatch(id, "rules", minute(1)), tx.AddRatingChanges([]storage.RatingChange{{
					Match: id, Seat: 1, Person: alice, Game: "a", List: storage.PeopleList, Place: 1, At: minute(1), Weight: 1,
					Before: before.Estimate, After: after, EstablishedUntil: minute(1).Add(time.Hour),
				}}))
			}), nil)
		})
		r := view(t, s, func(r storage.Reader) (storage.Rating, error) { return r.Rating("a", storage.PeopleList, alice.ID) })
		if r.Mean != writers || r.Matches != writers {
			t.Errorf("the rating is %+v", r)
		}
		history := view(t, s, func(r storage.Reader) ([]storage.RatingChange, error) {
			return r.RatingHistory("a", storage.PeopleList, alice.ID, writers)
		})
		for i, c := range history {
			if c.After.Mean != float64(i+1) {
				t.Errorf("change %d in the order of the ends leads to %v", i+1, c.After.Mean)
			}
		}
	}},
}
