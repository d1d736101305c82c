package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// migrations returns the migrations of a database.
func migrations(t *testing.T, db *sql.DB) *goose.Provider {
	t.Helper()
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	must(t, err)
	return provider
}

// old creates a database with an older schema.
func old(t *testing.T, path string, version int64, statements ...string) {
	t.Helper()
	db := raw(t, path)
	provider := migrations(t, db)
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	execute(t, db, append(statements, fmt.Sprintf("PRAGMA application_id = %d", sqlite.ApplicationID))...)
	must(t, db.Close())
}

// Challenges from before more than two could play keep their meaning.
func TestMigrateSeats(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	const columns = `INSERT INTO challenges (guild, channel, challenger, challenger_name, opponent, opponent_name, game, options, first, seed,
		state, created_at, answered_at, match_id, message, shown_state, tries, next_at) VALUES `
	row := func(state, answered, match, message, shown string) string {
		return columns + fmt.Sprintf("('g', 'c', '1', 'Zoë', '2', '日本', 'a-game', 'size=5', 'me', 7, '%s', 1000, %s, %s, '%s', '%s', 2, 3000)",
			state, answered, match, message, shown)
	}
	old(t, path, 1,
		`INSERT INTO matches (guild, channel, game, rules, options, seed, created_at, newest_at) VALUES ('g', 'c', 'a-game', 1, '', 7, 1, 1)`,
		row("open", "NULL", "NULL", "", ""),
		row("open", "NULL", "NULL", "m2", "open"),
		row("accepted", "2000", "1", "m3", "open"),
		row("accepted", "2000", "1", "m4", "accepted"),
		row("declined", "2000", "NULL", "m5", "declined"),
		row("cancelled", "2000", "NULL", "", ""),
	)
	s := open(t, path)
	zoe, other := storage.Person{ID: "1", Name: "Zoë"}, storage.Person{ID: "2", Name: "日本"}
	for i, want := range []storage.Challenge{
		{State: storage.ChallengeOpen, ShownRevision: -1},
		{State: storage.ChallengeOpen, Message: "m2"},
		{State: storage.ChallengeAccepted, Message: "m3", Match: 1, Revision: 1},
		{State: storage.ChallengeAccepted, Message: "m4", Match: 1, Revision: 1, ShownRevision: 1},
		{State: storage.ChallengeDeclined, Message: "m5", Revision: 1, ShownRevision: 1},
		{State: storage.ChallengeCancelled, Revision: 1, ShownRevision: -1},
	} {
		var got storage.Challenge
		must(t, s.View(context.Background(), func(r storage.Reader) (err error) {
			got, err = r.Challenge(storage.ChallengeID(i + 1))
			return err
		}))
		want.ID, want.Place = storage.ChallengeID(i+1), storage.Place{Guild: "g", Channel: "c"}
		want.Challenger, want.Seats, want.Joined, want.Invited = zoe, 2, []storage.Person{zoe}, []storage.Person{other}
		if want.State == storage.ChallengeAccepted {
			want.Joined, want.Invited = []storage.Person{zoe, other}, nil
		}
		want.Game, want.Options, want.First, want.Seed, want.Attempts = "a-game", "size=5", "me", 7, 2
		want.CreatedAt, want.ResolvedAt, want.NextAttempt = got.CreatedAt, got.ResolvedAt, got.NextAttempt
		want.ExpiresAt = time.Unix(86400, 0).UTC() // see TestMigrateDeadlines
		if !reflect.DeepEqual(got, want) {
			t.Errorf("challenge %d is\n%+v, want\n%+v", i+1, got, want)
		}
		if got.CreatedAt.UnixNano() != 1000 || got.NextAttempt.UnixNano() != 3000 || got.ResolvedAt.IsZero() != (got.State == storage.ChallengeOpen) {
			t.Errorf("times %v, %v, %v", got.CreatedAt, got.ResolvedAt, got.NextAttempt)
		}
	}
	// They can still be answered.
	must(t, s.Update(context.Background(), func(tx storage.Tx) error {
		if err := tx.SetChallengePlayers(2, 0, []storage.Person{zoe, other}, nil); err != nil {
			return err
		}
		return tx.ResolveChallenge(2, storage.ChallengeAccepted, 1, noon)
	}))
}

