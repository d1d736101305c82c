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

// code is SQLite's extended result code of an error, 0 where it is none of
// SQLite's (https://www.sqlite.org/rescode.html).
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// primary is the result code without its extension.
func primary(err error) int { return code(err) & 0xff }

// classify adds to an error of SQLite's the error of package storage that says
// what it means. path is the database, Memory or empty where it has no file.
func classify(path string, err error) error {
	kind := meaning(path, err)
	if kind == nil || errors.Is(err, kind) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

func meaning(path string, err error) error {
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
		// SQLite calls a disk without room full, but not a quota or a limit
		// on the size of files, and it keeps the system's error to itself.
		return refusal(probe(path))
	}
	return nil
}

// refusal says what an error of the operating system means for writing.
func refusal(err error) error {
	is := func(target syscall.Errno) bool { return errors.Is(err, target) }
	switch {
	case slices.ContainsFunc(noRoom, is):
		return storage.ErrDiskFull
	case errors.Is(err, fs.ErrPermission), slices.ContainsFunc(noWriting, is):
		return storage.ErrReadOnly
	}
	return nil
}

// probeSize is how much is written to learn why SQLite could not: as much as the
// write-ahead log and its index grow by at a time, and some more.
const probeSize = 64 << 10

// probe tries what SQLite has failed at, to learn why: it makes a file beside
// the database and writes to it, as far in as the database's own files reach.
// It never opens those: closing them would drop the locks that SQLite holds
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
		data[i] = byte(i) // not zeros, which some file systems do not store
	}
	if _, err := f.WriteAt(data, end); err != nil {
		return err
	}
	return f.Sync()
}

// missing adds storage.ErrNotFound to an error that says that a record refers
// to one that is not there.
func missing(err error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY {
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
	}
	return err
}

// ends reports whether SQLite may have rolled the whole transaction back
// because of an error (https://www.sqlite.org/lang_transaction.html, "Response
// To Errors Within A Transaction").
func ends(err error) bool {
	switch primary(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT:
		return true
	}
	return false
}
