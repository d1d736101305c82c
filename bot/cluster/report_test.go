package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/cluster"
	"castellan/storage"
)

// away is a store that cannot be reached at first.
type away struct {
	storage.Store
	failures int
	stop     func()
}

func (a *away) AcquireLease(context.Context, string, string, string, time.Duration) (storage.Lease, error) {
	if a.failures--; a.failures >= 0 {
		return storage.Lease{}, errors.New("out of reach")
	}
	if a.failures == -2 {
		a.stop()
	}
	return storage.Lease{}, nil
}

// While the database is away, a problem is logged once a minute, and then that it is
// over.
func TestOutageInLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var log bytes.Buffer
		c := cluster.New(cluster.Config{Store: &away{failures: 50, stop: stop}, Process: "one", Logger: slog.New(slog.NewTextHandler(&log, nil))})
		began := time.Now()
		c.Receive(ctx, func(context.Context) bool { return true })
		minutes := int(time.Since(began)/time.Minute) + 1
		text := log.String()
		if n := strings.Count(text, "level=WARN"); n < 2 || n > minutes {
			t.Errorf("%d warnings in %d minutes:\n%s", n, minutes, text)
		}
		if strings.Count(text, "this problem is over") != 1 {
			t.Errorf("it does not say once that the problem is over:\n%s", text)
		}
	})
}
