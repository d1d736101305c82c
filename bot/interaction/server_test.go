package interaction

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

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

func TestAnswerInTimeIsTheFirstAnswer(t *testing.T) {
	for _, c := range []struct {
		name     string
		response Response
		kind     Kind
		want     string
	}{
		{"a command", PrivateText("Hello"), Command, "callback 4"},
		{"a component, privately", PrivateText("Hello"), Component, "callback 4"},
		{"a component, on its message", UpdateText("Hello"), Component, "callback 7"},
		{"suggestions", Suggest([]discord.Choice{{Name: "up", Value: "up"}}), Autocomplete, "callback 8"},
		{"no suggestions", Suggest(nil), Autocomplete, "callback 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			confirmed, sent := 0, 0
			k := newKit(t, func(_ context.Context, r *Request) (Response, error) {
				if r.Values["x"] != "y" {
					t.Errorf("values %v", r.Values)
				}
				return c.response.Then(func(context.Context) { confirmed++ }).Finally(func() { sent++ }), nil
			})
			got := k.serve(k.of(c.kind))
			if discordtest.Summary(got) != c.want || confirmed != 1 || sent != 1 {
				t.Errorf("%v, confirmed %d times, sent %d times", got, confirmed, sent)
			}
			if c.want == "callback 4" != got[0].Private() {
				t.Errorf("private: %v", got[0].Private())
			}
			if log := k.log.Take(); log != "" {
				t.Errorf("log %s", log)
			}
			if want := map[bool]int64{true: 0, false: 1}[c.kind == Autocomplete]; k.after.Load() != want {
				t.Errorf("After was called %d times", k.after.Load())
			}
		})
	}
}

// A response that is not ready in time is deferred. Then it replaces the
// "thinking…" or the message with the component, or is a private follow-up.
func TestSlowAnswerIsDeferred(t *testing.T) {
	for _, c := range []struct {
		name     string
		kind     Kind
		response Response
		deferral string
		then     string
	}{
		{"a command", Command, PrivateText("Hello"), "callback 5", "PATCH original"},
		{"a component, privately", Component, PrivateText("Hello"), "callback 6", "POST webhook"},
		{"a component, on its message", Component, UpdateText("Hello"), "callback 6", "PATCH original"},
	} {
		synctest.Test(t, func(t *testing.T) {
			confirmed := 0
			k := newKit(t, slowly(2*deferAfter, c.response.Then(func(context.Context) { confirmed++ }), nil))
			began := time.Now()
			go k.Serve(t.Context(), k.of(c.kind))
			if s := k.Next(c.deferral); time.Since(began) != deferAfter || c.kind == Command && !s.Private() {
				t.Errorf("%s: deferred after %v: %s", c.name, time.Since(began), s.Body)
			}
			s := k.Next(c.then)
			synctest.Wait()
			if s.Text() != "Hello" || confirmed != 1 || s.Private() != (c.then == "POST webhook") || len(k.Arrived) != 0 {
				t.Errorf("%s: %s, confirmed %d times", c.name, s.Body, confirmed)
			}
		})
	}
}

// Whatever happens to the deferral, the person gets one answer.
func TestUnclearDeferral(t *testing.T) {
	for _, c := range []struct {
		name     string
		plan     []discordtest.Answer
		want     string
		warnings int
	}{
		{"arrived", []discordtest.Answer{discordtest.NoContent}, "callback 5, PATCH original", 0},
		{"had arrived", []discordtest.Answer{discordtest.Disconnect, discordtest.AlreadyAcknowledged}, "callback 5, callback 5, PATCH original", 0},
		{"arrived the second time", []discordtest.Answer{discordtest.BadGateway, discordtest.NoContent}, "callback 5, callback 5, PATCH original", 0},
		{"answered by another delivery", []discordtest.Answer{discordtest.AlreadyAcknowledged}, "callback 5, PATCH original", 0},
		{"unclear, not arrived", []discordtest.Answer{discordtest.Disconnect, discordtest.Disconnect}, "callback 5, callback 5, callback 4", 1},
		{"unclear, arrived", []discordtest.Answer{discordtest.Disconnect, discordtest.BadGateway, discordtest.AlreadyAcknowledged},
			"callback 5, callback 5, callback 4, PATCH original", 1},
		{"too late", []discordtest.Answer{discordtest.UnknownInteraction, discordtest.UnknownInteraction}, "callback 5, callback 4", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKit(t, slowly(2*deferAfter, PrivateText("Hello"), nil))
			k.Plan(c.plan...)
			if got := discordtest.Summary(k.serve(k.of(Command))); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			log := k.log.Take()
			if got := strings.Count(log, "WARN"); got != c.warnings || strings.Contains(log, "ERROR") {
				t.Errorf("%s: log %s", c.name, log)
			}
		})
	}
}

