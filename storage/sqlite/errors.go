package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"

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
		return fmt.Errorf("%w; castellan verify says how badly, and a backup can be restored", err)
	}
	return err
}
