package sqltx

import (
	"cmp"
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const (
	columnsOfBoard = `id, match_id, seq, guild, channel, message, notify, offer, edit, state, tries, next_at, outdated`
	selectBoards   = `
SELECT ` + columnsOfBoard + ` FROM boards `

	boardByID     = selectBoards + `WHERE id = $1`
	boardsOfMatch = selectBoards + `WHERE match_id = $1 ORDER BY id`

	activeBoards = selectBoards + `
WHERE match_id = $1 AND (state IN ('due', 'posted', 'stale') OR (state = 'skipped' AND next_at IS NOT NULL)) ORDER BY id`

	// replaceBoards returns the new states: a skipped board was due before.
	replaceBoards = `
UPDATE boards
SET state = CASE state WHEN 'due' THEN 'skipped' ELSE 'stale' END, tries = 0, next_at = $2, outdated = 0
WHERE match_id = $1 AND state IN ('due', 'posted')
RETURNING ` + columnsOfBoard

	insertBoard = `
INSERT INTO boards (match_id, seq, guild, channel, message, notify, offer, edit, state, tries, next_at)
VALUES ($1, $2, $3, $4, '', $5, $6, $7, 'due', 0, $8) RETURNING id`

	// insertSharedBoard also takes the lease of the match, or ends it.
	insertSharedBoard = `
WITH taken AS (
    UPDATE matches SET show_token = show_token + 1, show_until = CASE WHEN CAST($9 AS BIGINT) > 0 THEN now() + $9 END WHERE id = $1 RETURNING show_token)` +
		insertBoard + `, coalesce((SELECT show_token FROM taken), 0)`

	markBoardPosted = `
UPDATE boards
SET state   = CASE state WHEN 'due' THEN 'posted' WHEN 'skipped' THEN 'stale' ELSE state END,
    message = CASE WHEN state IN ('due', 'skipped') THEN $2 ELSE message END,
    tries   = CASE WHEN state IN ('due', 'skipped') THEN 0 ELSE tries END,
    next_at = CASE WHEN state IN ('due', 'skipped') THEN NULL ELSE next_at END
WHERE id = $1`

	raiseShownSeq = `
UPDATE matches SET shown = b.seq FROM boards b WHERE b.id = $1 AND matches.id = b.match_id AND matches.shown < b.seq`

	markBoardCollapsed = `
UPDATE boards
SET state    = CASE state WHEN 'stale' THEN 'collapsed' ELSE state END,
    tries    = CASE WHEN state IN ('stale', 'skipped') OR outdated = 1 THEN 0 ELSE tries END,
    next_at  = CASE WHEN state IN ('stale', 'skipped') OR outdated = 1 THEN NULL ELSE next_at END,
    outdated = 0
WHERE id = $1`

	// oneMoreTry counts a failed attempt, unless it was one after RetryNow.
	oneMoreTry = `tries + CASE WHEN next_at IS NOT NULL OR tries = 0 THEN 1 ELSE 0 END`

	postponeBoard = `UPDATE boards SET tries = ` + oneMoreTry + `, next_at = $2 WHERE id = $1`
	moveDueBoard  = `UPDATE boards SET guild = $2, channel = $3 WHERE match_id = $1 AND state = 'due'`
)

func scanPlainBoard(rows *sql.Rows) (b storage.Board, err error) { return scanBoard(rows) }

// scanBoard scans the columns of a board and those that follow.
func scanBoard(rows *sql.Rows, more ...any) (b storage.Board, err error) {
	err = rows.Scan(append([]any{&b.ID, &b.Match, &b.Seq, &b.Place.Guild, &b.Place.Channel, &b.Message,
		&b.Notify, &b.Offer, &b.Edit, &b.State, &b.Attempts, scanTime{&b.NextAttempt}, &b.Outdated}, more...)...)
	return b, err
}

func (t *Tx) Board(id storage.BoardID) (storage.Board, error) {
	return one(t, fmt.Sprintf("board %d", id), scanPlainBoard, boardByID, id)
}

func (t *Tx) Boards(match storage.MatchID) ([]storage.Board, error) {
	return all(t, fmt.Sprintf("boards of match %d", match), scanPlainBoard, boardsOfMatch, match)
}

func (t *Tx) ActiveBoards(match storage.MatchID) ([]storage.Board, error) {
	return all(t, fmt.Sprintf("active boards of match %d", match), scanPlainBoard, activeBoards, match)
}

func (t *Tx) InsertBoard(b storage.Board) (storage.BoardID, error) {
	inserted, err := t.insertBoard(b, 0)
	return inserted.Board, err
}

// insertBoard does the same as InsertBoard, and takes the lease of the match if d is
// positive.
func (t *Tx) insertBoard(b storage.Board, d time.Duration) (inserted storage.Advanced, err error) {
	op := fmt.Sprintf("insert board of match %d", b.Match)
	next := nullTime(b.NextAttempt)
	replaced, err := returning(t, op, scanPlainBoard, replaceBoards, b.Match, next)
	if err != nil {
		return inserted, err
	}
	for _, old := range replaced {
		if old.State == storage.BoardSkipped && old.Seq == b.Seq {
			b.Notify, b.Offer = b.Notify || old.Notify, cmp.Or(b.Offer, old.Offer)
		}
	}
	args := []any{b.Match, b.Seq, b.Place.Guild, b.Place.Channel, b.Notify, b.Offer, b.Edit, next}
	if !t.shared() {
		id, err := t.insert(op, insertBoard, args...)
		return storage.Advanced{Board: storage.BoardID(id)}, err
	}
	lease := storage.ShowLease{Match: b.Match, Ends: time.Now().Add(d)}
	query, args := t.timed(insertSharedBoard, append(args, int64(d))...)
	_, err = returning(t, op, func(rows *sql.Rows) (_ struct{}, err error) {
		return struct{}{}, rows.Scan(&inserted.Board, &lease.Token)
	}, query, args...)
	if d > 0 {
		inserted.Lease = lease
	}
	return inserted, err
}

func (t *Tx) MarkBoardPosted(id storage.BoardID, message string) error {
	op := fmt.Sprintf("mark board %d as posted", id)
	if err := t.execOne(op, markBoardPosted, id, message); err != nil {
		return err
	}
	_, err := t.exec(op, raiseShownSeq, id)
	return err
}

func (t *Tx) MarkBoardCollapsed(id storage.BoardID) error {
	return t.execOne(fmt.Sprintf("mark board %d as collapsed", id), markBoardCollapsed, id)
}

func (t *Tx) PostponeBoard(id storage.BoardID, next time.Time) error {
	return t.setTime(fmt.Sprintf("postpone board %d", id), postponeBoard, int64(id), next)
}

func (t *Tx) MoveDueBoard(match storage.MatchID, to storage.Place) error {
	_, err := t.exec(fmt.Sprintf("move the due board of match %d", match), moveDueBoard, match, to.Guild, to.Channel)
	return err
}
