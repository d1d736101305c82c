package storage

import (
	"context"
	"time"
)

// DeliveryLease is the right of one process to show a match, or a challenge, in Discord.
// The zero value is that of a process that has the database to itself: it never ends,
// and nothing fences it.
type DeliveryLease struct {
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
	MatchLeases     map[MatchID]DeliveryLease // of the boards
	ChallengeLeases map[ChallengeID]DeliveryLease
}

// DeliveryLeaser gives out leases of what is shown. Each call is a transaction of its own, and
// no part of an Update. Leases end by the clock of the database. A file belongs to one
// process: there, claims write nothing, and all leases are zero.
type DeliveryLeaser interface {
	// ClaimPosts takes leases, for a time d, of up to limit boards, challenges and daily
	// messages each that PendingPosts returns and of which nobody has a lease. It leaves
	// out what another claim takes at the same moment. The next attempt of a daily
	// message is put off by d.
	ClaimPosts(ctx context.Context, now time.Time, limit int, d time.Duration) (ClaimedPosts, error)
	// ClaimDelivery takes the lease of a match or challenge for a time d, and fences the one
	// before. It fails with ErrHeld if that has not run out, unless force is set.
	ClaimDelivery(ctx context.Context, what DeliveryLease, d time.Duration, force bool) (DeliveryLease, error)
	// ReleaseDelivery ends a lease, unless it was lost.
	ReleaseDelivery(ctx context.Context, l DeliveryLease) error
}