// Challenges and matches from before there were deadlines get deadlines and keep
// their references.
func TestMigrateDeadlines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	const columns = `INSERT INTO challenges (guild, channel, challenger, challenger_name, game, options, first, seed,
		state, created_at, answered_at, match_id, message, tries, seats, revision, shown) VALUES `
	row := func(state, answered, match string, revision int) string {
		return columns + fmt.Sprintf("('g', 'c', '1', 'Zoë', 'a-game', '', 'me', 7, '%s', 5000000009, %s, %s, 'm', 0, 2, %d, 0)", state, answered, match, revision)
	}
	match := func(challenge, ending, ended, newest string) string {
		return fmt.Sprintf(`INSERT INTO matches (challenge_id, guild, channel, game, rules, options, seed, created_at, newest_at, ending, ended_at)
			VALUES (%s, 'g', 'c', 'a-game', 1, '', 7, 1, %s, '%s', %s)`, challenge, newest, ending, ended)
	}
	old(t, path, 3,
		row("open", "NULL", "NULL", 1),
		row("declined", "6000000000", "NULL", 1),
		match("NULL", "", "NULL", "7000000009"),
		match("2", "rules", "8000000000", "8000000000"),
		row("accepted", "6000000000", "2", 4),
		`UPDATE matches SET challenge_id = 3 WHERE id = 2`,
		`INSERT INTO challenge_people (challenge_id, joined, place, person, name) VALUES (1, 1, 1, '1', 'Zoë'), (3, 1, 1, '1', 'Zoë'), (3, 1, 2, '2', '日本')`,
		`INSERT INTO applied (interaction, at, match_id, challenge_id, seq) VALUES ('i', 1, 2, 3, 0)`,
	)
	s := open(t, path)
	must(t, s.View(context.Background(), func(r storage.Reader) error {
		for id, want := range map[storage.ChallengeID]storage.Challenge{
			1: {State: storage.ChallengeOpen, Revision: 1},
			2: {State: storage.ChallengeDeclined, Revision: 1},
			3: {State: storage.ChallengeAccepted, Revision: 4, Match: 2},
		} {
			got, err := r.Challenge(id)
			if err != nil {
				return err
			}
			if got.State != want.State || got.Revision != want.Revision || got.Match != want.Match || !got.ExpiresAt.Equal(time.Unix(5+86400, 0)) {
				t.Errorf("challenge %d is %+v", id, got)
			}
			if people := len(got.Joined); people != []int{1, 0, 2}[id-1] {
				t.Errorf("challenge %d has %d people", id, people)
			}
		}
		for id, want := range map[storage.MatchID]time.Time{1: time.Unix(7+7*86400, 0).UTC(), 2: {}} {
			if m, err := r.Match(id); err != nil || !m.Deadline.Equal(want) || (m.Challenge == 3) != (id == 2) {
				t.Errorf("match %d is %+v (%v), want the deadline %s", id, m, err, want)
			}
		}
		if a, err := r.ProcessedInteraction("i"); err != nil || a.Challenge != 3 || a.Match != 2 {
			t.Errorf("the note is %+v (%v)", a, err)
		}
		o, err := r.Overdue(time.Unix(7+7*86400, 0), 10)
		if err != nil || !reflect.DeepEqual(o, storage.Overdue{Challenges: []storage.ChallengeID{1}, Matches: []storage.MatchID{1}}) {
			t.Errorf("overdue is %+v (%v)", o, err)
		}
		return nil
	}))
	// Identifiers continue, and challenges can expire.
	must(t, s.Update(context.Background(), func(tx storage.Tx) error {
		id, err := tx.InsertChallenge(storage.Challenge{Challenger: storage.Person{ID: "1"}, Seats: 2, CreatedAt: noon})
		if id != 4 {
			t.Errorf("the next challenge is %d", id)
		}
		if err != nil {
			return err
		}
		return tx.ResolveChallenge(1, storage.ChallengeExpired, 0, noon)
	}))
	must(t, s.Close())
	// References are intact; after the down migration an expired challenge counts
	// as cancelled.
	db := raw(t, path)
	defer db.Close()
	rows, err := db.Query("PRAGMA foreign_key_check")
	must(t, err)
	if rows.Next() {
		t.Error("a reference is broken")
	}
	must(t, errors.Join(rows.Err(), rows.Close()))
	provider := migrations(t, db)
	if _, err := provider.DownTo(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	var state string
	if err := db.QueryRow("SELECT state FROM challenges WHERE id = 1").Scan(&state); err != nil || state != "cancelled" {
		t.Errorf("after the down migration the challenge is %q (%v)", state, err)
	}
}

// All migrations can be undone and repeated.
func TestMigrateDown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	must(t, s.Close())
	db := raw(t, path)
	provider := migrations(t, db)
	if _, err := provider.DownTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	must(t, db.Close())
	same(t, read(t, open(t, path)), want)
}

