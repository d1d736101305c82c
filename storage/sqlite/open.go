package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"castellan/storage"
)

// Memory is the path of a database that lives in memory and is gone when it is
// closed.
const Memory = ":memory:"

// ApplicationID marks a database as ours in its header: "CSTL" as four bytes
// (https://www.sqlite.org/fileformat.html#application_id).
const ApplicationID = 'C'<<24 | 'S'<<16 | 'T'<<8 | 'L'

// config is what options set.
type config struct {
	busy    time.Duration
	readers int
}

// Option changes how a database is opened.
type Option func(*config)

// BusyTimeout is how long a transaction waits for another program that holds
// the database, such as a backup; 2 seconds unless told, within the three that
// Discord waits.
func BusyTimeout(d time.Duration) Option { return func(c *config) { c.busy = d } }

// Readers is how many transactions read at a time, at least 1; 4 unless told.
// In memory there is one connection for everything.
func Readers(n int) Option { return func(c *config) { c.readers = max(n, 1) } }

func configure(opts []Option) config {
	c := config{busy: 2 * time.Second, readers: 4}
	for _, o := range opts {
		o(&c)
	}
	return c
}

// Open opens the database at path, or in memory where path is [Memory]. A file
// that is absent or empty becomes a new database; one of an older version is
// brought up to date.
//
// It fails with storage.ErrForeign where the file is something else,
// storage.ErrNewer where a newer version has written it, storage.ErrLocked
// where another program holds it, storage.ErrFull where there is no room,
// storage.ErrReadOnly where nothing can be written, storage.ErrDamaged where
// it is not as it was written, and otherwise where it cannot be read. Each error is one sentence that names the file and says what would
// be right, and the file is then as it was.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	c := configure(opts)
	var (
		s   *Store
		err error
	)
	if path == Memory {
		s, err = openMemory(ctx, c)
	} else {
		s, err = openFile(ctx, path, c)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	return s, nil
}

func openMemory(ctx context.Context, c config) (*Store, error) {
	db, err := openWriter(ctx, Memory, c)
	if err != nil {
		return nil, err
	}
	return &Store{path: Memory, writer: db, reader: db}, nil
}

func openFile(ctx context.Context, path string, c config) (_ *Store, err error) {
	path, size, err := locate(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path}
	s.lock, err = acquire(path + "-lock")
	if errors.Is(err, storage.ErrLocked) {
		return nil, explain(path, err)
	}
	if err != nil {
		return nil, unwritable(filepath.Dir(path), err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lock.release())
		}
	}()
	if err := writable(path); err != nil {
		return nil, err
	}
	if err := leftover(path); err != nil {
		return nil, err
	}
	if size > 0 {
		if err := inspect(ctx, path, c); err != nil {
			return nil, explain(path, err)
		}
	}
	if s.writer, err = openWriter(ctx, path, c); err != nil {
		return nil, explain(path, err)
	}
	if s.reader, err = openReader(ctx, path, c); err != nil {
		return nil, explain(path, errors.Join(err, s.writer.Close()))
	}
	return s, nil
}

// openWriter opens the one connection that writes, and makes or updates the
// database through it.
func openWriter(ctx context.Context, path string, c config) (_ *sql.DB, err error) {
	db, err := sql.Open("sqlite", dsn(path, url.Values{
		"_busy_timeout": {millis(c.busy)},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
		"_dqs":          {"0"},
		// A transaction that is going to write takes the lock at once,
		// where waiting for it works.
		"_txlock": {"immediate"},
	}))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	// For ever the same connection: in memory it is the database.
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	db.SetConnMaxIdleTime(0)
	db.SetConnMaxLifetime(0)

	// The mark comes first and by itself: it is in the file before any of it
	// can be in the write-ahead log, where inspect does not look.
	if err := sign(ctx, db); err != nil {
		return nil, err
	}
	if err := checkVersion(ctx, db); err != nil {
		return nil, err
	}
	mode, err := ask[string](ctx, db, "PRAGMA journal_mode = WAL")
	if err != nil {
		return nil, err
	}
	if mode != "wal" && path != Memory {
		return nil, fmt.Errorf("the file system has no shared memory for SQLite's write-ahead log (journal mode %s); name a file on a local disk", mode)
	}
	if err := migrate(ctx, db); err != nil {
		return nil, err
	}
	return db, nil
}

// sign marks an empty database as ours, and refuses one that is not.
func sign(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	id, err := ask[int64](ctx, tx, "PRAGMA application_id")
	if err != nil {
		return err
	}
	if id == ApplicationID {
		return nil
	}
	things, err := ask[int](ctx, tx, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if id != 0 || things != 0 {
		return storage.ErrForeign
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(ApplicationID)); err != nil {
		return err
	}
	return tx.Commit()
}

// openReader opens the connections that read.
func openReader(ctx context.Context, path string, c config) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, url.Values{
		"mode":          {"ro"},
		"_query_only":   {"1"},
		"_busy_timeout": {millis(c.busy)},
		"_dqs":          {"0"},
	}))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(c.readers)
	db.SetMaxIdleConns(c.readers)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// dsn is the name of a database for the driver: a URI, so that any character
// may stand in the path.
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

// ask is the single value of a query.
func ask[T any](ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, query string) (T, error) {
	var v T
	err := db.QueryRowContext(ctx, query).Scan(&v)
	return v, err
}
