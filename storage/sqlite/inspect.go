package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
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
		return fmt.Errorf("the file cannot be read and written; change its permissions, or name another file (%w)", join(refusal(err), err))
	}
	return f.Close()
}

// leftover finds a write-ahead log that belongs to another database: the one
// that was here before a backup was put in its place. SQLite would take it for
// the backup's and destroy that. A backup is not in WAL mode (see copyInto),
// and a file that is not cannot have a log that is not empty, for the mode is
// written to it before the first frame; it stands in its header at 18
// (https://www.sqlite.org/fileformat.html#the_database_header).
//
// As with writable, nobody else in this process has the file open.
func leftover(path string) error {
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var header [20]byte
	if n, err := f.ReadAt(header[:], 0); n < len(header) && err != io.EOF {
		return err
	}
	const rollback = 1 // 2 is WAL
	if header[18] != rollback {
		return nil
	}
	name := filepath.Base(path)
	return fmt.Errorf("%s-wal beside it belongs to the database that was here before; move %s-wal and %s-shm elsewhere", name, name, name)
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
	return ours(ctx, db)
}

// unwritable says that nothing can be written in a folder.
func unwritable(folder string, err error) error {
	kind := refusal(err)
	if errors.Is(kind, storage.ErrDiskFull) {
		return fmt.Errorf("%w; make room in %s, or name a file elsewhere (%w)", storage.ErrDiskFull, folder, err)
	}
	return fmt.Errorf("nothing can be written in the folder %s; change its permissions, or name another file (%w)", folder, join(kind, err))
}

// join adds what an error means to it.
func join(kind, err error) error {
	if kind == nil {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// explain puts what went wrong with a file into words that say what would be
// right.
func explain(path string, err error) error {
	if primary(err) == sqlite3.SQLITE_NOTADB {
		err = fmt.Errorf("%w: %w", storage.ErrForeign, err)
	} else {
		err = classify(path, err)
	}
	switch {
	case errors.Is(err, storage.ErrForeign):
		return fmt.Errorf("%w; name a new file, or one that Castellan has made", storage.ErrForeign)
	case errors.Is(err, storage.ErrNewerSchema):
		return fmt.Errorf("%w; run that version, or name another file", err)
	case errors.Is(err, storage.ErrLocked):
		return fmt.Errorf("%w; stop that program, or name another file", storage.ErrLocked)
	case errors.Is(err, storage.ErrDiskFull):
		return fmt.Errorf("%w; make room in %s, or name a file elsewhere", storage.ErrDiskFull, filepath.Dir(path))
	case errors.Is(err, storage.ErrReadOnly):
		return fmt.Errorf("%w; change the permissions of the file and its folder, or name another file (%w)", storage.ErrReadOnly, err)
	case errors.Is(err, storage.ErrCorrupt):
		return fmt.Errorf("%w; castellan verify says what of it is whole, and a backup can be put in its place", err)
	}
	return err
}
