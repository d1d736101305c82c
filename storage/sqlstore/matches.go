package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"castellan/storage"
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
		&m.ID, orNull(&m.Challenge), &m.Place.Guild, &m.Place.Channel,
		&m.Game, &m.RulesVersion, &m.Options, scanSeed{&m.Seed}, scanTime{&m.CreatedAt},
		&m.Seq, &m.ShownSeq, &m.Ending, scanTime{&m.EndedAt}, scanTime{&m.CheckAt}, scanTime{&m.ComputerTurnSince},
		&m.Unrated, orNull(&m.EndNumber), scanDigest{&m.Root}, scanDigest{&m.Head}, &m.Clock, &m.Reminded, &m.Offers, &m.Correction, &m.NewAccounts,
		scanTime{&m.PausedAt}, scanPauses{&m.Pauses},
		orNull(&r.seat), orNull(&r.person.ID), orNull(&r.person.Name),
		orNull(&r.person.Level), orNull(&r.result.Place), orNull(&r.result.Result),
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

const (
	matchColumns = `
SELECT m.id, m.challenge_id, m.guild, m.channel, m.game, m.rules_version, m.options, m.seed, m.created_at,
       m.seq, m.shown_seq, m.ending, m.ended_at, m.check_at, m.computer_turn_since, m.unrated, m.end_number, m.root, m.head, m.clock, m.reminded, m.offers, m.correction, m.new_accounts, m.paused_at, m.pauses,
       s.seat, s.person, s.name, s.level, s.place, s.result`

	// selectMatches selects a row for each seat of a match, or one row with NULLs
	// if it has none.
	selectMatches = matchColumns + `
FROM matches m LEFT JOIN seats s ON s.match_id = m.id `
)

func (t *Tx) Match(id storage.MatchID) (storage.Match, error) {
	op := fmt.Sprintf("match %d", id)
	found, err := t.matches(op, selectMatches+`
WHERE m.id = $1 ORDER BY s.seat`, id)
	return first(op, found, err)
}

func (t *Tx) LoadMatch(id storage.MatchID, after int) (state storage.MatchState, err error) {
	op := fmt.Sprintf("load match %d", id)
	var prefs []storage.Preferences
	var prepared []storage.Prepared
	var departures []time.Time
	var event storage.MatchEvent
	vacations, ownThread := false, false
	rows, err := all(t, op, func(rows *sql.Rows) (r seatRow, err error) {
		var turns sql.NullInt64
		vacation, departed := false, time.Time{}
		p, q := storage.Preferences{}, storage.Prepared{}
		err = rows.Scan(append(append(r.columns(), preferenceFields(&p)...),
			&turns, orNull(&q.Text), orNull(&q.Draft), orNull(&q.Revision), scanTime{&departed}, &ownThread, &vacation,
			orNull(&event.Tournament), orNull(&event.Name), orNull(&event.Round), orNull(&event.Rounds))...)
		vacations = vacations || vacation
		if turns.Valid {
			q.Seat, q.Turns = r.seat, int(turns.Int64)
			prepared = append(prepared, q)
		}
		if r.seat > 0 {
			p.Person = r.person.ID
			prefs, departures = append(prefs, p), append(departures, departed)
		}
		return r, err
	}, matchColumns+`, `+preferenceColumns+`, q.turns, q.text, q.draft, q.revision, d.noticed_at,
       EXISTS (SELECT 1 FROM challenges c WHERE c.id = m.challenge_id AND c.message = m.channel AND m.channel <> ''),
       m.ending = '' AND EXISTS (SELECT 1 FROM vacations v WHERE v.person = s.person AND v.ended > m.created_at),
       e.id, e.name, g.round, e.rounds
FROM matches m LEFT JOIN seats s ON s.match_id = m.id LEFT JOIN preferences p ON p.person = s.person
LEFT JOIN prepared q ON q.match_id = m.id AND q.seat = s.seat LEFT JOIN departures d ON d.guild = m.guild AND d.person = s.person
LEFT JOIN tournament_games g ON g.match_id = m.id LEFT JOIN tournaments e ON e.id = g.tournament_id
WHERE m.id = $1 ORDER BY s.seat`, id)
	match, err := first(op, groupSeats(rows), err)
	if err != nil {
		return state, err
	}
	state = storage.MatchState{Match: match, OwnThread: ownThread, Event: event, Preferences: prefs, Prepared: prepared, Departures: departures}
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
		if match.Place.Guild != "" {
			if state.Freezes, err = t.Freezes(match.Place.Guild, match.CreatedAt.Add(-storage.MaxFreeze)); err != nil {
				return state, err
			}
		}
	}
	state.Boards, err = t.ActiveBoards(id)
	return state, err
}

