// Package chorestest contains the suite that every runner of chores passes.
package chorestest

import (
	"context"
	"errors"
	"testing"
	"time"

	"castellan/storage"
)

// Runner returns a runner of chores that repeats failed runs at once.
type Runner func(*testing.T, []storage.Chore) storage.ChoreRunner

// Case is a test of the suite.
type Case struct {
	Name string
	Test func(*testing.T, Runner)
}

// Cases returns the suite. Its tests wait for nothing but what must happen.
func Cases() []Case {
	return []Case{
		{"RegularlyAndAtTheStart", regularly}, {"Start", start}, {"FailuresAreRepeated", failures}, {"GracefulStop", gracefulStop},
	}
}

func regularly(t *testing.T, runner Runner) {
	runs := make(chan string, 100)
	r := runner(t, []storage.Chore{tells("often", 100*time.Millisecond, runs), tells("seldom", time.Hour, runs), tells("never", 0, runs)})
	run(t, r)
	seen := map[string]int{}
	for seen["often"] < 2 || seen["seldom"] < 1 {
		seen[<-runs]++
	}
	if seen["seldom"] != 1 || seen["never"] != 0 {
		t.Errorf("ran: %v", seen)
	}
}

func start(t *testing.T, runner Runner) {
	runs, goOn := make(chan string, 100), make(chan struct{})
	r := runner(t, []storage.Chore{{Name: "started", Run: func(ctx context.Context) (string, error) {
		runs <- "begun"
		<-goOn
		return "done", nil
	}}})
	must(t, r.Start(t.Context(), "started"))
	run(t, r)
	<-runs
	must(t, r.Start(t.Context(), "started")) // what it has to see may have come too late for the first run
	goOn <- struct{}{}
	<-runs
	goOn <- struct{}{}
	if err := r.Start(t.Context(), "unknown"); !errors.Is(err, storage.ErrUnknownChore) {
		t.Errorf("an unknown chore: %v", err)
	}
}

func failures(t *testing.T, runner Runner) {
	tries := 0
	done := make(chan struct{})
	r := runner(t, []storage.Chore{{Name: "fails", Run: func(context.Context) (string, error) {
		switch tries++; tries {
		case 1:
			return "", errors.New("it fails")
		case 2:
			panic("it panics")
		}
		close(done)
		return "", nil
	}}})
	must(t, r.Start(t.Context(), "fails"))
	run(t, r)
	<-done
}

func gracefulStop(t *testing.T, runner Runner) {
	begun, stopped := make(chan struct{}), make(chan struct{})
	r := runner(t, []storage.Chore{{Name: "long", Run: func(ctx context.Context) (string, error) {
		close(begun)
		<-ctx.Done()
		close(stopped)
		return "", ctx.Err()
	}}})
	must(t, r.Start(t.Context(), "long"))
	stop := run(t, r)
	<-begun
	stop()
	<-stopped
}

// tells returns a chore that tells its runs.
func tells(name string, every time.Duration, runs chan<- string) storage.Chore {
	return storage.Chore{Name: name, Every: every, Run: func(context.Context) (string, error) {
		runs <- name
		return "", nil
	}}
}

// run runs a runner until the end of the test, or until stop is called, which waits
// for the end.
func run(t *testing.T, r storage.ChoreRunner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
