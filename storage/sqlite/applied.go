package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"castellan/storage"
)

const (
	appliedByInteraction = `SELECT interaction, at, match_id, challenge_id, seq FROM applied WHERE interaction = $1`

	insertApplied = `
INSERT INTO applied (interaction, at, match_id, challenge_id, seq) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (interaction) DO NOTHING`

	forgetApplied = `DELETE FROM applied WHERE at < $1`
)

func scanApplied(rows *sql.Rows) (storage.ProcessedInteraction, error) {
	var a storage.ProcessedInteraction
	err := rows.Scan(&a.Interaction, clock{&a.At}, number[storage.MatchID]{&a.Match},
		number[storage.ChallengeID]{&a.Challenge}, &a.Seq)
	return a, err
}

// Applied implements storage.Reader.
func (t *tx) ProcessedInteraction(interaction string) (storage.ProcessedInteraction, error) {
	return one(t, "applied interaction "+interaction, scanApplied, appliedByInteraction, interaction)
}

// Apply implements storage.Tx.
func (t *tx) MarkProcessed(a storage.ProcessedInteraction) error {
	doing := "apply interaction " + a.Interaction
	at, err := moment(a.At)
	if err != nil {
		return t.fail(doing, err)
	}
	n, err := t.exec(doing, insertApplied, a.Interaction, at, reference(a.Match), reference(a.Challenge), a.Seq)
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: %s: %w", doing, storage.ErrAlreadyProcessed)
	}
	return err
}

// ForgetApplied implements storage.Tx.
func (t *tx) PruneProcessed(before time.Time) (int, error) {
	const doing = "forget applied interactions"
	at, err := moment(before)
	if err != nil {
		return 0, t.fail(doing, err)
	}
	return t.exec(doing, forgetApplied, at)
}
