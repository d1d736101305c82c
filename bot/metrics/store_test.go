package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"castellan/bot/metrics"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// Every transaction is counted by its outcome, and its error is returned
// unchanged.
func TestTransactions(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlite.Memory)
	must(t, err)
	m := metrics.New(metrics.Build{})
	counted := m.WrapStore(store)
	h, err := m.Handler(metrics.Sources{Bot: &fakeBot{}, Store: store, Now: time.Now})
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
		{t.Context(), fmt.Errorf("x: %w", storage.ErrDiskFull), "full"},
		{t.Context(), fmt.Errorf("x: %w", storage.ErrReadOnly), "read_only"},
		{gone, nil, "given_up"},
	} {
		for kind, do := range map[string]func() error{
			"update": func() error { return counted.Update(c.ctx, func(storage.Tx) error { return c.err }) },
			"view":   func() error { return counted.View(c.ctx, func(storage.Reader) error { return c.err }) },
		} {
			name := fmt.Sprintf("castellan_database_transactions_total{kind=%q,outcome=%q}", kind, c.outcome)
			before := scrape(t, h)[name]
			err := do()
			if after := scrape(t, h)[name]; after == before || before == "" {
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
	got := scrape(t, h)
	if got[`castellan_database_transactions_total{kind="view",outcome="closed"}`] != "1" || got["castellan_database_up"] != "0" {
		t.Errorf("%v", got)
	}
	if _, ok := got["castellan_boards_due"]; ok {
		t.Error("an unknown value is reported")
	}
	if code, text := get(h, metrics.PathHealth); code != http.StatusServiceUnavailable || text != "database: the store is closed\nreconciler: ok\n" {
		t.Errorf("%d %s", code, text)
	}
}
