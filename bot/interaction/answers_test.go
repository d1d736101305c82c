package interaction

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
)

// slowly returns a handler that responds after a duration.
func slowly(d time.Duration, r Response, err error) Handler {
	return func(context.Context, *Request) (Response, error) {
		time.Sleep(d)
		return r, err
	}
}

// Every interaction has one answer. One that is not ready in time is deferred. A
// response of unknown outcome is sent once more: if Discord then says that it has
// one, it arrived. The outcome is reported once, with the time until Discord
// confirmed the first response.
func TestAnswers(t *testing.T) {
	const took, slow = 1200 * time.Millisecond, 2 * deferAfter
	type answers = []discordtest.Answer
	hello, update, choices := PrivateText("Hello"), UpdateText("Hello"), Suggest([]discord.Choice{{Name: "up", Value: "up"}})
	cut, gateway, acknowledged, unknown, ok := discordtest.Disconnect, discordtest.BadGateway, discordtest.AlreadyAcknowledged, discordtest.UnknownInteraction, discordtest.NoContent
	waits := func(ctx context.Context, _ *Request) (Response, error) { <-ctx.Done(); return Response{}, ctx.Err() }
	panics := func(context.Context, *Request) (Response, error) { time.Sleep(took); panic("handler") }
	at := func(handler Handler) Handler { // acknowledges at once
		return func(ctx context.Context, r *Request) (Response, error) {
			r.Acknowledge()
			r.Acknowledge() // once more changes nothing
			return handler(ctx, r)
		}
	}
	for _, c := range []struct {
		name         string
		kind         Kind
		handler      Handler // nil responds as below
		delay        time.Duration
		response     Response
		plan         answers
		want, says   string // says is the last text
		outcome      Outcome
		acknowledged time.Duration // negative if it is not confirmed
	}{
		{"a command", Command, nil, took, hello, nil, "callback 4", "Hello", Answered, took},
		{"a component, privately", Component, nil, took, hello, nil, "callback 4", "Hello", Answered, took},
		{"a component, on its message", Component, nil, took, update, nil, "callback 7", "Hello", Answered, took},
		{"suggestions", Autocomplete, nil, took, choices, nil, "callback 8", "", Answered, took},
		{"no suggestions", Autocomplete, nil, took, Suggest(nil), nil, "callback 8", "", Answered, took},

		{"a slow command", Command, nil, slow, hello, nil, "callback 5, PATCH original", "Hello", Answered, deferAfter},
		{"a slow component, privately", Component, nil, slow, hello, nil, "callback 6, POST webhook", "Hello", Answered, deferAfter},
		{"a slow component, on its message", Component, nil, slow, update, nil, "callback 6, PATCH original", "Hello", Answered, deferAfter},
		{"deferred, then lost", Command, nil, slow, hello, answers{ok, discordtest.Refusal(404, 10015)}, "callback 5, PATCH original", "Hello", Lost, deferAfter},
		{"the deferral had arrived", Command, nil, slow, hello, answers{cut, acknowledged}, "callback 5, callback 5, PATCH original", "Hello", Answered, deferAfter},
		{"the deferral arrived the second time", Command, nil, slow, hello, answers{gateway, ok}, "callback 5, callback 5, PATCH original", "Hello", Answered, deferAfter},
		{"deferred by another delivery", Command, nil, slow, hello, answers{acknowledged}, "callback 5, PATCH original", "Hello", Answered, deferAfter},
		{"the deferral is unclear, not arrived", Command, nil, slow, hello, answers{cut, cut}, "callback 5, callback 5, callback 4", "Hello", Answered, slow},
		{"the deferral is unclear, arrived", Command, nil, slow, hello, answers{cut, gateway, acknowledged}, "callback 5, callback 5, callback 4, PATCH original", "Hello", Answered, slow},
		{"the deferral is too late", Command, nil, slow, hello, answers{unknown, unknown}, "callback 5, callback 4", "Hello", Lost, -1},

		{"lost, then arrived", Command, nil, took, hello, answers{cut, ok}, "callback 4, callback 4", "Hello", Answered, took},
		{"arrived, its confirmation lost", Component, nil, took, update, answers{cut, acknowledged}, "callback 7, callback 7", "Hello", Answered, took},
		{"arrived through a bad gateway", Autocomplete, nil, took, choices, answers{gateway, acknowledged}, "callback 8, callback 8", "", Answered, took},
		{"answered by another delivery", Command, nil, took, hello, answers{acknowledged}, "callback 4", "Hello", Repeated, -1},
		{"lost twice", Component, nil, took, update, answers{cut, gateway}, "callback 7, callback 7", "Hello", Lost, -1},
		{"too late", Autocomplete, nil, took, choices, answers{unknown}, "callback 8", "", Lost, -1},
		{"its webhook is gone", Command, nil, took, hello, answers{discordtest.Refusal(404, discord.CodeUnknownWebhook)}, "callback 4", "Hello", Lost, -1},
		{"its token has expired", Command, nil, took, hello, answers{discordtest.Refusal(401, discord.CodeInvalidWebhookToken)}, "callback 4", "Hello", Lost, -1},
		{"refused by Discord", Command, nil, took, hello, answers{discordtest.Refusal(400, 50035)}, "callback 4", "Hello", Lost, -1},

		{"refused", Command, slowly(took, Response{}, errRefused), 0, Response{}, nil, "callback 4", "No.", Refused, took},
		{"refused, and lost", Command, slowly(took, Response{}, errRefused), 0, Response{}, answers{cut, cut}, "callback 4, callback 4", "No.", Lost, -1},
		{"failed", Command, slowly(took, Response{}, errors.New("x")), 0, Response{}, nil, "callback 4", "code", Failed, took},
		{"panicked", Component, panics, 0, Response{}, nil, "callback 4", "code", Failed, took},

		{"acknowledged at once", Command, at(slowly(took, hello, nil)), 0, hello, nil, "callback 5, PATCH original", "Hello", Answered, 0},
		{"a component, acknowledged at once", Component, at(slowly(took, update, nil)), 0, update, nil, "callback 6, PATCH original", "Hello", Answered, 0},
		{"suggestions can’t be deferred", Autocomplete, at(slowly(took, choices, nil)), 0, choices, nil, "callback 8", "", Answered, took},

		{"stopped at its deadline", Command, waits, handlerTimeout, Response{}, nil, "callback 5, PATCH original", "That took too long.", Refused, deferAfter},
		{"a component, stopped", Component, waits, handlerTimeout, Response{}, nil, "callback 6, POST webhook", "That took too long.", Refused, deferAfter},
		{"suggestions, stopped", Autocomplete, waits, autocompleteTimeout, Response{}, nil, "callback 8", "", Refused, autocompleteTimeout},
		{"ignores its deadline", Command, slowly(time.Hour, hello, nil), 0, Response{}, nil, "callback 5, PATCH original", "code", Failed, deferAfter},
		{"a component, ignores it", Component, slowly(time.Hour, hello, nil), 0, Response{}, nil, "callback 6, POST webhook", "code", Failed, deferAfter},
	} {
		synctest.Test(t, func(t *testing.T) {
			sent, arrived := 0, 0
			handler := c.handler
			if handler == nil {
				handler = slowly(c.delay, counted(c.response, &sent, &arrived), nil)
			}
			k := newKit(t, handler)
			k.Plan(c.plan...)
			i, began := k.of(c.kind), time.Now()
			got := k.serve(i)
			if discordtest.Summary(got) != c.want || c.delay > 0 && time.Since(began) != c.delay {
				t.Fatalf("%s: %v after %v, want %s", c.name, got, time.Since(began), c.want)
			}
			for n, r := range got {
				if what := discordtest.Summary(got[n : n+1]); r.Private() != (what == "callback 4" || what == "callback 5" || what == "POST webhook") {
					t.Errorf("%s: %s is private: %v", c.name, what, r.Private())
				} else if n > 0 && what == discordtest.Summary(got[n-1:n]) && r != got[n-1] {
					t.Errorf("%s: the second is another: %v", c.name, got)
				}
			}
			if text := got[len(got)-1].Text(); c.says == "code" && !strings.Contains(text, logCode(i.ID)) || c.says != "code" && text != c.says {
				t.Errorf("%s: %s", c.name, text)
			}
			want := Served{c.kind, c.outcome, max(c.acknowledged, 0), c.acknowledged >= 0}
			if len(k.served) != 1 || k.served[0] != want {
				t.Errorf("%s: %+v, want %+v", c.name, k.served, want)
			}
			if c.handler == nil && (sent != 1 || (arrived > 0) != (c.outcome == Answered)) {
				t.Errorf("%s: sent %d, arrived %d times", c.name, sent, arrived)
			}
			if n := k.after.Load(); (n == 1) == (c.kind == Autocomplete) {
				t.Errorf("%s: After was called %d times", c.name, n)
			}
			k.log.Take()
			time.Sleep(time.Hour) // until every handler has returned
		})
	}
	if deferAfter >= discord.AcknowledgeTimeout || autocompleteTimeout >= discord.AcknowledgeTimeout {
		t.Error("Discord waits three seconds")
	}
	(&Request{}).Acknowledge() // does not block without a server
}

