package storage

import (
	"context"
	"time"
)

// Lease is the right of one holder to do what its name stands for, until the lease
// runs out. Times are those of the database's clock. Its texts name no people.
type Lease struct {
	Name   string
	Holder string // empty if it was released
	// Token grows with each acquisition of a name. It fences earlier holders.
	Token int64
	// Note is what the holder leaves for others to read, and for the next holder.
	Note string
	// Left is how long the lease still ran when it was read; 0 or less if it had run
	// out.
	Left time.Duration
}

// Leaser gives out leases. Each call is a transaction of its own, and no part of an
// Update. It is the same for all processes that use a database on a server. A file
// belongs to one process, which forgets the leases when it opens it.
type Leaser interface {
	// AcquireLease gives a lease to a holder for some time. It fails with ErrHeld while
	// another holder has it. The same holder can acquire it again, which fences what
	// it did before. An empty note keeps that of the last holder.
	AcquireLease(ctx context.Context, name, holder, note string, d time.Duration) (Lease, error)
	// RenewLease extends a lease so that it ends after d from now, and records its Note.
	// A lease that has run out can be renewed as long as nobody else has acquired it.
	// It fails with ErrFenced if somebody has, or if it was released.
	RenewLease(ctx context.Context, l Lease, d time.Duration) (Lease, error)
	// ReleaseLease ends a lease and records its Note for the next holder. Without a note
	// nothing remains of it. It fails with ErrFenced as RenewLease does.
	ReleaseLease(ctx context.Context, l Lease) error
}
