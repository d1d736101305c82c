package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"castellan/storage"
)

// code returns SQLite's extended result code of an error, 0 for other errors
// (https://www.sqlite.org/rescode.html).
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// primary returns the result code without its extension.
func primary(err error) int { return code(err) & 0xff }

// classify wraps an error of SQLite in the error of package storage that it
// amounts to. path is the database, Memory or empty if it has no file.
func classify(path string, err error) error {
	kind := errorKind(path, err)
	if kind == nil || errors.Is(err, kind) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

func errorKind(path string, err error) error {
	switch primary(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return storage.ErrLocked
	case sqlite3.SQLITE_FULL:
		return storage.ErrDiskFull
	case sqlite3.SQLITE_READONLY:
		return storage.ErrReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return storage.ErrCorrupt
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		if path == "" || path == Memory {
			return nil
		}
		// SQLite reports a disk without room as full, but not a quota or a file
		// size limit, and it does not expose the system's error.
		return writeError(probe(path))
	}
	return nil
}

// writeError classifies a system error of writing; nil if it is something else.
func writeError(err error) error {
	is := func(target syscall.Errno) bool { return errors.Is(err, target) }
	switch {
	case slices.ContainsFunc(diskFullErrors, is):
		return storage.ErrDiskFull
	case errors.Is(err, fs.ErrPermission), slices.ContainsFunc(readOnlyErrors, is):
		return storage.ErrReadOnly
	}
	return nil
}

// probeSize is how much probe writes: more than the write-ahead log or its index
// grows by at a time.
const probeSize = 64 << 10

// probe repeats what SQLite failed at, to learn the reason: it creates a file
// beside the database and writes at the offset where the database's own files
// end. It never opens those, because closing them would drop SQLite's locks
// (https://www.sqlite.org/howtocorrupt.html, 2.2).
func probe(path string) (err error) {
	var end int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			end = max(end, info.Size())
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-probe-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	data := make([]byte, probeSize)
	for i := range data {
		data[i] = byte(i) // some file systems do not store zeros
	}
	if _, err := f.WriteAt(data, end); err != nil {
		return err
	}
	return f.Sync()
}

// foreignKey adds storage.ErrNotFound to a foreign key error: the record refers
// to a missing one.
func foreignKey(err error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY {
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
	}
	return err
}

// rollsBack reports whether SQLite may have rolled back the whole transaction
// because of an error (https://www.sqlite.org/lang_transaction.html, "Response
// To Errors Within A Transaction").
func rollsBack(err error) bool {
	switch primary(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT:
		return true
	}
	return false
}
