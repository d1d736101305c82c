package interaction

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
)

// The function of Continue runs after the response was sent, confirmed or not.
// Its text becomes a private follow-up, unless the response did not arrive.
func TestContinue(t *testing.T) {
	for _, c := range []struct {
		name      string
		plan      []discordtest.Answer
		delay     time.Duration // of the handler
		text      string
		confirmed bool
		want      string
	}{
		{"nothing to tell", nil, 0, "", true, "callback 7, next"},
		{"something to tell", nil, 0, "Not posted.", true, "callback 7, next, POST webhook"},
		{"the response is lost", []discordtest.Answer{discordtest.UnknownInteraction}, 0, "Not posted.", false, "callback 7, next"},
		{"answered by another delivery", []discordtest.Answer{discordtest.AlreadyAcknowledged}, 0, "Not posted.", false, "callback 7, next"},
		{"deferred", nil, 2 * deferAfter, "Not posted.", true, "callback 6, PATCH original, next, POST webhook"},
		{"the follow-up is lost", []discordtest.Answer{discordtest.NoContent, discordtest.UnknownInteraction}, 0, "Not posted.", true, "callback 7, next, POST webhook"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var k *kit
			var before []discordtest.Request
			k = newKit(t, slowly(c.delay, UpdateText("Played.").Continue(func(ctx context.Context, confirmed bool) string {
				if confirmed != c.confirmed || ctx.Err() != nil {
					t.Errorf("%s: confirmed %v, %v", c.name, confirmed, ctx.Err())
				}
				before = k.Take()
				return c.text
			}), nil))
			k.Plan(c.plan...)
			after := k.serve(k.of(Component))
			got := discordtest.Summary(before) + ", next"
			if len(after) > 0 {
				got += ", " + discordtest.Summary(after)
				if !after[0].Private() || after[0].Text() != c.text {
					t.Errorf("%s: %s", c.name, after[0].Body)
				}
			}
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			if warned := strings.Contains(k.log.Take(), "WARN the follow-up did not arrive"); warned != (c.name == "the follow-up is lost") {
				t.Errorf("%s: warned %v", c.name, warned)
			}
		})
	}
}

// A panic in the function of Continue does not end the process, and the outcome
// stays that of the response.
func TestPanicInContinue(t *testing.T) {
	k := newKit(t, respond(UpdateText("Played.").Continue(func(context.Context, bool) string { panic("no") }), nil))
	k.serve(k.of(Component))
	if log := k.log.Take(); !strings.Contains(log, "ERROR panic while answering") || k.served[0].Outcome != Answered {
		t.Errorf("%+v, log %s", k.served, log)
	}
}

// Before the handler of a route for players the match is read; if that fails,
// the handler is not called.
func TestAccess(t *testing.T) {
	for _, c := range []struct {
		access Access
		err    error
		want   string
		called int // of Authorize
	}{
		{Anyone, errRefused, "no view", 0},
		{Checked, errRefused, "no view", 0},
		{Players, nil, "a view", 1},
		{Players, errRefused, "No.", 1},
	} {
		called := 0
		k := newKitWith(t, func(config *Config) {
			config.Authorize = func(_ context.Context, r *Request) error {
				if called++; c.err == nil {
					r.View = &host.View{}
				}
				if r.Values["x"] != "y" {
					t.Errorf("values %v", r.Values)
				}
				return c.err
			}
			var err error
			config.Router, err = NewRouter(Route{Kind: Component, Pattern: "test/{x}", Access: c.access, Handler: func(_ context.Context, r *Request) (Response, error) {
				if r.View == nil {
					return PrivateText("no view"), nil
				}
				return PrivateText("a view"), nil
			}})
			must(t, err)
		})
		if got := k.serve(k.of(Component)); got[0].Text() != c.want || called != c.called {
			t.Errorf("access %d, %v: %s, authorized %d times", c.access, c.err, got[0].Text(), called)
		}
	}
}