// An interaction that came by HTTP is deferred in the response to that request;
// Discord may not know its webhook for a few seconds more. A response that changes
// what everybody sees goes to the callback route, where Discord confirms it. If
// Discord does not wait for the response, the action still counts, and nothing is
// sent.
func TestAnswersByHTTP(t *testing.T) {
	const slow = 2 * deferAfter
	unknown := discordtest.Refusal(404, discord.CodeUnknownWebhook)
	gone := &discord.Error{Status: 404, Code: discord.CodeUnknownInteraction}
	for _, c := range []struct {
		kind     Kind
		delay    time.Duration
		response Response
		body     string // of the response to the request
		fails    error
		plan     []discordtest.Answer
		want     string
		arrived  bool
	}{
		{Command, slow, PrivateText("Hello"), `{"type":5,"data":{"flags":64}}`, nil, nil, "PATCH original", true},
		{Command, slow, PrivateText("Hello"), `{"type":5,"data":{"flags":64}}`, nil, []discordtest.Answer{unknown, unknown}, "PATCH original, PATCH original, PATCH original", true},
		{Component, slow, PrivateText("Hello"), `{"type":6}`, nil, []discordtest.Answer{unknown}, "POST webhook, POST webhook", true},
		{Component, 0, UpdateText("Hello"), "", nil, nil, "callback 7", true},
		{Component, 0, UpdateText("Hello"), "", nil, []discordtest.Answer{discordtest.Disconnect, discordtest.AlreadyAcknowledged}, "callback 7, callback 7", true},
		{Component, 0, UpdateText("Hello"), "", nil, []discordtest.Answer{discordtest.UnknownInteraction}, "callback 7", false},
		{Command, 0, PrivateText("Hello"), `{"type":4`, gone, nil, "", false},
		{Command, slow, PrivateText("Hello"), `{"type":5`, gone, nil, "", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			sent, arrived, bodies := 0, 0, []string{}
			k := newKit(t, slowly(c.delay, counted(c.response, &sent, &arrived), nil))
			k.Plan(c.plan...)
			i := k.of(c.kind)
			k.Serve(discord.WithHTTPResponse(t.Context(), i.ID, func(_ string, body []byte) error {
				bodies = append(bodies, string(body))
				return c.fails
			}), i)
			got := discordtest.Summary(k.Take())
			if got != c.want || sent != 1 || (arrived == 1) != c.arrived || !strings.HasPrefix(bodies[0], c.body) || c.fails == nil && (len(bodies) != 1 || bodies[0] != c.body) {
				t.Errorf("%+v: %q, %s, sent %d times, arrived %d times", c, bodies, got, sent, arrived)
			}
			if !c.arrived && k.served[0].Outcome != Lost {
				t.Errorf("%+v", k.served)
			}
		})
	}
}
