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

	sqlite3 "modernc.org/sqlite/lib"

	"castellan/storage"
)

// locate is the absolute path of a file, its links followed, and its size, 0
// where it is absent.
func locate(path string) (string, int64, error) {
	if path == "" {
		return "", 0, fmt.Errorf("the name of the file is empty; name a file, or %q", Memory)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", 0, err
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return "", 0, fmt.Errorf("the folder %s does not exist; make it or name another file", folder)
	case err != nil:
		return "", 0, err
	case !info.IsDir():
		return "", 0, fmt.Errorf("%s is not a folder; name another file", folder)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(path); err == nil {
			return "", 0, fmt.Errorf("it is a link to %s, which does not exist; name that file", to)
		}
		return path, 0, nil
	case err != nil:
		return "", 0, err
	case info.IsDir():
		return "", 0, errors.New("it is a folder; name a file in it")
	case !info.Mode().IsRegular():
		return "", 0, errors.New("it is not a regular file; name another file")
	}
	// Two names of one file are one database, with one lock.
	path, err = filepath.EvalSymlinks(path)
	return path, info.Size(), err
}

// writable finds out what SQLite does not tell: it opens a file that it may not
// write as one to read, and leaves files beside it that it may not remove.
// Nobody else in this process has the file open (see lock), so that closing it
// drops no lock.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the file cannot be read and written; change its permissions, or name another file (%w)", err)
	}
	return f.Close()
}

// inspect looks at a database that exists without changing anything: whether
// it is ours and of a version that we know.
func inspect(ctx context.Context, path string, c config) error {
	params := url.Values{"mode": {"ro"}, "_busy_timeout": {millis(c.busy)}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// Nobody has anything outside the file. Called immutable, it is
		// read without locks and without files beside it.
		params.Set("immutable", "1")
	}
	db, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return err
	}
	defer db.Close()
	id, err := ask[int64](ctx, db, "PRAGMA application_id")
	if err != nil {
		return err
	}
	if id != ApplicationID {
		return storage.ErrForeign
	}
	return checkVersion(ctx, db)
}

// explain puts what went wrong with a file into words that say what would be
// right.
func explain(err error) error {
	if primary(err) == sqlite3.SQLITE_NOTADB {
		err = fmt.Errorf("%w: %w", storage.ErrForeign, err)
	}
	err = busy(err)
	switch {
	case errors.Is(err, storage.ErrForeign):
		return fmt.Errorf("%w; name a new file, or one that Castellan has made", storage.ErrForeign)
	case errors.Is(err, storage.ErrNewer):
		return fmt.Errorf("%w; run that version, or name another file", err)
	case errors.Is(err, storage.ErrLocked):
		return fmt.Errorf("%w; stop that program, or name another file", storage.ErrLocked)
	}
	if primary(err) == sqlite3.SQLITE_CORRUPT {
		return fmt.Errorf("the database is damaged; restore a copy of it (%w)", err)
	}
	return err
}
