package storagetest

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"castellan/storage"
)

// figures is some rating with that mean. Its other numbers have no short form.
func figures(mean float64) storage.Estimate {
	return storage.Estimate{Mean: mean, Deviation: mean / 7, Volatility: math.Sqrt(mean) / 1000}
}

// rate is a change of a seat of a match.
func rate(match storage.MatchID, seat int, p storage.Person, at int, before, after float64, settled time.Time) storage.RatingChange {
	return storage.RatingChange{
		Match: match, Seat: seat, Person: p, Game: "a-game", List: storage.PeopleList, Place: seat, At: minute(at),
		Before: figures(before), After: figures(after), EstablishedUntil: settled,
	}
}

func rated(t fataler, s storage.Store, changes ...storage.RatingChange) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error { return tx.AddRatingChanges(changes) })
}

var ratingTests = []test{
	{"a change is the present rating, and stays in the history", func(t *testing.T, s storage.Store) {
		first := ended(t, s, newMatch("c", 0, alice, bob), 1, won, lost)
		second := ended(t, s, newMatch("c", 0, bob, alice), 2, won, lost)
		renamed := storage.Person{ID: alice.ID, Name: "Alicia"}
		a1, b1 := rate(first, 1, alice, 1, 1500, 1600.1, time.Time{}), rate(first, 2, bob, 1, 1500, 1400.3, minute(5))
		b2, a2 := rate(second, 1, bob, 2, 1400.3, 1500.7, time.Time{}), rate(second, 2, renamed, 2, 1600.1, 1555.5, minute(9))
		rated(t, s, b1, a1)
		rated(t, s, b2, a2)

		want := storage.Rating{Game: "a-game", List: storage.PeopleList, Person: renamed, Estimate: a2.After, Matches: 2, Match: second, At: minute(2), EstablishedUntil: minute(9)}
		got := view(t, s, func(r storage.Reader) (storage.Rating, error) {
			return r.Rating("a-game", storage.PeopleList, alice.ID)
		})
		if got != want {
			t.Errorf("rating\n%+v, want\n%+v", got, want)
		}
		all := view(t, s, func(r storage.Reader) ([]storage.Rating, error) { return r.AllRatings() })
		if len(all) != 2 || all[0] != want || all[1].Person != bob || !all[1].EstablishedUntil.IsZero() {
			t.Errorf("all ratings %+v", all)
		}
		for _, c := range []struct {
			what string
			read func(r storage.Reader) ([]storage.RatingChange, error)
			want []storage.RatingChange
		}{
			{"the history", func(r storage.Reader) ([]storage.RatingChange, error) {
				return r.RatingHistory("a-game", storage.PeopleList, alice.ID)
			}, []storage.RatingChange{a1, a2}},
			{"another game", func(r storage.Reader) ([]storage.RatingChange, error) {
				return r.RatingHistory("b-game", storage.PeopleList, alice.ID)
			}, nil},
			{"the first match", func(r storage.Reader) ([]storage.RatingChange, error) { return r.RatingChanges(first) }, []storage.RatingChange{a1, b1}},
			{"no match", func(r storage.Reader) ([]storage.RatingChange, error) { return r.RatingChanges(second + 1) }, nil},
		} {
			if got := view(t, s, c.read); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s:\n%+v, want\n%+v", c.what, got, c.want)
			}
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.Rating("b-game", storage.PeopleList, alice.ID); return err })
	}},
	{"a match is rated once, and must be there", func(t *testing.T, s storage.Store) {
		id := ended(t, s, newMatch("c", 0, alice, bob), 1, won, lost)
		rated(t, s, rate(id, 1, alice, 1, 1500, 1600, time.Time{}))
		before := view(t, s, func(r storage.Reader) ([]storage.Rating, error) { return r.AllRatings() })
		wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error {
			return tx.AddRatingChanges([]storage.RatingChange{rate(id, 2, bob, 1, 1500, 1400, time.Time{})})
		})
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error {
			return tx.AddRatingChanges([]storage.RatingChange{rate(id+1, 1, alice, 1, 1500, 1400, time.Time{})})
		})
		if got := view(t, s, func(r storage.Reader) ([]storage.Rating, error) { return r.AllRatings() }); !reflect.DeepEqual(got, before) {
			t.Errorf("ratings became %+v", got)
		}
		if err := s.Update(t.Context(), func(tx storage.Tx) error {
			c := rate(id+1, 1, alice, 1, 1500, 1600, time.Time{})
			c.At = time.Time{}
			return tx.AddRatingChanges([]storage.RatingChange{c})
		}); err == nil {
			t.Error("a change without a time is taken")
		}
	}},
	{"the ratings of a person, the one that changed last first", func(t *testing.T, s storage.Store) {
		for i, game := range []string{"b-game", "c-game", "a-game"} {
			m := newMatch("c", 0, alice, bob)
			m.Game = game
			c := rate(ended(t, s, m, i, won, lost), 1, alice, i, 1500, 1600, time.Time{})
			c.Game = game
			rated(t, s, c)
		}
		got := ""
		for _, r := range view(t, s, func(r storage.Reader) ([]storage.Rating, error) { return r.Ratings(alice.ID) }) {
			got += r.Game + " "
		}
		if got != "a-game c-game b-game " {
			t.Errorf("ratings of %s", got)
		}
	}},
	{"forgotten ratings can be computed anew", func(t *testing.T, s storage.Store) {
		id := ended(t, s, newMatch("c", 0, alice, bob), 1, won, lost)
		changes := []storage.RatingChange{rate(id, 1, alice, 1, 1500, 1600, minute(3)), rate(id, 2, bob, 1, 1500, 1400, time.Time{})}
		read := func() []storage.Rating {
			return view(t, s, func(r storage.Reader) ([]storage.Rating, error) { return r.AllRatings() })
		}
		rated(t, s, changes...)
		before := read()
		update(t, s, func(tx storage.Tx) error { return tx.DeleteRatings() })
		if got := read(); len(got) != 0 {
			t.Errorf("left are %+v", got)
		}
		if got := view(t, s, func(r storage.Reader) ([]storage.RatingChange, error) { return r.RatingChanges(id) }); len(got) != 0 {
			t.Errorf("left are %+v", got)
		}
		rated(t, s, changes...)
		if got := read(); !reflect.DeepEqual(got, before) {
			t.Errorf("ratings\n%+v, want\n%+v", got, before)
		}
	}},
	{"a leaderboard has the settled ratings first, from the highest mean", leaderboardOrder},
	{"a leaderboard of a server has who has a result there", leaderboardOfGuild},
}