// A migrated database has the same counts and orders as one that has kept them
// from the beginning.
func TestMigrateCensus(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	people := []storage.Person{{ID: "1", Name: "Zoë"}, {ID: "2", Name: "Ben"}, {ID: "3", Name: "Ada"}, {ID: "c", Name: "Casual", Level: "casual"}}
	results := []storage.Result{storage.Won, storage.Shared, storage.Drawn, storage.Lost}
	s := open(t, path)
	must(t, s.Update(context.Background(), func(tx storage.Tx) error {
		r := rand.New(rand.NewPCG(1, 1))
		for i := range 60 {
			seats := slices.Clone(people)
			r.Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
			seats = seats[:2+r.IntN(2)]
			id, err := tx.InsertMatch(storage.Match{
				Place: storage.Place{Guild: []string{"", "g", "h"}[r.IntN(3)], Channel: "c"}, Game: []string{"a", "b"}[r.IntN(2)], Seats: seats, CreatedAt: noon,
			})
			if err != nil {
				return err
			}
			if i%10 == 0 {
				continue // still running
			}
			if err := tx.EndMatch(id, []string{"rules", "abort"}[r.IntN(2)], noon); err != nil {
				return err
			}
			if i%7 == 0 {
				continue // without result
			}
			m, err := tx.Match(id)
			if err != nil {
				return err
			}
			var all []storage.SeatResult
			var changes []storage.RatingChange
			for seat, p := range seats {
				all = append(all, storage.SeatResult{Place: 1 + r.IntN(2), Result: results[r.IntN(len(results))]})
				c := storage.RatingChange{
					Match: id, Seat: seat + 1, Person: p, Game: m.Game, List: storage.PeopleList, Place: 1, At: noon, Weight: 1, After: storage.Estimate{Mean: float64(1500 + r.IntN(9))},
				}
				if c.Person.Level = ""; r.IntN(2) == 0 {
					c.EstablishedUntil = noon.Add(time.Hour)
				}
				changes = append(changes, c)
			}
			if err := errors.Join(tx.RecordResults(id, all), tx.AddRatingChanges(changes)); err != nil {
				return err
			}
		}
		return nil
	}))
	census := func(s *sqlite.Store) (all []any) {
		must(t, s.View(context.Background(), func(r storage.Reader) error {
			add := func(v any, err error) { must(t, err); all = append(all, v) }
			counts, err := r.Counts(noon)
			add(counts, err)
			for _, p := range people {
				results, err := r.ResultCounts(p.ID)
				add(results, err)
				streaks, err := r.Streaks(p.ID)
				add(streaks, err)
				met, err := r.HeadToHead(p.ID, "2")
				add(met, err)
				n, err := r.CountRunning(p.ID)
				add(n, err)
				page, ended, err := r.EndedMatches(p.ID, 3, 4)
				add(page, err)
				add(ended, err)
				recent, err := r.RecentMatches(storage.RecentQuery{Person: p.ID, Viewer: "1", Guild: "g", Limit: 9})
				add(recent, err)
				for _, game := range []string{"a", "b"} {
					history, err := r.RatingHistory(game, storage.PeopleList, p.ID, 9)
					add(history, err)
					for _, guild := range []string{"", "g", "h"} {
						board, err := r.Leaderboard(storage.LeaderboardQuery{Game: game, List: storage.PeopleList, Guild: guild, Person: p.ID, Limit: 9})
						add(board, err)
					}
				}
			}
			return nil
		}))
		return all
	}
	want := census(s)
	must(t, s.Close())
	db := raw(t, path)
	if _, err := migrations(t, db).DownTo(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	must(t, db.Close())
	if got := census(open(t, path)); !reflect.DeepEqual(got, want) {
		t.Errorf("after the migration\n%+v, want\n%+v", got, want)
	}
}

// Matches that ended before there were ratings are numbered in order and not rated;
// running ones will be.
func TestMigrateRatings(t *testing.T) {
	t.Parallel()
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
	// The next match that ends gets the next number.
	must(t, s.Update(context.Background(), func(tx storage.Tx) error {
		if err := tx.EndMatch(2, "rules", noon); err != nil {
			return err
		}
		m, err := tx.Match(2)
		if m.EndNumber != 4 {
			t.Errorf("it has number %d", m.EndNumber)
		}
		return err
	}))
}

// Not even SQL by hand can change the history of ratings.
func TestRatingHistoryIsAppendOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	must(t, s.Update(context.Background(), func(tx storage.Tx) error {
		return tx.AddRatingChanges([]storage.RatingChange{{Match: 1, Seat: 1, Person: storage.Person{ID: "1"}, Game: "a-game", List: storage.PeopleList, Place: 1, At: noon, Weight: 1}})
	}))
	must(t, s.Close())
	db := raw(t, path)
	if _, err := db.Exec(`UPDATE rating_changes SET mean = 3000`); err == nil {
		t.Error("it was changed")
	}
}

// Older ratings are on the list of people, and people stay in their challenges.
func TestMigrateComputers(t *testing.T) {
	t.Parallel()
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
	must(t, open(t, path).View(context.Background(), func(r storage.Reader) error {
		now, err := r.Rating("a-game", storage.PeopleList, "1")
		if err != nil || now.Mean != 1662 || now.List != storage.PeopleList {
			t.Errorf("the rating is %+v, %v", now, err)
		}
		all, err := r.RatingHistory("a-game", storage.PeopleList, "1", 9)
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
	}))
}
