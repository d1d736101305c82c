package sqlstore

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

func (t *Tx) Tournament(id storage.TournamentID) (storage.Tournament, error) {
	op := fmt.Sprintf("tournament %d", id)
	found, err := one(t, op, func(rows *sql.Rows) (e storage.Tournament, err error) {
		err = rows.Scan(&e.ID, &e.Place.Guild, &e.Place.Channel, &e.Organiser.ID, &e.Organiser.Name, &e.Name, &e.Game, &e.Options, &e.Clock, &e.Unrated, &e.Thread,
			&e.Format, &e.Rounds, &e.State, scanTime{&e.CreatedAt}, scanTime{&e.StartsAt}, scanTime{&e.CheckAt}, scanTime{&e.CalledAt}, scanTime{&e.EndedAt},
			&e.Message, &e.OldMessage, &e.Revision, &e.ShownRevision, &e.Attempts, scanTime{&e.NextAttempt})
		return e, err
	}, `
SELECT id, guild, channel, organiser, organiser_name, name, game, options, clock, unrated, thread,
       format, rounds, state, created_at, starts_at, check_at, called_at, ended_at,
       message, old_message, revision, shown_revision, attempts, next_attempt
FROM tournaments WHERE id = $1`, id)
	if err != nil {
		return found, err
	}
	if found.Players, err = all(t, op, func(rows *sql.Rows) (p storage.TournamentPlayer, err error) {
		err = rows.Scan(&p.Person.ID, &p.Person.Name, scanTime{&p.JoinedAt}, &p.Here, &p.Seed, &p.Rating, &p.From, &p.Left)
		return p, err
	}, `
SELECT person, name, joined_at, here, seed, rating, first_round, left_round
FROM tournament_players WHERE tournament_id = $1 ORDER BY seed, joined_at, person`, id); err != nil {
		return found, err
	}
	found.Games, err = all(t, op, func(rows *sql.Rows) (g storage.TournamentGame, err error) {
		err = rows.Scan(&g.Round, &g.Table, &g.Number, &g.First, &g.Second, orNull(&g.Match), &g.Outcome)
		return g, err
	}, `
SELECT round, board, number, first, second, match_id, outcome
FROM tournament_games WHERE tournament_id = $1 ORDER BY round, board, number`, id)
	return found, err
}

func (t *Tx) Tournaments(guild string, limit int) ([]storage.TournamentID, error) {
	return all(t, "tournaments of a guild", scanValue[storage.TournamentID], `
SELECT id FROM tournaments WHERE guild = $1 OR $1 = ''
ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, ended_at DESC, starts_at, id LIMIT $2`, guild, max(limit, 0))
}

func (t *Tx) DueTournaments(now time.Time, limit int) (due []storage.TournamentID, next time.Time, err error) {
	at := timeValue(now)
	if due, err = all(t, "due tournaments", scanValue[storage.TournamentID], `
SELECT id FROM tournaments
WHERE ended_at IS NULL AND (check_at <= $1 OR EXISTS (
    SELECT 1 FROM tournament_games g JOIN matches m ON m.id = g.match_id
    WHERE g.tournament_id = tournaments.id AND g.outcome = '' AND m.ending <> ''))
ORDER BY starts_at, id LIMIT $2`, at, max(limit, 0)); err != nil {
		return nil, next, err
	}
	next, err = one(t, "next tournament to look at", func(rows *sql.Rows) (next time.Time, err error) {
		err = rows.Scan(scanTime{&next})
		return next, err
	}, `SELECT min(check_at) FROM tournaments WHERE ended_at IS NULL AND check_at > $1`, at)
	return due, next, err
}

func (t *Tx) PendingTournaments(now time.Time, limit int) ([]storage.TournamentID, error) {
	return all(t, "pending tournaments", scanValue[storage.TournamentID],
		`SELECT id FROM tournaments `+pendingChallenge+` ORDER BY next_attempt NULLS FIRST, id LIMIT $2`, timeValue(now), max(limit, 0))
}