// inChannel selects the matches of a channel and of the threads on its
// challenges.
const inChannel = `(m.channel = $1 OR m.channel IN (
    SELECT c.message FROM threads t JOIN challenges c ON c.id = t.challenge_id WHERE t.state = 'created' AND t.parent = $1))`

func (t *Tx) RunningMatches(person, channel string) ([]storage.Match, error) {
	return t.matches("running matches of a person", selectMatches+`
WHERE m.ending = '' AND m.id IN (SELECT match_id FROM seats WHERE person = $2 AND ended IS NULL) AND ($1 = '' OR `+inChannel+`)
ORDER BY m.newest_at DESC, m.id DESC, s.seat`, channel, person)
}

func (t *Tx) RunningInChannel(channel string) ([]storage.Match, error) {
	return t.matches("running matches of a channel", selectMatches+`
WHERE m.ending = '' AND `+inChannel+`
ORDER BY m.newest_at DESC, m.id DESC, s.seat`, channel)
}

func (t *Tx) AllRunning() ([]storage.Match, error) {
	return t.matches("running matches", selectMatches+`
WHERE m.ending = ''
ORDER BY m.created_at, m.id, s.seat`)
}

func (t *Tx) CountRunning(person string) (int, error) {
	return one(t, "count the running matches of a person", scanValue[int],
		`SELECT count(DISTINCT match_id) FROM seats WHERE person = $1 AND ended IS NULL`, person)
}

func (t *Tx) MatchesAfter(after storage.MatchID, limit int) ([]storage.Match, error) {
	// Limits apply in a subquery, because a match has a row for each seat.
	return t.matches("matches by identifier", selectMatches+`
WHERE m.id IN (SELECT id FROM matches WHERE id > $1 ORDER BY id LIMIT $2)
ORDER BY m.id, s.seat`, after, max(limit, 0)) // SQLite ignores a negative limit
}

func (t *Tx) EndedAfter(after, limit int) ([]storage.Match, error) {
	return t.matches("ended matches", selectMatches+`
WHERE m.id IN (SELECT id FROM matches WHERE end_number > $1 ORDER BY end_number LIMIT $2)
ORDER BY m.end_number, s.seat`, after, max(limit, 0))
}

func (t *Tx) EndedMatches(person string, offset, limit int) (page []storage.Match, total int, err error) {
	const op = "ended matches of a person"
	if total, err = one(t, op, scanValue[int],
		`SELECT count(DISTINCT ended) FROM seats WHERE person = $1 AND ended IS NOT NULL`, person); err != nil {
		return nil, 0, err
	}
	page, err = t.matches(op, selectMatches+`
WHERE m.end_number IN (SELECT DISTINCT ended FROM seats WHERE person = $1 AND ended IS NOT NULL ORDER BY ended DESC LIMIT $3 OFFSET $2)
ORDER BY m.end_number DESC, s.seat`, person, max(offset, 0), max(limit, 0))
	return page, total, err
}

func (t *Tx) RecentMatches(q storage.RecentQuery) ([]storage.Match, error) {
	return t.matches("recent matches of a person", selectMatches+`
WHERE m.end_number IN (
    SELECT DISTINCT own.ended FROM seats own JOIN matches o ON o.id = own.match_id
    WHERE own.person = $1 AND own.ended IS NOT NULL
      AND (o.guild = $3 AND o.guild <> '' OR EXISTS (SELECT 1 FROM seats v WHERE v.match_id = own.match_id AND v.person = $2))
    ORDER BY own.ended DESC LIMIT $4)
ORDER BY m.end_number DESC, s.seat`, q.Person, q.Viewer, q.Guild, max(q.Limit, 0))
}

