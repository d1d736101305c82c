package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"castellan/storage"
	"castellan/storage/sqlite/internal/dbfile"
)

// create creates a missing database for its owner alone; SQLite gives the files
// beside it the same permissions. It refuses to if there is a log: SQLite would
// discard the newest changes of the database that is missing.
func create(path string) error {
	if dbfile.HasLog(path) {
		name := filepath.Base(path)
		return fmt.Errorf("%[1]s-wal is there and %[1]s is not: it holds the newest changes of the missing database; put %[1]s back, or move %[1]s-wal and %[1]s-shm elsewhere to begin with an empty database", name)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return dbfile.CannotWriteIn(filepath.Dir(path), err)
	}
	return f.Close()
}

// checkAdoption decides whether SQLite may apply the write-ahead log beside a
// database. SQLite itself applies any log whose checksums are right, and so
// destroys an older database that was put in the place of the one the log
// belongs to.
//
// checkAdoption reads through connections that change neither file: one that
// ignores the log, and one that recovers it in shared memory. It needs no copy,
// for which there may be no room. Like dbfile.CheckWritable it opens and closes
// the file, so nothing else in this process may have the file open.
func checkAdoption(ctx context.Context, path string, c config) error {
	name := filepath.Base(path)
	if rollback, err := inRollbackMode(path); err != nil {
		return err
	} else if rollback {
		return fmt.Errorf("%[1]s-wal beside it belongs to the database that was here before; move %[1]s-wal and %[1]s-shm elsewhere", name)
	}
	has, page, err := readCommits(ctx, path, c, url.Values{"immutable": {"1"}})
	if err != nil || page == 0 { // another program's database, or damaged, or older; inspect reports that
		return nil
	}
	first, err := dbfile.FirstLoggedCommit(path+"-wal", page)
	if err != nil {
		return fmt.Errorf("%s-wal cannot be read: %w", name, err)
	}
	last, _, err := readCommits(ctx, path, c, url.Values{})
	if err != nil && !errors.Is(classify(path, err), storage.ErrCorrupt) {
		return err
	}
	if first > 0 && (err != nil || has < first-1 || has > last) {
		return fmt.Errorf("%[1]s-wal does not belong to this %[1]s: the log continues from change %[2]d, the file holds change %[3]d; put back the %[1]s that belongs to the log, or move %[1]s-wal and %[1]s-shm elsewhere to start with this file, without the changes in the log", name, first-1, has)
	}
	return nil
}

// inRollbackMode reports whether a database is not in WAL mode, as a backup is
// not (see copyInto). It cannot have a log with content then, because SQLite
// sets the mode, byte 18 of the header, before it writes the first frame
// (https://www.sqlite.org/fileformat.html#the_database_header).
func inRollbackMode(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var header [20]byte
	if n, err := f.ReadAt(header[:], 0); n < len(header) && err != io.EOF {
		return false, err
	}
	return header[18] == 1, nil // 2 is WAL
}

// readCommits returns the number of the last transaction and the page that it
// is stored on, or 0 and 0 if the schema is too old to have it.
func readCommits(ctx context.Context, path string, c config, params url.Values) (n int64, page uint32, err error) {
	err = readWith(ctx, path, c, params, func(db *sql.DB) error {
		page, err = queryValue[uint32](ctx, db, "SELECT coalesce(max(rootpage), 0) FROM sqlite_schema WHERE name = 'commits'")
		if err == nil && page > 0 {
			n, err = queryValue[int64](ctx, db, "SELECT n FROM commits")
		}
		return err
	})
	return n, page, err
}

// examineWithLog checks a database as it will be once its log is applied.
func examineWithLog(ctx context.Context, path string, db querier) error {
	findings, err := examineFile(ctx, db, false)
	if err == nil && len(findings) > 0 {
		err = errors.New(strings.Join(findings, "; "))
	}
	if err == nil || !errors.Is(classify(path, err), storage.ErrCorrupt) && len(findings) == 0 {
		return err
	}
	name := filepath.Base(path)
	return fmt.Errorf("%w: with %s-wal applied, %s is not consistent (%w); the log may belong to another file: put back the one that it belongs to, or restore a backup", storage.ErrCorrupt, name, name, err)
}
