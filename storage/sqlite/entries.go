package sqlite

import (
	"database/sql"
	"fmt"

	"castellan/storage"
)

const (
	entriesOfMatch = `SELECT seq, kind, seat, text, at, interaction FROM entries WHERE match_id = $1 ORDER BY seq`

	// advance claims the numbers of new entries: of two writers who follow
	// the same entry, one finds no row.
	advance = `UPDATE matches SET seq = $3, newest_at = $4 WHERE id = $1 AND seq = $2`

	insertEntry = `
INSERT INTO entries (match_id, seq, kind, seat, text, at, interaction)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

	matchAt = `SELECT EXISTS (SELECT 1 FROM matches WHERE id = $1 AND seq = $2)`
)

// Entries implements storage.Reader.
func (t *tx) Entries(match storage.MatchID) ([]storage.Entry, error) {
	return collect(t, fmt.Sprintf("entries of match %d", match), scanEntry, entriesOfMatch, match)
}

func scanEntry(rows *sql.Rows) (storage.Entry, error) {
	var e storage.Entry
	err := rows.Scan(&e.Seq, &e.Kind, &e.Seat, &e.Text, clock{&e.At}, &e.Interaction)
	return e, err
}

// Append implements storage.Tx.
func (t *tx) Append(match storage.MatchID, after int, entries []storage.Entry) error {
	doing := fmt.Sprintf("append to match %d", match)
	if len(entries) == 0 {
		yes, err := t.exists(doing, matchAt, match, after)
		if err != nil || yes {
			return err
		}
		return t.conflict(doing, matchExists, int64(match))
	}
	// Everything is looked at before the first row is written.
	times := make([]int64, len(entries))
	for i, e := range entries {
		if want := after + 1 + i; e.Seq != want {
			return t.fail(doing, fmt.Errorf("entry %d stands where %d belongs", e.Seq, want))
		}
		at, err := moment(e.At)
		if err != nil {
			return t.fail(doing, fmt.Errorf("entry %d: %w", e.Seq, err))
		}
		times[i] = at
	}
	last := len(entries) - 1
	n, err := t.exec(doing, advance, match, after, entries[last].Seq, times[last])
	if err != nil {
		return err
	}
	if n == 0 {
		return t.conflict(doing, matchExists, int64(match))
	}
	for i, e := range entries {
		if _, err := t.exec(doing, insertEntry, match, e.Seq, e.Kind, e.Seat, e.Text, times[i], e.Interaction); err != nil {
			return err
		}
	}
	return nil
}
