package storage

import "errors"

// Errors of the disk under a store. An update that fails with one of them has
// left nothing behind, readers go on where they can, and the next update works
// as soon as the reason is gone: the store need not be opened again.
var (
	// ErrFull says that there is no room: the disk, a quota or a limit on
	// the size of files.
	ErrDiskFull = errors.New("the disk is full")
	// ErrReadOnly says that the database, or the disk that it is on, may only
	// be read.
	ErrReadOnly = errors.New("it can only be read")
	// ErrDamaged says that the database is not as it was written. It does not
	// go away by itself: a backup has to be restored.
	ErrCorrupt = errors.New("the database is damaged")
)
