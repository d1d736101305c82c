// Package jobs runs jobs on PostgreSQL with River (https://riverqueue.com), shared by
// all processes. River's tables are beside Castellan's and their names begin with
// river_.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/migrations"
)

const (
	// connections is the size of River's pool: one listens. A migration needs two.
	connections = 3
	// stopTimeout limits how long a stop waits for a job whose context is done.
	stopTimeout = 5 * time.Second
)

// The jobs of the database.
const (
	// vacuum frees the rows of people whose data was deleted. The transaction that
	// deletes it starts the job.
	vacuum = "vacuum"
	prune  = "database"
)

// Config configures a Runner.
type Config struct {
	Store *postgres.Store
	Jobs  []storage.Job
	// Wrap, if it is not nil, replaces all jobs, also those of the database, which
	// Open adds.
	Wrap   func([]storage.Job) []storage.Job
	Logger *slog.Logger
	// Silence is the time after which a job without a heartbeat counts as lost, and River
	// runs it again; default 30 seconds. A process that runs a job sends a heartbeat
	// every quarter of that time.
	Silence time.Duration
	// TestOnly does away with River's random delays at the start.
	TestOnly bool
}

// Runner runs jobs. Use Open.
type Runner struct {
	config Config
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
}

var _ storage.JobRunner = (*Runner)(nil)

// args is what River's table says of a job.
type args struct {
	Name string `json:"name"`
}

// Kind implements river.JobArgs. All jobs are of one kind for River, because a kind is
// a type.
func (args) Kind() string { return "castellan" }

// Open connects to the database of a store, and creates or updates River's tables. It
// adds the jobs of the database itself. Every process that uses the database opens
// a runner, also if it does not run it.
func Open(ctx context.Context, c Config) (_ *Runner, err error) {
	c.Silence = cmp.Or(c.Silence, 30*time.Second)
	c.Jobs = append(slices.Clone(c.Jobs),
		storage.Job{Name: prune, Every: time.Hour, Run: func(ctx context.Context) (string, error) { return "", c.Store.Prune(ctx) }},
		storage.Job{Name: vacuum, Run: func(ctx context.Context) (string, error) { return "", c.Store.Vacuum(ctx) }})
	if c.Wrap != nil {
		c.Jobs = c.Wrap(c.Jobs)
	}
	r := &Runner{config: c}
	if r.pool, err = c.Store.Pool(ctx, connections); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	defer func() {
		if err != nil {
			r.pool.Close()
			err = fmt.Errorf("jobs: %w", err)
		}
	}()
	log := slog.New(quiet{c.Logger.Handler(), &sync.Map{}})
	if err := r.migrate(ctx, log); err != nil {
		return nil, err
	}
	rc := &river.Config{
		Logger: log, TestOnly: c.TestOnly, Workers: river.NewWorkers(), RescueStuckJobsAfter: c.Silence, JobTimeout: -1, // but see worker.Timeout
		RetryPolicy: retryPolicy{},
		Queues:      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}},
	}
	river.AddWorker(rc.Workers, &worker{runner: r})
	for _, j := range c.Jobs {
		if j.Every > 0 {
			rc.PeriodicJobs = append(rc.PeriodicJobs, river.NewPeriodicJob(river.PeriodicInterval(j.Every),
				func() (river.JobArgs, *river.InsertOpts) {
					return args{j.Name}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished}}
				}, &river.PeriodicJobOpts{RunOnStart: true}))
		}
	}
	if r.client, err = river.NewClient(riverpgxv5.New(r.pool), rc); err != nil {
		return nil, err
	}
	c.Store.OnErase(func(ctx context.Context, tx pgx.Tx) error {
		_, err := r.client.InsertTx(ctx, tx, args{vacuum}, nil)
		return err
	})
	return r, nil
}

// unfinished lists the states in which a regular job keeps another one of its name
// from being added.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// Close closes the connections.
func (r *Runner) Close() { r.pool.Close() }

// migrate updates River's tables. Processes that start at the same time wait for
// each other, and for those that update Castellan's own.
func (r *Runner) migrate(ctx context.Context, log *slog.Logger) error {
	return pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrations.Lock); err != nil {
			return err
		}
		m, err := rivermigrate.New(riverpgxv5.New(r.pool), &rivermigrate.Config{Logger: log})
		if err == nil {
			_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		}
		return err
	})
}

// Run implements storage.JobRunner. At the end it interrupts the job in progress,
// which another process repeats.
func (r *Runner) Run(ctx context.Context) error {
	if err := r.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := r.client.StopAndCancel(stopping); err != nil {
		r.config.Logger.Warn("a job does not stop", "error", err)
	}
	return nil
}

// retryPolicy is River's, with at most maxRetry between two attempts.
type retryPolicy struct{ river.DefaultClientRetryPolicy }

