package sqltx

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"castellan/storage"
)

const (
	matchColumns = `
SELECT m.id, m.challenge_id, m.guild, m.channel, m.game, m.rules, m.options, m.seed, m.created_at,
       m.seq, m.shown, m.ending, m.ended_at, m.deadline, m.thinking_since, m.unrated, m.end_number, m.root, m.clock, m.reminded, m.offers,
       s.seat, s.person, s.name, s.level, s.place, s.result`

	// selectMatches selects a row for each seat of a match, or one row with NULLs
	// if it has none.
	selectMatches = matchColumns + `
FROM matches m LEFT JOIN seats s ON s.match_id = m.id `

	matchByID = selectMatches + `
WHERE m.id = $1 ORDER BY s.seat`

	matchWithPreferences = matchColumns + `, ` + preferenceColumns + `, q.turns, q.text, q.draft, q.revision,
       m.ending = '' AND EXISTS (SELECT 1 FROM vacations v WHERE v.person = s.person AND v.ended > m.created_at)
FROM matches m LEFT JOIN seats s ON s.match_id = m.id LEFT JOIN preferences p ON p.person = s.person
LEFT JOIN prepared q ON q.match_id = m.id AND q.seat = s.seat
WHERE m.id = $1 ORDER BY s.seat`

	// inChannel selects the matches of a channel and of the threads on its
	// challenges.
	inChannel = `(m.channel = $1 OR m.channel IN (
    SELECT c.message FROM threads t JOIN challenges c ON c.id = t.challenge_id WHERE t.state = 'made' AND t.parent = $1))`

	matchesOfPerson = selectMatches + `
WHERE m.ending = '' AND m.id IN (SELECT match_id FROM seats WHERE person = $2 AND ended IS NULL) AND ($1 = '' OR ` + inChannel + `)
ORDER BY m.newest_at DESC, m.id DESC, s.seat`

	matchesOfChannel = selectMatches + `
WHERE m.ending = '' AND ` + inChannel + `
ORDER BY m.newest_at DESC, m.id DESC, s.seat`

	matchesRunning = selectMatches + `
WHERE m.ending = ''
ORDER BY m.created_at, m.id, s.seat`

	countRunning = `SELECT count(DISTINCT match_id) FROM seats WHERE person = $1 AND ended IS NULL`

	// Limits apply in a subquery, because a match has a row for each seat.
	matchesAfter = selectMatches + `
WHERE m.id IN (SELECT id FROM matches WHERE id > $1 ORDER BY id LIMIT $2)
ORDER BY m.id, s.seat`

	matchesEnded = selectMatches + `
WHERE m.id IN (SELECT id FROM matches WHERE end_number > $1 ORDER BY end_number LIMIT $2)
ORDER BY m.end_number, s.seat`

	countEnded = `SELECT coalesce(max(n), 0) FROM end_counts WHERE person = $1`

	endedPage = selectMatches + `
WHERE m.id IN (SELECT match_id FROM seats WHERE person = $1 AND ordinal <= $2 AND ordinal > $2 - $3)
ORDER BY m.end_number DESC, s.seat`

	recentMatches = selectMatches + `
WHERE m.id IN (
    SELECT match_id FROM (
        SELECT * FROM (
            SELECT DISTINCT match_id, ended FROM seats
            WHERE person = $1 AND guild = $3 AND guild <> '' AND ended IS NOT NULL ORDER BY ended DESC LIMIT $4) AS in_guild
        UNION
        SELECT * FROM (
            SELECT match_id, ended FROM meetings WHERE person = $1 AND other = $2 ORDER BY ended DESC LIMIT $4) AS together
        UNION
        SELECT match_id, ended FROM (
            SELECT DISTINCT match_id, ended, ordinal FROM seats
            WHERE person = $1 AND person = $2 AND ordinal IS NOT NULL ORDER BY ordinal DESC LIMIT $4) AS own) AS found
    ORDER BY ended DESC LIMIT $4)
ORDER BY m.end_number DESC, s.seat`

	lastEnded = selectMatches + `
WHERE m.id = (SELECT match_id FROM seats WHERE person = $1 AND ordinal IS NOT NULL ORDER BY ordinal DESC LIMIT 1)
ORDER BY s.seat`

	lastEndedIn = selectMatches + `
WHERE m.id = (SELECT match_id FROM seats WHERE person = $1 AND channel = $2 AND ended IS NOT NULL ORDER BY ended DESC LIMIT 1)
ORDER BY s.seat`

	entriesAfter = `
SELECT seq, kind, seat, text, at, interaction, digest FROM entries WHERE match_id = $1 AND seq > $2 ORDER BY seq`

	insertMatch = `
INSERT INTO matches (challenge_id, guild, channel, game, rules, options, seed, created_at, newest_at, deadline, unrated, thinking_since, root, clock, reminded)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13, $14) RETURNING id`

	insertSeats   = `INSERT INTO seats (match_id, seat, person, name, level) VALUES `
	insertEntries = `INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction, digest) VALUES `

	// appendToMatch changes no row for the second of two writers that append after
	// the same entry. It returns the digest that the new entries follow.
	appendToMatch = `
UPDATE matches SET seq = $3, newest_at = $4 WHERE id = $1 AND seq = $2` + returningDigest

	returningDigest = `
RETURNING coalesce((SELECT e.digest FROM entries e WHERE e.match_id = $1 AND e.seq = $2), root)`

	advanceMatch = `
UPDATE matches SET seq = $3, newest_at = $4, deadline = $5, thinking_since = $6, reminded = $7
WHERE id = $1 AND seq = $2` + returningDigest

	endMatch = `
UPDATE matches
SET ending = $2, ended_at = $3, deadline = NULL, reminded = 0, offers = '', thinking_since = NULL,
    end_number = (SELECT coalesce(max(end_number), 0) + 1 FROM matches WHERE end_number IS NOT NULL) -- as the index says
WHERE id = $1 AND ending = ''`

	setOffers = `UPDATE matches SET offers = $2 WHERE id = $1 AND ending = ''`

	setPrepared = `
INSERT INTO prepared (match_id, seat, turns, text, draft, revision)
SELECT id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT) FROM matches WHERE id = $1 AND ending = ''
ON CONFLICT (match_id, seat) DO UPDATE
SET turns = excluded.turns, text = excluded.text, draft = excluded.draft, revision = excluded.revision`

	deletePrepared = `DELETE FROM prepared WHERE match_id = $1`

	setDeadline     = `UPDATE matches SET deadline = $2 WHERE id = $1`
	markReminded    = `UPDATE matches SET deadline = $2, reminded = 1 WHERE id = $1`
	setComputerTurn = `UPDATE matches SET thinking_since = $2 WHERE id = $1`
	moveMatch       = `UPDATE matches SET guild = $4, channel = $5 WHERE id = $1 AND guild = $2 AND channel = $3`

	withoutRoot = selectMatches + `
WHERE m.id IN (SELECT id FROM matches WHERE root IS NULL ORDER BY id LIMIT $1)
ORDER BY m.id, s.seat`

	setRoot   = `UPDATE matches SET root = $2 WHERE id = $1`
	setDigest = `UPDATE entries SET digest = $3 WHERE match_id = $1 AND seq = $2`

	matchExists = `SELECT EXISTS (SELECT 1 FROM matches WHERE id = $1)`
	matchAtSeq  = `SELECT EXISTS (SELECT 1 FROM matches WHERE id = $1 AND seq = $2)`
)

