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
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"castellan/storage"
)

// Read runs fn on the database at path as it stands, and changes nothing of
// it: neither is it brought up to date nor locked, and it may be in use. The
// Store that fn is given can be viewed and checked, an Update of it fails with
// storage.ErrReadOnly, and it is closed when fn returns. fn's error is returned
// as it is.
//
// A database of an older version is read through a copy in the folder for
// temporary files, which is brought up to date.
//
// fn runs once more where a database that nobody had open was written to in
// the meantime; what it found the first time is void then.
//
// Read fails as Open does, and where there is no database.
func Read(ctx context.Context, path string, fn func(*Store) error, opts ...Option) error {
	c := configure(opts)
	var own error // fn's
	err := func() error {
		file, err := existing(path)
		if err != nil {
			return err
		}
		err = atRest(ctx, file, c, func(db *sql.DB) error {
			own = nil
			s, done, err := view(ctx, db, file)
			if err != nil {
				return err
			}
			own = fn(s)
			s.end()
			return done()
		})
		if primary(err) == sqlite3.SQLITE_CORRUPT {
			return fmt.Errorf("%w, so much that nothing of it can be read; put a backup in its place (%w)", storage.ErrCorrupt, err)
		}
		return explain(file, err)
	}()
	if own != nil {
		return own
	}
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", path, err)
	}
	return nil
}

// existing is the absolute path of a database that is there.
func existing(path string) (string, error) {
	if path == Memory {
		return "", errors.New("it is nowhere but in the memory of the program that has it; name a file")
	}
	file, size, err := locate(path)
	if err != nil {
		return "", err
	}
	if size > 0 {
		return file, nil
	}
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("there is no such file; name a database that Castellan has made (%w)", err)
	}
	return "", errors.New("the file is empty; name a database that Castellan has made")
}

// view is a store that reads through db, a database of ours. done is to be
// called when it is not needed any more.
func view(ctx context.Context, db *sql.DB, path string) (s *Store, done func() error, err error) {
	if err := ours(ctx, db); err != nil {
		return nil, nil, err
	}
	known, err := version()
	if err != nil {
		return nil, nil, err
	}
	has, err := schema(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	if has == known {
		return &Store{path: path, reader: db, file: db}, func() error { return nil }, nil
	}
	folder, err := os.MkdirTemp("", "castellan-*")
	if err != nil {
		return nil, nil, fmt.Errorf("a database of an older version is read through a copy: %w", err)
	}
	remove := func() error { return os.RemoveAll(folder) }
	newer := filepath.Join(folder, "castellan.db")
	if err := copyInto(ctx, db, newer); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	updated, err := Open(ctx, newer)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	s = &Store{path: path, reader: updated.reader, file: db}
	return s, func() error { return errors.Join(updated.Close(), remove()) }, nil
}

// end makes a store that is only read useless, once the transactions that have
// begun are done.
func (s *Store) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// ours fails where a database is not one that this program can read.
func ours(ctx context.Context, db *sql.DB) error {
	id, err := ask[int64](ctx, db, "PRAGMA application_id")
	if err != nil {
		return err
	}
	if id != ApplicationID {
		return storage.ErrForeign
	}
	return checkVersion(ctx, db)
}

// copyInto writes one moment of a database to a file that is absent or empty.
//
// VACUUM INTO rather than SQLite's backup interface: it is one statement, so
// that it sees one moment however long it takes and a cancelled context stops
// it, while the interface begins anew whenever another process commits
// between two of its steps; it reads every row, so that a damaged database
// gives an error and not a damaged copy; the copy holds nothing of what was
// deleted; and it is not in WAL mode, one file and nothing beside it
// (https://www.sqlite.org/lang_vacuum.html#vacuuminto).
func copyInto(ctx context.Context, db *sql.DB, to string) error {
	_, err := db.ExecContext(ctx, "VACUUM INTO $1", to)
	return err
}

// atRest runs fn on a database that it can only read. Where nobody has it open
// it is read as a file that never changes, without locks and without files
// beside it; should it have changed after all, fn runs again, on what SQLite's
// locks keep together. fn's error is returned as it is.
func atRest(ctx context.Context, path string, c config, fn func(*sql.DB) error) error {
	if before, quiet := imprint(path); quiet {
		err := connected(ctx, path, c, url.Values{"immutable": {"1"}}, fn)
		if after, quiet := imprint(path); quiet && after == before {
			return err
		}
	}
	return connected(ctx, path, c, url.Values{}, fn)
}

func connected(ctx context.Context, path string, c config, params url.Values, fn func(*sql.DB) error) (err error) {
	params.Set("mode", "ro")
	params.Set("_busy_timeout", millis(c.busy))
	params.Set("_dqs", "0")
	db, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(c.readers)
	db.SetMaxIdleConns(c.readers)
	if err := db.PingContext(ctx); err != nil {
		return err
	}
	return fn(db)
}

// mark is what changes when a database file does.
type mark struct {
	size int64
	at   time.Time
}

// imprint is the mark of a database file; quiet says that everything is in it
// and that nobody seems to write to it: while a database of ours is open there
// is a write-ahead log beside it.
func imprint(path string) (m mark, quiet bool) {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + suffix); !errors.Is(err, fs.ErrNotExist) && (err != nil || info.Size() > 0) {
			return mark{}, false
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return mark{}, false
	}
	return mark{info.Size(), info.ModTime()}, true
}
