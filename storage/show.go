package storage

import (
	"context"
	"time"
)

// ShowLease is the right of one process to show a match, or a challenge, in Discord.
// The zero value is that of a process that has the database to itself: it never ends,
// and nothing fences it.
type ShowLease struct {
	Match     MatchID     // or 0
	Challenge ChallengeID // or 0
	// Token grows with each lease of a match or challenge, and whenever a new board is
	// inserted or the challenge gets another revision: both fence earlier leases.
	Token int64
	// Ends is when it runs out by the clock of this process, measured from before it
	// was taken. It has a monotonic reading.
	Ends time.Time
}

// ClaimedPosts are posts that a process is to deal with, by leases that it has taken.
type ClaimedPosts struct {
	PendingPosts
	MatchLeases     map[MatchID]ShowLease // of the boards
	ChallengeLeases map[ChallengeID]ShowLease
}

// Shower gives out leases of what is shown. Each call is a transaction of its own, and
// no part of an Update. Leases end by the clock of the database. A file belongs to one
// process: there, claims write nothing, and all leases are zero.
type Shower interface {
	// ClaimPosts takes leases, for a time d, of up to limit boards, challenges and daily
	// messages each that PendingPosts returns and of which nobody has a lease. It leaves
	// out what another claim takes at the same moment. The next attempt of a daily
	// message is put off by d.
	ClaimPosts(ctx context.Context, now time.Time, limit int, d time.Duration) (ClaimedPosts, error)
	// ClaimShow takes the lease of a match or challenge for a time d, and fences the one
	// before. It fails with ErrHeld if that has not run out, unless force is set.
	ClaimShow(ctx context.Context, what ShowLease, d time.Duration, force bool) (ShowLease, error)
	// ReleaseShow ends a lease, unless it was lost.
	ReleaseShow(ctx context.Context, l ShowLease) error
}

// Advanced is the result of an Advance.
type Advanced struct {
	Board BoardID   // the new board, or 0
	Lease ShowLease // zero if none was taken
}
