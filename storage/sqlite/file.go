package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"

	"castellan/storage"
)

// lock reserves a database for one process. SQLite's own locks do not: they last
// for a transaction, and two bots on one database would each answer for the
// other.
//
// The lock is on a file of its own, because it has to exist before the database
// does. On Linux the database is locked as well, so that removing that file, or
// another name of the database, lets nobody in.
type lock struct {
	release func() error
}

// and returns a lock that releases another one after itself.
func (l *lock) and(other *lock) *lock {
	return &lock{release: func() error { return errors.Join(l.release(), other.release()) }}
}

// locate returns the absolute path of a file, with links resolved, and its size,
// 0 if it does not exist.
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
	// Two names of one file are one database with one lock.
	path, err = filepath.EvalSymlinks(path)
	return path, info.Size(), err
}

// create creates a missing database for its owner alone; SQLite gives the files
// beside it the same permissions. It refuses to if there is a log: SQLite would
// discard the newest changes of the database that is missing.
func create(path string) error {
	if hasLog(path) {
		name := filepath.Base(path)
		return fmt.Errorf("%[1]s-wal is there and %[1]s is not: it holds the newest changes of the missing database; put %[1]s back, or move %[1]s-wal and %[1]s-shm elsewhere to begin with an empty database", name)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return cannotWriteIn(filepath.Dir(path), err)
	}
	return f.Close()
}

// checkWritable finds out what SQLite does not report: it opens a file without
// write permission for reading, and leaves files beside it that it cannot
// remove. Nobody else in this process has the file open (see lock), so closing
// it drops no lock.
func checkWritable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return notWritable(err)
	}
	return f.Close()
}

func notWritable(err error) error {
	return fmt.Errorf("the file cannot be read and written; change its permissions, or name another file (%w)", withCause(writeError(err), err))
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
	db, err := openReader(ctx, path, c.readers, c, params)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, _, err = identify(ctx, db); err == nil && logged {
		err = examineWithLog(ctx, path, db)
	}
	return err
}

// cannotWriteIn reports that a file cannot be written in a folder.
func cannotWriteIn(folder string, err error) error {
	kind := writeError(err)
	if errors.Is(kind, storage.ErrDiskFull) {
		return fmt.Errorf("%w; make room in %s, or name a file elsewhere (%w)", storage.ErrDiskFull, folder, err)
	}
	return fmt.Errorf("nothing can be written in the folder %s; change its permissions, or name another file (%w)", folder, withCause(kind, err))
}

// withCause wraps an error in the one that classifies it, if there is one.
func withCause(kind, err error) error {
	if kind == nil {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// explain turns an error of opening a file into a sentence with a remedy.
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
		return fmt.Errorf("%w; castellan verify reports what is intact, and a backup can be restored", err)
	}
	return err
}
