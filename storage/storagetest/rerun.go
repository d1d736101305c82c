package storagetest

import (
	"context"
	"errors"

	"castellan/storage"
)

// Rerun is a store that runs the function of every update twice: the writes of the
// first run are undone, as after a conflict with another transaction. It finds
// functions that keep something of their first run.
type Rerun struct {
	storage.Store
	// Between is called once, after the next first run. It may use the store.
	Between func()
}

var errUndone = errors.New("undone to run again")

// Update implements storage.Store.
func (r *Rerun) Update(ctx context.Context, fn func(storage.Tx) error) error {
	_ = r.Store.Update(ctx, func(tx storage.Tx) error {
		_ = fn(tx)
		return errUndone
	})
	if between := r.Between; between != nil {
		r.Between = nil
		between()
	}
	return r.Store.Update(ctx, fn)
}

// Append adds entries to the log of a match, whatever it is, and keeps the rest of the match.
func Append(tx storage.Tx, match storage.MatchID, entries []storage.Entry) error {
	m, err := tx.Match(match)
	if err == nil && len(entries) > 0 {
		_, err = tx.Advance(storage.Advance{
			Match: match, After: m.Head, Entries: entries, CheckAt: m.CheckAt, Reminded: m.Reminded, ComputerTurnSince: m.ComputerTurnSince,
		})
	}
	return err
}
