package jobs

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// River's errors are logged once a minute, its information never.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(quiet{slog.NewTextHandler(&out, nil), &sync.Map{}})
		for range 130 {
			log.Info("started")
			log.Error("fetching", "error", "gone")
			log.With("queue", "default").WithGroup("g").Warn("leading")
			time.Sleep(time.Second)
		}
		if text := out.String(); strings.Count(text, "fetching") != 3 || strings.Count(text, "leading") != 3 || strings.Contains(text, "started") {
			t.Error(text)
		}
	})
}