// A replayed interaction is carried out only if it has no answer and can still have
// one.
func TestReplayed(t *testing.T) {
	thinking := discordtest.Answer{Status: 200, Body: `{"id":"9001","flags":192}`}
	acknowledged, gone := discordtest.AlreadyAcknowledged, discordtest.UnknownInteraction
	for _, c := range []struct {
		name    string
		kind    Kind
		plan    []discordtest.Answer
		want    string
		outcome Outcome
	}{
		{"not answered", Command, nil, "callback 5, PATCH original", Answered},
		{"answered", Command, []discordtest.Answer{acknowledged, discordtest.OK}, "callback 5, GET original", Repeated},
		{"deferred by a process that has died", Command, []discordtest.Answer{acknowledged, thinking}, "callback 5, GET original, PATCH original", Answered},
		{"unclear, the deferral had arrived", Command, []discordtest.Answer{discordtest.Disconnect, acknowledged, thinking},
			"callback 5, callback 5, GET original, PATCH original", Answered},
		{"unclear, answered", Command, []discordtest.Answer{discordtest.Disconnect, acknowledged, discordtest.OK}, "callback 5, callback 5, GET original", Repeated},
		{"whether it thinks is unknown", Command, []discordtest.Answer{acknowledged, discordtest.Refusal(404, discord.CodeUnknownMessage)}, "callback 5, GET original", Repeated},
		{"too late", Command, []discordtest.Answer{gone}, "callback 5", Lost},
		{"click, not answered", Component, nil, "callback 6, PATCH original", Answered},
		{"click, answered", Component, []discordtest.Answer{acknowledged}, "callback 6", Repeated},
		{"click, the deferral had arrived", Component, []discordtest.Answer{discordtest.Disconnect, acknowledged}, "callback 6, callback 6, PATCH original", Answered},
		{"click, too late", Component, []discordtest.Answer{gone}, "callback 6", Lost},
		{"suggestions, which change nothing", Autocomplete, nil, "callback 8", Answered},
	} {
		synctest.Test(t, func(t *testing.T) {
			handled := false
			k := newKit(t, func(context.Context, *Request) (Response, error) {
				handled = true
				if c.kind == Autocomplete {
					return Suggest(nil), nil
				}
				return UpdateText("Hello"), nil
			})
			k.Plan(c.plan...)
			<-k.AcceptReplayed(t.Context(), k.of(c.kind))
			if got := discordtest.Summary(k.Take()); got != c.want || handled != (c.outcome == Answered) {
				t.Errorf("%s: %s, want %s; carried out: %v", c.name, got, c.want, handled)
			}
			if len(k.served) != 1 || k.served[0].Outcome != c.outcome || k.served[0].Confirmed != handled {
				t.Errorf("%s: %+v, want %s", c.name, k.served, c.outcome)
			}
		})
	}
}

// A response of unknown outcome is sent once more. If Discord then says that it
// has one, it arrived.
func TestUnclearAnswerIsSentTwice(t *testing.T) {
	for _, c := range []struct {
		name      string
		plan      []discordtest.Answer
		sent      int
		confirmed bool
	}{
		{"arrived", []discordtest.Answer{discordtest.NoContent}, 1, true},
		{"lost, then arrived", []discordtest.Answer{discordtest.Disconnect, discordtest.NoContent}, 2, true},
		{"arrived, its confirmation lost", []discordtest.Answer{discordtest.Disconnect, discordtest.AlreadyAcknowledged}, 2, true},
		{"arrived through a bad gateway", []discordtest.Answer{discordtest.BadGateway, discordtest.AlreadyAcknowledged}, 2, true},
		{"answered by another delivery", []discordtest.Answer{discordtest.AlreadyAcknowledged}, 1, false},
		{"lost twice", []discordtest.Answer{discordtest.Disconnect, discordtest.BadGateway}, 2, false},
		{"too late", []discordtest.Answer{discordtest.UnknownInteraction}, 1, false},
		{"its webhook is gone", []discordtest.Answer{discordtest.Refusal(404, discord.CodeUnknownWebhook)}, 1, false},
		{"its token has expired", []discordtest.Answer{discordtest.Refusal(401, discord.CodeInvalidWebhookToken)}, 1, false},
		{"refused", []discordtest.Answer{{Status: 400, Body: `{"code":50035,"message":"Invalid Form Body","errors":{"data":{"components":{"_errors":[{"code":"X","message":"bad"}]}}}}`}}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range []Kind{Command, Component, Autocomplete} {
				confirmed := false
				response := PrivateText("Hello")
				if kind == Autocomplete {
					response = Suggest(nil)
				}
				k := newKit(t, respond(response.Then(func(context.Context) { confirmed = true }), nil))
				k.Plan(c.plan...)
				got := k.serve(k.of(kind))
				if len(got) != c.sent || confirmed != c.confirmed {
					t.Errorf("%s: sent %v, confirmed %v", kind, got, confirmed)
				}
				for _, s := range got[1:] {
					if s != got[0] {
						t.Errorf("%s: the second is another: %v", kind, s)
					}
				}
				log := k.log.Take()
				arrived := c.confirmed || strings.Contains(log, "INFO answered by another delivery")
				if strings.Contains(log, "WARN the response did not arrive") == arrived {
					t.Errorf("%s: log %s", kind, log)
				}
				if c.name == "refused" && !strings.Contains(log, "data.components: bad (X)") {
					t.Errorf("the log does not say where: %s", log)
				}
			}
		})
	}
}

