package sqltx

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

// Leases of what is shown are columns of matches and challenges. Only a database that
// processes share gives any out. See leases.go about now().
const (
	isFree = `(show_until IS NULL OR show_until <= now())`
	take   = `show_token = show_token + 1, show_until = now() + `

	claimBoards = `
WITH due (board, match) AS MATERIALIZED (
    SELECT b.id, b.match_id FROM boards b JOIN matches m ON m.id = b.match_id ` + isPendingBoard + ` AND ` + isFree + `
    ORDER BY b.next_at NULLS FIRST, b.id LIMIT $2 FOR UPDATE OF m SKIP LOCKED),
claimed (match, token) AS (
    UPDATE matches SET ` + take + `$3 WHERE id IN (SELECT match FROM due) RETURNING id, show_token)
SELECT ` + columnsOfBoard + `, token FROM boards JOIN claimed ON match = match_id
WHERE id IN (SELECT board FROM due) ORDER BY next_at NULLS FIRST, id`

	claimChallenges = `
WITH due AS MATERIALIZED (
    SELECT id FROM challenges ` + pendingChallenge + ` AND ` + isFree + ` ORDER BY next_at NULLS FIRST, id LIMIT $2 FOR UPDATE SKIP LOCKED)
UPDATE challenges SET ` + take + `$3 WHERE id IN (SELECT id FROM due) RETURNING id, show_token`

	claimedChallenges = selectChallenges + `WHERE c.id = ANY ($1)` + inOrderOfAttempts

	claimDaily = `
UPDATE daily_messages SET next_at = $1 + $3
WHERE person IN (SELECT person FROM (` + pendingDaily + ` FOR UPDATE SKIP LOCKED) AS due)
RETURNING person, due_at, next_at, tries, sending_since`

	claimMatch     = `UPDATE matches SET ` + take + `$2 WHERE id = $1 AND ($3 = 1 OR ` + isFree + `) RETURNING show_token`
	claimChallenge = `UPDATE challenges SET ` + take + `$2 WHERE id = $1 AND ($3 = 1 OR ` + isFree + `) RETURNING show_token`

	releaseMatch     = `UPDATE matches SET show_until = NULL WHERE id = $1 AND show_token = $2`
	releaseChallenge = `UPDATE challenges SET show_until = NULL WHERE id = $1 AND show_token = $2`
	checkMatch       = `SELECT 1 FROM matches WHERE id = $1 AND show_token = $2`
	checkChallenge   = `SELECT 1 FROM challenges WHERE id = $1 AND show_token = $2`

	editAgain = `
UPDATE boards
SET state    = CASE state WHEN 'collapsed' THEN 'stale' ELSE state END,
    tries    = CASE WHEN state IN ('collapsed', 'posted') THEN 0 ELSE tries END,
    next_at  = CASE WHEN state IN ('collapsed', 'posted') THEN $3 ELSE next_at END,
    outdated = CASE state WHEN 'posted' THEN 1 ELSE outdated END
WHERE id = (SELECT max(id) FROM boards WHERE match_id = $1 AND message = $2)`

	insertStaleBoard = `
INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, tries, next_at)
VALUES ($1, $2, $3, $4, $5, 0, 'stale', 0, $6)`

	fenceMatch = `UPDATE matches SET show_token = show_token + 1, show_until = NULL WHERE id = $1`
)

// shared reports whether several processes can use the database.
func (t *Tx) shared() bool { return t.driver.Now != "" }

