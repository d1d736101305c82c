package metrics

import (
	"context"
	"errors"
	"time"

	"castellan/storage"
)

// Kinds of transactions.
const (
	kindUpdate = "update"
	kindView   = "view"
	kindReport = "report" // a view that may take long
)

// Outcomes of transactions, besides the named errors.
const (
	outcomeDone    = "done"
	outcomeRefused = "refused" // the function failed, not the store
	outcomeGivenUp = "given_up"
	outcomeFailed  = "failed" // any other error of the store
)

// namedErrors are the errors of a store that have an outcome of their own.
var namedErrors = []struct {
	err  error
	name string
}{
	{storage.ErrDiskFull, "full"}, {storage.ErrReadOnly, "read_only"}, {storage.ErrCorrupt, "damaged"},
	{storage.ErrLocked, "locked"}, {storage.ErrClosed, "closed"}, {storage.ErrReplaced, "replaced"},
	{storage.ErrOutcomeUnknown, "unknown"}, {storage.ErrUnreachable, "unreachable"}, {storage.ErrNoTables, "no_tables"},
}

func outcomes() []string {
	all := []string{outcomeDone, outcomeRefused, outcomeGivenUp, outcomeFailed}
	for _, t := range namedErrors {
		all = append(all, t.name)
	}
	return all
}

// WrapStore returns a store whose transactions are counted and timed.
func (m *Metrics) WrapStore(s storage.Store) storage.Store { return &instrumented{s, m} }

type instrumented struct {
	storage.Store
	m *Metrics
}

func (c *instrumented) Update(ctx context.Context, fn func(storage.Tx) error) error {
	began := time.Now()
	var own error
	var checked *fencedTx // of the last run
	err := c.Store.Update(ctx, func(tx storage.Tx) error {
		checked = &fencedTx{Tx: tx}
		own = fn(checked)
		return own
	})
	c.m.observeTransaction(kindUpdate, began, err, own)
	if checked != nil && checked.fenced {
		c.m.fenced.Inc()
	}
	return err
}

// fencedTx notes whether a lease was lost.
type fencedTx struct {
	storage.Tx
	fenced bool
}

func (t *fencedTx) CheckLease(l storage.Lease) error { return t.note(t.Tx.CheckLease(l)) }

func (t *fencedTx) CheckDeliveryLease(l storage.DeliveryLease, done bool) error {
	return t.note(t.Tx.CheckDeliveryLease(l, done))
}

func (t *fencedTx) note(err error) error {
	t.fenced = t.fenced || errors.Is(err, storage.ErrFenced)
	return err
}

func (c *instrumented) View(ctx context.Context, fn func(storage.Reader) error) error {
	began := time.Now()
	var own error
	err := c.Store.View(ctx, func(r storage.Reader) error { own = fn(r); return own })
	c.m.observeTransaction(kindView, began, err, own)
	return err
}

func (c *instrumented) Report(ctx context.Context, fn func(storage.Reader) error) error {
	began := time.Now()
	var own error
	err := c.Store.Report(ctx, func(r storage.Reader) error { own = fn(r); return own })
	c.m.observeTransaction(kindReport, began, err, own)
	return err
}

func (c *instrumented) ClaimPosts(ctx context.Context, now time.Time, limit int, d time.Duration) (storage.ClaimedPosts, error) {
	p, err := c.Store.ClaimPosts(ctx, now, limit, d)
	c.m.claimed(p)
	return p, err
}

func (m *Metrics) observeTransaction(kind string, began time.Time, err, own error) {
	m.transaction.WithLabelValues(kind).Observe(time.Since(began).Seconds())
	m.transactions.WithLabelValues(kind, outcomeOf(err, own)).Inc()
}

// outcomeOf returns the outcome of a transaction that returned err and whose
// function returned own.
func outcomeOf(err, own error) string {
	if err == nil {
		return outcomeDone
	}
	for _, t := range namedErrors {
		if errors.Is(err, t.err) {
			return t.name
		}
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return outcomeGivenUp
	case own != nil:
		return outcomeRefused
	}
	return outcomeFailed
}