func TestPanicInAHandler(t *testing.T) {
	for _, kind := range []Kind{Command, Component} {
		for _, delay := range []time.Duration{0, 2 * deferAfter} {
			synctest.Test(t, func(t *testing.T) {
				k := newKit(t, func(context.Context, *Request) (Response, error) {
					time.Sleep(delay)
					var nothing *Request
					return PrivateText(nothing.Path), nil
				})
				i := k.of(kind)
				got := k.serve(i)
				code := logCode(i.ID)
				if text := got[len(got)-1].Text(); !strings.Contains(text, "`"+code+"`") {
					t.Errorf("%s has no code %s", text, code)
				}
				log := k.log.Take()
				for _, want := range []string{"ERROR panic in a handler", "code=" + code, "nil pointer", "server_test.go", "path=test/y"} {
					if !strings.Contains(log, want) {
						t.Errorf("the log lacks %q: %s", want, log)
					}
				}
			})
		}
	}
}

// Autocomplete accepts nothing but suggestions, and cannot be deferred.
func TestAutocompleteGetsOnlySuggestions(t *testing.T) {
	for name, h := range map[string]Handler{
		"panic":   func(context.Context, *Request) (Response, error) { panic("no") },
		"refusal": respond(Response{}, errRefused),
		"failure": slowly(2*deferAfter-time.Second, Response{}, errors.New("disk full")),
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKit(t, h)
			got := k.serve(k.of(Autocomplete))
			if discordtest.Summary(got) != "callback 8" || !strings.Contains(got[0].Body, `"choices":[]`) {
				t.Errorf("%s: %v", name, got)
			}
			if log := k.log.Take(); strings.Contains(log, "ERROR panic") != (name == "panic") {
				t.Errorf("%s: log %s", name, log)
			}
		})
	}
	k := newKit(t, none)
	if got := k.serve(k.Suggest(anna, "nothing", "x", "")); discordtest.Summary(got) != "callback 8" {
		t.Errorf("of an unknown command: %v", got)
	}
}

func TestErrorsBecomeASentenceOrACode(t *testing.T) {
	for _, c := range []struct {
		err       error
		text, log string // the text is empty for a code
	}{
		{errRefused, "No.", "DEBUG refused"},
		{ErrBadCustomID, "No.", "WARN refused"},
		{errNoRoom, "No.", "ERROR refused"}, // the operator has to act
		{errors.New("broken wire"), "", "ERROR failed"},
	} {
		k := newKit(t, respond(PrivateText("half done"), c.err))
		i := k.of(Command)
		got := k.serve(i)
		text := got[0].Text()
		if discordtest.Summary(got) != "callback 4" || !got[0].Private() || c.text != "" && text != c.text ||
			strings.Contains(text, "wire") || strings.Contains(text, "half") || (c.text == "") != strings.Contains(text, logCode(i.ID)) {
			t.Errorf("%v: %s", c.err, got[0].Body)
		}
		if log := k.log.Take(); !strings.Contains(log, c.log) || !strings.Contains(log, c.err.Error()) || !strings.Contains(log, logCode(i.ID)) {
			t.Errorf("%v: log %s", c.err, log)
		}
	}
}

