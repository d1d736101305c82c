package sqlstore

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"castellan/storage"
)

const (
	preferenceColumns = `p.manual_end_turn, p.confirm_turn, p.reminders, p.own_side, p.theme, p.locale, p.zone, p.quiet_from, p.quiet_to`

	pendingDaily = dailyColumns + `WHERE next_attempt <= $1 OR next_attempt > $1 + 93600000000000 ORDER BY next_attempt, person LIMIT $2` // DailyMessage.IsDue
)

func (t *Tx) Preferences(person string) (storage.Preferences, error) {
	p, err := orZero(one(t, "preferences of a person", func(rows *sql.Rows) (p storage.Preferences, err error) {
		err = rows.Scan(preferenceFields(&p)...)
		return p, err
	}, `SELECT `+preferenceColumns+` FROM preferences p WHERE person = $1`, person))
	p.Person = person
	return p, err
}

// preferenceFields returns where to scan preferenceColumns, which may be NULL.
func preferenceFields(p *storage.Preferences) []any {
	return []any{
		orNull(&p.ManualEndTurn), orNull(&p.ConfirmTurn), orNull(&p.Reminders), orNull(&p.OwnSide),
		orNull(&p.Theme), orNull(&p.Locale), orNull(&p.Zone),
		orNull(&p.QuietFrom), orNull(&p.QuietTo),
	}
}

func (t *Tx) SetPreferences(p storage.Preferences) error {
	_, err := t.exec("set preferences of a person", `
INSERT INTO preferences (person, manual_end_turn, confirm_turn, reminders, own_side, theme, locale, zone, quiet_from, quiet_to)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (person) DO UPDATE
SET manual_end_turn = excluded.manual_end_turn, confirm_turn = excluded.confirm_turn, reminders = excluded.reminders, own_side = excluded.own_side, theme = excluded.theme,
    locale = excluded.locale, zone = excluded.zone, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`,
		p.Person, p.ManualEndTurn, p.ConfirmTurn, p.Reminders, p.OwnSide,
		p.Theme, p.Locale, p.Zone, p.QuietFrom, p.QuietTo)
	return t.signal(storage.PreferencesChanged, p.Person, err)
}

const vacationColumns = `SELECT person, began, ended FROM vacations `

func (t *Tx) Vacations(person string, after time.Time) ([]storage.Vacation, error) {
	return all(t, "vacations of a person", scanVacation,
		vacationColumns+`WHERE person = $1 AND ended > $2 ORDER BY began`, person, timeValue(after))
}

func (t *Tx) MatchVacations(id storage.MatchID) ([]storage.Vacation, error) {
	return all(t, fmt.Sprintf("vacations of the people of match %d", id), scanVacation, vacationColumns+`
WHERE person IN (SELECT person FROM seats WHERE match_id = $1) AND ended > (SELECT created_at FROM matches WHERE id = $1)
ORDER BY person, began`, id)
}

func scanVacation(rows *sql.Rows) (v storage.Vacation, err error) {
	err = rows.Scan(&v.Person, scanTime{&v.From}, scanTime{&v.To})
	return v, err
}

func (t *Tx) SetVacation(v storage.Vacation) (err error) {
	if v.To.After(v.From) {
		_, err = t.exec("set a vacation",
			`INSERT INTO vacations (person, began, ended) VALUES ($1, $2, $3) ON CONFLICT (person, began) DO UPDATE SET ended = excluded.ended`,
			v.Person, timeValue(v.From), timeValue(v.To))
	} else {
		_, err = t.exec("remove a vacation", `DELETE FROM vacations WHERE person = $1 AND began = $2`, v.Person, timeValue(v.From))
	}
	return err
}

func (t *Tx) GuildSettings(guild string) (storage.GuildSettings, error) {
	g, err := orZero(one(t, "settings of guild "+guild, func(rows *sql.Rows) (g storage.GuildSettings, err error) {
		var channels string
		err = rows.Scan(&g.Clock, &g.Unrated, &g.NoThreads, &g.Theme, &g.Locale, &g.Leaderboard, &g.Organiser, orNull(&channels))
		if channels != "" {
			g.Channels = strings.Fields(channels)
		}
		return g, err
	}, `
SELECT clock, unrated, no_threads, theme, locale, leaderboard, organiser,
    (SELECT string_agg(channel, ' ' ORDER BY channel) FROM guild_channels c WHERE c.guild = g.guild)
FROM guild_settings g WHERE guild = $1`, guild))
	g.Guild = guild
	return g, err
}

