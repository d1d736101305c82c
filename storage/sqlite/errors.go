package sqlite

import (
	"errors"
	"fmt"

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

// busy adds storage.ErrLocked to an error that says that another program holds
// the database.
func busy(err error) error {
	if p := primary(err); p == sqlite3.SQLITE_BUSY || p == sqlite3.SQLITE_LOCKED {
		return fmt.Errorf("%w: %w", storage.ErrLocked, err)
	}
	return err
}

// missing adds storage.ErrNotFound to an error that says that a record refers
// to one that is not there.
func missing(err error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY {
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
	}
	return err
}
