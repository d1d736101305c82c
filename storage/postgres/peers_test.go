package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// signalsOf listens and returns the signals after the first, SignalsLost.
func signalsOf(t *testing.T, s *postgres.Store) <-chan storage.Signal {
	t.Helper()
	signals := make(chan storage.Signal, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Listen(ctx, func(n storage.Signal) { signals <- n })
	}()
	t.Cleanup(func() { cancel(); <-done })
	if first := <-signals; first.Kind != storage.SignalsLost {
		t.Errorf("the first signal is %v", first)
	}
	return signals
}

// heard listens and returns a function that waits for a signal about the end of a
// test and returns those before it.
func heard(t *testing.T, s, from *postgres.Store) func() string {
	t.Helper()
	signals := signalsOf(t, s)
	return func() string {
		from.Notify(storage.Signal{Kind: "end"})
		var all []string
		for n := range signals {
			if n.Kind == "end" {
				break
			}
			all = append(all, strings.TrimSpace(fmt.Sprint(n.Kind, " ", n.ID)))
		}
		slices.Sort(all) // those of a commit come before those after it
		return strings.Join(all, ", ")
	}
}

// Updates tell the other processes what they have changed.
func TestSignals(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	a, b := open(t, url), open(t, url)
	id := insertMatch(t, a)
	inA, inB := heard(t, a, b), heard(t, b, a)
	here := storage.Place{Guild: "7", Channel: "8"}
	failed := errors.New("rolled back")
	var longIDs []string
	for n := range 1000 {
		longIDs = append(longIDs, fmt.Sprint("locale 1234567890123456", 1000+n))
	}
	for _, tt := range []struct {
		name string
		fn   func(storage.Tx) error
		want string
	}{
		{"preferences", func(tx storage.Tx) error { return tx.SetPreferences(storage.Preferences{Person: "1"}) }, "preferences 1"},
		{"an ID with quotes", func(tx storage.Tx) error { return tx.SetPreferences(storage.Preferences{Person: `'"\`}) }, `preferences '"\`},
		{"settings", func(tx storage.Tx) error { return tx.SetGuildSettings(storage.GuildSettings{Guild: "7"}) }, "settings 7"},
		{"a locale", func(tx storage.Tx) error { return tx.SetLocale("1", "de") }, "locale 1"},
		{"a person", func(tx storage.Tx) error { return tx.ForgetPerson("1", storage.Person{ID: "x1"}, noon) }, "forgotten 1"},
		{"a turn", func(tx storage.Tx) error { return appendEntry(tx, id, 0) }, ""},
		{"a computer's turn", func(tx storage.Tx) error { return tx.SetComputerTurn(id, noon) }, "computer"},
		{"no computer's turn", func(tx storage.Tx) error { return tx.SetComputerTurn(id, time.Time{}) }, ""},
		{"a turn before a computer's", func(tx storage.Tx) error {
			m, err := tx.Match(id)
			if err == nil {
				_, err = tx.Advance(storage.Advance{Match: id, After: m.Head, Entries: []storage.Entry{{Seq: 2, Kind: "action", At: noon}}, ComputerTurnSince: noon})
			}
			return err
		}, "computer"},
		{"a failed post", func(tx storage.Tx) error {
			board, err := tx.InsertBoard(storage.Board{Match: id, Place: here, State: storage.BoardDue})
			if err != nil {
				return err
			}
			return tx.PostponeBoard(board, noon.Add(time.Hour))
		}, ""},
		{"no post elsewhere", func(tx storage.Tx) error {
			_, err := tx.RetryNow(storage.Place{Guild: "9"}, noon)
			return err
		}, ""},
		{"a retried post", func(tx storage.Tx) error {
			_, err := tx.RetryNow(here, noon)
			return err
		}, "posts 7"},
		{"nothing", func(tx storage.Tx) error {
			_ = tx.SetLocale("1", "fr")
			_ = tx.SetComputerTurn(id, noon)
			return failed
		}, ""},
		{"many at a time", func(tx storage.Tx) (err error) {
			for n := range 1000 {
				err = errors.Join(err, tx.SetLocale(fmt.Sprint("1234567890123456", 1000+n), "de"))
			}
			return err
		}, strings.Join(longIDs, ", ")},
		{"a long ID", func(tx storage.Tx) error { return tx.SetLocale(strings.Repeat("1", 9000), "de") }, "lost"},
	} {
		if err := a.Update(t.Context(), tt.fn); err != nil && err != failed {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := inB(); got != tt.want {
			t.Errorf("%s: the other process hears %.200q, want %.200q", tt.name, got, tt.want)
		}
	}
	if got := inA(); got != "" {
		t.Errorf("a process hears itself: %q", got)
	}
}

// What is sent and heard is counted, but not what is not committed.
func TestOnSignal(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	var mu sync.Mutex
	counts := map[string]int{}
	count := func(process string) postgres.Option {
		return postgres.OnSignal(func(k storage.SignalKind, sent bool) {
			mu.Lock()
			defer mu.Unlock()
			counts[fmt.Sprint(process, " ", k, " ", sent)]++
		})
	}
	a, b := open(t, url, count("a")), open(t, url, count("b"))
	hear := heard(t, b, a)
	failed := errors.New("rolled back")
	for _, result := range []error{failed, nil} {
		if err := a.Update(t.Context(), func(tx storage.Tx) error {
			return errors.Join(tx.SetLocale("1", "de"), tx.SetPreferences(storage.Preferences{Person: "1"}), result)
		}); !errors.Is(err, result) {
			t.Fatal(err)
		}
	}
	hear()
	if err := a.Close(); err != nil { // so that it has counted
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	want := map[string]int{"b lost false": 1, "a locale true": 1, "b locale false": 1, "a preferences true": 1, "b preferences false": 1, "a end true": 1, "b end false": 1}
	if !maps.Equal(counts, want) {
		t.Errorf("counted %v, want %v", counts, want)
	}
}

// Signals that come soon after each other are one notification.
func TestGathered(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	s := open(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), "LISTEN castellan")
	must(t, err)
	for range 1000 { // takes far less than the time for which signals are gathered
		s.Notify(storage.Signal{Kind: storage.ComputerToMove})
	}
	s.Notify(storage.Signal{Kind: "end"})
	n := 0
	for end := false; !end; n++ {
		received, err := conn.WaitForNotification(t.Context())
		must(t, err)
		end = strings.Contains(received.Payload, `"end"`)
	}
	if n > 100 {
		t.Errorf("%d notifications", n)
	}
}

// Whoever has lost the connection hears that signals may have been lost.
func TestListenAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	b, db := open(t, url+"&application_name=listener"), raw(t, url)
	signals := signalsOf(t, b)
	_, err := db.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'listener%' AND query LIKE 'LISTEN%'")
	must(t, err)
	if n := <-signals; n.Kind != storage.SignalsLost {
		t.Errorf("the first signal is %v", n)
	}
}
