package chores_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/chores"
	"castellan/storage"
	"castellan/storage/chorestest"
)

func TestLocal(t *testing.T) {
	for _, c := range chorestest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.Test(t, func(_ *testing.T, all []storage.Chore) storage.ChoreRunner {
					return chores.NewLocal(all, slog.New(slog.DiscardHandler), func(int) time.Duration { return time.Millisecond })
				})
			})
		})
	}
}
