package interaction

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
)

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

func TestPanicInAHandler(t *testing.T) {
	k := newKit(t, func(context.Context, *Request) (Response, error) {
		var nothing *Request
		return PrivateText(nothing.Path), nil
	})
	i := k.of(Command)
	code := logCode(i.ID)
	if text := k.serve(i)[0].Text(); !strings.Contains(text, "`"+code+"`") {
		t.Errorf("%s has no code %s", text, code)
	}
	log := k.log.Take()
	for _, want := range []string{"ERROR panic in a handler", "code=" + code, "nil pointer", "server_test.go", "path=test/y"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q: %s", want, log)
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
	// Logs are read later, by other versions. No code has I, O, 0 or 1.
	if one, two := logCode("1245678901234567890"), logCode("1245678901234567891"); one != "EXDBAK" || one == two || strings.ContainsAny(two, "IO01") {
		t.Errorf("codes %s and %s", one, two)
	}
}

// The log names no people, not even those in a path.
func TestLoggedPath(t *testing.T) {
	router, err := NewRouter(Route{Kind: Component, Pattern: "duel/{game}/{person}/{name...}"}, Route{Kind: Component, Pattern: "match/{match}"})
	must(t, err)
	for path, want := range map[string]string{
		"duel/trails/739100/Zörbl/Qwyx": "duel/trails/…/…", "match/7": "match/7", "duel/739100": "duel", "other/739100/Zörbl": "other",
	} {
		r := &Request{Kind: Component, Path: path}
		r.route, r.Values, r.known = router.Find(r.Kind, r.Path)
		if got := r.loggedPath(); got != want {
			t.Errorf("%s is logged as %s, want %s", path, got, want)
		}
	}
}
