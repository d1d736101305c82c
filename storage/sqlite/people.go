package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const (
	preferencesOf = `SELECT person, ends, confirms, reminders, own_side FROM preferences WHERE person = $1`

	setPreferences = `
INSERT INTO preferences (person, ends, confirms, reminders, own_side) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (person) DO UPDATE SET ends = excluded.ends, confirms = excluded.confirms, reminders = excluded.reminders,
    own_side = excluded.own_side`

	dailyColumns = `SELECT person, due_at, next_at, tries, sending_since FROM daily_messages `
	dailyOf      = dailyColumns + `WHERE person = $1`
	pendingDaily = dailyColumns + `WHERE next_at <= $1 OR next_at > $1 + 24 * 3600 * 1000000000 ORDER BY next_at, person LIMIT $2` // DailyMessage.IsDue

	setDaily = `
INSERT INTO daily_messages (person, due_at, next_at, tries, sending_since) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (person) DO UPDATE
SET due_at = excluded.due_at, next_at = excluded.next_at, tries = excluded.tries, sending_since = excluded.sending_since`

	deleteDaily = `DELETE FROM daily_messages WHERE person = $1`

	processedInteraction = `SELECT interaction, at, match_id, challenge_id, seq FROM applied WHERE interaction = $1`

	markProcessed = `
INSERT INTO applied (interaction, at, match_id, challenge_id, seq) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (interaction) DO NOTHING`

	pruneProcessed = `DELETE FROM applied WHERE at < $1`
)

func (t *tx) Preferences(person string) (storage.Preferences, error) {
	p, err := orZero(one(t, "preferences of "+person, func(rows *sql.Rows) (p storage.Preferences, err error) {
		err = rows.Scan(&p.Person, &p.ManualEndTurn, &p.ConfirmTurn, &p.Reminders, &p.OwnSide)
		return p, err
	}, preferencesOf, person))
	if err == nil {
		p.Person = person
	}
	return p, err
}

func (t *tx) SetPreferences(p storage.Preferences) error {
	_, err := t.exec("set preferences of "+p.Person, setPreferences, p.Person, p.ManualEndTurn, p.ConfirmTurn, p.Reminders, p.OwnSide)
	return err
}

func (t *tx) DailyMessage(person string) (storage.DailyMessage, error) {
	return one(t, "daily message of "+person, scanDaily, dailyOf, person)
}

func scanDaily(rows *sql.Rows) (d storage.DailyMessage, err error) {
	err = rows.Scan(&d.Person, scanTime{&d.DueAt}, scanTime{&d.NextAttempt}, &d.Attempts, scanTime{&d.SendingSince})
	return d, err
}

func (t *tx) SetDailyMessage(d storage.DailyMessage) (err error) {
	if d.DueAt.IsZero() {
		_, err = t.exec("end the daily message of "+d.Person, deleteDaily, d.Person)
	} else {
		_, err = t.exec("set the daily message of "+d.Person, setDaily,
			d.Person, timeValue(d.DueAt), timeValue(d.NextAttempt), d.Attempts, nullTime(d.SendingSince))
	}
	return err
}

func (t *tx) ProcessedInteraction(interaction string) (storage.ProcessedInteraction, error) {
	return one(t, "processed interaction "+interaction, func(rows *sql.Rows) (p storage.ProcessedInteraction, err error) {
		err = rows.Scan(&p.Interaction, scanTime{&p.At}, scanNumber[storage.MatchID]{&p.Match},
			scanNumber[storage.ChallengeID]{&p.Challenge}, &p.Seq)
		return p, err
	}, processedInteraction, interaction)
}

func (t *tx) MarkProcessed(p storage.ProcessedInteraction) error {
	op := "mark interaction " + p.Interaction + " as processed"
	n, err := t.exec(op, markProcessed, p.Interaction, timeValue(p.At), nullID(p.Match), nullID(p.Challenge), p.Seq)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", op, storage.ErrAlreadyProcessed)
	}
	return err
}

func (t *tx) PruneProcessed(before time.Time) (int, error) {
	return t.exec("prune processed interactions", pruneProcessed, timeValue(before))
}
