package sqltx

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"castellan/storage"
)

const (
	preferenceColumns = `p.ends, p.confirms, p.reminders, p.own_side, p.theme, p.locale, p.zone, p.quiet_from, p.quiet_to`

	preferencesOf = `SELECT ` + preferenceColumns + ` FROM preferences p WHERE person = $1`

	setPreferences = `
INSERT INTO preferences (person, ends, confirms, reminders, own_side, theme, locale, zone, quiet_from, quiet_to)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (person) DO UPDATE
SET ends = excluded.ends, confirms = excluded.confirms, reminders = excluded.reminders, own_side = excluded.own_side, theme = excluded.theme,
    locale = excluded.locale, zone = excluded.zone, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`

	vacationColumns = `SELECT person, began, ended FROM vacations `
	vacationsOf     = vacationColumns + `WHERE person = $1 AND ended > $2 ORDER BY began`
	matchVacations  = vacationColumns + `
WHERE person IN (SELECT person FROM seats WHERE match_id = $1) AND ended > (SELECT created_at FROM matches WHERE id = $1)
ORDER BY person, began`

	setVacation    = `INSERT INTO vacations (person, began, ended) VALUES ($1, $2, $3) ON CONFLICT (person, began) DO UPDATE SET ended = excluded.ended`
	deleteVacation = `DELETE FROM vacations WHERE person = $1 AND began = $2`

	guildSettingsOf = `
SELECT clock, unrated, no_threads, theme, locale, leaderboard,
    (SELECT string_agg(channel, ' ' ORDER BY channel) FROM guild_channels c WHERE c.guild = g.guild)
FROM guild_settings g WHERE guild = $1`

	setGuildSettings = `
INSERT INTO guild_settings (guild, clock, unrated, no_threads, theme, locale, leaderboard) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (guild) DO UPDATE
SET clock = excluded.clock, unrated = excluded.unrated, no_threads = excluded.no_threads, theme = excluded.theme, locale = excluded.locale,
    leaderboard = excluded.leaderboard`

	deleteGuildChannels = `DELETE FROM guild_channels WHERE guild = $1`
	insertGuildChannel  = `INSERT INTO guild_channels (guild, channel) VALUES ($1, $2) ON CONFLICT (guild, channel) DO NOTHING`

	playedIn = `SELECT EXISTS (SELECT 1 FROM seats WHERE person = $1 AND guild = $2 AND guild <> '' AND ended IS NOT NULL)`

	localeOf = `SELECT locale FROM locales WHERE id = $1`

	setLocale = `INSERT INTO locales (id, locale) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET locale = excluded.locale`

	deleteLocale = `DELETE FROM locales WHERE id = $1`

	dailyColumns = `SELECT person, due_at, next_at, tries, sending_since FROM daily_messages `
	dailyOf      = dailyColumns + `WHERE person = $1`
	pendingDaily = dailyColumns + `WHERE next_at <= $1 OR next_at > $1 + 86400000000000 ORDER BY next_at, person LIMIT $2` // DailyMessage.IsDue

	setDaily = `
INSERT INTO daily_messages (person, due_at, next_at, tries, sending_since) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (person) DO UPDATE
SET due_at = excluded.due_at, next_at = excluded.next_at, tries = excluded.tries, sending_since = excluded.sending_since`

	deleteDaily = `DELETE FROM daily_messages WHERE person = $1`

	processedInteraction = `SELECT interaction, at, match_id, challenge_id, seq FROM applied WHERE interaction = $1`

	markProcessed = `
INSERT INTO applied (interaction, at, match_id, challenge_id, seq)
SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT)
WHERE CAST($3 AS BIGINT) IS NULL OR EXISTS (SELECT 1 FROM matches WHERE id = $3)
ON CONFLICT (interaction) DO NOTHING`

	deleteProcessed = `DELETE FROM applied WHERE interaction = $1`

	pruneProcessed = `DELETE FROM applied WHERE at < $1`
)

func (t *Tx) Preferences(person string) (storage.Preferences, error) {
	p, err := orZero(one(t, "preferences of a person", func(rows *sql.Rows) (p storage.Preferences, err error) {
		err = rows.Scan(preferenceFields(&p)...)
		return p, err
	}, preferencesOf, person))
	p.Person = person
	return p, err
}

// preferenceFields returns where to scan preferenceColumns, which may be NULL.
func preferenceFields(p *storage.Preferences) []any {
	return []any{
		scanFlag{&p.ManualEndTurn}, scanFlag{&p.ConfirmTurn}, scanText[storage.Reminders]{&p.Reminders}, scanFlag{&p.OwnSide},
		scanText[string]{&p.Theme}, scanText[string]{&p.Locale}, scanText[string]{&p.Zone},
		scanNumber[int]{&p.QuietFrom}, scanNumber[int]{&p.QuietTo},
	}
}

func (t *Tx) SetPreferences(p storage.Preferences) error {
	_, err := t.exec("set preferences of a person", setPreferences, p.Person, p.ManualEndTurn, p.ConfirmTurn, p.Reminders, p.OwnSide,
		p.Theme, p.Locale, p.Zone, p.QuietFrom, p.QuietTo)
	return t.signal(storage.PreferencesChanged, p.Person, err)
}

