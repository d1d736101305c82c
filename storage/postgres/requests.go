package postgres

import (
	"context"
	"fmt"
	"time"

	"castellan/storage"
)

// ShareRequests implements storage.Peers with one statement.
func (s *Store) ShareRequests(ctx context.Context, u storage.RequestUse) (share storage.RequestShare, err error) {
	if err := s.enter(); err != nil {
		return share, err
	}
	defer s.mu.RUnlock()
	share.For = 2 * u.Window
	var paused int64
	err = s.views.QueryRowContext(ctx, "SELECT granted, others_invalid, paused_for, processes FROM share_requests($1, $2, $3, $4, $5, $6, $7)",
		s.process, u.Limit, u.Window.Milliseconds(), share.For.Milliseconds(), u.Wanted, u.Invalid, u.Paused.Milliseconds()).
		Scan(&share.Slots, &share.Invalid, &paused, &share.Processes)
	if err != nil {
		return share, fmt.Errorf("postgres: share requests: %w", classify(err))
	}
	share.Paused = time.Duration(paused) * time.Millisecond
	if u.Paused > 0 {
		s.notify(storage.Signal{Kind: storage.RequestsPaused, N: s.Now().Add(u.Paused).UnixMilli()})
	}
	return share, nil
}
