package metrics_test

import (
	"context"
	"errors"
	"testing"

	"castellan/bot/metrics"
	"castellan/storage"
)

func TestChoresAndSignals(t *testing.T) {
	m := metrics.New(metrics.Build{})
	h, err := m.Handler(metrics.Sources{Bot: &fakeBot{}, Store: fakeStore{}})
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	fails := errors.New("fails")
	chores := m.WrapChores([]storage.Chore{
		{Name: "well", Run: func(context.Context) (string, error) { return "done it", nil }},
		{Name: "ill", Run: func(context.Context) (string, error) { return "", fails }},
		{Name: "panic", Run: func(context.Context) (string, error) { panic("p") }},
		{Name: "stopped", Run: func(context.Context) (string, error) { stop(); return "", ctx.Err() }},
		{Name: "never"},
	})
	for _, c := range chores[:4] {
		result, err := c.Do(ctx)
		if (c.Name == "well") != (err == nil && result == "done it") || c.Name == "ill" && !errors.Is(err, fails) {
			t.Errorf("%s: %q, %v", c.Name, result, err)
		}
	}
	m.ObserveSignal(storage.PostsDue, true)
	m.ObserveSignal(storage.PostsDue, true)
	m.ObserveSignal(storage.SettingsChanged, false)
	got := scrape(t, h)
	for name, want := range map[string]string{
		`castellan_chores_total{chore="well",outcome="done"}`:           "1",
		`castellan_chores_total{chore="well",outcome="failed"}`:         "0",
		`castellan_chores_total{chore="ill",outcome="failed"}`:          "1",
		`castellan_chores_total{chore="panic",outcome="failed"}`:        "1",
		`castellan_chores_total{chore="stopped",outcome="interrupted"}`: "1",
		`castellan_chores_total{chore="never",outcome="done"}`:          "0",
		`castellan_chore_seconds_count{chore="ill"}`:                    "1",
		`castellan_chore_seconds_count{chore="never"}`:                  "0",
		`castellan_signals_total{direction="sent",kind="posts"}`:        "2",
		`castellan_signals_total{direction="heard",kind="posts"}`:       "0",
		`castellan_signals_total{direction="heard",kind="settings"}`:    "1",
		`castellan_signals_total{direction="sent",kind="settings"}`:     "0",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