func (t *Tx) InsertTournament(e storage.Tournament) (storage.TournamentID, error) {
	id, err := t.insert("insert tournament", `
INSERT INTO tournaments (guild, channel, organiser, organiser_name, name, game, options, clock, unrated, thread,
                         format, rounds, state, created_at, starts_at, check_at, called_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) RETURNING id`,
		e.Place.Guild, e.Place.Channel, e.Organiser.ID, e.Organiser.Name, e.Name, e.Game, e.Options, e.Clock, e.Unrated, e.Thread,
		e.Format, e.Rounds, e.State, timeValue(e.CreatedAt), timeValue(e.StartsAt), nullTime(e.CheckAt), nullTime(e.CalledAt))
	return storage.TournamentID(id), err
}

const tournamentExists = `SELECT EXISTS (SELECT 1 FROM tournaments WHERE id = $1)`

func (t *Tx) SetTournament(e storage.Tournament) error {
	return t.execExpected(fmt.Sprintf("set tournament %d", e.ID), tournamentExists, `
UPDATE tournaments
SET state = $3, format = $9, rounds = $4, starts_at = $5, check_at = $6, called_at = $7, ended_at = $8, revision = revision + 1, attempts = 0, next_attempt = NULL
WHERE id = $1 AND revision = $2`,
		e.ID, e.Revision, e.State, e.Rounds, timeValue(e.StartsAt), nullTime(e.CheckAt), nullTime(e.CalledAt), nullTime(e.EndedAt), e.Format)
}

func (t *Tx) PutTournamentPlayer(id storage.TournamentID, p storage.TournamentPlayer) error {
	_, err := t.exec(fmt.Sprintf("put a player of tournament %d", id), `
INSERT INTO tournament_players (tournament_id, person, name, joined_at, here, seed, rating, first_round, left_round)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (tournament_id, person) DO UPDATE SET
    name = excluded.name, joined_at = excluded.joined_at, here = excluded.here, seed = excluded.seed, rating = excluded.rating,
    first_round = excluded.first_round, left_round = excluded.left_round`,
		id, p.Person.ID, p.Person.Name, timeValue(p.JoinedAt), p.Here, p.Seed, p.Rating, p.From, p.Left)
	return err
}

func (t *Tx) RemoveTournamentPlayer(id storage.TournamentID, person string) error {
	return t.execOne(fmt.Sprintf("remove a player of tournament %d", id),
		`DELETE FROM tournament_players WHERE tournament_id = $1 AND person = $2`, id, person)
}

func (t *Tx) PutTournamentGame(id storage.TournamentID, g storage.TournamentGame) error {
	_, err := t.exec(fmt.Sprintf("put a game of tournament %d", id), `
INSERT INTO tournament_games (tournament_id, round, board, number, first, second, match_id, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tournament_id, round, board, number) DO UPDATE SET match_id = excluded.match_id, outcome = excluded.outcome`,
		id, g.Round, g.Table, g.Number, g.First, g.Second, nullID(g.Match), g.Outcome)
	return err
}

func (t *Tx) RepostTournament(id storage.TournamentID) error {
	return t.execOne(fmt.Sprintf("repost tournament %d", id), `
UPDATE tournaments SET old_message = message, message = '', shown_revision = -1, attempts = 0, next_attempt = NULL WHERE id = $1 AND message <> ''`, id)
}

func (t *Tx) ClaimTournament(id storage.TournamentID, attempts int, next time.Time) error {
	return t.execExpected(fmt.Sprintf("claim tournament %d", id), tournamentExists,
		`UPDATE tournaments SET attempts = attempts + 1, next_attempt = $3 WHERE id = $1 AND attempts = $2`, id, attempts, timeValue(next))
}

func (t *Tx) MarkTournamentShown(id storage.TournamentID, message string, revision int) error {
	return t.execOne(fmt.Sprintf("mark tournament %d as shown", id), `
UPDATE tournaments SET shown_revision = $2, message = $3, old_message = '', attempts = 0, next_attempt = NULL WHERE id = $1`, id, revision, message)
}
