package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const selectBoards = `
SELECT id, match_id, seq, guild, channel, message, notify, state, tries, next_at FROM boards `

const (
	boardByID     = selectBoards + `WHERE id = $1`
	boardsOfMatch = selectBoards + `WHERE match_id = $1 ORDER BY id`

	// The first condition is that of the index.
	areBehind = `
WHERE (state IN ('due', 'stale') OR (state = 'skipped' AND next_at IS NOT NULL)) AND (next_at IS NULL OR next_at <= $1)`

	boardsBehind = selectBoards + areBehind + `
ORDER BY next_at NULLS FIRST, id LIMIT $2`

	// owesNotice asks whether the board that is about to be skipped was to
	// notify of the same entry.
	owesNotice = `
SELECT EXISTS (SELECT 1 FROM boards WHERE match_id = $1 AND state = 'due' AND seq = $2 AND notify = $3)`

	retireBoards = `
UPDATE boards
SET state = CASE state WHEN 'due' THEN 'skipped' ELSE 'stale' END, tries = 0, next_at = $2
WHERE match_id = $1 AND state IN ('due', 'posted')`

	insertBoard = `
INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, tries, next_at)
VALUES ($1, $2, $3, $4, '', $5, 'due', 0, $6) RETURNING id`

	boardPosted = `
UPDATE boards
SET state = CASE state WHEN 'due' THEN 'posted' ELSE 'stale' END, message = $2, tries = 0, next_at = NULL
WHERE id = $1 AND state IN ('due', 'skipped')`

	matchShown = `
UPDATE matches
SET shown = (SELECT seq FROM boards WHERE id = $1)
WHERE id = (SELECT match_id FROM boards WHERE id = $1) AND shown < (SELECT seq FROM boards WHERE id = $1)`

	boardCollapsed = `
UPDATE boards
SET state = CASE state WHEN 'stale' THEN 'collapsed' ELSE state END, tries = 0, next_at = NULL
WHERE id = $1 AND state IN ('stale', 'skipped')`

	boardFailed = `UPDATE boards SET tries = tries + 1, next_at = $2 WHERE id = $1`
)

func scanBoard(rows *sql.Rows) (storage.Board, error) {
	var b storage.Board
	err := rows.Scan(&b.ID, &b.Match, &b.Seq, &b.Place.Guild, &b.Place.Channel, &b.Message,
		&b.Notify, &b.State, &b.Attempts, clock{&b.NextAttempt})
	return b, err
}

// Boards implements storage.Reader.
func (t *tx) Boards(match storage.MatchID) ([]storage.Board, error) {
	return collect(t, fmt.Sprintf("boards of match %d", match), scanBoard, boardsOfMatch, match)
}

// Board implements storage.Reader.
func (t *tx) Board(id storage.BoardID) (storage.Board, error) {
	return one(t, fmt.Sprintf("board %d", id), scanBoard, boardByID, id)
}

// InsertBoard implements storage.Tx.
func (t *tx) InsertBoard(b storage.Board) (storage.BoardID, error) {
	doing := fmt.Sprintf("insert board of match %d", b.Match)
	next, err := maybe(b.NextAttempt)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	notify := b.Notify
	if !notify {
		if notify, err = t.exists(doing, owesNotice, b.Match, b.Seq, true); err != nil {
			return 0, err
		}
	}
	if _, err := t.exec(doing, retireBoards, b.Match, next); err != nil {
		return 0, err
	}
	id, err := t.insert(doing, insertBoard, b.Match, b.Seq, b.Place.Guild, b.Place.Channel, notify, next)
	return storage.BoardID(id), err
}

// BoardPosted implements storage.Tx.
func (t *tx) MarkBoardPosted(id storage.BoardID, message string) error {
	doing := fmt.Sprintf("board %d is posted", id)
	if _, err := t.Board(id); err != nil {
		return err
	}
	if _, err := t.exec(doing, boardPosted, id, message); err != nil {
		return err
	}
	_, err := t.exec(doing, matchShown, id)
	return err
}

// BoardCollapsed implements storage.Tx.
func (t *tx) MarkBoardCollapsed(id storage.BoardID) error {
	if _, err := t.Board(id); err != nil {
		return err
	}
	_, err := t.exec(fmt.Sprintf("board %d is collapsed", id), boardCollapsed, id)
	return err
}

// BoardFailed implements storage.Tx.
func (t *tx) PostponeBoard(id storage.BoardID, next time.Time) error {
	return t.tryAgain(fmt.Sprintf("board %d has failed", id), boardFailed, int64(id), next)
}

// tryAgain sets when a record is tried again.
func (t *tx) tryAgain(doing, query string, id int64, next time.Time) error {
	at, err := maybe(next)
	if err != nil {
		return t.fail(doing, err)
	}
	n, err := t.exec(doing, query, id, at)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrNotFound)
	}
	return err
}
