package metrics

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"castellan/bot/discord/gateway"
	"castellan/storage"
)

// StuckAfter is the time without a finished pass after which the reconciler
// counts as stuck. A pass takes at most a minute and a half, however slow Discord
// is, and the next begins within seconds.
const StuckAfter = 5 * time.Minute

// lostAfter is the time without contact with Discord after which a bot without
// gateway is not ready. It looks for contact every twenty seconds.
const lostAfter = time.Minute

// check is the result of a check.
type check struct {
	name    string
	problem string // empty if the check passed
}

// health checks whether the process can serve. It fails only for problems that
// a restart may solve, so not while Discord is unreachable.
func (s Sources) health(r *http.Request) []check {
	checks := []check{s.database(r.Context())}
	if s.Bot.Roles().Poster {
		checks = append(checks, s.reconciler())
	}
	return checks
}

// readiness checks whether the process does what its roles are.
func (s Sources) readiness(r *http.Request) []check {
	checks := []check{s.connection()}
	if s.Bot.Roles().Receives() {
		checks = append(checks, s.commands())
	}
	return append(checks, s.health(r)...)
}

func (s Sources) database(ctx context.Context) check {
	c := check{name: "database"}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// A store that hangs ignores the context, so it is not waited for. At most
	// as many goroutines can hang as it has connections.
	answered := make(chan error, 1)
	go func() {
		err := s.Store.View(ctx, func(r storage.Reader) error {
			_, err := r.MatchesAfter(0, 1)
			return err
		})
		if err == nil {
			err = s.Store.Intact()
		}
		answered <- err
	}()
	select {
	case err := <-answered:
		c.problem = publicText(err)
	case <-ctx.Done():
		c.problem = fmt.Sprintf("no answer within %v", storeTimeout)
	}
	return c
}

// publicText describes an error of a store without file names, because the
// checks are public.
func publicText(err error) string {
	if err == nil {
		return ""
	}
	for _, t := range namedErrors {
		if errors.Is(err, t.err) {
			return t.err.Error()
		}
	}
	return "cannot be read; the log says why"
}

func (s Sources) reconciler() check {
	c := check{name: "reconciler"}
	if since, ok := s.Bot.SinceReconcile(); ok && since > StuckAfter {
		c.problem = fmt.Sprintf("stuck: no pass was finished for %v", since.Round(time.Second))
	}
	return c
}

func (s Sources) connection() check {
	c := check{name: "gateway"}
	state := s.Bot.Connection()
	since, direct := s.Bot.SinceContact()
	switch {
	case direct:
		c.name = "discord"
		if since > lostAfter {
			c.problem = fmt.Sprintf("not in contact for more than %v, or stopping", lostAfter)
		}
	case state.Connected, state.Standby:
	case state.Connections == 0 && state.Failures == 0:
		c.problem = "not connected yet"
	default:
		c.problem = fmt.Sprintf("%snot connected, %d failures in a row", absentShards(s.Bot.Shards().Shards), state.Failures)
	}
	return c
}

// absentShards names the shards that are not connected, if there are several.
func absentShards(all []gateway.Shard) string {
	var absent []string
	for _, s := range all {
		if !s.Connected && !s.Elsewhere {
			absent = append(absent, strconv.Itoa(s.ID))
		}
	}
	if len(all) < 2 || len(absent) == 0 {
		return ""
	}
	return fmt.Sprintf("shards %s of %d ", strings.Join(absent, ", "), len(all))
}

func (s Sources) commands() check {
	c := check{name: "commands"}
	if !isClosed(s.Bot.Ready()) {
		c.problem = "not registered yet"
	}
	return c
}
