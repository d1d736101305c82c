package jobs_test

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
	"castellan/storage/postgres"
	"castellan/storage/postgres/jobs"
	"castellan/storage/postgres/pgtest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, url string, c jobs.Config) *jobs.Runner {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	c.TestOnly, c.Store, c.Logger = true, s, slog.New(slog.DiscardHandler)
	r, err := jobs.Open(t.Context(), c)
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

// run runs a runner until stop is called.
func run(t *testing.T, r *jobs.Runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// A job that is started while it runs runs once more, since what it has to see may have
// come too late for the first run. Its result is on record.
func TestStart(t *testing.T) {
	t.Parallel()
	runs, goOn := make(chan string, 100), make(chan struct{})
	r := open(t, pgtest.Database(t), jobs.Config{Jobs: []storage.Job{{Name: "started", Run: func(context.Context) (string, error) {
		runs <- "begun"
		<-goOn
		return "done", nil
	}}}})
	var ids []int64
	start := func() {
		t.Helper()
		id, err := r.Start(t.Context(), "started")
		must(t, err)
		ids = append(ids, id)
	}
	start()
	stop := run(t, r)
	<-runs
	start()
	goOn <- struct{}{}
	<-runs
	goOn <- struct{}{}
	for _, id := range ids {
		if s, err := r.Wait(t.Context(), id); err != nil || s.State != "completed" || s.Result != "done" || s.Attempts != 1 {
			t.Errorf("%+v, %v", s, err)
		}
	}
	stop()
	if _, err := r.Start(t.Context(), "unknown"); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("an unknown job: %v", err)
	}
}

// Several processes can start at the same time on an empty database.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
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
			r, err := jobs.Open(t.Context(), jobs.Config{Store: s, Logger: slog.New(slog.DiscardHandler)})
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
const childVariable = "CASTELLAN_TEST_JOBS"

// A job whose process is killed is done by another one.
func TestKilledProcess(t *testing.T) {
	if url := os.Getenv(childVariable); url != "" {
		r := open(t, url, jobs.Config{Jobs: []storage.Job{{Name: "long", Run: func(context.Context) (string, error) {
			os.Stdout.WriteString("begun")
			select {}
		}}}})
		t.Fatal(r.Run(t.Context()))
	}
	t.Parallel()
	url := pgtest.Database(t)
	r := open(t, url, jobs.Config{Jobs: []storage.Job{{Name: "long", Run: func(context.Context) (string, error) { return "done", nil }}}})
	id, err := r.Start(t.Context(), "long")
	must(t, err)
	child := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	child.Env = append(os.Environ(), childVariable+"="+url)
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	must(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `DELETE FROM river_leader`); err != nil { // it was the leader, for some seconds more
		t.Fatal(err)
	}
	if n, err := conn.Exec(t.Context(), `UPDATE river_job SET attempted_at = now() - interval '1 hour' WHERE state = 'running'`); err != nil || n.RowsAffected() != 1 {
		t.Fatal(n, err)
	}
	stop := run(t, r)
	if s, err := r.Wait(t.Context(), id); err != nil || s.State != "completed" || s.Result != "done" || s.Attempts != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	stop()
}

// A job in progress gives signs of life, by the clock of the database.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	r := open(t, url, jobs.Config{Silence: 100 * time.Millisecond, Jobs: []storage.Job{{Name: "long", Run: func(ctx context.Context) (string, error) {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return "", err
		}
		defer conn.Close(ctx)
		var first, last time.Time
		for err == nil && last.Equal(first) {
			if err = conn.QueryRow(ctx, `SELECT attempted_at FROM river_job WHERE args ->> 'name' = 'long'`).Scan(&last); first.IsZero() {
				first = last
			}
		}
		return "alive", err
	}}}})
	id, err := r.Start(t.Context(), "long")
	must(t, err)
	stop := run(t, r)
	if s, err := r.Wait(t.Context(), id); err != nil || s.Result != "alive" {
		t.Errorf("%+v, %v", s, err)
	}
	stop()
}

// Whoever deletes the data of a person starts the vacuum in the same transaction: it
// is not forgotten if the process dies, and not started if nothing is deleted.
func TestVacuumAfterErasing(t *testing.T) {
	t.Parallel()
	s, err := postgres.Open(t.Context(), pgtest.Database(t))
	must(t, err)
	t.Cleanup(func() { s.Close() })
	var wrapped []string
	r, err := jobs.Open(t.Context(), jobs.Config{Store: s, Logger: slog.New(slog.DiscardHandler), Wrap: func(all []storage.Job) []storage.Job {
		for _, j := range all {
			wrapped = append(wrapped, j.Name)
		}
		return all
	}})
	must(t, err)
	t.Cleanup(r.Close)
	if want := []string{"database", "vacuum"}; !slices.Equal(wrapped, want) {
		t.Errorf("the jobs %v are wrapped, want %v", wrapped, want)
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
	must(t, forget(nil))
	if all, err := r.List(t.Context(), 10); err != nil || len(all) != 1 || all[0].Name != "vacuum" || all[0].State != "available" {
		t.Errorf("after a deletion: %+v, %v", all, err)
	}
}