func (t *Tx) LastEnded(person, channel string) (storage.Match, error) {
	const op = "last ended match of a person"
	query, args := selectMatches+`
WHERE m.end_number = (SELECT max(ended) FROM seats WHERE person = $1 AND ended IS NOT NULL)
ORDER BY s.seat`, []any{person}
	switch {
	case person == "":
		query, args = selectMatches+`
WHERE m.end_number = (SELECT max(end_number) FROM matches WHERE channel = $1 AND end_number IS NOT NULL)
ORDER BY s.seat`, []any{channel}
	case channel != "":
		query, args = selectMatches+`
WHERE m.end_number = (
    SELECT own.ended FROM seats own JOIN matches o ON o.id = own.match_id
    WHERE own.person = $1 AND own.ended IS NOT NULL AND o.channel = $2 ORDER BY own.ended DESC LIMIT 1)
ORDER BY s.seat`, []any{person, channel}
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
	}, `
SELECT seq, kind, seat, text, at, interaction, digest FROM entries WHERE match_id = $1 AND seq > $2 ORDER BY seq`, match, after)
}

func (t *Tx) InsertMatch(m storage.Match) (storage.MatchID, error) {
	const op = "insert match"
	id, err := t.insert(op, `
INSERT INTO matches (challenge_id, guild, channel, game, rules_version, options, seed, created_at, newest_at, check_at, unrated, computer_turn_since, root, head, clock, reminded, new_accounts)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $12, $13, $14, $15) RETURNING id`,
		nullID(m.Challenge), m.Place.Guild, m.Place.Channel,
		m.Game, m.RulesVersion, m.Options, int64(m.Seed),
		timeValue(m.CreatedAt), nullTime(m.CheckAt), m.Unrated, nullTime(m.ComputerTurnSince), digestValue(storage.Root(m)), m.Clock, m.Reminded, m.NewAccounts)
	if err != nil {
		return 0, err
	}
	var seats []any
	for i, p := range m.Seats {
		seats = append(seats, id, i+1, p.ID, p.Name, p.Level)
	}
	return storage.MatchID(id), t.signalComputer(m.ComputerTurnSince, t.insertRows(op,
		`INSERT INTO seats (match_id, seat, person, name, level) VALUES `, "", 5, seats))
}

// signalComputer adds a signal if it is a computer's turn now.
func (t *Tx) signalComputer(since time.Time, err error) error {
	if since.IsZero() {
		return err
	}
	return t.signal(storage.ComputerToMove, "", err)
}

const matchExists = `SELECT EXISTS (SELECT 1 FROM matches WHERE id = $1)`

