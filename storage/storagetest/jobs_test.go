package storagetest_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/jobs"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/sqlite"
)

// Every runner of jobs passes these tests. They wait for nothing but what must happen.
func TestJobs(t *testing.T) {
	for name, test := range map[string]func(*testing.T, func(*testing.T, []storage.Job) storage.JobRunner){
		"RegularlyAndAtTheStart": testRegularJobs, "FailuresAreRepeated": testFailingJobs, "GracefulStop": testStoppedJobs,
	} {
		t.Run("SQLite/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test(t, func(_ *testing.T, all []storage.Job) storage.JobRunner {
					return &sqlite.Jobs{Jobs: all, Logger: slog.New(slog.DiscardHandler), Backoff: func(int) time.Duration { return time.Minute }}
				})
			})
		})
		t.Run("PostgreSQL/"+name, func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T, all []storage.Job) storage.JobRunner {
				s := openPostgres(t, pgtest.Database(t)).(*postgres.Store)
				t.Cleanup(func() { s.Close() })
				r, err := jobs.Open(t.Context(), jobs.Config{Store: s, Jobs: all, Logger: slog.New(slog.DiscardHandler), TestOnly: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(r.Close)
				return r
			})
		})
	}
}

func testRegularJobs(t *testing.T, runner func(*testing.T, []storage.Job) storage.JobRunner) {
	runs := make(chan string, 100)
	tells := func(name string, every time.Duration) storage.Job {
		return storage.Job{Name: name, Every: every, Run: func(context.Context) (string, error) { runs <- name; return "", nil }}
	}
	runJobs(t, runner(t, []storage.Job{tells("often", 100*time.Millisecond), tells("seldom", time.Hour), tells("never", 0)}))
	seen := map[string]int{}
	for seen["often"] < 2 || seen["seldom"] < 1 {
		seen[<-runs]++
	}
	if seen["seldom"] != 1 || seen["never"] != 0 {
		t.Errorf("ran: %v", seen)
	}
}

func testFailingJobs(t *testing.T, runner func(*testing.T, []storage.Job) storage.JobRunner) {
	for name, fail := range map[string]func() error{"error": func() error { return errors.New("it fails") }, "panic": func() error { panic("it panics") }} {
		failed, done := false, make(chan struct{})
		runJobs(t, runner(t, []storage.Job{{Name: name, Every: time.Hour, Run: func(context.Context) (string, error) {
			if !failed {
				failed = true
				return "", fail()
			}
			close(done)
			return "", nil
		}}}))
		<-done
	}
}

func testStoppedJobs(t *testing.T, runner func(*testing.T, []storage.Job) storage.JobRunner) {
	begun, stopped := make(chan struct{}), make(chan struct{})
	stop := runJobs(t, runner(t, []storage.Job{{Name: "long", Every: time.Hour, Run: func(ctx context.Context) (string, error) {
		close(begun)
		<-ctx.Done()
		close(stopped)
		return "", ctx.Err()
	}}}))
	<-begun
	stop()
	<-stopped
}

// runJobs runs a runner until the end of the test, or until stop is called, which waits
// for the end.
func runJobs(t *testing.T, r storage.JobRunner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx); close(ended) }()
	stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}