func (t *Tx) SetGuildSettings(g storage.GuildSettings) error {
	op := "set the settings of guild " + g.Guild
	if _, err := t.exec(op, `
INSERT INTO guild_settings (guild, clock, unrated, no_threads, theme, locale, leaderboard, organiser) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (guild) DO UPDATE
SET clock = excluded.clock, unrated = excluded.unrated, no_threads = excluded.no_threads, theme = excluded.theme, locale = excluded.locale,
    leaderboard = excluded.leaderboard, organiser = excluded.organiser`,
		g.Guild, g.Clock, g.Unrated, g.NoThreads, g.Theme, g.Locale, g.Leaderboard, g.Organiser); err != nil {
		return err
	}
	if _, err := t.exec(op, `DELETE FROM guild_channels WHERE guild = $1`, g.Guild); err != nil {
		return err
	}
	for _, channel := range g.Channels {
		if _, err := t.exec(op,
			`INSERT INTO guild_channels (guild, channel) VALUES ($1, $2) ON CONFLICT (guild, channel) DO NOTHING`, g.Guild, channel); err != nil {
			return err
		}
	}
	return t.signal(storage.SettingsChanged, g.Guild, nil)
}

func (t *Tx) PlayedIn(person, guild string) (bool, error) {
	return one(t, "whether a person played in a guild", scanValue[bool], `
SELECT EXISTS (
    SELECT 1 FROM seats s JOIN matches m ON m.id = s.match_id
    WHERE s.person = $1 AND s.ended IS NOT NULL AND m.guild = $2 AND m.guild <> '')`, person, guild)
}

func (t *Tx) Departure(guild, person string) (time.Time, error) {
	return orZero(one(t, "departure of a person from guild "+guild, func(rows *sql.Rows) (at time.Time, err error) {
		err = rows.Scan(scanTime{&at})
		return at, err
	}, `SELECT noticed_at FROM departures WHERE guild = $1 AND person = $2`, guild, person))
}

func (t *Tx) SetDeparture(guild, person string, noticedAt time.Time) error {
	op := "set the departure of a person from guild " + guild
	if !noticedAt.IsZero() {
		if _, err := t.exec(op, `
INSERT INTO departures (guild, person, noticed_at) VALUES ($1, $2, $3)
ON CONFLICT (guild, person) DO UPDATE SET noticed_at = excluded.noticed_at`, guild, person, timeValue(noticedAt)); err != nil {
			return err
		}
		_, err := t.exec(op, `DELETE FROM guild_players WHERE guild = $1 AND person = $2`, guild, person)
		return err
	}
	if n, err := t.exec(op, `DELETE FROM departures WHERE guild = $1 AND person = $2`, guild, person); err != nil || n == 0 {
		return err
	}
	_, err := t.exec(op, `
INSERT INTO guild_players (guild, game, person)
SELECT DISTINCT m.guild, m.game, s.person FROM matches m JOIN seats s ON s.match_id = m.id
WHERE m.guild = $1 AND s.person = $2 AND s.ended IS NOT NULL AND s.result IS NOT NULL
ON CONFLICT DO NOTHING`, guild, person)
	return err
}

func (t *Tx) Locale(id string) (string, error) {
	return orZero(one(t, "locale of a person or guild", func(rows *sql.Rows) (locale string, err error) {
		err = rows.Scan(&locale)
		return locale, err
	}, `SELECT locale FROM locales WHERE id = $1`, id))
}

func (t *Tx) SetLocale(id, locale string) (err error) {
	if locale == "" {
		_, err = t.exec("delete the locale of a person or guild", `DELETE FROM locales WHERE id = $1`, id)
	} else {
		_, err = t.exec("set the locale of a person or guild",
			`INSERT INTO locales (id, locale) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET locale = excluded.locale`, id, locale)
	}
	return t.signal(storage.LocaleChanged, id, err)
}