func (t *Tx) Advance(a storage.Advance) (none storage.Advanced, _ error) {
	op := fmt.Sprintf("advance match %d", a.Match)
	if len(a.Entries) == 0 {
		return none, t.fail(op, errors.New("there are no entries"))
	}
	after, newest := a.Entries[0].Seq-1, a.Entries[len(a.Entries)-1]
	head := a.After
	var rows []any
	for i, e := range a.Entries {
		if want := after + 1 + i; e.Seq != want {
			return none, t.fail(op, fmt.Errorf("entry %d is out of order, want %d", e.Seq, want))
		}
		head = head.Next(e)
		rows = append(rows, a.Match, e.Seq, e.Kind, e.Seat, e.Text, timeValue(e.At), e.Interaction, digestValue(head))
	}
	// The interaction comes first, because an insertion conflicts with fewer other
	// transactions than looking whether it is there.
	if a.Processed != nil {
		if err := t.MarkProcessed(*a.Processed); err != nil {
			return none, err
		}
	}
	// This changes no row for the second of two writers that follow the same entry, nor
	// for one that follows an entry which the database has lost.
	changed, err := t.exec(op, `
UPDATE matches SET seq = $4, head = $5, newest_at = $6, check_at = $7, computer_turn_since = $8, reminded = $9
WHERE id = $1 AND seq = $2 AND head = $3`, a.Match, after, digestValue(a.After), newest.Seq, digestValue(head),
		timeValue(newest.At), nullTime(a.CheckAt), nullTime(a.ComputerTurnSince), a.Reminded)
	if err != nil {
		return none, err
	}
	if changed == 0 {
		if a.Processed != nil {
			if _, err := t.exec(op, `DELETE FROM processed_interactions WHERE interaction = $1`, a.Processed.Interaction); err != nil {
				return none, err
			}
		}
		return none, t.unchanged(op, matchExists, a.Match)
	}
	if err := t.signalComputer(a.ComputerTurnSince, t.insertRows(op,
		`INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction, digest) VALUES `, "", 8, rows)); err != nil {
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
	if err := t.execExpected(op, matchExists, `
UPDATE matches
SET ending = $2, ended_at = $3, check_at = NULL, reminded = 0, offers = '', computer_turn_since = NULL,
    end_number = (SELECT coalesce(max(end_number), 0) + 1 FROM matches WHERE end_number IS NOT NULL) -- as the index says
WHERE id = $1 AND ending = ''`, id, ending, timeValue(at)); err != nil {
		return err
	}
	if _, err := t.exec(op, `UPDATE seats SET ended = (SELECT end_number FROM matches WHERE id = $1) WHERE match_id = $1`, id); err != nil {
		return err
	}
	_, err := t.exec(op, `DELETE FROM prepared WHERE match_id = $1`, id)
	return err
}

func (t *Tx) ReopenMatch(id storage.MatchID) error {
	op := fmt.Sprintf("reopen match %d", id)
	if err := t.execExpected(op, matchExists, `
UPDATE matches SET ending = '', ended_at = NULL, end_number = NULL
WHERE id = $1 AND ending <> '' AND NOT EXISTS (SELECT 1 FROM rating_changes WHERE match_id = $1)`, id); err != nil {
		return err
	}
	_, err := t.exec(op, `UPDATE seats SET ended = NULL, place = NULL, result = NULL WHERE match_id = $1`, id)
	return err
}

func (t *Tx) SetOffers(match storage.MatchID, offers string) error {
	return t.execExpected(fmt.Sprintf("set the offers of match %d", match), matchExists,
		`UPDATE matches SET offers = $2 WHERE id = $1 AND ending = ''`, match, offers)
}

func (t *Tx) SetCorrection(match storage.MatchID, board storage.BoardID) error {
	return t.execOne(fmt.Sprintf("set the correction of match %d", match), `UPDATE matches SET correction = $2 WHERE id = $1`, match, board)
}

func (t *Tx) SetPauses(match storage.MatchID, pausedAt time.Time, pauses []storage.Outage) error {
	return t.execOne(fmt.Sprintf("set the pauses of match %d", match), `UPDATE matches SET paused_at = $2, pauses = $3 WHERE id = $1`,
		match, nullTime(pausedAt), pausesText(pauses))
}

func (t *Tx) SetPrepared(match storage.MatchID, p storage.Prepared) error {
	return t.execExpected(fmt.Sprintf("prepare turns in match %d", match), matchExists, `
INSERT INTO prepared (match_id, seat, turns, text, draft, revision)
SELECT id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT) FROM matches WHERE id = $1 AND ending = ''
ON CONFLICT (match_id, seat) DO UPDATE
SET turns = excluded.turns, text = excluded.text, draft = excluded.draft, revision = excluded.revision`,
		match, p.Seat, p.Turns, p.Text, p.Draft, p.Revision)
}

func (t *Tx) SetCheckAt(match storage.MatchID, at time.Time) error {
	return t.setTime(fmt.Sprintf("set when to check match %d", match),
		`UPDATE matches SET check_at = $2 WHERE id = $1`, int64(match), at)
}

func (t *Tx) MarkReminded(match storage.MatchID, next time.Time) error {
	return t.setTime(fmt.Sprintf("mark match %d as reminded", match),
		`UPDATE matches SET check_at = $2, reminded = 1 WHERE id = $1`, int64(match), next)
}

func (t *Tx) SetComputerTurn(match storage.MatchID, since time.Time) error {
	err := t.setTime(fmt.Sprintf("set the computer's turn in match %d", match),
		`UPDATE matches SET computer_turn_since = $2 WHERE id = $1`, int64(match), since)
	return t.signalComputer(since, err)
}

// setTime runs a statement that sets a time, which may be zero, of one record.
func (t *Tx) setTime(op, query string, id int64, at time.Time) error {
	return t.execOne(op, query, id, nullTime(at))
}

func (t *Tx) MoveMatch(id storage.MatchID, from, to storage.Place) error {
	return t.execExpected(fmt.Sprintf("move match %d", id), matchExists,
		`UPDATE matches SET guild = $4, channel = $5 WHERE id = $1 AND guild = $2 AND channel = $3`,
		id, from.Guild, from.Channel, to.Guild, to.Channel)
}
