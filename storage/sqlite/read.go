package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"castellan/storage"
)

// Read runs fn on the database at path without changing or locking it; it may be
// in use. The Store can be viewed and checked, its Update fails with
// storage.ErrReadOnly, and it is closed when fn returns. Read returns the error
// of fn unchanged.
//
// If nobody has the database open at first but it changes in the meantime, fn
// runs a second time and has to discard what it found.
//
// Read fails as Open does, and if there is no database or it has an older schema.
func Read(ctx context.Context, path string, fn func(*Store) error, opts ...Option) error {
	c := configure(opts)
	var fnErr error
	err := func() error {
		file, err := existing(path)
		if err != nil {
			return err
		}
		err = readStable(ctx, file, c, func(db *sql.DB) error {
			fnErr = nil
			if err := checkCurrent(ctx, db); err != nil {
				return err
			}
			s := &Store{path: file, reader: newPool(db, readers, beginRead, TraceView), trace: c.trace}
			fnErr = fn(s)
			s.markClosed()
			return s.reader.close()
		})
		if primary(err) == sqlite3.SQLITE_CORRUPT {
			return fmt.Errorf("%w too badly to be read; restore a backup (%w)", storage.ErrCorrupt, err)
		}
		return explain(file, err)
	}()
	if fnErr != nil {
		return fnErr
	}
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", path, err)
	}
	return nil
}

// existing returns the absolute path of a database that exists.
func existing(path string) (string, error) {
	if path == Memory {
		return "", errors.New("it exists only in the memory of its program; name a file")
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

// checkCurrent fails unless a database is Castellan's and has this program's schema.
func checkCurrent(ctx context.Context, db querier) error {
	version, err := identify(ctx, db)
	if err != nil {
		return err
	}
	latest, err := knownSchema()
	if err == nil && version < latest {
		err = fmt.Errorf("its schema is version %d and this program's is %d; start this program's bot with it once, which updates it", version, latest)
	}
	return err
}

// identify returns the version of a database's schema. It fails with
// storage.ErrForeign if the database belongs to another program.
func identify(ctx context.Context, db querier) (version int64, err error) {
	id, err := queryValue[int64](ctx, db, "PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	if id != ApplicationID {
		return 0, storage.ErrForeign
	}
	return checkVersion(ctx, db)
}

// copyInto writes a snapshot of a database to a file that is missing or empty.
//
// VACUUM INTO has several advantages over SQLite's backup interface. It is one
// statement, so it sees one snapshot however long it takes, and a cancelled
// context stops it, while the interface starts again whenever another process
// commits between two steps. It reads every row, so a damaged database gives an
// error and not a damaged copy. The copy contains nothing that was deleted. And
// the copy is not in WAL mode, so it is one file with nothing beside it
// (https://www.sqlite.org/lang_vacuum.html#vacuuminto).
func copyInto(ctx context.Context, db *sql.DB, to string) error {
	_, err := db.ExecContext(ctx, "VACUUM INTO $1", to)
	return err
}

// readStable runs fn on a read-only database and returns the error of fn
// unchanged. If nobody has the database open, it reads it as an immutable file,
// without locks and without creating files beside it; if it changes after all,
// fn runs again, this time with SQLite's locks.
func readStable(ctx context.Context, path string, c config, fn func(*sql.DB) error) error {
	if before, quiet := stampOf(path); quiet {
		err := readWith(ctx, path, c, url.Values{"immutable": {"1"}}, fn)
		if after, quiet := stampOf(path); quiet && after == before {
			return err
		}
	}
	return readWith(ctx, path, c, url.Values{}, fn)
}

func readWith(ctx context.Context, path string, c config, params url.Values, fn func(*sql.DB) error) error {
	db, err := openReader(ctx, path, readers, c, params)
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}

// stamp tells versions of a file apart.
type stamp struct {
	size     int64
	modified time.Time
}

// stampOf returns the stamp of a database file. quiet means that the file is
// complete and nobody seems to write to it: an open database has a write-ahead
// log beside it.
func stampOf(path string) (s stamp, quiet bool) {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + suffix); !errors.Is(err, fs.ErrNotExist) && (err != nil || info.Size() > 0) {
			return stamp{}, false
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, false
	}
	return stamp{info.Size(), info.ModTime()}, true
}
