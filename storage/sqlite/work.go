package sqlite

import (
	"fmt"
	"time"

	"castellan/storage"
)

// Work implements storage.Reader. Who has waited longest is who was to be
// tried earliest, then who was made first.
func (t *tx) Work(now time.Time, limit int) (storage.Work, error) {
	at, err := moment(now)
	if err != nil {
		return storage.Work{}, fmt.Errorf("sqlite: work: %w", err)
	}
	limit = max(limit, 0) // SQLite takes a negative limit for none
	boards, err := collect(t, "boards behind", scanBoard, boardsBehind, at, limit)
	if err != nil {
		return storage.Work{}, err
	}
	challenges, err := collect(t, "challenges behind", scanChallenge, challengesBehind, at, limit)
	if err != nil {
		return storage.Work{}, err
	}
	for i := range challenges {
		if err := t.readPeople(&challenges[i]); err != nil {
			return storage.Work{}, err
		}
	}
	return storage.Work{Boards: boards, Challenges: challenges}, nil
}
