package bot

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
)

// begin carries an interaction out in the background; done is closed when it
// has been.
func (r *rig) begin(i *discordgo.Interaction) (done chan struct{}) {
	done = make(chan struct{})
	go func() { defer close(done); r.bot.serve(context.Background(), i) }()
	return done
}

// expect waits for the next request.
func (r *rig) expect(want string) sent {
	r.t.Helper()
	s := <-r.seen
	if got := inShort([]sent{s}); got != want {
		r.t.Fatalf("%s, want %s", got, want)
	}
	return s
}

func TestAnswerInTimeIsTheFirstAnswer(t *testing.T) {
	for _, c := range []struct {
		name     string
		response Response
		kind     kind
		want     string
	}{
		{"a command", PrivateText("Hello"), onCommand, "callback 4"},
		{"a click, privately", PrivateText("Hello"), onClick, "callback 4"},
		{"a click, on its message", Update(textMessage("Hello")), onClick, "callback 7"},
		{"suggestions", Suggest([]discord.Choice{{Name: "up", Value: "up"}}), onSuggest, "callback 8"},
		{"no suggestions", Suggest(nil), onSuggest, "callback 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			confirmed := 0
			r.route(c.kind, "test/{x}", func(_ context.Context, q *Request) (Response, error) {
				if q.values["x"] != "y" {
					t.Errorf("values %v", q.values)
				}
				return c.response.Then(func(context.Context) { confirmed++ }), nil
			})
			got := r.serve(r.of(c.kind))
			if inShort(got) != c.want || confirmed != 1 {
				t.Errorf("%s, confirmed %d times", inShort(got), confirmed)
			}
			if c.want == "callback 4" != got[0].private() {
				t.Errorf("private: %v", got[0].private())
			}
			if log := r.book.take(); log != "" {
				t.Errorf("log %s", log)
			}
		})
	}
}

// of is an interaction of a kind on the path test/y.
func (r *rig) of(k kind) *discordgo.Interaction {
	switch k {
	case onClick:
		return r.click(anna, "8000", "test/y")
	case onSuggest:
		return r.suggest(anna, "test", "y", "")
	}
	i := r.interaction(anna, discordgo.InteractionApplicationCommand)
	i.Data = discordgo.ApplicationCommandInteractionData{Name: "test", Options: []*discordgo.ApplicationCommandInteractionDataOption{
		{Name: "y", Type: discordgo.ApplicationCommandOptionSubCommand},
	}}
	return i
}

// An answer that is not ready when the timer fires is put off; what follows
// takes the place of the thinking, or of the clicked message, or is private.
func TestSlowAnswerIsPutOff(t *testing.T) {
	for _, c := range []struct {
		name     string
		kind     kind
		response Response
		deferred string
		then     string
	}{
		{"a command", onCommand, PrivateText("Hello"), "callback 5", "PATCH original"},
		{"a click, privately", onClick, PrivateText("Hello"), "callback 6", "POST webhook"},
		{"a click, on its message", onClick, Update(textMessage("Hello")), "callback 6", "PATCH original"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			free, confirmed := make(chan struct{}), 0
			r.route(c.kind, "test/{x}", func(context.Context, *Request) (Response, error) {
				<-free
				return c.response.Then(func(context.Context) { confirmed++ }), nil
			})
			done := r.begin(r.of(c.kind))
			r.late <- time.Time{}
			if s := r.expect(c.deferred); c.kind == onCommand && !s.private() {
				t.Errorf("the thinking is public: %s", s.body)
			}
			close(free)
			s := r.expect(c.then)
			<-done
			if s.text() != "Hello" || confirmed != 1 || s.private() != (c.then == "POST webhook") {
				t.Errorf("%s, confirmed %d times", s.body, confirmed)
			}
			if len(r.seen) != 0 {
				t.Errorf("more was sent: %v", <-r.seen)
			}
		})
	}
}

// Whatever becomes of putting off, the person gets one answer.
func TestPuttingOffThatMayHaveFailed(t *testing.T) {
	for _, c := range []struct {
		name string
		plan []answer
		want string
		logs int
	}{
		{"works", []answer{noContent}, "callback 5, PATCH original", 0},
		{"had worked", []answer{hangsUp, answeredTwo}, "callback 5, callback 5, PATCH original", 0},
		{"works the second time", []answer{badGateway, noContent}, "callback 5, callback 5, PATCH original", 0},
		{"was answered by another delivery", []answer{answeredTwo}, "callback 5, PATCH original", 0},
		{"unclear, it had not", []answer{hangsUp, hangsUp}, "callback 5, callback 5, callback 4", 1},
		{"unclear, it had", []answer{hangsUp, badGateway, answeredTwo}, "callback 5, callback 5, callback 4, PATCH original", 1},
		{"too late", []answer{deadOne, deadOne}, "callback 5, callback 4", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			free := make(chan struct{})
			r.route(onCommand, "test/{x}", func(context.Context, *Request) (Response, error) {
				<-free
				return PrivateText("Hello"), nil
			})
			r.answers(c.plan...)
			done := r.begin(r.of(onCommand))
			r.late <- time.Time{}
			<-r.seen
			close(free)
			<-done
			if got := inShort(r.got); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			log := r.book.take()
			if got := strings.Count(log, "WARN"); got != c.logs || strings.Contains(log, "ERROR") {
				t.Errorf("log %s", log)
			}
		})
	}
}

