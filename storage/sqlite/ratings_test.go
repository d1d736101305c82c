package sqlite_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"castellan/storage"
)

// Matches from before there were ratings keep the order in which they ended,
// and are not rated; those that go on are.
func TestOldMatchesHaveAnOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	const insert = `INSERT INTO matches (guild, channel, game, rules, options, seed, created_at, newest_at, ending, ended_at) VALUES `
	old(t, path, 3,
		insert+`('g', 'c', 'a-game', 1, '', 7, 1, 1, 'rules', 3000)`,
		insert+`('g', 'c', 'a-game', 1, '', 7, 1, 1, '', NULL)`,
		insert+`('g', 'c', 'a-game', 1, '', 7, 1, 1, 'abort', 2000)`,
		insert+`('g', 'c', 'a-game', 1, '', 7, 1, 1, 'rules', 3000)`,
	)
	s := open(t, path)
	var got []storage.MatchID
	err := s.View(context.Background(), func(r storage.Reader) error {
		ended, err := r.EndedAfter(0, 10)
		for i, m := range ended {
			got = append(got, m.ID)
			if m.EndNumber != i+1 || !m.Unrated || m.Results != nil {
				t.Errorf("match %d: %+v", m.ID, m)
			}
		}
		if err != nil {
			return err
		}
		m, err := r.Match(2)
		if m.EndNumber != 0 || m.Unrated {
			t.Errorf("the match that goes on: %+v", m)
		}
		return err
	})
	if err != nil || !slices.Equal(got, []storage.MatchID{3, 1, 4}) {
		t.Errorf("ended %v, %v", got, err)
	}
	// The next one that ends comes after them.
	err = s.Update(context.Background(), func(tx storage.Tx) error {
		if err := tx.EndMatch(2, "rules", noon); err != nil {
			return err
		}
		m, err := tx.Match(2)
		if m.EndNumber != 4 {
			t.Errorf("it has number %d", m.EndNumber)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Even who writes SQL by hand cannot change the history of ratings.
func TestTheHistoryOfRatingsIsNeverChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		return tx.AddRatingChanges([]storage.RatingChange{{Match: 1, Seat: 1, Person: storage.Person{ID: "1"}, Game: "a-game", List: storage.PeopleList, Place: 1, At: noon}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	if _, err := db.Exec(`UPDATE rating_changes SET mean = 3000`); err == nil {
		t.Error("it was changed")
	}
}