// seatRow is one row of selectMatches.
type seatRow struct {
	match  storage.Match
	seat   int // 0 if the match has none
	person storage.Person
	result storage.SeatResult // zero if there is none
}

func (r *seatRow) columns() []any {
	m := &r.match
	return []any{
		&m.ID, scanNumber[storage.ChallengeID]{&m.Challenge}, &m.Place.Guild, &m.Place.Channel,
		&m.Game, &m.RulesVersion, &m.Options, scanSeed{&m.Seed}, scanTime{&m.CreatedAt},
		&m.Seq, &m.ShownSeq, &m.Ending, scanTime{&m.EndedAt}, scanTime{&m.Deadline}, scanTime{&m.ComputerTurnSince},
		&m.Unrated, scanNumber[int]{&m.EndNumber}, scanDigest{&m.Root}, &m.Clock, &m.Reminded, &m.Offers,
		scanNumber[int]{&r.seat}, scanText[string]{&r.person.ID}, scanText[string]{&r.person.Name},
		scanText[string]{&r.person.Level}, scanNumber[int]{&r.result.Place}, scanText[storage.Result]{&r.result.Result},
	}
}

func scanSeatRow(rows *sql.Rows) (r seatRow, err error) {
	err = rows.Scan(r.columns()...)
	return r, err
}