// An answer that may or may not have arrived is sent once more; that it is
// there already is success.
func TestUnclearAnswerIsSentTwice(t *testing.T) {
	for _, c := range []struct {
		name      string
		plan      []answer
		sent      int
		confirmed bool
	}{
		{"arrived", []answer{noContent}, 1, true},
		{"lost, then arrived", []answer{hangsUp, noContent}, 2, true},
		{"arrived, its confirmation lost", []answer{hangsUp, answeredTwo}, 2, true},
		{"arrived through a bad gateway", []answer{badGateway, answeredTwo}, 2, true},
		{"answered by another delivery, with what it knew", []answer{answeredTwo}, 1, false},
		{"lost twice", []answer{hangsUp, badGateway}, 2, false},
		{"too late", []answer{deadOne}, 1, false},
		{"its webhook is gone", []answer{refusedWith(404, discord.CodeUnknownWebhook)}, 1, false},
		{"its token is dead", []answer{refusedWith(401, discord.CodeInvalidWebhookToken)}, 1, false},
		{"refused", []answer{{400, `{"code":50035,"message":"Invalid Form Body","errors":{"data":{"components":{"_errors":[{"code":"X","message":"bad"}]}}}}`}}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, k := range []kind{onCommand, onClick, onSuggest} {
				r := newRig(t)
				confirmed := false
				r.route(k, "test/{x}", func(context.Context, *Request) (Response, error) {
					response := PrivateText("Hello")
					if k == onSuggest {
						response = Suggest(nil)
					}
					return response.Then(func(context.Context) { confirmed = true }), nil
				})
				r.answers(c.plan...)
				got := r.serve(r.of(k))
				if len(got) != c.sent || confirmed != c.confirmed {
					t.Errorf("%s: sent %s, confirmed %v", k, inShort(got), confirmed)
				}
				for _, s := range got[1:] {
					if s != got[0] {
						t.Errorf("%s: the second is another: %v", k, s)
					}
				}
				log := r.book.take()
				arrived := c.confirmed || strings.Contains(log, "INFO answered by another delivery")
				if strings.Contains(log, "WARN the answer did not arrive") == arrived {
					t.Errorf("%s: log %s", k, log)
				}
				if c.name == "refused" && !strings.Contains(log, "data.components: bad (X)") {
					t.Errorf("the log does not say where: %s", log)
				}
			}
		})
	}
}

func TestPanicInAHandlerIsExcused(t *testing.T) {
	for _, k := range []kind{onCommand, onClick} {
		for name, late := range map[string]bool{"in time": false, "late": true} {
			t.Run(string(k)+" "+name, func(t *testing.T) {
				r := newRig(t)
				free := make(chan struct{})
				r.route(k, "test/{x}", func(context.Context, *Request) (Response, error) {
					<-free
					var nothing *Request
					return PrivateText(nothing.path), nil
				})
				i := r.of(k)
				done := r.begin(i)
				if late {
					r.late <- time.Time{}
					<-r.seen
				}
				close(free)
				<-done
				excuse := r.got[len(r.got)-1]
				code := codeOf(i.ID)
				if !strings.Contains(excuse.text(), "`"+code+"`") {
					t.Errorf("%s has no code %s", excuse.text(), code)
				}
				log := r.book.take()
				for _, want := range []string{"ERROR panic in a handler", "code=" + code, "nil pointer", "serve_test.go", "path=test/y", "person=11"} {
					if !strings.Contains(log, want) {
						t.Errorf("the log lacks %q: %s", want, log)
					}
				}
			})
		}
	}
}

// A question for suggestions takes nothing but suggestions.
func TestSuggestionsAreNeverPutOffAndNeverAMessage(t *testing.T) {
	for name, h := range map[string]handler{
		"panic":   func(context.Context, *Request) (Response, error) { panic("no") },
		"refusal": func(context.Context, *Request) (Response, error) { return Response{}, errNoneHere },
		"failure": func(context.Context, *Request) (Response, error) { return Response{}, errors.New("disk full") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.route(onSuggest, "test/{x}", h)
			got := r.serve(r.of(onSuggest))
			if inShort(got) != "callback 8" || !strings.Contains(got[0].body, `"choices":[]`) {
				t.Errorf("%s", got[0].body)
			}
			if r.timers != 0 {
				t.Error("a timer was started")
			}
			if log := r.book.take(); strings.Contains(log, "ERROR panic") != (name == "panic") {
				t.Errorf("log %s", log)
			}
		})
	}
	r := newRig(t)
	if got := r.serve(r.suggest(anna, "nothing", "x", "")); inShort(got) != "callback 8" {
		t.Errorf("of no command of ours: %s", inShort(got))
	}
}

