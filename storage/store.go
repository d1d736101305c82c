package storage

import "context"

// Store runs transactions. It is safe for concurrent use. A function that runs
// in a transaction must not begin another one: it could deadlock.
type Store interface {
	// Update runs fn in one read-write transaction and commits it if fn returns
	// nil. Updates have the effect of running one after another, each as if it were
	// alone (serializable), whatever other processes do with the same database.
	//
	// fn can run again from the beginning, if another transaction came in its way or
	// the connection to a server was lost. The writes of an earlier run are undone,
	// so fn must neither keep anything of it nor do anything outside of the Tx that
	// must happen only once. Only SQLite never runs it again, and really runs updates
	// one at a time.
	//
	// After Update has returned nil, the writes of the last run are on disk; after an
	// error or a panic of fn, none are. After ErrOutcomeUnknown they may be. A
	// cancelled context keeps a run from beginning but never interrupts it. Update
	// returns the error of fn unchanged, unless fn runs again. fn must not keep the
	// Tx.
	Update(ctx context.Context, fn func(Tx) error) error

	// View runs fn in one read-only transaction, which sees a single snapshot
	// of the database: that of its first read. fn runs once.
	View(ctx context.Context, fn func(Reader) error) error

	// Report runs fn like View, for reads that can take long, such as lists.
	// Reports have connections of their own, so that they delay no Update and no
	// View, unless the store has one connection for everything.
	Report(ctx context.Context, fn func(Reader) error) error

	Leaser
	DeliveryLeaser

	// Intact fails with ErrReplaced if the files of the database are no longer
	// those that were opened. Every Update checks that before it commits, and
	// fails with the same error. It fails with ErrUnreachable if the database is on a
	// server that does not answer.
	Intact() error

	// Close waits for running transactions and closes the database. Later
	// transactions fail with ErrClosed; a second Close does nothing.
	Close() error
}
