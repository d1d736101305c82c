package metrics

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"castellan/storage"
)

// StuckAfter is after what time without a finished look the reconciler is held
// to be stuck. One takes at most a minute and a half, however slow Discord is
// (Bot.Pulse), and the next begins within seconds.
const StuckAfter = 5 * time.Minute

// check is something that was looked at.
type check struct {
	what  string
	wrong string // empty where it is well
}

// health says whether the process can serve. What is wrong here, a new process
// may mend; that Discord is away, none would.
func (s Sources) health(r *http.Request) []check {
	return []check{s.database(r.Context()), s.reconciler()}
}

// readiness says whether people are served.
func (s Sources) readiness(r *http.Request) []check {
	return append([]check{s.connection(), s.commands()}, s.health(r)...)
}

// database has the store read something.
func (s Sources) database(ctx context.Context) check {
	c := check{what: "database"}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	// A store that hangs in a transaction does not heed the context, and is not
	// waited for. Only as many can hang so as it has connections.
	answered := make(chan error, 1)
	go func() {
		answered <- s.Store.View(ctx, func(r storage.Reader) error {
			_, err := r.MatchesAfter(0, 1)
			return err
		})
	}()
	select {
	case err := <-answered:
		c.wrong = wordsFor(err)
	case <-ctx.Done():
		c.wrong = fmt.Sprintf("no answer within %v", askWithin)
	}
	return c
}

// wordsFor says what is wrong with a store, without names of files: anybody
// may read it.
func wordsFor(err error) string {
	if err == nil {
		return ""
	}
	for _, t := range troubles {
		if errors.Is(err, t.err) {
			return t.err.Error()
		}
	}
	return "cannot be read; the log says why"
}

func (s Sources) reconciler() check {
	c := check{what: "reconciler"}
	if since, ok := s.Bot.SinceReconcile(); ok && since > StuckAfter {
		c.wrong = fmt.Sprintf("stuck: no look was finished for %v", since.Round(time.Second))
	}
	return c
}

func (s Sources) connection() check {
	c := check{what: "gateway"}
	state := s.Bot.Connection()
	switch {
	case state.Connected:
	case state.Connections == 0 && state.Failures == 0:
		c.wrong = "not connected yet"
	default:
		c.wrong = fmt.Sprintf("not connected, %d failures in a row", state.Failures)
	}
	return c
}

func (s Sources) commands() check {
	c := check{what: "commands"}
	if !isClosed(s.Bot.Ready()) {
		c.wrong = "not registered yet"
	}
	return c
}
