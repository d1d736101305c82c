package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"castellan/storage"
)

// What was rated before computers played stands in the list of people, and
// those who sat in challenges still do.
func TestOldRatingsAreOfPeople(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	old(t, path, 7,
		`INSERT INTO challenges (guild, channel, challenger, challenger_name, seats, game, options, first, seed, state, created_at, message, tries)
		 VALUES ('g', 'c', '1', 'Zoë', 3, 'a-game', '', 'random', 7, 'open', 1, '', 0)`,
		`INSERT INTO challenge_people (challenge_id, joined, place, person, name) VALUES (1, 1, 1, '1', 'Zoë'), (1, 0, 1, '2', 'Ben'), (1, 0, 2, '3', 'Ada')`,
		`INSERT INTO matches (guild, channel, game, rules, options, seed, created_at, newest_at, ending, ended_at, end_number)
		 VALUES ('g', 'c', 'a-game', 1, '', 7, 1, 1, 'rules', 3000, 1)`,
		`INSERT INTO seats (match_id, seat, person, name, place, result) VALUES (1, 1, '1', 'Zoë', 1, 'won'), (1, 2, '2', 'Ben', 2, 'lost')`,
		`INSERT INTO rating_changes VALUES (1, 1, '1', 'Zoë', 'a-game', 1, 3000, 1500, 350, 0.06, 1662, 290, 0.06, NULL)`,
		`INSERT INTO ratings VALUES ('a-game', '1', 'Zoë', 1662, 290, 0.06, 1, 1, 3000, NULL)`,
	)
	err := open(t, path).View(context.Background(), func(r storage.Reader) error {
		now, err := r.Rating("a-game", storage.PeopleList, "1")
		if err != nil || now.Mean != 1662 || now.List != storage.PeopleList {
			t.Errorf("the rating is %+v, %v", now, err)
		}
		all, err := r.RatingHistory("a-game", storage.PeopleList, "1")
		if err != nil || len(all) != 1 || all[0].List != storage.PeopleList || all[0].Before.Mean != 1500 {
			t.Errorf("the history is %+v, %v", all, err)
		}
		ch, err := r.Challenge(1)
		if err != nil || len(ch.Joined) != 1 || len(ch.Invited) != 2 || ch.Invited[1] != (storage.Person{ID: "3", Name: "Ada"}) {
			t.Errorf("the challenge is %+v, %v", ch, err)
		}
		m, err := r.Match(1)
		if err != nil || !m.ComputerTurnSince.IsZero() || m.Seats[0].Level != "" {
			t.Errorf("the match is %+v, %v", m, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
