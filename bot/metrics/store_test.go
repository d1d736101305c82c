package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"castellan/bot/metrics"
	"castellan/bot/sandbox"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// broken is a store that fails while it has an error.
type broken struct {
	storage.Store
	err error
}

func (b *broken) View(ctx context.Context, fn func(storage.Reader) error) error {
	if b.err != nil {
		return b.err
	}
	return b.Store.View(ctx, fn)
}

// Every way in which a transaction ends is counted as what it is, and comes
// back as it was.
func TestTransactionsAreCountedByTheirEnd(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlite.Memory)
	must(t, err)
	m := metrics.New(metrics.Build{})
	counted := m.WrapStore(store)
	r := &rig{t: t}
	r.handler, err = m.Handler(metrics.Sources{Bot: newRig(t, sandbox.Options{}, stores{}).bot, Store: store, Now: time.Now})
	must(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	own := errors.New("not your turn")
	for _, c := range []struct {
		ctx     context.Context
		err     error // of the function
		outcome string
	}{
		{t.Context(), nil, "done"},
		{t.Context(), own, "refused"},
		{t.Context(), fmt.Errorf("x: %w", storage.ErrConflict), "refused"},
		{t.Context(), fmt.Errorf("x: %w", storage.ErrFull), "full"},
		{t.Context(), fmt.Errorf("x: %w", storage.ErrReadOnly), "read_only"},
		{gone, nil, "given_up"},
	} {
		for kind, do := range map[string]func() error{
			"update": func() error { return counted.Update(c.ctx, func(storage.Tx) error { return c.err }) },
			"view":   func() error { return counted.View(c.ctx, func(storage.Reader) error { return c.err }) },
		} {
			name := fmt.Sprintf("castellan_database_transactions_total{kind=%q,outcome=%q}", kind, c.outcome)
			before := r.figures()[name]
			err := do()
			if after := r.figures()[name]; after == before || before == "" {
				t.Errorf("%s with %v: %s is %s, was %s", kind, c.err, name, after, before)
			}
			if c.ctx != gone && err != c.err {
				t.Errorf("%v became %v", c.err, err)
			}
		}
	}
	must(t, store.Close())
	if err := counted.View(t.Context(), func(storage.Reader) error { return nil }); !errors.Is(err, storage.ErrClosed) {
		t.Error(err)
	}
	got := r.figures()
	if got[`castellan_database_transactions_total{kind="view",outcome="closed"}`] != "1" || got["castellan_database_up"] != "0" {
		t.Errorf("%v", got)
	}
	if _, ok := got["castellan_boards_due"]; ok {
		t.Error("what cannot be known is shown")
	}
	if code, text := r.get(metrics.PathHealth); code != http.StatusServiceUnavailable || text != "database: the store is closed\nreconciler: ok\n" {
		t.Errorf("%d %s", code, text)
	}
}

// gated is a store in which everybody waits at a gate, once it is shut.
type gated struct {
	storage.Store
	gate    chan struct{}
	reached chan struct{}
	mu      sync.Mutex
	on      bool
}

func (g *gated) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.on = true
}

func (g *gated) View(ctx context.Context, fn func(storage.Reader) error) error {
	g.mu.Lock()
	on := g.on
	g.mu.Unlock()
	if on {
		g.reached <- struct{}{}
		<-g.gate
	}
	return g.Store.View(ctx, fn)
}
