package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"castellan/storage"
)

// Memory is the path of a database that lives in memory until it is closed.
const Memory = ":memory:"

// ApplicationID marks a database as Castellan's in its header: the bytes "CSTL"
// (https://www.sqlite.org/fileformat.html#application_id).
const ApplicationID = 'C'<<24 | 'S'<<16 | 'T'<<8 | 'L'

// config holds the options.
type config struct {
	busy  time.Duration
	trace func(TraceKind)
}

// Option changes how a database is opened.
type Option func(*config)

// BusyTimeout sets how long a transaction waits for another program that has
// locked the database, such as a backup. The default of 2 seconds is below the 3
// that Discord waits.
func BusyTimeout(d time.Duration) Option { return func(c *config) { c.busy = d } }

// TraceKind is what Trace reports.
type TraceKind string

// The kinds of events. TraceUpdate and TraceView report a transaction that has
// begun, TraceStatement each statement in it except those that begin and end it.
const (
	TraceUpdate    TraceKind = "update"
	TraceView      TraceKind = "view"
	TraceStatement TraceKind = "statement"
)

// Trace calls fn for every transaction and every statement. fn must be safe for
// concurrent use.
func Trace(fn func(TraceKind)) Option { return func(c *config) { c.trace = fn } }

func configure(opts []Option) config {
	c := config{busy: 2 * time.Second}
	for _, o := range opts {
		o(&c)
	}
	return c
}

// Open opens the database at path, or in memory if path is [Memory]. It creates
// the database if the file is missing or empty, and updates the schema of an
// older one.
//
// It fails with storage.ErrForeign if the file belongs to another program,
// storage.ErrNewerSchema if a newer version has written it, storage.ErrLocked if
// another program uses it, storage.ErrDiskFull, storage.ErrReadOnly,
// storage.ErrCorrupt, or another error if it cannot be read. Each error is one
// sentence that names the file and a remedy, and leaves the file unchanged.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	var (
		s    *Store
		err  error
		c    = configure(opts)
		open = openFile
	)
	if path == Memory {
		open = openMemory
	}
	if s, err = open(ctx, path, c); err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	s.trace = c.trace
	return s, nil
}

func openMemory(ctx context.Context, path string, c config) (*Store, error) {
	db, err := openWriter(ctx, path, c)
	if err != nil {
		return nil, err
	}
	writer := newPool(db, 1, beginWrite, TraceUpdate)
	writer.keep = true
	reader := *writer // with the same connection
	reader.begin, reader.kind = beginRead, TraceView
	return &Store{path: path, writer: writer, reader: &reader, shared: true}, nil
}

// The statements that begin a transaction. A transaction that writes takes the
// lock at once, because waiting for it later can fail.
const (
	beginWrite = "BEGIN IMMEDIATE"
	beginRead  = "BEGIN"
)

func openFile(ctx context.Context, path string, c config) (_ *Store, err error) {
	path, size, err := locate(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path}
	s.unlock, err = acquireLock(path + "-lock")
	if errors.Is(err, storage.ErrLocked) {
		return nil, explain(path, err)
	}
	if err != nil {
		return nil, cannotWriteIn(filepath.Dir(path), err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.unlock())
		}
	}()
	if _, err := os.Stat(path + savedSuffix); err == nil {
		return nil, fmt.Errorf("%[1]s%[2]s beside it has what was saved when %[1]s or its log was taken from a running bot; move %[1]s and %[1]s-wal away, if they are there, and put %[1]s%[2]s in the place of %[1]s, or move it elsewhere", filepath.Base(path), savedSuffix)
	}
	if size == 0 {
		if err := create(path); err != nil {
			return nil, err
		}
	}
	file, err := lockFile(path)
	if err != nil {
		return nil, explain(path, err)
	}
	beside := s.unlock
	s.unlock = func() error { return errors.Join(file(), beside()) }
	if err := checkWritable(path); err != nil {
		return nil, err
	}
	if size > 0 {
		if s.restored, err = inRollbackMode(path); err != nil {
			return nil, notWritable(err)
		}
		if s.restored && hasLog(path) { // SQLite would apply it
			return nil, fmt.Errorf("%[1]s-wal beside it belongs to the database that was here before; move %[1]s-wal and %[1]s-shm elsewhere", filepath.Base(path))
		}
		if err := inspect(ctx, path, c); err != nil {
			return nil, explain(path, err)
		}
	}
	writer, err := openWriter(ctx, path, c)
	if err != nil {
		return nil, explain(path, err)
	}
	s.writer = newPool(writer, 1, beginWrite, TraceUpdate)
	openPool := func(size int) *pool {
		var db *sql.DB
		if err == nil {
			db, err = openReader(ctx, path, size, c, url.Values{"_query_only": {"1"}})
		}
		return newPool(db, size, beginRead, TraceView)
	}
	s.reader, s.reports = openPool(readers), openPool(reporters)
	if err != nil {
		for _, p := range []*pool{s.reports, s.reader, s.writer} {
			if p.db != nil {
				err = errors.Join(err, p.close())
			}
		}
		return nil, explain(path, err)
	}
	if s.files, err = watchFiles(path); err != nil {
		return nil, errors.Join(err, s.reports.close(), s.reader.close(), s.writer.close())
	}
	s.writer.files = s.files
	s.unerased.Store(!s.erase(ctx)) // what the last process could not
	if err := s.dropLeases(ctx); err != nil {
		return nil, errors.Join(explain(path, err), s.reports.close(), s.reader.close(), s.writer.close())
	}
	return s, nil
}