func TestErrorsBecomeSentencesOrACode(t *testing.T) {
	r := newRig(t)
	r.route(onCommand, "test/{x}", func(context.Context, *Request) (Response, error) { return Response{}, errNoneHere })
	got := r.serve(r.of(onCommand))
	if inShort(got) != "callback 4" || !got[0].private() || !strings.Contains(got[0].text(), "/challenge") {
		t.Errorf("%s", got[0].body)
	}
	if log := r.book.take(); !strings.Contains(log, "DEBUG refused") {
		t.Errorf("log %s", log)
	}
	r.route(onCommand, "test/{x}", func(context.Context, *Request) (Response, error) {
		return PrivateText("half done"), errors.New("disk full")
	})
	i := r.of(onCommand)
	got = r.serve(i)
	if text := got[0].text(); !strings.Contains(text, codeOf(i.ID)) || strings.Contains(text, "disk") || strings.Contains(text, "half") {
		t.Errorf("%s", text)
	}
	if log := r.book.take(); !strings.Contains(log, "ERROR failed") || !strings.Contains(log, "disk full") || !strings.Contains(log, codeOf(i.ID)) {
		t.Errorf("log %s", log)
	}
}

// A handler that takes too long is stopped, and that is still said.
func TestDeadlines(t *testing.T) {
	for _, c := range []struct {
		kind  kind
		want  string
		after time.Duration
	}{
		{onCommand, "callback 5, PATCH original", workWithin},
		{onClick, "callback 6, POST webhook", workWithin},
		{onSuggest, "callback 8", suggestWithin},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			r := newRigWith(t, false)
			r.route(c.kind, "test/{x}", func(ctx context.Context, _ *Request) (Response, error) {
				<-ctx.Done()
				return Response{}, ctx.Err()
			})
			synctest.Test(t, func(t *testing.T) {
				r.seen = make(chan sent, 10)
				began := time.Now()
				got := r.serve(r.of(c.kind))
				if len(got) == 0 {
					t.Fatal("nothing was said")
				}
				if inShort(got) != c.want || time.Since(began) != c.after {
					t.Errorf("%s after %v, want %s after %v", inShort(got), time.Since(began), c.want, c.after)
				}
				if last := got[len(got)-1]; c.kind != onSuggest && !strings.Contains(last.text(), "took too long") {
					t.Errorf("%s", last.body)
				}
			})
		})
	}
	if deferAfter >= 3*time.Second || suggestWithin >= 3*time.Second {
		t.Error("Discord waits three seconds")
	}
}

func TestInteractionsThatAreNotAnswered(t *testing.T) {
	r := newRig(t)
	nobody := r.click(anna, "8000", "match/1/1/act/up")
	nobody.Member = nil
	half := r.click(anna, "8000", "match/1/1/act/up")
	half.Member = &discordgo.Member{}
	modal := r.interaction(anna, discordgo.InteractionModalSubmit)
	modal.Data = discordgo.ModalSubmitInteractionData{CustomID: "x"}
	ping := r.interaction(anna, discordgo.InteractionPing)
	broken := r.command(anna, "move")
	broken.Data = discordgo.ApplicationCommandInteractionData{Name: "move", Resolved: &discordgo.ApplicationCommandInteractionDataResolved{
		Users: map[string]*discordgo.User{"22": nil},
	}}
	for name, i := range map[string]*discordgo.Interaction{"nobody": nobody, "nobody of the server": half, "modal": modal, "ping": ping, "broken": broken} {
		if got := r.serve(i); len(got) != 0 {
			t.Errorf("%s: %s", name, inShort(got))
		}
		if log := r.book.take(); !strings.Contains(log, codeOf(i.ID)) {
			t.Errorf("%s: log %s", name, log)
		}
	}
}

func TestCodeOf(t *testing.T) {
	shape := regexp.MustCompile(`^[A-HJ-NP-Z2-9]{6}$`) // without I, O, 0 and 1
	seen := map[string]string{}
	for _, id := range []string{"", "1", "2", "7001", "1245678901234567890", "1245678901234567891", strings.Repeat("x", 1000), "\xff"} {
		code := codeOf(id)
		if !shape.MatchString(code) || code != codeOf(id) {
			t.Errorf("%q: %q", id, code)
		}
		if other, twice := seen[code]; twice {
			t.Errorf("%q and %q are both %s", id, other, code)
		}
		seen[code] = id
	}
	// Logs are read later, by other versions.
	if got := codeOf("1245678901234567890"); got != "EXDBAK" {
		t.Errorf("code %s", got)
	}
}