// crowd rates people in a game in a server: "a=1500" is a settled rating and
// "b=1600?" a provisional one, given as name, mean and settled.
type crowd struct {
	name    string
	mean    float64
	settled bool
	guild   string
}

func gather(t fataler, s storage.Store, game string, people []crowd) {
	t.Helper()
	for i, p := range people {
		m := newMatch("c", 0, storage.Person{ID: p.name, Name: "Name of " + p.name}, storage.Person{ID: "x", Name: "X"})
		m.Game, m.Place.Guild = game, p.guild
		settled := minute(100) // which has passed where the boards are asked for
		if p.settled {
			settled = minute(1000)
		}
		c := rate(ended(t, s, m, i, won, lost), 1, m.Seats[0], i, 1500, p.mean, settled)
		c.Game = game
		rated(t, s, c)
	}
}

// rows is a part of a leaderboard in short: "1. #1 a" and "5. #1? b".
func rows(t fataler, s storage.Store, b storage.LeaderboardQuery, offset, limit int) (lines []string, total int) {
	t.Helper()
	part := view(t, s, func(r storage.Reader) (part []storage.LeaderboardRow, err error) {
		part, total, err = r.Leaderboard(b, offset, limit)
		return part, err
	})
	for _, l := range part {
		lines = append(lines, row(l))
		own := view(t, s, func(r storage.Reader) (storage.LeaderboardRow, error) { return r.LeaderboardRow(b, l.Person.ID) })
		if own != l {
			t.Errorf("alone the row of %s is\n%+v, among others\n%+v", l.Person.ID, own, l)
		}
	}
	return lines, total
}

