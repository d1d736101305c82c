package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"castellan/storage"
	"castellan/storage/chorestest"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/postgres/queue"
)

func open(t testing.TB, url string, c queue.Config) *queue.Runner {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c.TestOnly, c.Store, c.Logger, c.Poll, c.Backoff = true, s, slog.New(slog.DiscardHandler), 10*time.Millisecond, func(int) time.Duration { return 0 }
	r, err := queue.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestSuite(t *testing.T) {
	for _, c := range chorestest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Test(t, func(t *testing.T, all []storage.Chore) storage.ChoreRunner {
				return open(t, pgtest.Database(t), queue.Config{Chores: all})
			})
		})
	}
}

// silence has all jobs in progress be as if their processes had been silent for an
// hour.
func silence(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if n, err := conn.Exec(t.Context(), `UPDATE river_job SET attempted_at = now() - interval '1 hour' WHERE state = 'running'`); err != nil || n.RowsAffected() != 1 {
		t.Fatal(n, err)
	}
}

// Several processes can start at the same time on an empty database.
func TestOpenTogether(t *testing.T) {
	url := pgtest.Database(t)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			s, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			r, err := queue.Open(t.Context(), queue.Config{Store: s, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Error(err)
				return
			}
			r.Close()
		})
	}
	all.Wait()
}

// childVariable is an environment variable with the URL of the database. It is set
// only in the process that TestKilledProcess starts and kills.
const childVariable = "CASTELLAN_TEST_CHORES"

// A chore whose process is killed is done by another one. A process that was only
// stopped is told so when it goes on.
func TestKilledProcess(t *testing.T) {
	if url := os.Getenv(childVariable); url != "" {
		r := open(t, url, queue.Config{Chores: []storage.Chore{{Name: "long", Run: func(context.Context) (string, error) {
			os.Stdout.WriteString("begun")
			select {}
		}}}})
		t.Fatal(r.Run(t.Context()))
	}
	url := pgtest.Database(t)
	r := open(t, url, queue.Config{Chores: []storage.Chore{{Name: "long", Run: func(context.Context) (string, error) {
		return "done", nil
	}}}})
	id, err := r.Insert(t.Context(), "long")
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	child.Env = append(os.Environ(), childVariable+"="+url)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	silence(t, url)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	if second, err := r.Wait(t.Context(), id); err != nil || second.ID == id || second.State != "completed" || second.Result != "done" {
		t.Errorf("%+v, %v", second, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if first, err := r.Status(t.Context(), id); err != nil || first.State != "discarded" {
		t.Errorf("%+v, %v", first, err)
	}
}

// A process that was stopped for longer than its grace neither goes on with its
// chore nor changes what the other one has recorded.
func TestStoppedProcess(t *testing.T) {
	url := pgtest.Database(t)
	lost := make(chan struct{})
	begun, again := make(chan struct{}), make(chan struct{})
	stopped := open(t, url, queue.Config{Grace: time.Hour, Chores: []storage.Chore{{Name: "long", Run: func(ctx context.Context) (string, error) {
		close(begun)
		<-again
		return "late", nil
	}}}})
	id, err := stopped.Insert(t.Context(), "long")
	if err != nil {
		t.Fatal(err)
	}
	run := func(r *queue.Runner) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		return func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	stopFirst := run(stopped)
	<-begun
	silence(t, url)
	other := open(t, url, queue.Config{Chores: []storage.Chore{{Name: "long", Run: func(context.Context) (string, error) {
		close(lost)
		return "done", nil
	}}}})
	stopSecond := run(other)
	<-lost
	close(again)
	stopFirst()
	if second, err := other.Wait(t.Context(), id); err != nil || second.State != "completed" || second.Result != "done" {
		t.Errorf("%+v, %v", second, err)
	}
	stopSecond()
	if first, err := other.Status(t.Context(), id); err != nil || first.State != "discarded" {
		t.Errorf("%+v, %v", first, err)
	}
}

// Whoever deletes the data of a person starts the vacuum in the same transaction: it
// is not forgotten if the process dies, and not started if nothing is deleted.
func TestVacuumAfterErasing(t *testing.T) {
	s, err := postgres.Open(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var wrapped []string
	r, err := queue.Open(t.Context(), queue.Config{Store: s, Logger: slog.New(slog.DiscardHandler), Wrap: func(all []storage.Chore) []storage.Chore {
		for _, c := range all {
			wrapped = append(wrapped, c.Name)
		}
		return all
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	if want := []string{"database", "vacuum"}; !slices.Equal(wrapped, want) {
		t.Errorf("the chores %v are wrapped, want %v", wrapped, want)
	}
	refused := errors.New("refused")
	forget := func(result error) error {
		return s.Update(t.Context(), func(tx storage.Tx) error {
			if err := tx.SetPreferences(storage.Preferences{Person: "p", OwnSide: true}); err != nil {
				return err
			}
			if err := tx.ForgetPerson("p", storage.Person{ID: "deleted-1", Name: "Deleted"}, time.Now()); err != nil {
				return err
			}
			return result
		})
	}
	if err := forget(refused); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if all, err := r.List(t.Context(), 10); err != nil || len(all) != 0 {
		t.Errorf("after a deletion that failed: %+v, %v", all, err)
	}
	if err := forget(nil); err != nil {
		t.Fatal(err)
	}
	if all, err := r.List(t.Context(), 10); err != nil || len(all) != 1 || all[0].Chore != "vacuum" || all[0].State != "available" {
		t.Errorf("after a deletion: %+v, %v", all, err)
	}
}