func TestForeignCustomIDs(t *testing.T) {
	k := newKit(t, none)
	for _, id := range []string{"poll:yes", "test", "test/" + strings.Repeat("x", 101), "", "\r\n level=ERROR msg=forged"} {
		got := k.serve(k.Click(anna, "8000", id))
		if discordtest.Summary(got) != "callback 4" || got[0].Text() != "No." {
			t.Errorf("%q: %v", id, got)
		}
		if log := k.log.Take(); !strings.Contains(log, "WARN refused") {
			t.Errorf("%q: log %s", id, log)
		}
	}
}

// A handler that takes too long is stopped, and the person is told.
func TestDeadlines(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		want  string
		after time.Duration
	}{
		{Command, "callback 5, PATCH original", handlerTimeout},
		{Component, "callback 6, POST webhook", handlerTimeout},
		{Autocomplete, "callback 8", autocompleteTimeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKit(t, func(ctx context.Context, _ *Request) (Response, error) {
				<-ctx.Done()
				return Response{}, ctx.Err()
			})
			began := time.Now()
			got := k.serve(k.of(c.kind))
			if discordtest.Summary(got) != c.want || time.Since(began) != c.after {
				t.Fatalf("%v after %v, want %s after %v", got, time.Since(began), c.want, c.after)
			}
			if last := got[len(got)-1]; c.kind != Autocomplete && last.Text() != "That took too long." {
				t.Errorf("%s", last.Body)
			}
		})
	}
	if deferAfter >= discord.AcknowledgeTimeout || autocompleteTimeout >= discord.AcknowledgeTimeout {
		t.Error("Discord waits three seconds")
	}
}

// A handler that ignores its deadline is abandoned, and the person is told.
func TestHandlerIgnoresItsDeadline(t *testing.T) {
	for kind, want := range map[Kind]string{
		Command: "callback 5, PATCH original", Component: "callback 6, POST webhook", Autocomplete: "callback 8",
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKit(t, slowly(time.Hour, PrivateText("too late"), nil))
			i := k.of(kind)
			got := k.serve(i)
			if discordtest.Summary(got) != want {
				t.Errorf("%v, want %s", got, want)
			}
			if kind != Autocomplete && !strings.Contains(got[len(got)-1].Text(), logCode(i.ID)) {
				t.Errorf("%s", got[len(got)-1].Body)
			}
			if log := k.log.Take(); !strings.Contains(log, "ERROR the handler does not return") {
				t.Errorf("log %s", log)
			}
			time.Sleep(time.Hour) // until it does return
		})
	}
}

func TestInteractionsNotUnderstood(t *testing.T) {
	k := newKit(t, none)
	nobody := k.of(Component)
	nobody.Member = nil
	half := k.of(Component)
	half.Member = &discordgo.Member{}
	modal := k.Of(anna, discordgo.InteractionModalSubmit)
	modal.Data = discordgo.ModalSubmitInteractionData{CustomID: "x"}
	ping := k.Of(anna, discordgo.InteractionPing)
	broken := k.Subcommand(anna, "test", "y", nil)
	broken.Data.(discordgo.ApplicationCommandInteractionData).Resolved.Users["22"] = nil
	for name, i := range map[string]*discordgo.Interaction{"nobody": nobody, "no user": half, "modal": modal, "ping": ping, "broken": broken} {
		if got := k.serve(i); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
		if log := k.log.Take(); !strings.Contains(log, logCode(i.ID)) {
			t.Errorf("%s: log %s", name, log)
		}
	}
}

func TestLogCode(t *testing.T) {
	shape := regexp.MustCompile(`^[A-HJ-NP-Z2-9]{6}$`) // without I, O, 0 and 1
	seen := map[string]string{}
	for _, id := range []string{"", "1", "2", "7001", "1245678901234567890", "1245678901234567891", strings.Repeat("x", 1000), "\xff"} {
		code := logCode(id)
		if !shape.MatchString(code) || code != logCode(id) {
			t.Errorf("%q: %q", id, code)
		}
		if other, twice := seen[code]; twice {
			t.Errorf("%q and %q are both %s", id, other, code)
		}
		seen[code] = id
	}
	// Logs are read later, by other versions.
	if got := logCode("1245678901234567890"); got != "EXDBAK" {
		t.Errorf("code %s", got)
	}
}