// groupSeats makes matches of rows; those of one match follow each other.
func groupSeats(rows []seatRow) []storage.Match {
	var matches []storage.Match
	for _, r := range rows {
		if len(matches) == 0 || matches[len(matches)-1].ID != r.match.ID {
			matches = append(matches, r.match)
		}
		if m := &matches[len(matches)-1]; r.seat > 0 {
			m.Seats = append(m.Seats, r.person)
			if r.result.Result != "" {
				m.Results = append(m.Results, r.result)
			}
		}
	}
	return matches
}

func (t *Tx) matches(op, query string, args ...any) ([]storage.Match, error) {
	rows, err := all(t, op, scanSeatRow, query, args...)
	return groupSeats(rows), err
}

func (t *Tx) Match(id storage.MatchID) (storage.Match, error) {
	op := fmt.Sprintf("match %d", id)
	found, err := t.matches(op, matchByID, id)
	return first(op, found, err)
}

func (t *Tx) LoadMatch(id storage.MatchID, after int) (state storage.MatchState, err error) {
	op := fmt.Sprintf("load match %d", id)
	var prefs []storage.Preferences
	var prepared []storage.Prepared
	vacations := false
	rows, err := all(t, op, func(rows *sql.Rows) (r seatRow, err error) {
		var turns sql.NullInt64
		vacation := false
		p, q := storage.Preferences{}, storage.Prepared{}
		err = rows.Scan(append(append(r.columns(), preferenceFields(&p)...),
			&turns, scanText[string]{&q.Text}, scanText[string]{&q.Draft}, scanNumber[int]{&q.Revision}, &vacation)...)
		vacations = vacations || vacation
		if turns.Valid {
			q.Seat, q.Turns = r.seat, int(turns.Int64)
			prepared = append(prepared, q)
		}
		if r.seat > 0 {
			p.Person = r.person.ID
			prefs = append(prefs, p)
		}
		return r, err
	}, matchWithPreferences, id)
	match, err := first(op, groupSeats(rows), err)
	if err != nil {
		return state, err
	}
	state = storage.MatchState{Match: match, Preferences: prefs, Prepared: prepared}
	if match.Seq > after {
		if state.Entries, err = t.EntriesAfter(id, after); err != nil {
			return state, err
		}
	}
	if match.Ending != "" {
		if state.RatingChanges, err = t.RatingChanges(id); err != nil {
			return state, err
		}
	}
	if vacations {
		if state.Vacations, err = t.MatchVacations(id); err != nil {
			return state, err
		}
	}
	if match.Clock != "" {
		if state.Outages, err = t.Outages(match.CreatedAt); err != nil {
			return state, err
		}
	}
	state.Boards, err = t.ActiveBoards(id)
	return state, err
}

func (t *Tx) RunningMatches(person, channel string) ([]storage.Match, error) {
	return t.matches("running matches of a person", matchesOfPerson, channel, person)
}

func (t *Tx) RunningInChannel(channel string) ([]storage.Match, error) {
	return t.matches("running matches of a channel", matchesOfChannel, channel)
}

func (t *Tx) AllRunning() ([]storage.Match, error) {
	return t.matches("running matches", matchesRunning)
}

func (t *Tx) CountRunning(person string) (int, error) {
	return one(t, "count the running matches of a person", scanValue[int], countRunning, person)
}

func (t *Tx) MatchesAfter(after storage.MatchID, limit int) ([]storage.Match, error) {
	return t.matches("matches by identifier", matchesAfter, after, max(limit, 0)) // SQLite ignores a negative limit
}

func (t *Tx) EndedAfter(after, limit int) ([]storage.Match, error) {
	return t.matches("ended matches", matchesEnded, after, max(limit, 0))
}