func row(l storage.LeaderboardRow) string {
	mark := ""
	if l.Provisional {
		mark = "?"
	}
	return fmt.Sprintf("%d. #%d%s %s", l.Row, l.Place, mark, l.Person.ID)
}

func leaderboardOrder(t *testing.T, s storage.Store) {
	gather(t, s, "a-game", []crowd{
		{"e", 1900, false, "g"}, {"b", 1700, true, "g"}, {"a", 1800, true, "g"},
		{"d", 1600, true, "g"}, {"c", 1700, true, "g"}, {"f", 1400, false, "g"},
	})
	gather(t, s, "b-game", []crowd{{"a", 1000, true, "g"}})
	board := storage.LeaderboardQuery{Game: "a-game", List: storage.PeopleList, Now: minute(100)}
	all := []string{"1. #1 a", "2. #2 b", "3. #2 c", "4. #4 d", "5. #1? e", "6. #2? f"}
	for _, c := range []struct{ offset, limit, from, to int }{
		{0, 10, 0, 6}, {0, 2, 0, 2}, {2, 3, 2, 5}, {5, 10, 5, 6}, {6, 10, 6, 6}, {0, 0, 0, 0}, {-3, -3, 0, 0},
	} {
		got, total := rows(t, s, board, c.offset, c.limit)
		if want := all[c.from:c.to]; len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) || total != 6 {
			t.Errorf("%d from %d: %q of %d, want %q of 6", c.limit, c.offset, got, total, want)
		}
	}
	board.Now = minute(1000) // nobody is settled any more
	if got, _ := rows(t, s, board, 0, 1); !reflect.DeepEqual(got, []string{"1. #1? e"}) {
		t.Errorf("later: %q", got)
	}
	board.Now = minute(99)
	if got, _ := rows(t, s, board, 0, 1); !reflect.DeepEqual(got, []string{"1. #1 e"}) {
		t.Errorf("earlier: %q", got)
	}
	if got, total := rows(t, s, storage.LeaderboardQuery{Game: "c-game", List: storage.PeopleList, Now: minute(1)}, 0, 10); len(got) != 0 || total != 0 {
		t.Errorf("of a game that nobody plays: %q of %d", got, total)
	}
	wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.LeaderboardRow(board, "nobody"); return err })
}

func leaderboardOfGuild(t *testing.T, s storage.Store) {
	gather(t, s, "a-game", []crowd{{"a", 1800, true, "g"}, {"b", 1700, true, "h"}, {"c", 1600, true, ""}, {"d", 1500, true, "g"}})
	// Called off: d has no result in h.
	m := newMatch("c", 0, storage.Person{ID: "d"}, storage.Person{ID: "b"})
	m.Place.Guild = "h"
	ended(t, s, m, 50)
	// In another game: neither has a.
	m = newMatch("c", 0, storage.Person{ID: "a"}, storage.Person{ID: "b"})
	m.Game, m.Place.Guild = "b-game", "h"
	ended(t, s, m, 51, won, lost)
	for guild, want := range map[string][]string{
		"g": {"1. #1 a", "2. #2 d"},
		"h": {"1. #1 b"},
		"":  {"1. #1 a", "2. #2 b", "3. #3 c", "4. #4 d"},
		"i": nil,
	} {
		got, total := rows(t, s, storage.LeaderboardQuery{Game: "a-game", List: storage.PeopleList, Guild: guild, Now: minute(99)}, 0, 10)
		if !reflect.DeepEqual(got, want) || total != len(want) {
			t.Errorf("%q: %q of %d, want %q", guild, got, total, want)
		}
	}
}
