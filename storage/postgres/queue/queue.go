// Package queue runs chores on PostgreSQL with River
// (https://riverqueue.com), shared by all processes. River's tables are beside
// Castellan's and their names begin with river_.
package queue

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
	// connections is the size of River's pool. A migration needs two.
	connections = 3
	// maxAttempts is the number of failures after which River discards a job.
	maxAttempts = 25
	// stopTimeout limits how long a stop waits for a chore whose context is done.
	stopTimeout = 5 * time.Second
)

// The chores of the database.
const (
	// vacuum frees the rows of people whose data was deleted. The transaction that
	// deletes it starts the chore.
	vacuum = "vacuum"
	prune  = "database"
)

// Config configures a Runner. Zero values of Poll and Grace stand for their defaults;
// a process that only lists or starts jobs needs no Backoff.
type Config struct {
	Store  *postgres.Store
	Chores []storage.Chore
	// Wrap, if it is not nil, replaces all chores, also those of the database, which
	// Open adds.
	Wrap   func([]storage.Chore) []storage.Chore
	Logger *slog.Logger
	// Backoff returns how long to wait after a number of failures in a row.
	Backoff func(failures int) time.Duration
	// Poll is the time between two queries for jobs; default 2 seconds.
	Poll time.Duration
	// Grace is the time after which a job without a heartbeat counts as lost, and is
	// started again; default 30 seconds. A process that runs a job sends a heartbeat
	// every quarter of that time.
	Grace time.Duration
	// TestOnly does away with River's random delays at the start.
	TestOnly bool
}

// Runner runs chores. Use Open.
type Runner struct {
	config Config
	log    *slog.Logger // see quiet
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
}

var _ storage.ChoreRunner = (*Runner)(nil)

// job is a chore in River's table.
type job struct {
	Chore string `json:"chore"`
}

// kind is the kind of all jobs.
const kind = "chore"

// Kind implements river.JobArgs.
func (job) Kind() string { return kind }

// Open connects to the database of a store, and creates or updates River's tables. It
// adds the chores of the database itself. Every process that uses the database opens
// a runner, also if it does not run it.
func Open(ctx context.Context, c Config) (_ *Runner, err error) {
	c.Poll, c.Grace = cmp.Or(c.Poll, 2*time.Second), cmp.Or(c.Grace, 30*time.Second)
	c.Chores = append(slices.Clone(c.Chores), storage.Chore{Name: prune, Every: time.Hour, Run: func(ctx context.Context) (string, error) {
		return "", c.Store.Prune(ctx)
	}}, storage.Chore{Name: vacuum, Run: func(ctx context.Context) (string, error) { return "", c.Store.Vacuum(ctx) }})
	if c.Wrap != nil {
		c.Chores = c.Wrap(c.Chores)
	}
	r := &Runner{config: c, log: slog.New(quiet{c.Logger.Handler(), &said{}})}
	if r.pool, err = c.Store.Pool(ctx, connections); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	defer func() {
		if err != nil {
			r.pool.Close()
			err = fmt.Errorf("jobs: %w", err)
		}
	}()
	if err := r.migrate(ctx); err != nil {
		return nil, err
	}
	rc := &river.Config{
		Logger: r.log, RetryPolicy: r, MaxAttempts: maxAttempts,
		TestOnly: c.TestOnly, JobTimeout: -1, // so that River rescues nothing: see rescue
		// Works with PgBouncer, too, and nobody waits for a chore.
		PollOnly: true, FetchPollInterval: c.Poll, FetchCooldown: min(c.Poll, time.Second),
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}},
		Workers: river.NewWorkers(),
	}
	river.AddWorker(rc.Workers, &worker{runner: r})
	for _, ch := range c.Chores {
		if ch.Every > 0 {
			rc.PeriodicJobs = append(rc.PeriodicJobs, river.NewPeriodicJob(river.PeriodicInterval(ch.Every),
				func() (river.JobArgs, *river.InsertOpts) {
					return job{ch.Name}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished}}
				}, &river.PeriodicJobOpts{RunOnStart: true}))
		}
	}
	if r.client, err = river.NewClient(riverpgxv5.New(r.pool), rc); err != nil {
		return nil, err
	}
	c.Store.OnErase(func(ctx context.Context, tx pgx.Tx) error {
		_, err := r.client.InsertTx(ctx, tx, job{vacuum}, nil)
		return err
	})
	return r, nil
}

