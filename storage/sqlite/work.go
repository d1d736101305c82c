package sqlite

import (
	"fmt"
	"time"

	"castellan/storage"
)

// Work implements storage.Reader. Who has waited longest is who was to be
// tried earliest, then who was made first.
func (t *tx) PendingPosts(now time.Time, limit int) (storage.PendingPosts, error) {
	at, err := moment(now)
	if err != nil {
		return storage.PendingPosts{}, fmt.Errorf("sqlite: work: %w", err)
	}
	limit = max(limit, 0) // SQLite takes a negative limit for none
	boards, err := collect(t, "boards behind", scanBoard, boardsBehind, at, limit)
	if err != nil {
		return storage.PendingPosts{}, err
	}
	challenges, err := collect(t, "challenges behind", scanChallenge, challengesBehind, at, limit)
	if err != nil {
		return storage.PendingPosts{}, err
	}
	for i := range challenges {
		if err := t.readPeople(&challenges[i]); err != nil {
			return storage.PendingPosts{}, err
		}
	}
	return storage.PendingPosts{Boards: boards, Challenges: challenges}, nil
}