func (t *Tx) EndedMatches(person string, offset, limit int) (page []storage.Match, total int, err error) {
	const op = "ended matches of a person"
	if total, err = one(t, op, scanValue[int], countEnded, person); err != nil {
		return nil, 0, err
	}
	page, err = t.matches(op, endedPage, person, total-max(offset, 0), max(limit, 0))
	return page, total, err
}

func (t *Tx) RecentMatches(q storage.RecentQuery) ([]storage.Match, error) {
	return t.matches("recent matches of a person", recentMatches, q.Person, q.Viewer, q.Guild, max(q.Limit, 0))
}

func (t *Tx) LastEnded(person, channel string) (storage.Match, error) {
	const op = "last ended match of a person"
	query, args := lastEnded, []any{person}
	if channel != "" {
		query, args = lastEndedIn, []any{person, channel}
	}
	found, err := t.matches(op, query, args...)
	return first(op, found, err)
}

func (t *Tx) Entries(match storage.MatchID) ([]storage.Entry, error) {
	return t.EntriesAfter(match, 0)
}

func (t *Tx) EntriesAfter(match storage.MatchID, after int) ([]storage.Entry, error) {
	return all(t, fmt.Sprintf("entries of match %d", match), func(rows *sql.Rows) (e storage.Entry, err error) {
		err = rows.Scan(&e.Seq, &e.Kind, &e.Seat, &e.Text, scanTime{&e.At}, &e.Interaction, scanDigest{&e.Digest})
		return e, err
	}, entriesAfter, match, after)
}

func (t *Tx) InsertMatch(m storage.Match) (storage.MatchID, error) {
	const op = "insert match"
	id, err := t.insert(op, insertMatch, nullID(m.Challenge), m.Place.Guild, m.Place.Channel,
		m.Game, m.RulesVersion, m.Options, int64(m.Seed),
		timeValue(m.CreatedAt), nullTime(m.Deadline), m.Unrated, nullTime(m.ComputerTurnSince), digestValue(storage.Root(m)), m.Clock, m.Reminded)
	if err != nil {
		return 0, err
	}
	var seats []any
	for i, p := range m.Seats {
		seats = append(seats, id, i+1, p.ID, p.Name, p.Level)
	}
	return storage.MatchID(id), t.signalComputer(m.ComputerTurnSince, t.insertRows(op, insertSeats, "", 5, seats))
}

// signalComputer adds a signal if it is a computer's turn now.
func (t *Tx) signalComputer(since time.Time, err error) error {
	if since.IsZero() {
		return err
	}
	return t.signal(storage.ComputerToMove, "", err)
}

// inOrder checks that entries follow each other, and returns the time of the
// last.
func inOrder(after int, entries []storage.Entry) (newest timeValue, err error) {
	for i, e := range entries {
		if want := after + 1 + i; e.Seq != want {
			return newest, fmt.Errorf("entry %d is out of order, want %d", e.Seq, want)
		}
		newest = timeValue(e.At)
	}
	return newest, nil
}

// insertEntries adds entries. before is the digest of the log before them.
func (t *Tx) insertEntries(op string, match storage.MatchID, before storage.Digest, entries []storage.Entry) error {
	var values []any
	for _, e := range entries {
		before = before.Next(e)
		values = append(values, match, e.Seq, e.Kind, e.Seat, e.Text, timeValue(e.At), e.Interaction, digestValue(before))
	}
	return t.insertRows(op, insertEntries, "", 8, values)
}

func (t *Tx) Append(match storage.MatchID, after int, entries []storage.Entry) error {
	op := fmt.Sprintf("append to match %d", match)
	newest, err := inOrder(after, entries)
	if err != nil {
		return t.fail(op, err)
	}
	if len(entries) == 0 {
		if current, err := one(t, op, scanValue[bool], matchAtSeq, match, after); err != nil || current {
			return err
		}
		return t.unchanged(op, matchExists, match)
	}
	before, err := returning(t, op, scanDigestRow, appendToMatch, match, after, after+len(entries), newest)
	if err != nil {
		return err
	}
	if len(before) == 0 {
		return t.unchanged(op, matchExists, match)
	}
	return t.insertEntries(op, match, before[0], entries)
}