// inspect checks, without changing anything, that an existing database is
// Castellan's and of a known version, and that it is undamaged with its log
// applied.
func inspect(ctx context.Context, path string, c config) error {
	params := url.Values{}
	logged := hasLog(path)
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// Everything is in the file. SQLite reads an immutable file without
		// locks and without creating files beside it.
		params.Set("immutable", "1")
	}
	db, err := openReader(ctx, path, readers, c, params)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err = identify(ctx, db); err == nil && logged {
		err = examineWithLog(ctx, path, db)
	}
	return err
}

// openWriter opens the one connection that writes, and creates or updates the
// database through it.
func openWriter(ctx context.Context, path string, c config) (_ *sql.DB, err error) {
	db, err := sql.Open("sqlite", dsn(path, url.Values{
		"_busy_timeout": {millis(c.busy)},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
		"_dqs":          {"0"},
		"_pragma":       {"secure_delete(1)"}, // overwrite what is deleted
		"_txlock":       {"immediate"},        // for migrations
	}))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	// Always the same connection: in memory it is the database.
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	db.SetConnMaxIdleTime(0)
	db.SetConnMaxLifetime(0)

	// The application ID is written first and by itself, so that it is in the
	// file before anything is in the write-ahead log, where inspect does not
	// look.
	if err := sign(ctx, db); err != nil {
		return nil, err
	}
	if _, err := checkVersion(ctx, db); err != nil {
		return nil, err
	}
	mode, err := queryValue[string](ctx, db, "PRAGMA journal_mode = WAL")
	if err != nil {
		return nil, err
	}
	if mode != "wal" && path != Memory {
		return nil, fmt.Errorf("the file system has no shared memory for SQLite's write-ahead log (journal mode %s); name a file on a local disk", mode)
	}
	return db, migrate(ctx, db, migrations)
}

// sign writes the application ID into an empty database and refuses one of
// another program.
func sign(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	id, err := queryValue[int64](ctx, tx, "PRAGMA application_id")
	if err != nil {
		return err
	}
	if id == ApplicationID {
		return nil
	}
	objects, err := queryValue[int](ctx, tx, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if id != 0 || objects != 0 {
		return storage.ErrForeign
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(ApplicationID)); err != nil {
		return err
	}
	return tx.Commit()
}

// How many views and reports can run at a time. A database in memory has one connection
// for everything.
const (
	readers   = 4
	reporters = 2
)

// openReader opens a number of connections for reading, with more parameters.
func openReader(ctx context.Context, path string, size int, c config, params url.Values) (*sql.DB, error) {
	params.Set("mode", "ro")
	params.Set("_busy_timeout", millis(c.busy))
	params.Set("_dqs", "0")
	db, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// dsn returns the data source name of a database: a URI, so that the path may
// contain any character.
func dsn(path string, params url.Values) string {
	if path == Memory {
		return "file::memory:?" + params.Encode()
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}
	return u.String()
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func queryValue[T any](ctx context.Context, db querier, query string) (T, error) {
	var v T
	err := db.QueryRowContext(ctx, query).Scan(&v)
	return v, err
}

// checkVersion returns the schema version of a database. It fails with
// storage.ErrNewerSchema if the database has had migrations that this program does not
// have.
func checkVersion(ctx context.Context, db querier) (version int64, err error) {
	latest, err := knownSchema()
	if err != nil {
		return 0, err
	}
	version, err = schemaVersion(ctx, db)
	if err == nil && version > latest {
		err = fmt.Errorf("%w (its schema is version %d, this program knows up to %d)", storage.ErrNewerSchema, version, latest)
	}
	return version, err
}