// unfinished lists the states in which a regular job keeps another one of its chore
// from being added.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// Close closes the connections.
func (r *Runner) Close() { r.pool.Close() }

// migrate updates River's tables. Processes that start at the same time wait for
// each other, and for those that update Castellan's own.
func (r *Runner) migrate(ctx context.Context) (err error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrations.Lock); err != nil {
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrations.Lock)
		err = errors.Join(err, e)
	}()
	m, err := rivermigrate.New(riverpgxv5.New(r.pool), &rivermigrate.Config{Logger: r.log})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	return err
}

// Run implements storage.ChoreRunner. At the end it interrupts the chore in progress,
// which another process repeats.
func (r *Runner) Run(ctx context.Context) error {
	if err := r.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	ticks := time.NewTicker(r.config.Grace / 4)
	defer ticks.Stop()
	for ctx.Err() == nil {
		if err := r.rescue(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("looking for chores of processes that have died", "error", postgres.Classify(err))
		}
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := r.client.StopAndCancel(stopping); err != nil {
		r.config.Logger.Warn("a chore does not stop", "error", err)
	}
	return nil
}

// rescue replaces the jobs whose process has been silent by new ones, by the
// database's clock. River's own rescue compares the time when a job began with the
// clock of a process, so it would also repeat long jobs that still run. It would also
// keep the row, and a process that was only stopped would later write its result over
// that of the next one.
func (r *Runner) rescue(ctx context.Context) error {
	return pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
SELECT id, args ->> 'chore' FROM river_job
WHERE state = 'running' AND kind = $1 AND attempted_at < clock_timestamp() - $2::interval FOR UPDATE SKIP LOCKED`, kind, r.config.Grace)
		if err != nil {
			return err
		}
		silent, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			ID    int64
			Chore string
		}])
		for _, s := range silent {
			if err != nil {
				break
			}
			var next *rivertype.JobInsertResult
			if next, err = r.client.InsertTx(ctx, tx, job{s.Chore}, nil); err != nil {
				break
			}
			_, err = tx.Exec(ctx, `UPDATE river_job SET state = 'discarded', finalized_at = now(), metadata = metadata || jsonb_build_object($1::text, $2::bigint) WHERE id = $3`,
				repeatedBy, next.Job.ID, s.ID)
			r.config.Logger.Warn("a chore is repeated, because its process has been silent", "chore", s.Chore, "job", s.ID, "by", next.Job.ID)
		}
		return err
	})
}

// repeatedBy is the key of River's metadata for the number of the job that repeats
// another.
const repeatedBy = "repeated_by"

// Start implements storage.ChoreRunner.
func (r *Runner) Start(ctx context.Context, name string) error {
	_, err := r.Insert(ctx, name)
	return err
}

// Insert does the same as Start, and returns the number of the job.
func (r *Runner) Insert(ctx context.Context, name string) (id int64, err error) {
	if r.find(name) < 0 {
		return 0, fmt.Errorf("%w: %s", storage.ErrUnknownChore, name)
	}
	inserted, err := r.client.Insert(ctx, job{name}, nil)
	if err != nil {
		return 0, fmt.Errorf("jobs: %w", err)
	}
	return inserted.Job.ID, nil
}

func (r *Runner) find(name string) int {
	return slices.IndexFunc(r.config.Chores, func(c storage.Chore) bool { return c.Name == name })
}

// NextRetry implements river.ClientRetryPolicy.
func (r *Runner) NextRetry(j *rivertype.JobRow) time.Time {
	return time.Now().Add(r.config.Backoff(len(j.Errors) + 1))
}

// worker does the jobs.
type worker struct {
	river.WorkerDefaults[job]
	runner *Runner
}

// errLost is the cause of the end of a job that another process repeats.
var errLost = errors.New("another process repeats the chore")

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, j *river.Job[job]) error {
	i := w.runner.find(j.Args.Chore)
	if i < 0 { // of a newer version, during an upgrade
		return river.JobSnooze(time.Minute)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go w.runner.beat(ctx, j.ID, cancel)
	result, err := w.runner.config.Chores[i].Do(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.runner.config.Logger.Error("a chore has failed and is repeated", "chore", j.Args.Chore, "error", err)
		}
		return err
	}
	if result != "" {
		w.runner.config.Logger.Info("a chore is done", "chore", j.Args.Chore, "result", result)
	}
	return river.RecordOutput(ctx, result)
}

// beat says that a job runs, until ctx is done. If another process has got it, beat
// cancels.
func (r *Runner) beat(ctx context.Context, id int64, cancel context.CancelCauseFunc) {
	ticks := time.NewTicker(r.config.Grace / 4)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		t, err := r.pool.Exec(ctx, `UPDATE river_job SET attempted_at = clock_timestamp() WHERE id = $1 AND state = 'running'`, id)
		if err == nil && t.RowsAffected() == 0 {
			cancel(errLost)
		}
	}
}

// quiet passes on River's warnings and errors, each at most once a minute: during an
// outage of the database it has some every second.
type quiet struct {
	slog.Handler
	said *said
}

// said remembers when a text was last logged.
type said struct {
	mu sync.Mutex
	at map[string]time.Time
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	q.said.mu.Lock()
	last, again := q.said.at[r.Message]
	again = again && r.Time.Sub(last) < time.Minute
	if !again {
		if q.said.at == nil {
			q.said.at = map[string]time.Time{}
		}
		q.said.at[r.Message] = r.Time
	}
	q.said.mu.Unlock()
	if again {
		return nil
	}
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

// Status describes a job.
type Status struct {
	ID       int64
	Chore    string
	State    string // one of River's: available, running, retryable, completed, …
	Attempts int
	Created  time.Time
	Finished time.Time // zero before
	Result   string    // what the chore tells, or why it failed last
	// RepeatedBy is the number of the job that repeats this one, whose process died,
	// or 0.
	RepeatedBy int64
}

// Status returns the state of a job.
func (r *Runner) Status(ctx context.Context, id int64) (Status, error) {
	j, err := r.client.JobGet(ctx, id)
	if err != nil {
		return Status{}, fmt.Errorf("jobs: %w", err)
	}
	return status(j), nil
}

// Wait waits until a job has finished, and returns its status. If the job is lost and
// started again, it waits for the new one.
func (r *Runner) Wait(ctx context.Context, id int64) (Status, error) {
	for {
		s, err := r.Status(ctx, id)
		switch {
		case err != nil:
			return s, err
		case s.RepeatedBy != 0:
			id = s.RepeatedBy
			continue
		case !s.Finished.IsZero():
			return s, nil
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(r.config.Poll):
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
	var args job
	_ = json.Unmarshal(j.EncodedArgs, &args) // empty if it is no chore
	s.Chore = args.Chore
	if j.FinalizedAt != nil {
		s.Finished = *j.FinalizedAt
	}
	if n := len(j.Errors); n > 0 && j.State != rivertype.JobStateCompleted {
		s.Result = j.Errors[n-1].Error
	}
	var metadata struct {
		Output     string `json:"output"`
		RepeatedBy int64  `json:"repeated_by"`
	}
	_ = json.Unmarshal(j.Metadata, &metadata) // nothing if it is no chore
	s.Result, s.RepeatedBy = cmp.Or(metadata.Output, s.Result), metadata.RepeatedBy
	return s
}
