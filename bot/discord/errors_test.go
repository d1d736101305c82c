package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
)

// The shape of Discord's form errors:
// https://docs.discord.com/developers/reference#error-messages
func TestFieldErrors(t *testing.T) {
	d := newDiscord(t, answer(400, `{
		"code": 50035,
		"message": "Invalid Form Body",
		"errors": {
			"components": {
				"10": {"content": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}]}},
				"2": {"components": {"0": {
					"custom_id": {"_errors": [
						{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."},
						{"code": "COMPONENT_CUSTOM_ID_DUPLICATED", "message": "Duplicated"}]},
					"_errors": [{"code": "X", "message": "whole"}]}}}
			},
			"_errors": [{"code": "TOP", "message": "top"}],
			"attachments": {"_errors": "not a list"},
			"nonce": 7
		}}`))
	err := d.client.EditMessage(t.Context(), "5", "6", hello)
	var e *discord.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v", err, err)
	}
	if e.Status != 400 || e.Code != discord.CodeInvalidFormBody || e.Message != "Invalid Form Body" {
		t.Errorf("%+v", e)
	}
	want := []string{
		": top (TOP)",
		"components.2.components.0: whole (X)",
		"components.2.components.0.custom_id: Must be between 1 and 100 in length. (BASE_TYPE_BAD_LENGTH)",
		"components.2.components.0.custom_id: Duplicated (COMPONENT_CUSTOM_ID_DUPLICATED)",
		"components.10.content: This field is required (BASE_TYPE_REQUIRED)",
	}
	if !slices.Equal(e.FieldErrors, want) {
		t.Errorf("field errors\n%s, want\n%s", strings.Join(e.FieldErrors, "\n"), strings.Join(want, "\n"))
	}
	for _, part := range append(want, "PATCH /channels/…/messages/6", "50035") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in %q", part, err)
		}
	}
	if discord.OutcomeUnknown(err) {
		t.Error("the outcome of a refusal is known")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name         string
		answer       reply
		status, code int // 0 if Discord did not answer
		unknown      bool
		tries        int
	}{
		{name: "unknown message", answer: answer(404, `{"code":10008,"message":"Unknown Message"}`), status: 404, code: discord.CodeUnknownMessage, tries: 1},
		{name: "already answered", answer: answer(400, `{"code":40060,"message":"Interaction has already been acknowledged."}`), status: 400, code: discord.CodeAlreadyAcknowledged, tries: 1},
		{name: "unauthorized", answer: answer(401, `{"code":0,"message":"401: Unauthorized"}`), status: 401, tries: 1},
		{name: "no JSON", answer: answer(403, `<html>forbidden</html>`), status: 403, tries: 1},
		{name: "no body", answer: answer(403, ``), status: 403, tries: 1},
		{name: "null", answer: answer(403, `null`), status: 403, tries: 1},
		{name: "odd code", answer: answer(400, `{"code":"x","message":[]}`), status: 400, tries: 1},
		{name: "server error", answer: answer(500, `{"code":0,"message":"500: Internal Server Error"}`), status: 500, unknown: true, tries: 1},
		{name: "bad gateway", answer: answer(502, `<html>`), status: 502, unknown: true, tries: 1},
		{name: "long page", answer: answer(502, strings.Repeat("<p>bad gateway</p>", 10000)), status: 502, unknown: true, tries: 1},
		{name: "unavailable", answer: answer(503, ``), status: 503, unknown: true, tries: 1},
		{name: "gateway timeout", answer: answer(504, ``), status: 504, unknown: true, tries: 1},
		{name: "unknown status", answer: answer(520, `<html>`), status: 520, unknown: true, tries: 1},
		{name: "no answer", answer: hangUp, unknown: true, tries: 1},
		{name: "limited for ever", answer: answer(429, `{"message":"You are being rate limited.","retry_after":0,"global":false}`), status: 429, tries: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDiscord(t, c.answer)
			err := d.client.CreateFollowup(t.Context(), interaction, hello)
			if err == nil || len(err.Error()) > 500 {
				t.Fatalf("%v", err)
			}
			if discord.OutcomeUnknown(err) != c.unknown {
				t.Errorf("OutcomeUnknown is %v: %v", !c.unknown, err)
			}
			var e *discord.Error
			if errors.As(err, &e) != (c.status != 0) {
				t.Fatalf("%T %v", err, err)
			}
			if c.status != 0 && (e.Status != c.status || e.Code != c.code) {
				t.Errorf("%+v", e)
			}
			if discord.HasCode(err, c.code) != (c.status != 0) {
				t.Errorf("HasCode(%d) is %v", c.code, c.status == 0)
			}
			// A POST is only sent again if Discord says that it was not
			// carried out. Go's client does not repeat it either.
			if d.count() != c.tries {
				t.Errorf("sent %d times, want %d", d.count(), c.tries)
			}
		})
	}
}

