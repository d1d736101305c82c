package metrics

import (
	"context"
	"errors"
	"time"

	"castellan/storage"
)

// Kinds of transactions.
const (
	updating = "update"
	viewing  = "view"
)

// How transactions end, besides by an error of the store.
const (
	done    = "done"
	refused = "refused" // by what was done in it, and not by the store
	given   = "given_up"
	failed  = "failed" // by an error of the store that has no name
)

// troubles is the errors of a store that have a name.
var troubles = []struct {
	err  error
	name string
}{
	{storage.ErrFull, "full"}, {storage.ErrReadOnly, "read_only"}, {storage.ErrDamaged, "damaged"},
	{storage.ErrLocked, "locked"}, {storage.ErrClosed, "closed"},
}

// outcomes is every way in which a transaction may end.
func outcomes() []string {
	all := []string{done, refused, given, failed}
	for _, t := range troubles {
		all = append(all, t.name)
	}
	return all
}

// Store is a store whose transactions are counted.
func (m *Metrics) WrapStore(s storage.Store) storage.Store { return &counted{s, m} }

type counted struct {
	storage.Store
	m *Metrics
}

// Update implements storage.Store.
func (c *counted) Update(ctx context.Context, fn func(storage.Tx) error) error {
	began := time.Now()
	var own error
	err := c.Store.Update(ctx, func(tx storage.Tx) error { own = fn(tx); return own })
	c.m.ended(updating, began, err, own)
	return err
}

// View implements storage.Store.
func (c *counted) View(ctx context.Context, fn func(storage.Reader) error) error {
	began := time.Now()
	var own error
	err := c.Store.View(ctx, func(r storage.Reader) error { own = fn(r); return own })
	c.m.ended(viewing, began, err, own)
	return err
}

func (m *Metrics) ended(kind string, began time.Time, err, own error) {
	m.transaction.WithLabelValues(kind).Observe(time.Since(began).Seconds())
	m.transactions.WithLabelValues(kind, outcomeOf(err, own)).Inc()
}

// outcomeOf says how a transaction ended that returned err, and whose function
// returned own.
func outcomeOf(err, own error) string {
	if err == nil {
		return done
	}
	for _, t := range troubles {
		if errors.Is(err, t.err) {
			return t.name
		}
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return given
	case own != nil:
		return refused
	}
	return failed
}
