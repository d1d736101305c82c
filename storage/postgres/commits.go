package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// keepCommits is how long the identifiers of commits are kept. No Update waits as
// long for its answer.
const keepCommits = time.Hour

// newID returns a new identifier of a commit, a UUID of version 7. Identifiers
// ascend with time, so that they are added at the end of the index and old ones are
// a range (RFC 9562, section 5.7).
func newID(now time.Time) string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], uint64(now.UnixMilli())<<16)
	_, _ = rand.Read(id[6:]) // never fails
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// Prune deletes the identifiers of old commits, and old leases. Open does so, and a
// program that runs for long does it every hour.
func (s *Store) Prune(ctx context.Context) error {
	_, err := s.reports.ExecContext(ctx, "DELETE FROM commits WHERE id < $1", newID(s.Now().Add(-keepCommits)))
	_, err2 := s.reports.ExecContext(ctx, "DELETE FROM leases WHERE until < $1", s.Now().Add(-keepLeases).UnixNano())
	return errors.Join(err, err2)
}

// keepLeases is how long a lease that nobody renews is kept: its note can be of use
// for the next holder.
const keepLeases = 48 * time.Hour
