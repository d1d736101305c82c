package postgres

import (
	"context"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/postgres/pgtest"
)

// While nothing happens, a process finds out whether it would hear of it, and if not,
// that it may have missed something.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		database string // of the connection that listens: another one's signals are not heard
		lost     int    // least number of SignalsLost
	}{
		{"of others", "", 1},
		{"because the connection is deaf", "postgres", 3},
	} {
		s, err := Open(t.Context(), pgtest.Migrated(t), Connections(1))
		if err != nil {
			t.Fatal(err)
		}
		s.silence = time.Millisecond
		if tt.database != "" {
			s.parsed = s.parsed.Copy()
			s.parsed.Database = tt.database
		}
		ctx, cancel := context.WithCancel(t.Context())
		lost, heard := 0, 0
		go func() { // asks until it is heard, or would have been
			for ctx.Err() == nil {
				_ = s.send(ctx, `{"from":"another","signals":[{"kind":"computer"}]}`)
			}
		}()
		s.Listen(ctx, func(n storage.Signal) {
			switch n.Kind {
			case storage.SignalsLost:
				lost++
			case storage.ComputerToMove:
				heard++
			}
			if lost >= tt.lost && (heard >= 20 || tt.database != "") {
				cancel()
			}
		})
		if tt.database == "" && heard < 20 || lost < tt.lost {
			t.Errorf("%s: %d signals heard, %d times lost", tt.name, heard, lost)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