const dailyColumns = `SELECT person, due_at, next_attempt, attempts, sending_since FROM daily_messages `

func (t *Tx) DailyMessage(person string) (storage.DailyMessage, error) {
	return one(t, "daily message of a person", scanDaily, dailyColumns+`WHERE person = $1`, person)
}

func scanDaily(rows *sql.Rows) (d storage.DailyMessage, err error) {
	err = rows.Scan(&d.Person, scanTime{&d.DueAt}, scanTime{&d.NextAttempt}, &d.Attempts, scanTime{&d.SendingSince})
	return d, err
}

func (t *Tx) SetDailyMessage(d storage.DailyMessage) (err error) {
	if d.DueAt.IsZero() {
		_, err = t.exec("end a daily message", `DELETE FROM daily_messages WHERE person = $1`, d.Person)
	} else {
		_, err = t.exec("set a daily message", `
INSERT INTO daily_messages (person, due_at, next_attempt, attempts, sending_since) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (person) DO UPDATE
SET due_at = excluded.due_at, next_attempt = excluded.next_attempt, attempts = excluded.attempts, sending_since = excluded.sending_since`,
			d.Person, timeValue(d.DueAt), timeValue(d.NextAttempt), d.Attempts, nullTime(d.SendingSince))
	}
	return err
}

func (t *Tx) ProcessedInteraction(interaction string) (storage.ProcessedInteraction, error) {
	return one(t, "processed interaction "+interaction, func(rows *sql.Rows) (p storage.ProcessedInteraction, err error) {
		err = rows.Scan(&p.Interaction, scanTime{&p.At}, orNull(&p.Match),
			orNull(&p.Challenge), &p.Seq)
		return p, err
	}, `SELECT interaction, at, match_id, challenge_id, seq FROM processed_interactions WHERE interaction = $1`, interaction)
}

func (t *Tx) MarkProcessed(p storage.ProcessedInteraction) error {
	op := "mark interaction " + p.Interaction + " as processed"
	n, err := t.exec(op, `
INSERT INTO processed_interactions (interaction, at, match_id, challenge_id, seq)
SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT)
WHERE CAST($3 AS BIGINT) IS NULL OR EXISTS (SELECT 1 FROM matches WHERE id = $3)
ON CONFLICT (interaction) DO NOTHING`, p.Interaction, timeValue(p.At), nullID(p.Match), nullID(p.Challenge), p.Seq)
	if err == nil && n == 0 {
		if _, err = t.ProcessedInteraction(p.Interaction); err == nil {
			err = fmt.Errorf("storage: %s: %w", op, storage.ErrAlreadyProcessed)
		}
	}
	return err
}

func (t *Tx) PruneProcessed(before time.Time) (int, error) {
	return t.exec("prune processed interactions", `DELETE FROM processed_interactions WHERE at < $1`, timeValue(before))
}

func (t *Tx) Blocks(person string) ([]storage.Block, error) {
	return all(t, "blocks of a person", func(rows *sql.Rows) (b storage.Block, err error) {
		err = rows.Scan(&b.Person, &b.Blocked.ID, &b.Blocked.Name, scanTime{&b.At})
		return b, err
	}, `SELECT person, blocked, name, at FROM blocks WHERE person = $1 ORDER BY at, blocked`, person)
}

func (t *Tx) HasBlock(person, other string) (bool, error) {
	return one(t, "block between two people", scanValue[bool],
		`SELECT EXISTS (SELECT 1 FROM blocks WHERE person = $1 AND blocked = $2 OR person = $2 AND blocked = $1)`, person, other)
}

func (t *Tx) SetBlock(b storage.Block) error {
	_, err := t.exec("block a person",
		`INSERT INTO blocks (person, blocked, name, at) VALUES ($1, $2, $3, $4) ON CONFLICT (person, blocked) DO UPDATE SET name = excluded.name`,
		b.Person, b.Blocked.ID, b.Blocked.Name, timeValue(b.At))
	return err
}

func (t *Tx) DeleteBlock(person, blocked string) error {
	_, err := t.exec("unblock a person", `DELETE FROM blocks WHERE person = $1 AND blocked = $2`, person, blocked)
	return err
}
