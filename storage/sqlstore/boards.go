package sqlstore

import (
	"cmp"
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

func scanPlainBoard(rows *sql.Rows) (b storage.Board, err error) { return scanBoard(rows) }

// scanBoard scans the columns of a board and those that follow.
func scanBoard(rows *sql.Rows, more ...any) (b storage.Board, err error) {
	err = rows.Scan(append([]any{&b.ID, &b.Match, &b.Seq, &b.Place.Guild, &b.Place.Channel, &b.Message,
		&b.Notify, &b.Offer, &b.Edit, &b.State, &b.Attempts, scanTime{&b.NextAttempt}, &b.NeedsRedraw}, more...)...)
	return b, err
}

const (
	columnsOfBoard = `id, match_id, seq, guild, channel, message, notify, offer, edit, state, attempts, next_attempt, needs_redraw`

	selectBoards = `
SELECT ` + columnsOfBoard + ` FROM boards `
)

func (t *Tx) Board(id storage.BoardID) (storage.Board, error) {
	return one(t, fmt.Sprintf("board %d", id), scanPlainBoard, selectBoards+`WHERE id = $1`, id)
}

func (t *Tx) Boards(match storage.MatchID) ([]storage.Board, error) {
	return all(t, fmt.Sprintf("boards of match %d", match), scanPlainBoard, selectBoards+`WHERE match_id = $1 ORDER BY id`, match)
}

func (t *Tx) ActiveBoards(match storage.MatchID) ([]storage.Board, error) {
	return all(t, fmt.Sprintf("active boards of match %d", match), scanPlainBoard, selectBoards+`
WHERE match_id = $1 AND (state IN ('due', 'posted', 'superseded') OR (state = 'skipped' AND next_attempt IS NOT NULL)) ORDER BY id`, match)
}

func (t *Tx) InsertBoard(b storage.Board) (storage.BoardID, error) {
	inserted, err := t.insertBoard(b, 0)
	return inserted.Board, err
}

const insertBoard = `
INSERT INTO boards (match_id, seq, guild, channel, message, notify, offer, edit, state, attempts, next_attempt)
VALUES ($1, $2, $3, $4, '', $5, $6, $7, 'due', 0, $8) RETURNING id`

// insertBoard does the same as InsertBoard, and takes the lease of the match if d is
// positive.
func (t *Tx) insertBoard(b storage.Board, d time.Duration) (inserted storage.Advanced, err error) {
	op := fmt.Sprintf("insert board of match %d", b.Match)
	next := nullTime(b.NextAttempt)
	// The rows have their new states: a skipped board was due before.
	replaced, err := returning(t, op, scanPlainBoard, `
UPDATE boards
SET state = CASE state WHEN 'due' THEN 'skipped' ELSE 'superseded' END, attempts = 0, next_attempt = $2, needs_redraw = 0
WHERE match_id = $1 AND state IN ('due', 'posted')
RETURNING `+columnsOfBoard, b.Match, next)
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
	lease := storage.DeliveryLease{Match: b.Match, Ends: time.Now().Add(d)}
	// With the insertion it takes the lease of the match, or ends it.
	query, args := t.timed(`
WITH taken AS (
    UPDATE matches SET lease_token = lease_token + 1, lease_until = CASE WHEN CAST($9 AS BIGINT) > 0 THEN now() + $9 END WHERE id = $1 RETURNING lease_token)`+
		insertBoard+`, coalesce((SELECT lease_token FROM taken), 0)`, append(args, int64(d))...)
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
	if err := t.execOne(op, `
UPDATE boards
SET state = CASE state WHEN 'due' THEN 'posted' WHEN 'skipped' THEN 'superseded' ELSE state END,
    message = CASE WHEN state IN ('due', 'skipped') THEN $2 ELSE message END,
    attempts = CASE WHEN state IN ('due', 'skipped') THEN 0 ELSE attempts END,
    next_attempt = CASE WHEN state IN ('due', 'skipped') THEN NULL ELSE next_attempt END
WHERE id = $1`, id, message); err != nil {
		return err
	}
	_, err := t.exec(op, `
UPDATE matches SET shown_seq = b.seq FROM boards b WHERE b.id = $1 AND matches.id = b.match_id AND matches.shown_seq < b.seq`, id)
	return err
}

func (t *Tx) MarkBoardCollapsed(id storage.BoardID) error {
	return t.execOne(fmt.Sprintf("mark board %d as collapsed", id), `
UPDATE boards
SET state = CASE state WHEN 'superseded' THEN 'collapsed' ELSE state END,
    attempts = CASE WHEN state IN ('superseded', 'skipped') OR needs_redraw = 1 THEN 0 ELSE attempts END,
    next_attempt = CASE WHEN state IN ('superseded', 'skipped') OR needs_redraw = 1 THEN NULL ELSE next_attempt END,
    needs_redraw = 0
WHERE id = $1`, id)
}

// oneMoreTry counts a failed attempt, unless it was one after RetryNow.
const oneMoreTry = `attempts + CASE WHEN next_attempt IS NOT NULL OR attempts = 0 THEN 1 ELSE 0 END`

func (t *Tx) PostponeBoard(id storage.BoardID, next time.Time) error {
	return t.setTime(fmt.Sprintf("postpone board %d", id),
		`UPDATE boards SET attempts = `+oneMoreTry+`, next_attempt = $2 WHERE id = $1`, int64(id), next)
}

func (t *Tx) MoveDueBoard(match storage.MatchID, to storage.Place) error {
	_, err := t.exec(fmt.Sprintf("move the due board of match %d", match),
		`UPDATE boards SET guild = $2, channel = $3 WHERE match_id = $1 AND state = 'due'`, match, to.Guild, to.Channel)
	return err
}
