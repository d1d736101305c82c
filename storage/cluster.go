package storage

import (
	"context"
	"time"
)

// ClusterReader reads what the processes of the bot do.
type ClusterReader interface {
	// LastContact returns the time of the last RecordContact, zero before the
	// first.
	LastContact() (time.Time, error)
	// Outages returns the outages that ended after a time, in order.
	Outages(after time.Time) ([]Outage, error)
	// Leases returns the leases whose names begin with a prefix, by name. Those that
	// have run out are there until they are acquired again or released, for a day at
	// least.
	Leases(prefix string) ([]Lease, error)
	// Counts returns how many records of each kind there are at now.
	Counts(now time.Time) (Counts, error)
}

// ClusterStore writes what the processes of the bot do.
type ClusterStore interface {
	ClusterReader

	// CheckLease fails with ErrFenced if somebody else has acquired the lease, or it
	// was released. Otherwise nobody can acquire it before the transaction ends, even
	// if it runs out.
	CheckLease(Lease) error
	// RecordContact records when the bot was last in contact with Discord.
	RecordContact(at time.Time) error
	// InsertOutage adds an outage, which must begin not before the last one ended.
	InsertOutage(Outage) error
}

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

// Outage is a time during which nobody could play, because the bot did not run or
// had no contact with Discord.
type Outage struct{ From, To time.Time }

// Counts holds numbers of records.
type Counts struct {
	// Matches counts matches by game and ending, without zeros.
	Matches map[GameEnding]int
	// OpenChallenges counts challenges in the state open.
	OpenChallenges int
	// PendingBoards and PendingChallenges count what PendingPosts
	// returns without a limit.
	PendingBoards, PendingChallenges int
	// ComputerTurns counts the matches in which a computer is to move.
	ComputerTurns int
}

// GameEnding is a game with a way in which its matches end; Ending is empty for
// matches that go on.
type GameEnding struct {
	Game   string
	Ending string
}
