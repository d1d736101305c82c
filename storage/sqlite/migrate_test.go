package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pressly/goose/v3"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// old makes a database by the migrations up to a version.
func old(t *testing.T, path string, version int64, statements ...string) {
	t.Helper()
	db := raw(t, path)
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	execute(t, db, append(statements, fmt.Sprintf("PRAGMA application_id = %d", sqlite.ApplicationID))...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// Challenges from the time when all had two seats keep their meaning.
func TestOldChallengesKeepTheirMeaning(t *testing.T) {
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
		{State: storage.ChallengeOpen, Shown: -1},
		{State: storage.ChallengeOpen, Message: "m2"},
		{State: storage.ChallengeAccepted, Message: "m3", Match: 1, Revision: 1},
		{State: storage.ChallengeAccepted, Message: "m4", Match: 1, Revision: 1, Shown: 1},
		{State: storage.ChallengeDeclined, Message: "m5", Revision: 1, Shown: 1},
		{State: storage.ChallengeCancelled, Revision: 1, Shown: -1},
	} {
		var got storage.Challenge
		err := s.View(context.Background(), func(r storage.Reader) (err error) {
			got, err = r.Challenge(storage.ChallengeID(i + 1))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want.ID, want.Place = storage.ChallengeID(i+1), storage.Place{Guild: "g", Channel: "c"}
		want.Challenger, want.Seats, want.Joined, want.Invited = zoe, 2, []storage.Person{zoe}, []storage.Person{other}
		if want.State == storage.ChallengeAccepted {
			want.Joined, want.Invited = []storage.Person{zoe, other}, nil
		}
		want.Game, want.Options, want.First, want.Seed, want.Tries = "a-game", "size=5", "me", 7, 2
		want.CreatedAt, want.AnsweredAt, want.Next = got.CreatedAt, got.AnsweredAt, got.Next
		if !reflect.DeepEqual(got, want) {
			t.Errorf("challenge %d is\n%+v, want\n%+v", i+1, got, want)
		}
		if got.CreatedAt.UnixNano() != 1000 || got.Next.UnixNano() != 3000 || got.AnsweredAt.IsZero() != (got.State == storage.ChallengeOpen) {
			t.Errorf("times %v, %v, %v", got.CreatedAt, got.AnsweredAt, got.Next)
		}
	}
	// They are answered as ever.
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		if err := tx.SeatChallenge(2, 0, []storage.Person{zoe, other}, nil); err != nil {
			return err
		}
		return tx.AnswerChallenge(2, storage.ChallengeAccepted, 1, noon)
	})
	if err != nil {
		t.Error(err)
	}
}

// Every migration can be taken back, and done again.
func TestMigrationsCanBeTakenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, open(t, path)); !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v, want\n%+v", got, want)
	}
}
