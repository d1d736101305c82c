package sqlite

import (
	"context"
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

// lock reserves a database for one process. SQLite's own locks do not: they last
// for a transaction, and two bots on one database would each answer for the
// other.
//
// The lock is on a file of its own. Opening and closing the database file itself
// would drop the locks that SQLite holds on it in the same process
// (https://www.sqlite.org/howtocorrupt.html, 2.2).
type lock struct {
	release func() error
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

// checkWritable finds out what SQLite does not report: it opens a file without
// write permission for reading, and leaves files beside it that it cannot
// remove. Nobody else in this process has the file open (see lock), so closing
// it drops no lock.
func checkWritable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the file cannot be read and written; change its permissions, or name another file (%w)", withCause(writeError(err), err))
	}
	return f.Close()
}

// checkLeftoverLog finds a write-ahead log of another database: the one that was
// there before a backup was put in its place. SQLite would apply it to the
// backup and destroy it. A backup is not in WAL mode (see copyInto), and a
// database outside WAL mode cannot have a log with content, because SQLite sets
// the mode, byte 18 of the header, before it writes the first frame
// (https://www.sqlite.org/fileformat.html#the_database_header).
//
// As in checkWritable, nobody else in this process has the file open.
func checkLeftoverLog(path string) error {
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

// inspect checks, without changing anything, that an existing database is
// Castellan's and of a known version.
func inspect(ctx context.Context, path string, c config) error {
	params := url.Values{}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// Everything is in the file. SQLite reads an immutable file without
		// locks and without creating files beside it.
		params.Set("immutable", "1")
	}
	db, err := openReader(ctx, path, c, params)
	if err != nil {
		return err
	}
	defer db.Close()
	_, _, err = identify(ctx, db)
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