func TestPrintablePath(t *testing.T) {
	const most = discord.MaxCustomID
	for in, want := range map[string]string{
		"match/1": "match/1", "": "", "a\xffb": "a�b",
		strings.Repeat("x", 200):                   strings.Repeat("x", most),
		strings.Repeat("x", most-1) + "ä":          strings.Repeat("x", most-1) + "�",
		strings.Repeat("x", most-2) + "ä" + "more": strings.Repeat("x", most-2) + "ä",
	} {
		if got := printablePath(in); got != want {
			t.Errorf("printablePath(%q) = %q, want %q", in, got, want)
		}
	}
}

// The log names no people, not even those in a path.
func TestLoggedPath(t *testing.T) {
	router, err := NewRouter(Route{Kind: Component, Pattern: "duel/{game}/{person}/{name...}"}, Route{Kind: Component, Pattern: "match/{match}"})
	must(t, err)
	s := &Server{config: Config{Router: router}}
	for path, want := range map[string]string{
		"duel/trails/739100/Zörbl/Qwyx": "duel/trails/…/…", "match/7": "match/7", "duel/739100": "duel", "other/739100/Zörbl": "other",
	} {
		if got := s.loggedPath(&Request{Kind: Component, Path: path}); got != want {
			t.Errorf("%s is logged as %s, want %s", path, got, want)
		}
	}
}

// An interaction that came by HTTP is deferred in the response to that request.
// Discord may not know its webhook for a few seconds more.
func TestDeferredByHTTP(t *testing.T) {
	unknown := discordtest.Refusal(404, discord.CodeUnknownWebhook)
	for _, c := range []struct {
		kind     Kind
		response string
		plan     []discordtest.Answer
		want     string
	}{
		{Command, `{"type":5,"data":{"flags":64}}`, nil, "PATCH original"},
		{Command, `{"type":5,"data":{"flags":64}}`, []discordtest.Answer{unknown, unknown}, "PATCH original, PATCH original, PATCH original"},
		{Component, `{"type":6}`, []discordtest.Answer{unknown}, "POST webhook, POST webhook"},
	} {
		synctest.Test(t, func(t *testing.T) {
			confirmed := 0
			k := newKit(t, slowly(2*deferAfter, PrivateText("Hello").Then(func(context.Context) { confirmed++ }), nil))
			k.Plan(c.plan...)
			i, responses := k.of(c.kind), []string{}
			k.Serve(discord.WithHTTPResponse(t.Context(), i.ID, func(_ string, body []byte) error {
				responses = append(responses, string(body))
				return nil
			}), i)
			if got := discordtest.Summary(k.Take()); got != c.want || len(responses) != 1 || responses[0] != c.response || confirmed != 1 {
				t.Errorf("%s: %q, %s, confirmed %d times", c.kind, responses, got, confirmed)
			}
		})
	}
}

// A response that changes what everybody sees goes to the callback route, where
// Discord confirms it.
func TestConfirmedByHTTP(t *testing.T) {
	for _, c := range []struct {
		plan      []discordtest.Answer
		confirmed bool
		want      string
	}{
		{nil, true, "callback 7"},
		{[]discordtest.Answer{discordtest.Disconnect, discordtest.AlreadyAcknowledged}, true, "callback 7, callback 7"},
		{[]discordtest.Answer{discordtest.UnknownInteraction}, false, "callback 7"},
	} {
		confirmed, responses := false, []string{}
		k := newKit(t, respond(UpdateText("Hello").Then(func(context.Context) { confirmed = true }), nil))
		k.Plan(c.plan...)
		i := k.of(Component)
		k.Serve(discord.WithHTTPResponse(t.Context(), i.ID, func(_ string, body []byte) error {
			responses = append(responses, string(body))
			return nil
		}), i)
		if got := discordtest.Summary(k.Take()); got != c.want || confirmed != c.confirmed || len(responses) != 1 || responses[0] != "" {
			t.Errorf("%s, confirmed %v, responses %q", got, confirmed, responses)
		}
	}
}

// If Discord does not wait for the response, the action still counts, and nothing
// is sent.
func TestGivenUpByHTTP(t *testing.T) {
	for _, delay := range []time.Duration{0, 2 * deferAfter} {
		synctest.Test(t, func(t *testing.T) {
			done := 0
			k := newKit(t, slowly(delay, PrivateText("Hello").Finally(func() { done++ }), nil))
			i := k.of(Command)
			k.Serve(discord.WithHTTPResponse(t.Context(), i.ID, func(string, []byte) error {
				return &discord.Error{Status: 404, Code: discord.CodeUnknownInteraction}
			}), i)
			if got := k.Take(); len(got) != 0 || done != 1 || k.served[0].Outcome != Lost {
				t.Errorf("sent %v, done %d times, %+v", got, done, k.served)
			}
		})
	}
}