func (t *Tx) Advance(a storage.Advance) (none storage.Advanced, _ error) {
	op := fmt.Sprintf("advance match %d", a.Match)
	newest, err := inOrder(a.After, a.Entries)
	if err == nil && len(a.Entries) == 0 {
		err = errors.New("there are no entries")
	}
	if err != nil {
		return none, t.fail(op, err)
	}
	// The interaction comes first, because an insertion conflicts with fewer other
	// transactions than looking whether it is there.
	if a.Processed != nil {
		if err := t.MarkProcessed(*a.Processed); err != nil {
			return none, err
		}
	}
	before, err := returning(t, op, scanDigestRow, advanceMatch, a.Match, a.After, a.After+len(a.Entries),
		newest, nullTime(a.Deadline), nullTime(a.ComputerTurnSince), a.Reminded)
	if err != nil {
		return none, err
	}
	if len(before) == 0 {
		if a.Processed != nil {
			if _, err := t.exec(op, deleteProcessed, a.Processed.Interaction); err != nil {
				return none, err
			}
		}
		return none, t.unchanged(op, matchExists, a.Match)
	}
	if err := t.signalComputer(a.ComputerTurnSince, t.insertEntries(op, a.Match, before[0], a.Entries)); err != nil {
		return none, err
	}
	if a.Board == nil {
		return none, nil
	}
	return t.insertBoard(*a.Board, a.Lease)
}

func (t *Tx) EndMatch(id storage.MatchID, ending string, at time.Time) error {
	op := fmt.Sprintf("end match %d", id)
	if ending == "" {
		return t.fail(op, errors.New("the ending is missing"))
	}
	if err := t.execExpected(op, matchExists, endMatch, id, ending, timeValue(at)); err != nil {
		return err
	}
	_, err := t.exec(op, deletePrepared, id)
	return err
}

func (t *Tx) SetOffers(match storage.MatchID, offers string) error {
	return t.execExpected(fmt.Sprintf("set the offers of match %d", match), matchExists, setOffers, match, offers)
}

func (t *Tx) SetPrepared(match storage.MatchID, p storage.Prepared) error {
	return t.execExpected(fmt.Sprintf("prepare turns in match %d", match), matchExists, setPrepared,
		match, p.Seat, p.Turns, p.Text, p.Draft, p.Revision)
}

func (t *Tx) SetDeadline(match storage.MatchID, deadline time.Time) error {
	return t.setTime(fmt.Sprintf("set the deadline of match %d", match), setDeadline, int64(match), deadline)
}

func (t *Tx) MarkReminded(match storage.MatchID, deadline time.Time) error {
	return t.setTime(fmt.Sprintf("mark match %d as reminded", match), markReminded, int64(match), deadline)
}

func (t *Tx) SetComputerTurn(match storage.MatchID, since time.Time) error {
	err := t.setTime(fmt.Sprintf("set the computer's turn in match %d", match), setComputerTurn, int64(match), since)
	return t.signalComputer(since, err)
}

// setTime runs a statement that sets a time, which may be zero, of one record.
func (t *Tx) setTime(op, query string, id int64, at time.Time) error {
	return t.execOne(op, query, id, nullTime(at))
}

func (t *Tx) MoveMatch(id storage.MatchID, from, to storage.Place) error {
	return t.execExpected(fmt.Sprintf("move match %d", id), matchExists, moveMatch,
		id, from.Guild, from.Channel, to.Guild, to.Channel)
}

// FillDigests computes the digests of up to limit matches that have none, and
// returns how many there were.
func (t *Tx) FillDigests(limit int) (int, error) {
	const op = "compute digests"
	matches, err := t.matches(op, withoutRoot, limit)
	if err != nil {
		return 0, err
	}
	for _, m := range matches {
		digest := storage.Root(m)
		if _, err := t.exec(op, setRoot, m.ID, digestValue(digest)); err != nil {
			return 0, err
		}
		log, err := t.Entries(m.ID)
		if err != nil {
			return 0, err
		}
		for _, e := range log {
			digest = digest.Next(e)
			if _, err := t.exec(op, setDigest, m.ID, e.Seq, digestValue(digest)); err != nil {
				return 0, err
			}
		}
	}
	return len(matches), nil
}
