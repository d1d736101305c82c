package storagetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"castellan/storage"
)

// Run tests a driver. open makes a new, empty store each time; the suite
// closes it.
func Run(t *testing.T, open func(t testing.TB) storage.Store) {
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Transactions", transactionTests},
		{"Closing", closingTests},
		{"Matches", matchTests},
		{"AllMatches", allMatchesTests},
		{"Entries", entryTests},
		{"Boards", boardTests},
		{"Challenges", challengeTests},
		{"Applied", appliedTests},
		{"Preferences", preferencesTests},
		{"Work", workTests},
		{"Deadlines", deadlineTests},
		{"Offers", offerTests},
		{"Repair", repairTests},
		{"Results", resultTests},
		{"Ratings", ratingTests},
		{"Rematches", rematchTests},
		{"Threads", threadTests},
		{"Computers", computerTests},
		{"Census", censusTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, tt := range group.tests {
				t.Run(tt.name, func(t *testing.T) {
					s := open(t)
					t.Cleanup(func() {
						if err := s.Close(); err != nil {
							t.Errorf("close: %v", err)
						}
					})
					tt.run(t, s)
				})
			}
		})
	}
}

// test is one test on a new store.
type test struct {
	name string
	run  func(t *testing.T, s storage.Store)
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// epoch is the time at which every test begins.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// minute is a time some minutes after epoch.
func minute(n int) time.Time { return epoch.Add(time.Duration(n) * time.Minute) }

// update runs fn and wants it to be committed.
func update(t fataler, s storage.Store, fn func(tx storage.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// view is what read gives in a transaction of its own.
func view[T any](t fataler, s storage.Store, read func(r storage.Reader) (T, error)) T {
	t.Helper()
	var v T
	err := s.View(context.Background(), func(r storage.Reader) (err error) {
		v, err = read(r)
		return err
	})
	if err != nil {
		t.Fatalf("view: %v", err)
	}
	return v
}

// insert is what a method that inserts gives, in a transaction of its own.
func insert[ID any](t fataler, s storage.Store, do func(tx storage.Tx) (ID, error)) ID {
	t.Helper()
	var id ID
	update(t, s, func(tx storage.Tx) (err error) {
		id, err = do(tx)
		return err
	})
	return id
}

// wantError checks the error of a method that may fail, in a transaction that is
// committed all the same: these errors leave it whole.
func wantError(t fataler, s storage.Store, want error, do func(tx storage.Tx) error) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error {
		if err := do(tx); !errors.Is(err, want) {
			t.Errorf("error is %v, want %v", err, want)
		}
		return nil
	})
}

var (
	alice = storage.Person{ID: "100", Name: "Alice"}
	bob   = storage.Person{ID: "200", Name: "Bob"}
	carol = storage.Person{ID: "300", Name: "Carol"}
)

// newMatch is a plain match in a channel, made at a minute.
func newMatch(channel string, made int, seats ...storage.Person) storage.Match {
	return storage.Match{
		Place:        storage.Place{Guild: "guild", Channel: channel},
		Game:         "a-game",
		RulesVersion: 1,
		Options:      "size=11",
		Seats:        seats,
		CreatedAt:    minute(made),
	}
}

func insertMatch(t fataler, s storage.Store, m storage.Match) storage.MatchID {
	t.Helper()
	return insert(t, s, func(tx storage.Tx) (storage.MatchID, error) { return tx.InsertMatch(m) })
}

// entries is n entries after a number, a minute apart.
func entries(after, n, from int) []storage.Entry {
	var all []storage.Entry
	for i := range n {
		all = append(all, storage.Entry{
			Seq: after + 1 + i, Kind: "action", Seat: 1 + i%2, Text: fmt.Sprintf("token-%d", after+1+i),
			At: minute(from + i), Interaction: "interaction",
		})
	}
	return all
}

func appendTo(t fataler, s storage.Store, id storage.MatchID, after, n, from int) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error { return tx.Append(id, after, entries(after, n, from)) })
}

// ids is the identifiers of matches, in their order.
func ids(all []storage.Match) []storage.MatchID {
	out := []storage.MatchID{}
	for _, m := range all {
		out = append(out, m.ID)
	}
	return out
}