func TestRetryAfterRateLimit(t *testing.T) {
	d := newDiscord(t, answer(429, `{"message":"slow down","retry_after":0.001}`), answer(200, `{"id":"3"}`))
	posted, err := d.client.CreateMessage(t.Context(), "5", "n", hello)
	if err != nil || posted.ID != "3" || d.count() != 2 {
		t.Fatalf("%+v, %v after %d requests", posted, err, d.count())
	}
	if string(d.got[0].body) != string(d.got[1].body) || d.got[0].uri != d.got[1].uri {
		t.Errorf("the second request differs: %s %s", d.got[1].uri, d.got[1].body)
	}
}

func TestRetryWithinDeadline(t *testing.T) {
	for _, c := range []struct {
		retryAfter string
		sent       string
	}{
		{"4.5", "0s 4.5s"},
		{"9.999", "0s 9.999s"},
		{"10", "0s"},
		{"3600", "0s"},
	} {
		t.Run(c.retryAfter, func(t *testing.T) {
			bubble(t, limitedOnce(c.retryAfter), func(t *testing.T, s *server, client *discord.Client) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				err := client.DeferReply(ctx, interaction)
				if got := s.times(); got != c.sent || c.sent == "0s" && time.Since(s.began) != 0 {
					t.Errorf("sent at %s and returned after %v, want %s", got, time.Since(s.began), c.sent)
				}
				var e *discord.Error
				if retried := c.sent != "0s"; retried && err != nil || !retried && !errors.As(err, &e) {
					t.Fatal(err)
				}
				if e != nil && (e.Status != 429 || e.RetryAfter == 0 || discord.OutcomeUnknown(err)) {
					t.Errorf("%+v", e)
				}
			})
		})
	}
}

func TestRetryCancelled(t *testing.T) {
	bubble(t, limitedOnce("3600"), func(t *testing.T, s *server, client *discord.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := client.DeferReply(ctx, interaction); err == nil || time.Since(s.began) != time.Second || s.times() != "0s" {
			t.Errorf("%v after %v, sent at %s", err, time.Since(s.began), s.times())
		}
	})
}

// limitedOnce answers 429, then 204.
func limitedOnce(retryAfter string) func(int, *http.Request) reply {
	return replies(answer(429, `{"message":"slow down","retry_after":`+retryAfter+`}`), answer(204, ""))
}

// An interaction's token allows answers in the bot's name for fifteen minutes,
// and errors are logged.
func TestErrorsHideTokens(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, a := range map[string]reply{
		"refused":      answer(404, `{"code":10062,"message":"Unknown interaction"}`),
		"no JSON":      answer(403, `<html>`),
		"server error": answer(502, `bad gateway`),
		"limited":      answer(429, `{"message":"m","retry_after":0}`),
		"odd limit":    answer(429, `<html>`),
		"odd answer":   answer(200, `<html>`),
		"hung up":      hangUp,
		"not there":    {},
		"unauthorized": answer(401, `{"code":0,"message":"401: Unauthorized"}`),
		"redirect":     {status: http.StatusTemporaryRedirect, header: map[string]string{"Location": "/" + interactionToken}},
		"cancelled":    answer(204, ""),
	} {
		client := newDiscord(t, a).client
		if name == "not there" {
			client = newClient(t, "http://127.0.0.1:1", nil)
		}
		for _, c := range calls {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				ctx := t.Context()
				if name == "cancelled" {
					ctx = cancelled
				}
				err := c.do(ctx, client, hello)
				if name != "odd answer" && err == nil {
					t.Fatal("no error")
				}
				if name == "cancelled" && !errors.Is(err, context.Canceled) {
					t.Errorf("%v does not say that it was cancelled", err)
				}
				for e := err; e != nil; e = errors.Unwrap(e) {
					for _, text := range []string{e.Error(), fmt.Sprintf("%v %+v", e, e)} {
						if strings.Contains(text, interactionToken) || strings.Contains(text, botToken) {
							t.Fatalf("%T: %s", e, text)
						}
					}
				}
			})
		}
	}
}