const maxRetry = 10 * time.Minute

// NextRetry implements river.ClientRetryPolicy.
func (p retryPolicy) NextRetry(j *rivertype.JobRow) time.Time {
	next, last := p.DefaultClientRetryPolicy.NextRetry(j), time.Now().Add(maxRetry)
	if next.After(last) {
		return last
	}
	return next
}

// worker does the jobs.
type worker struct {
	river.WorkerDefaults[args]
	runner *Runner
}

// Timeout implements river.Worker. A job may take hours, so it gets no timeout when it
// begins. River asks again when it looks for jobs to rescue: one that has been silent
// has run out of time.
func (w *worker) Timeout(j *river.Job[args]) time.Duration {
	if silence := w.runner.config.Silence; j.AttemptedAt != nil && time.Since(*j.AttemptedAt) >= silence {
		return silence
	}
	return -1
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, j *river.Job[args]) error {
	i := slices.IndexFunc(w.runner.config.Jobs, func(c storage.Job) bool { return c.Name == j.Args.Name })
	if i < 0 { // of a newer version, during an upgrade
		return river.JobSnooze(time.Minute)
	}
	done, cancel := context.WithCancel(ctx)
	defer cancel()
	go w.runner.beat(done, j.ID)
	result, err := w.runner.config.Jobs[i].Do(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.runner.config.Logger.Error("a job has failed and is repeated", "job", j.Args.Name, "error", err)
		}
		return err
	}
	if result != "" {
		w.runner.config.Logger.Info("a job is done", "job", j.Args.Name, "result", result)
	}
	return river.RecordOutput(ctx, result)
}

// beat says that a job runs, until ctx is done.
func (r *Runner) beat(ctx context.Context, id int64) {
	ticks := time.NewTicker(r.config.Silence / 4)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			// After an error, the next one may succeed.
			_, _ = r.pool.Exec(ctx, `UPDATE river_job SET attempted_at = clock_timestamp() WHERE id = $1 AND state = 'running'`, id)
		}
	}
}

// quiet passes on River's warnings and errors, each at most once a minute: during an
// outage of the database it has some every second.
type quiet struct {
	slog.Handler
	said *sync.Map // when a text was last logged
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if last, ok := q.said.Load(r.Message); ok && r.Time.Sub(last.(time.Time)) < time.Minute {
		return nil
	}
	q.said.Store(r.Message, r.Time)
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(a), q.said} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name), q.said} }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// ErrUnknown reports that there is no job of a name.
var ErrUnknown = errors.New("there is no such job")

// Start has a job run as soon as possible, even if it has begun a run already, and
// returns its number.
func (r *Runner) Start(ctx context.Context, name string) (id int64, err error) {
	if !slices.ContainsFunc(r.config.Jobs, func(j storage.Job) bool { return j.Name == name }) {
		return 0, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	inserted, err := r.client.Insert(ctx, args{name}, nil)
	if err != nil {
		return 0, fmt.Errorf("jobs: %w", err)
	}
	return inserted.Job.ID, nil
}

// Status describes a job.
type Status struct {
	ID       int64
	Name     string
	State    string // one of River's: available, running, retryable, completed, …
	Attempts int
	Created  time.Time
	Finished time.Time // zero before
	Result   string    // what the job tells, or why it failed last
}

// Wait waits until a job has finished, and returns its status.
func (r *Runner) Wait(ctx context.Context, id int64) (Status, error) {
	for {
		j, err := r.client.JobGet(ctx, id)
		if err != nil {
			return Status{}, fmt.Errorf("jobs: %w", err)
		}
		if s := status(j); !s.Finished.IsZero() {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return Status{}, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// List returns the newest jobs, up to limit.
func (r *Runner) List(ctx context.Context, limit int) (all []Status, err error) {
	l, err := r.client.JobList(ctx, river.NewJobListParams().First(limit).OrderBy(river.JobListOrderByID, river.SortOrderDesc))
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	for _, j := range l.Jobs {
		all = append(all, status(j))
	}
	return all, nil
}

func status(j *rivertype.JobRow) Status {
	s := Status{ID: j.ID, State: string(j.State), Attempts: j.Attempt, Created: j.CreatedAt}
	var a args
	_ = json.Unmarshal(j.EncodedArgs, &a) // empty if it is none of ours
	s.Name = a.Name
	if j.FinalizedAt != nil {
		s.Finished = *j.FinalizedAt
	}
	if n := len(j.Errors); n > 0 && j.State != rivertype.JobStateCompleted {
		s.Result = j.Errors[n-1].Error
	}
	var output string
	_ = json.Unmarshal(j.Output(), &output) // empty if it is none of ours
	s.Result = cmp.Or(output, s.Result)
	return s
}
