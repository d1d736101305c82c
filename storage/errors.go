package storage

import "errors"

// Errors that callers branch on. Drivers wrap them.
var (
	// ErrNotFound reports that a record does not exist.
	ErrNotFound = errors.New("no such record")
	// ErrConflict reports that a match or challenge has changed since the
	// caller read it.
	ErrConflict = errors.New("it has changed in the meantime")
	// ErrAlreadyProcessed reports that an interaction was processed before.
	ErrAlreadyProcessed = errors.New("this interaction has already been processed")
	// ErrHeld reports that somebody else has a lease.
	ErrHeld = errors.New("somebody else has the lease")
	// ErrFenced reports that a lease was lost: it ran out, and somebody else has
	// acquired it.
	ErrFenced = errors.New("the lease was lost to somebody else")
	// ErrClosed reports that the store is closed.
	ErrClosed = errors.New("the store is closed")
)

// Errors of opening a database.
var (
	// ErrForeign reports that a file or database belongs to another program.
	ErrForeign = errors.New("not a Castellan database")
	// ErrNewerSchema reports that a newer version of Castellan wrote the
	// database.
	ErrNewerSchema = errors.New("written by a newer version of Castellan")
	// ErrLocked reports that another process uses the database.
	ErrLocked = errors.New("in use by another program")
)

// Errors of the disk. An update that fails with one of them leaves nothing
// behind, reads keep working where possible, and updates work again as soon as
// the cause is removed, without reopening the store.
var (
	// ErrDiskFull reports that the disk, a quota or a file size limit is
	// exhausted.
	ErrDiskFull = errors.New("the disk is full")
	// ErrReadOnly reports that the database or its disk cannot be written.
	ErrReadOnly = errors.New("it is read-only")
	// ErrCorrupt reports that the database is damaged. Only restoring a backup
	// helps.
	ErrCorrupt = errors.New("the database is damaged")
	// ErrReplaced reports that the files of the database were removed or
	// replaced while it was open. Nothing more can be saved in them.
	ErrReplaced = errors.New("the files of the database were removed or replaced")
)

// Errors of a database server. Updates and views work again as soon as the server
// can be reached, without reopening the store.
var (
	// ErrUnreachable reports that there is no connection to the server.
	ErrUnreachable = errors.New("the database server cannot be reached")
	// ErrNoTables reports that the database has lost its tables.
	ErrNoTables = errors.New("the tables of the database are gone: restore a backup into it, or start castellan run anew, which creates empty ones")
	// ErrOutcomeUnknown reports that the connection was lost during a commit, and
	// could not be restored in time to find out whether it took place.
	ErrOutcomeUnknown = errors.New("it is not known whether the change was saved")
)
