package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"castellan/bot/cluster"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/jobs"
	"castellan/storage/transfer"
)

type jobsCommand struct {
	List  jobsListCommand  `cmd:"" default:"withargs" help:"List the newest jobs: what runs regularly, and what was started."`
	Start jobsStartCommand `cmd:"" help:"Have the running bot do a job, and wait for its result."`
}

type jobsListCommand struct {
	DB    string `name:"db" required:"" help:"Database on PostgreSQL." placeholder:"URL"`
	Limit int    `default:"20" help:"How many to list."`
}

type jobsStartCommand struct {
	DB   string `name:"db" required:"" help:"Database on PostgreSQL." placeholder:"URL"`
	Name string `arg:"" enum:"ratings" help:"What to do: ratings computes all ratings again, and corrects what differs."`
}

// withJobs calls fn with the jobs of a database.
func withJobs(ctx context.Context, name string, s cli.Streams, fn func(*jobs.Runner) error) error {
	if !transfer.IsURL(name) {
		return cli.Usage(errors.New("jobs are kept in PostgreSQL; the bot that uses a file does its jobs by itself, and castellan ratings rebuild works on the file while the bot is stopped"))
	}
	known, err := games.Registry()
	if err != nil {
		return err
	}
	return changeStore(ctx, name, func(store storage.Store) error {
		r, err := jobs.Open(ctx, jobs.Config{
			Store: store.(*postgres.Store), Jobs: newHost(store, known, s).Jobs(), Logger: slog.New(slog.NewTextHandler(s.Errs, nil)),
		})
		if err != nil {
			return err
		}
		defer r.Close()
		return fn(r)
	})
}

// Run lists the newest jobs.
func (c jobsListCommand) Run(ctx context.Context, s cli.Streams) error {
	return withJobs(ctx, c.DB, s, func(r *jobs.Runner) error {
		all, err := r.List(ctx, c.Limit)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			_, err := fmt.Fprintln(s.Out, "There are no jobs: no process with the role worker has run in the last day.")
			return err
		}
		w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tJOB\tSTATE\tATTEMPTS\tCREATED\tRESULT")
		for _, j := range all {
			result, _, _ := strings.Cut(j.Result, "\n")
			fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%s\n", j.ID, j.Name, j.State, j.Attempts, j.Created.UTC().Format(time.DateTime), result)
		}
		return w.Flush()
	})
}

// Run starts a job and prints its result.
func (c jobsStartCommand) Run(ctx context.Context, s cli.Streams) error {
	return withJobs(ctx, c.DB, s, func(r *jobs.Runner) error {
		id, err := r.Start(ctx, c.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Errs, "Job %d waits for a process with the role worker. If you do not wait, it goes on nevertheless, and castellan jobs shows its result.\n", id)
		j, err := r.Wait(ctx, id)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case j.State != "completed":
			return fmt.Errorf("job %d is %s: %s", j.ID, j.State, j.Result)
		}
		_, err = fmt.Fprintln(s.Out, j.Result)
		return err
	})
}

type processesCommand struct {
	DB string `name:"db" required:"" help:"Database on PostgreSQL." placeholder:"URL"`
}

// Run lists the processes on a database.
func (c processesCommand) Run(ctx context.Context, s cli.Streams) error {
	if !transfer.IsURL(c.DB) {
		return cli.Usage(errors.New("several processes need PostgreSQL: the database must be its URL"))
	}
	return readStore(ctx, c.DB, func(store storage.Store) error {
		all, err := cluster.Processes(ctx, store)
		if err != nil {
			return err
		}
		return printProcesses(s.Out, all)
	})
}
