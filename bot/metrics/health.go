package metrics

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"castellan/bot"
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
	return s.healthOf(r.Context(), s.Bot.Status())
}

func (s Sources) healthOf(ctx context.Context, status bot.Status) []check {
	checks := []check{s.database(ctx)}
	if status.Roles.Poster {
		checks = append(checks, reconciler(status))
	}
	return checks
}

func (s Sources) readiness(r *http.Request) []check {
	status := s.Bot.Status()
	checks := []check{s.connection(status)}
	if status.Roles.Receives() {
		commands := check{name: "commands"}
		if !status.Ready {
			commands.problem = "not registered yet"
		}
		checks = append(checks, commands)
	}
	return append(checks, s.healthOf(r.Context(), status)...)
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

func reconciler(status bot.Status) check {
	c := check{name: "reconciler"}
	if since := status.SinceReconcile; since > StuckAfter {
		c.problem = fmt.Sprintf("stuck: no pass was finished for %v", since.Round(time.Second))
	}
	return c
}

func (s Sources) connection(status bot.Status) check {
	c := check{name: "gateway"}
	state := status.Connection
	switch {
	case !status.Roles.Gateway:
		c.name = "discord"
		if status.SinceContact > lostAfter {
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
