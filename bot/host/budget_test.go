package host_test

import (
	"testing"

	"castellan/bot/host"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// press plays a turn on a board button and brings the channel up to date.
func (w *world) press(v *host.View, text string) *host.View {
	w.t.Helper()
	p, _ := v.ToMove()
	v, draft, err := w.host.ActOrConfirm(w.t.Context(), w.by(p), v.Record.ID, v.Match.Seq(), text)
	if must(w.t, err); draft != nil {
		w.t.Fatal("the turn was not played")
	}
	v, err = w.host.Refresh(w.t.Context(), v)
	must(w.t, err)
	for _, b := range v.Boards {
		switch b.State {
		case storage.BoardDue:
			v, err = w.host.BoardPosted(w.t.Context(), v, b.ID, "m")
		case storage.BoardStale:
			v, err = w.host.BoardsCollapsed(w.t.Context(), v, b.ID)
		}
		must(w.t, err)
	}
	return v
}

func TestButtonPressBudget(t *testing.T) {
	counts := map[sqlite.TraceKind]int{}
	w := newWorldWith(t, host.Config{}, sqlite.Trace(func(k sqlite.TraceKind) { counts[k]++ }))
	v := w.start("trails", nil)
	for _, text := range []string{"right", "left", "down"} {
		v = w.press(v, text)
	}
	cold := host.New(w.config)
	for _, tt := range []struct {
		name    string
		host    *host.Host
		replays uint64
	}{
		{"warm cache", w.host, 0},
		{"cold cache", cold, 1},
		{"warm again", cold, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.host = tt.host
			before := w.host.Replays()
			clear(counts)
			v = w.press(v, v.Match.Position().Legal()[0].String())
			if n := w.host.Replays() - before; n != tt.replays {
				t.Errorf("%d logs replayed, want %d", n, tt.replays)
			}
			if n := counts[sqlite.TraceView]; n != 0 {
				t.Errorf("%d read transactions, want 0", n)
			}
			if n := counts[sqlite.TraceUpdate]; n != 3 {
				t.Errorf("%d write transactions, want 3", n)
			}
			if n := counts[sqlite.TraceStatement]; n > 12 {
				t.Errorf("%d statements, want at most 12", n)
			}
		})
	}
}

// Lists, autocomplete and repeated reads replay nothing that is in the cache.
func TestListsDoNotReplay(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		w.start("trails", nil)
	}
	w.host = host.New(w.config)
	for _, tt := range []struct {
		name    string
		read    func() error
		replays uint64
	}{
		{"records of a channel", func() error { _, err := w.host.RunningIn(t.Context(), here.Channel); return err }, 0},
		{"the newest of a channel", func() error { _, err := w.host.NewestIn(t.Context(), here.Channel); return err }, 1},
		{"a page of a channel", func() error { _, err := w.host.ListChannel(t.Context(), here.Channel, 1, 2); return err }, 1},
		{"own matches", func() error { _, err := w.host.ListOwn(t.Context(), anna.ID, 1, 2); return err }, 3},
		{"autocomplete", func() error { _, err := w.host.Running(t.Context(), ben.ID, ""); return err }, 0},
		{"own matches again", func() error { _, err := w.host.ListOwn(t.Context(), anna.ID, 2, 2); return err }, 0},
	} {
		before := w.host.Replays()
		must(t, tt.read())
		if n := w.host.Replays() - before; n != tt.replays {
			t.Errorf("%s: %d logs replayed, want %d", tt.name, n, tt.replays)
		}
	}
}
