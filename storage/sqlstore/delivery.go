package sqlstore

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

// shared reports whether several processes can use the database. Only then are leases
// of what is shown given out; they are columns of matches and challenges.
func (t *Tx) shared() bool { return t.driver.Now != "" }

const (
	isFree = `(lease_until IS NULL OR lease_until <= now())`
	take   = `lease_token = lease_token + 1, lease_until = now() + `
)

// ClaimPosts does what storage.DeliveryLeaser says, like the two methods after it.
func (t *Tx) ClaimPosts(now time.Time, limit int, d time.Duration) (c storage.ClaimedPosts, err error) {
	if !t.shared() {
		c.PendingPosts, err = t.PendingPosts(now, limit)
		return c, err
	}
	const op = "claim posts"
	c.MatchLeases, c.ChallengeLeases = map[storage.MatchID]storage.DeliveryLease{}, map[storage.ChallengeID]storage.DeliveryLease{}
	args, ends := []any{timeValue(now), max(limit, 0), int64(d)}, time.Now().Add(d)
	query, _ := t.timed(`
WITH due (board, match) AS MATERIALIZED (
    SELECT b.id, b.match_id FROM boards b JOIN matches m ON m.id = b.match_id ` + isPendingBoard + ` AND ` + isFree + `
    ORDER BY b.next_attempt NULLS FIRST, b.id LIMIT $2 FOR UPDATE OF m SKIP LOCKED),
claimed (match, token) AS (
    UPDATE matches SET ` + take + `$3 WHERE id IN (SELECT match FROM due) RETURNING id, lease_token)
SELECT ` + columnsOfBoard + `, token FROM boards JOIN claimed ON match = match_id
WHERE id IN (SELECT board FROM due) ORDER BY next_attempt NULLS FIRST, id`)
	c.Boards, err = returning(t, op, func(rows *sql.Rows) (b storage.Board, err error) {
		l := storage.DeliveryLease{Ends: ends}
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
	query, _ = t.timed(`
WITH due AS MATERIALIZED (
    SELECT id FROM challenges ` + pendingChallenge + ` AND ` + isFree + ` ORDER BY next_attempt NULLS FIRST, id LIMIT $2 FOR UPDATE SKIP LOCKED)
UPDATE challenges SET ` + take + `$3 WHERE id IN (SELECT id FROM due) RETURNING id, lease_token`)
	_, err = returning(t, op, func(rows *sql.Rows) (_ struct{}, err error) {
		l := storage.DeliveryLease{Ends: ends}
		if err = rows.Scan(&l.Challenge, &l.Token); err == nil {
			ids, c.ChallengeLeases[l.Challenge] = append(ids, int64(l.Challenge)), l
		}
		return struct{}{}, err
	}, query, args...)
	if err != nil {
		return c, err
	}
	if len(ids) > 0 {
		if c.Challenges, err = t.challenges(op, selectChallenges+`WHERE c.id = ANY ($1)`+inOrderOfAttempts, ids); err != nil {
			return c, err
		}
	}
	c.Daily, err = returning(t, op, scanDaily, `
UPDATE daily_messages SET next_attempt = $1 + $3
WHERE person IN (SELECT person FROM (`+pendingDaily+` FOR UPDATE SKIP LOCKED) AS due)
RETURNING person, due_at, next_attempt, attempts, sending_since`, args...)
	return c, err
}

func (t *Tx) ClaimDelivery(l storage.DeliveryLease, d time.Duration, force bool) (storage.DeliveryLease, error) {
	if !t.shared() {
		return storage.DeliveryLease{}, nil
	}
	l.Ends = time.Now().Add(d)
	op, query, id := showing(l,
		`UPDATE matches SET `+take+`$2 WHERE id = $1 AND ($3 = 1 OR `+isFree+`) RETURNING lease_token`,
		`UPDATE challenges SET `+take+`$2 WHERE id = $1 AND ($3 = 1 OR `+isFree+`) RETURNING lease_token`)
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

const (
	releaseMatch     = `UPDATE matches SET lease_until = NULL WHERE id = $1 AND lease_token = $2`
	releaseChallenge = `UPDATE challenges SET lease_until = NULL WHERE id = $1 AND lease_token = $2`
)

func (t *Tx) ReleaseDelivery(l storage.DeliveryLease) error {
	if l.Token == 0 {
		return nil
	}
	op, query, id := showing(l, releaseMatch, releaseChallenge)
	_, err := t.exec(op, query+t.driver.Lazily, id, l.Token)
	return err
}

func (t *Tx) CheckDeliveryLease(l storage.DeliveryLease, done bool) (err error) {
	if l.Token == 0 {
		return nil
	}
	op, query, id := showing(l,
		`SELECT 1 FROM matches WHERE id = $1 AND lease_token = $2`,
		`SELECT 1 FROM challenges WHERE id = $1 AND lease_token = $2`)
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
func showing(l storage.DeliveryLease, match, challenge string) (op, query string, id any) {
	if l.Challenge != 0 {
		return fmt.Sprintf("lease challenge %d", l.Challenge), challenge, l.Challenge
	}
	return fmt.Sprintf("lease match %d", l.Match), match, l.Match
}

func (t *Tx) MarkForEdit(b storage.Board) error {
	op, next := fmt.Sprintf("edit a message of match %d again", b.Match), nullTime(b.NextAttempt)
	n, err := t.exec(op, `
UPDATE boards
SET state = CASE state WHEN 'collapsed' THEN 'superseded' ELSE state END,
    attempts = CASE WHEN state IN ('collapsed', 'posted') THEN 0 ELSE attempts END,
    next_attempt = CASE WHEN state IN ('collapsed', 'posted') THEN $3 ELSE next_attempt END,
    needs_redraw = CASE state WHEN 'posted' THEN 1 ELSE needs_redraw END
WHERE id = (SELECT max(id) FROM boards WHERE match_id = $1 AND message = $2)`, b.Match, b.Message, next)
	if err == nil && n == 0 {
		_, err = t.exec(op, `
INSERT INTO boards (match_id, seq, guild, channel, message, notify, state, attempts, next_attempt)
VALUES ($1, $2, $3, $4, $5, 0, 'superseded', 0, $6)`, b.Match, b.Seq, b.Place.Guild, b.Place.Channel, b.Message, next)
	}
	if err == nil {
		_, err = t.exec(op, `UPDATE matches SET lease_token = lease_token + 1, lease_until = NULL WHERE id = $1`, b.Match)
	}
	return err
}
