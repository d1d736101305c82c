package storage

import "errors"

// Errors of a store that cannot write for now. Nothing was written; reading
// goes on, and writing works again when the cause is gone.
var (
	// ErrFull says that there is no room left.
	ErrFull = errors.New("no room is left to save anything")
	// ErrReadOnly says that the database may be read and not written.
	ErrReadOnly = errors.New("the database cannot be written")
)
