package storagetest

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"castellan/storage"
)

// casual is a computer of a level.
var casual = storage.Person{ID: "level-casual", Name: "Casual (computer)", Level: "casual"}

var computerTests = []test{
	{"SeatsKeepTheLevel", func(t *testing.T, s storage.Store) {
		m := insertMatch(t, s, newMatch("c", 0, casual, alice, casual))
		got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(m) })
		if want := []storage.Person{casual, alice, casual}; !slices.Equal(got.Seats, want) {
			t.Errorf("seats of a match %+v, want %+v", got.Seats, want)
		}
	}},
	{"AChallengeTakesSeveralOfALevel", func(t *testing.T, s storage.Store) {
		c := newChallenge()
		c.Seats, c.Joined, c.Invited = 5, []storage.Person{alice, casual, casual}, []storage.Person{bob}
		id := insertChallenge(t, s, c)
		joined := func() []storage.Person {
			t.Helper()
			return view(t, s, func(r storage.Reader) (storage.Challenge, error) { return r.Challenge(id) }).Joined
		}
		if got := joined(); !slices.Equal(got, c.Joined) {
			t.Errorf("joined are %+v, want %+v", got, c.Joined)
		}
		fewer := []storage.Person{alice, casual}
		update(t, s, func(tx storage.Tx) error { return tx.SetChallengePlayers(id, 0, fewer, c.Invited) })
		if got := joined(); !slices.Equal(got, fewer) {
			t.Errorf("joined are %+v, want %+v", got, fewer)
		}
		if err := s.Update(t.Context(), func(tx storage.Tx) error {
			return tx.SetChallengePlayers(id, 1, []storage.Person{alice, alice}, nil)
		}); err == nil {
			t.Error("a person stands twice in a challenge")
		}
	}},
	{"WhoHasWaitedLongestIsFirst", func(t *testing.T, s storage.Store) {
		thinking := func(limit int) []storage.MatchID {
			t.Helper()
			return view(t, s, func(r storage.Reader) ([]storage.MatchID, error) { return r.ComputerTurns(limit) })
		}
		if got := thinking(10); len(got) != 0 {
			t.Errorf("of none: %v", got)
		}
		var all []storage.MatchID
		for _, since := range []time.Time{minute(5), minute(3), {}, minute(5)} {
			m := newMatch("c", 0, alice, casual)
			m.ComputerTurnSince = since
			all = append(all, insertMatch(t, s, m))
			got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(all[len(all)-1]) })
			if !got.ComputerTurnSince.Equal(since) {
				t.Errorf("a computer is to move since %v, want %v", got.ComputerTurnSince, since)
			}
		}
		if got, want := thinking(10), []storage.MatchID{all[1], all[0], all[3]}; !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if got, want := thinking(2), []storage.MatchID{all[1], all[0]}; !reflect.DeepEqual(got, want) {
			t.Errorf("two of them: %v, want %v", got, want)
		}
		if got := append(thinking(0), thinking(-1)...); len(got) != 0 {
			t.Errorf("none of them: %v", got)
		}
		update(t, s, func(tx storage.Tx) error {
			if err := tx.SetComputerTurn(all[1], time.Time{}); err != nil {
				return err
			}
			if err := tx.SetComputerTurn(all[2], minute(9)); err != nil {
				return err
			}
			return tx.EndMatch(all[0], "rules", minute(10))
		})
		if got, want := thinking(10), []storage.MatchID{all[3], all[2]}; !reflect.DeepEqual(got, want) {
			t.Errorf("afterwards %v, want %v", got, want)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.SetComputerTurn(99, minute(1)) })
	}},
	{"EachListIsCountedByItself", func(t *testing.T, s storage.Store) {
		among := ended(t, s, newMatch("c", 0, alice, bob), 1, won, lost)
		against := ended(t, s, newMatch("c", 0, alice, casual), 2, lost, won)
		person, computer := rate(against, 1, alice, 2, 1500, 1440, time.Time{}), rate(against, 2, casual, 2, 1500, 1560, time.Time{})
		person.List, computer.List = storage.ComputerList, storage.ComputerList
		rated(t, s, rate(among, 1, alice, 1, 1500, 1600, time.Time{}), rate(among, 2, bob, 1, 1500, 1400, time.Time{}))
		rated(t, s, person, computer)
		for list, want := range map[storage.RatingList][]string{
			storage.PeopleList:   {"1. #1? 100", "2. #2? 200"},
			storage.ComputerList: {"1. #1? level-casual", "2. #2? 100"},
		} {
			for _, guild := range []string{"", "guild"} {
				got, total := rows(t, s, storage.LeaderboardQuery{Game: "a-game", List: list, Guild: guild, Now: minute(9)}, 0, 10)
				if !slices.Equal(got, want) || total != 2 {
					t.Errorf("%s in %q: %q of %d, want %q", list, guild, got, total, want)
				}
			}
			r := view(t, s, func(r storage.Reader) (storage.Rating, error) { return r.Rating("a-game", list, alice.ID) })
			history := view(t, s, func(r storage.Reader) ([]storage.RatingChange, error) {
				return r.RatingHistory("a-game", list, alice.ID)
			})
			if r.List != list || r.Matches != 1 || len(history) != 1 || history[0].List != list || history[0].Match != r.Match {
				t.Errorf("%s: %+v, %+v", list, r, history)
			}
		}
		if got := view(t, s, func(r storage.Reader) ([]storage.Rating, error) { return r.Ratings(alice.ID) }); len(got) != 2 || got[0].List != storage.ComputerList {
			t.Errorf("ratings of a person: %+v", got)
		}
		scores := view(t, s, func(r storage.Reader) ([]storage.MatchResult, error) { return r.Results(alice.ID) })
		if len(scores) != 2 || scores[0].List != storage.PeopleList || scores[1].List != storage.ComputerList {
			t.Errorf("results of a person: %+v", scores)
		}
	}},
}
