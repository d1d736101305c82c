package storagetest_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/migrations"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/sqlite"
)

// opener opens a new, empty store of a driver. The caller closes it.
type opener func(testing.TB) storage.Store

func openSQLite(tb testing.TB, name string) storage.Store {
	tb.Helper()
	s, err := sqlite.Open(context.Background(), name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func openPostgres(tb testing.TB, url string) storage.Store {
	tb.Helper()
	s, err := postgres.Open(context.Background(), url)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func inFile(tb testing.TB) storage.Store {
	return openSQLite(tb, filepath.Join(tb.TempDir(), "castellan.db"))
}

func onServer(tb testing.TB) storage.Store { return openPostgres(tb, pgtest.Migrated(tb)) }

func inMemory(tb testing.TB) storage.Store { return openSQLite(tb, sqlite.Memory) }

// Each driver keeps the contract of package storage: after random operations it holds
// what a simple model holds, and tables cover transactions, errors and unusual values.
// PostgreSQL keeps it also on the schema of a later version.
func TestContract(t *testing.T) {
	full, given := os.Getenv("CASTELLAN_FULL") != "", false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	drivers := map[string]opener{"SQLite": inFile, "SQLite in memory": inMemory, "PostgreSQL": onServer}
	if full {
		drivers["PostgreSQL with a later schema"] = func(tb testing.TB) storage.Store {
			url := pgtest.Database(tb)
			migrateLater(tb, url)
			return openPostgres(tb, url)
		}
	}
	for name, open := range drivers {
		t.Run(name, func(t *testing.T) {
			t.Run("Model", func(t *testing.T) {
				if !given { // random sequences
					checks := "20"
					if name == "PostgreSQL" && !full {
						checks = "3"
					}
					if err := flag.Set("rapid.checks", checks); err != nil {
						t.Fatal(err)
					}
				}
				testModel(t, open)
			})
			for _, test := range slices.Concat(transactionTests, concurrencyTests, leaseTests, deliveryTests, valueTests) {
				t.Run(test.name, func(t *testing.T) {
					s := open(t)
					defer func() {
						if err := s.Close(); err != nil {
							t.Errorf("close: %v", err)
						}
					}()
					test.run(t, s)
				})
			}
		})
	}
}

func migrateLater(tb testing.TB, url string) {
	tb.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if err := migrations.UpWith(context.Background(), db, os.DirFS("../postgres/migrations")); err != nil {
		tb.Fatal(err)
	}
}

// test is a test with a new store.
type test struct {
	name string
	run  func(t *testing.T, s storage.Store)
}

// minute returns a time some minutes after the beginning of every test.
func minute(n int) time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Minute)
}

var (
	alice  = storage.Person{ID: "100", Name: "Alice"}
	bob    = storage.Person{ID: "200", Name: "Bob"}
	carol  = storage.Person{ID: "300", Name: "Carol"}
	casual = storage.Person{ID: "level-casual", Name: "Casual (computer)", Level: "casual"}
)

// former returns the n-th person whose data is deleted.
func former(n int) storage.Person {
	return storage.Person{ID: fmt.Sprint(storage.FormerPrefix, n), Name: "a former player"}
}

func newMatch() storage.Match {
	return storage.Match{
		Place: storage.Place{Guild: "g", Channel: "c"}, Game: "a", RulesVersion: 1, Options: "size=11",
		Seats: []storage.Person{alice, bob}, CreatedAt: minute(0),
	}
}

func newChallenge() storage.Challenge {
	return storage.Challenge{
		Place: storage.Place{Guild: "g", Channel: "c"}, Challenger: alice, Seats: 2, Joined: []storage.Person{alice},
		Invited: []storage.Person{bob}, Game: "a", First: "random", State: storage.ChallengeOpen, CreatedAt: minute(0),
	}
}

// newEntries returns n entries that follow after.
func newEntries(after, n int) (entries []storage.Entry) {
	for i := range n {
		entries = append(entries, storage.Entry{
			Seq: after + 1 + i, Kind: "action", Seat: 1 + i%2, Text: fmt.Sprintf("token-%d", after+1+i), At: minute(i), Interaction: "i",
		})
	}
	return entries
}

// update runs fn and expects it to be committed.
func update(t *testing.T, s storage.Store, fn func(tx storage.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// insert returns the result of fn in a transaction of its own.
func insert[ID any](t *testing.T, s storage.Store, fn func(tx storage.Tx) (ID, error)) (id ID) {
	t.Helper()
	update(t, s, func(tx storage.Tx) (err error) {
		id, err = fn(tx)
		return err
	})
	return id
}

func insertMatch(t *testing.T, s storage.Store, m storage.Match) storage.MatchID {
	t.Helper()
	return insert(t, s, func(tx storage.Tx) (storage.MatchID, error) { return tx.InsertMatch(m) })
}

// view returns the result of read in a transaction of its own.
func view[T any](t *testing.T, s storage.Store, read func(r storage.Reader) (T, error)) (v T) {
	t.Helper()
	err := s.View(context.Background(), func(r storage.Reader) (err error) {
		v, err = read(r)
		return err
	})
	if err != nil {
		t.Fatalf("view: %v", err)
	}
	return v
}

func matchOf(t *testing.T, s storage.Store, id storage.MatchID) storage.Match {
	t.Helper()
	return view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
}

func wantClass(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}
