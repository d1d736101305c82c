package sqlite

import (
	"database/sql"
	"errors"

	"castellan/storage"
)

const (
	preferencesOf = `SELECT person, ends, confirms FROM preferences WHERE person = $1`

	setPreferences = `
INSERT INTO preferences (person, ends, confirms) VALUES ($1, $2, $3)
ON CONFLICT (person) DO UPDATE SET ends = excluded.ends, confirms = excluded.confirms`
)

func scanPreferences(rows *sql.Rows) (storage.Preferences, error) {
	var p storage.Preferences
	err := rows.Scan(&p.Person, &p.ManualEndTurn, &p.ConfirmTurn)
	return p, err
}

// Preferences implements storage.Reader.
func (t *tx) Preferences(person string) (storage.Preferences, error) {
	p, err := one(t, "preferences of "+person, scanPreferences, preferencesOf, person)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Preferences{Person: person}, nil
	}
	return p, err
}

// SetPreferences implements storage.Tx.
func (t *tx) SetPreferences(p storage.Preferences) error {
	_, err := t.exec("set preferences of "+p.Person, setPreferences, p.Person, p.ManualEndTurn, p.ConfirmTurn)
	return err
}
