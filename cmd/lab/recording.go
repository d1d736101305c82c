package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"castellan/cmd/lab/internal/arena"
)

// recording is a tournament whose report is kept in a file, with which a stopped one
// goes on.
type recording struct {
	tournament *arena.Tournament
	report     arena.Report
	file       string             // "" for none
	progress   func(arena.Report) // called every few seconds
}

// resume takes over the games in the file, if there are any.
func (r *recording) resume() error {
	if r.file == "" {
		return nil
	}
	old, err := read(r.file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, io.EOF) || err == nil && len(old.Games) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	if d := r.report.Terms.Differences(old.Terms); len(d) > 0 {
		return fmt.Errorf("%s is of another match, with %s", r.file, strings.Join(d, ", "))
	}
	if old.Program != r.report.Program {
		return fmt.Errorf("%s was begun by %s, but this is %s: together they would measure neither", r.file, old.Program, r.report.Program)
	}
	r.report.Games = old.Games
	return nil
}

// read reads a report; the error of an empty file wraps io.EOF.
func read(file string) (arena.Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return arena.Report{}, err
	}
	defer f.Close()
	return arena.ReadReport(f)
}

// play plays the games that are left, and stores the report now and then and at the
// end.
func (r *recording) play(ctx context.Context) error {
	if err := save(r.file, r.report.Write); err != nil { // fail now rather than after the first game
		return err
	}
	storedAt, reportedAt := time.Time{}, time.Now()
	games, err := r.tournament.Run(ctx, r.report.Games, func(games []arena.Game) error {
		now := time.Now()
		if now.Sub(storedAt) < time.Second {
			return nil
		}
		storedAt = now
		if err := r.store(games, false); err != nil {
			return err
		}
		if now.Sub(reportedAt) >= 5*time.Second {
			reportedAt = now
			r.progress(r.report)
		}
		return nil
	})
	return errors.Join(err, r.store(games, err == nil))
}

// store updates the report and writes its file.
func (r *recording) store(games []arena.Game, complete bool) error {
	summary, err := r.tournament.Summarize(games)
	if err != nil {
		return err
	}
	r.report.Games, r.report.Summary, r.report.Complete = games, summary, complete
	return save(r.file, r.report.Write)
}

// save replaces a file atomically, unless it has no name, by what a function writes.
func save(file string, write func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	f, err := os.Create(file + ".part")
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(file+".part", file)
}