func (t *Tx) Vacations(person string, after time.Time) ([]storage.Vacation, error) {
	return all(t, "vacations of a person", scanVacation, vacationsOf, person, timeValue(after))
}

func (t *Tx) MatchVacations(id storage.MatchID) ([]storage.Vacation, error) {
	return all(t, fmt.Sprintf("vacations of the people of match %d", id), scanVacation, matchVacations, id)
}

func scanVacation(rows *sql.Rows) (v storage.Vacation, err error) {
	err = rows.Scan(&v.Person, scanTime{&v.From}, scanTime{&v.To})
	return v, err
}

func (t *Tx) SetVacation(v storage.Vacation) (err error) {
	if v.To.After(v.From) {
		_, err = t.exec("set a vacation", setVacation, v.Person, timeValue(v.From), timeValue(v.To))
	} else {
		_, err = t.exec("remove a vacation", deleteVacation, v.Person, timeValue(v.From))
	}
	return err
}

func (t *Tx) GuildSettings(guild string) (storage.GuildSettings, error) {
	g, err := orZero(one(t, "settings of guild "+guild, func(rows *sql.Rows) (g storage.GuildSettings, err error) {
		var channels string
		err = rows.Scan(&g.Clock, &g.Unrated, &g.NoThreads, &g.Theme, &g.Locale, &g.Leaderboard, scanText[string]{&channels})
		if channels != "" {
			g.Channels = strings.Fields(channels)
		}
		return g, err
	}, guildSettingsOf, guild))
	g.Guild = guild
	return g, err
}

func (t *Tx) SetGuildSettings(g storage.GuildSettings) error {
	op := "set the settings of guild " + g.Guild
	if _, err := t.exec(op, setGuildSettings, g.Guild, g.Clock, g.Unrated, g.NoThreads, g.Theme, g.Locale, g.Leaderboard); err != nil {
		return err
	}
	if _, err := t.exec(op, deleteGuildChannels, g.Guild); err != nil {
		return err
	}
	for _, channel := range g.Channels {
		if _, err := t.exec(op, insertGuildChannel, g.Guild, channel); err != nil {
			return err
		}
	}
	return t.signal(storage.SettingsChanged, g.Guild, nil)
}

func (t *Tx) PlayedIn(person, guild string) (bool, error) {
	return one(t, "whether a person played in a guild", scanValue[bool], playedIn, person, guild)
}

func (t *Tx) Locale(id string) (string, error) {
	return orZero(one(t, "locale of a person or guild", func(rows *sql.Rows) (locale string, err error) {
		err = rows.Scan(&locale)
		return locale, err
	}, localeOf, id))
}

func (t *Tx) SetLocale(id, locale string) (err error) {
	if locale == "" {
		_, err = t.exec("delete the locale of a person or guild", deleteLocale, id)
	} else {
		_, err = t.exec("set the locale of a person or guild", setLocale, id, locale)
	}
	return t.signal(storage.LocaleChanged, id, err)
}

func (t *Tx) DailyMessage(person string) (storage.DailyMessage, error) {
	return one(t, "daily message of a person", scanDaily, dailyOf, person)
}

func scanDaily(rows *sql.Rows) (d storage.DailyMessage, err error) {
	err = rows.Scan(&d.Person, scanTime{&d.DueAt}, scanTime{&d.NextAttempt}, &d.Attempts, scanTime{&d.SendingSince})
	return d, err
}

func (t *Tx) SetDailyMessage(d storage.DailyMessage) (err error) {
	if d.DueAt.IsZero() {
		_, err = t.exec("end a daily message", deleteDaily, d.Person)
	} else {
		_, err = t.exec("set a daily message", setDaily,
			d.Person, timeValue(d.DueAt), timeValue(d.NextAttempt), d.Attempts, nullTime(d.SendingSince))
	}
	return err
}

func (t *Tx) ProcessedInteraction(interaction string) (storage.ProcessedInteraction, error) {
	return one(t, "processed interaction "+interaction, func(rows *sql.Rows) (p storage.ProcessedInteraction, err error) {
		err = rows.Scan(&p.Interaction, scanTime{&p.At}, scanNumber[storage.MatchID]{&p.Match},
			scanNumber[storage.ChallengeID]{&p.Challenge}, &p.Seq)
		return p, err
	}, processedInteraction, interaction)
}

func (t *Tx) MarkProcessed(p storage.ProcessedInteraction) error {
	op := "mark interaction " + p.Interaction + " as processed"
	n, err := t.exec(op, markProcessed, p.Interaction, timeValue(p.At), nullID(p.Match), nullID(p.Challenge), p.Seq)
	if err == nil && n == 0 {
		if _, err = t.ProcessedInteraction(p.Interaction); err == nil {
			err = fmt.Errorf("storage: %s: %w", op, storage.ErrAlreadyProcessed)
		}
	}
	return err
}

func (t *Tx) PruneProcessed(before time.Time) (int, error) {
	return t.exec("prune processed interactions", pruneProcessed, timeValue(before))
}