// ClaimPosts does what storage.Shower says, like the two methods after it.
func (t *Tx) ClaimPosts(now time.Time, limit int, d time.Duration) (c storage.ClaimedPosts, err error) {
	if !t.shared() {
		c.PendingPosts, err = t.PendingPosts(now, limit)
		return c, err
	}
	const op = "claim posts"
	c.MatchLeases, c.ChallengeLeases = map[storage.MatchID]storage.ShowLease{}, map[storage.ChallengeID]storage.ShowLease{}
	args, ends := []any{timeValue(now), max(limit, 0), int64(d)}, time.Now().Add(d)
	query, _ := t.timed(claimBoards)
	c.Boards, err = returning(t, op, func(rows *sql.Rows) (b storage.Board, err error) {
		l := storage.ShowLease{Ends: ends}
		if b, err = scanBoard(rows, &l.Token); err == nil {
			l.Match = b.Match
			c.MatchLeases[b.Match] = l
		}
		return b, err
	}, query, args...)
	if err != nil {
		return c, err
	}
	var ids []int64
	query, _ = t.timed(claimChallenges)
	_, err = returning(t, op, func(rows *sql.Rows) (_ struct{}, err error) {
		l := storage.ShowLease{Ends: ends}
		if err = rows.Scan(&l.Challenge, &l.Token); err == nil {
			ids, c.ChallengeLeases[l.Challenge] = append(ids, int64(l.Challenge)), l
		}
		return struct{}{}, err
	}, query, args...)
	if err != nil {
		return c, err
	}
	if len(ids) > 0 {
		if c.Challenges, err = t.challenges(op, claimedChallenges, ids); err != nil {
			return c, err
		}
	}
	c.Daily, err = returning(t, op, scanDaily, claimDaily, args...)
	return c, err
}

func (t *Tx) ClaimShow(l storage.ShowLease, d time.Duration, force bool) (storage.ShowLease, error) {
	if !t.shared() {
		return storage.ShowLease{}, nil
	}
	l.Ends = time.Now().Add(d)
	op, query, id := showing(l, claimMatch, claimChallenge)
	query, _ = t.timed(query)
	tokens, err := returning(t, op, scanValue[int64], query, id, int64(d), force)
	switch {
	case err != nil:
		return l, err
	case len(tokens) == 0 && force:
		return l, fmt.Errorf("storage: %s: %w", op, storage.ErrNotFound)
	case len(tokens) == 0:
		return l, fmt.Errorf("storage: %s: %w", op, storage.ErrHeld)
	}
	l.Token = tokens[0]
	return l, nil
}

func (t *Tx) ReleaseShow(l storage.ShowLease) error {
	if l.Token == 0 {
		return nil
	}
	op, query, id := showing(l, releaseMatch, releaseChallenge)
	_, err := t.exec(op, query+t.driver.Lazily, id, l.Token)
	return err
}

func (t *Tx) CheckShowLease(l storage.ShowLease, done bool) (err error) {
	if l.Token == 0 {
		return nil
	}
	op, query, id := showing(l, checkMatch, checkChallenge)
	var n int
	if done {
		_, query, _ = showing(l, releaseMatch, releaseChallenge)
		n, err = t.exec(op, query, id, l.Token)
	} else {
		var rows []int
		rows, err = all(t, op, scanValue[int], query+t.driver.Share, id, l.Token)
		n = len(rows)
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("storage: %s: %w", op, storage.ErrFenced)
	}
	return err
}

// showing returns what a statement about a lease does, the statement for what is
// shown, and its identifier.
func showing(l storage.ShowLease, match, challenge string) (op, query string, id any) {
	if l.Challenge != 0 {
		return fmt.Sprintf("lease challenge %d", l.Challenge), challenge, l.Challenge
	}
	return fmt.Sprintf("lease match %d", l.Match), match, l.Match
}

func (t *Tx) EditAgain(b storage.Board) error {
	op, next := fmt.Sprintf("edit a message of match %d again", b.Match), nullTime(b.NextAttempt)
	n, err := t.exec(op, editAgain, b.Match, b.Message, next)
	if err == nil && n == 0 {
		_, err = t.exec(op, insertStaleBoard, b.Match, b.Seq, b.Place.Guild, b.Place.Channel, b.Message, next)
	}
	if err == nil {
		_, err = t.exec(op, fenceMatch, b.Match)
	}
	return err
}
