package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// asBot returns a function that sends the bot's requests.
func asBot(box *sandbox.Sandbox) func(method, path, raw string) *httptest.ResponseRecorder {
	return func(method, path, raw string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(method, "/api/v10"+path, strings.NewReader(raw))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bot "+box.Token())
		w := httptest.NewRecorder()
		box.ServeHTTP(w, req)
		return w
	}
}

// FuzzBodies checks that every body is accepted or refused with one of Discord's
// errors.
func FuzzBodies(f *testing.F) {
	for _, s := range []string{
		`{"content":"x"}`, `{"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"x"}]}]}`,
		`{"components":[{"type":1,"components":[{"type":2,"style":1,"label":"a","custom_id":"b"}]}]}`,
		`{"embeds":[{"fields":[{"name":1,"value":null}]}]}`, `{"allowed_mentions":{"parse":["users"]},"content":"<@1>"}`,
		`{"type":4,"data":{"content":"x"}}`, `{"type":1e400}`, `[{"name":"play","description":"x","options":[{"type":1,"name":"a","description":"b"}]}]`,
		`{"name":"t","type":11,"auto_archive_duration":60}`, `[null]`, `{"components":[null,[],{}]}`, `{"attachments":[{"id":-1}]}`, `{"nonce":1.5,"content":"x"}`, `"`, "",
	} {
		f.Add(s)
	}
	box := must(sandbox.New(sandbox.Options{Base: "http://127.0.0.1:1"}))
	targets := []struct{ method, path string }{
		{http.MethodPost, "/channels/" + yard + "/messages"},
		{http.MethodPut, "/applications/" + box.ApplicationID() + "/commands"},
		{http.MethodPost, "/applications/" + box.ApplicationID() + "/guilds/" + keep + "/commands"},
		{http.MethodPost, "/channels/" + hall + "/threads"},
	}
	do := asBot(box)
	f.Fuzz(func(t *testing.T, raw string) {
		for _, target := range targets {
			w := do(target.method, target.path, raw)
			if w.Code != 200 && w.Code != 201 && w.Code != 400 {
				t.Fatalf("%s: %d %s", target.path, w.Code, w.Body)
			}
		}
		// A failed edit leaves the message unchanged.
		messages := box.As(anna).Messages(yard)
		if len(messages) == 0 {
			return
		}
		id := messages[len(messages)-1].ID
		path := "/channels/" + yard + "/messages/" + id
		before := do(http.MethodGet, path, "").Body.String()
		if w := do(http.MethodPatch, path, raw); w.Code != 200 {
			if after := do(http.MethodGet, path, "").Body.String(); after != before {
				t.Fatalf("refused with %s, and yet\n%s\nbecame\n%s", w.Body, before, after)
			}
		}
		check(t, box.Remove(yard, id))
	})
}

// FuzzModals checks that a modal is refused, or can be shown and submitted.
func FuzzModals(f *testing.F) {
	for _, s := range []string{
		`{"custom_id":"m","title":"t","components":[{"type":18,"label":"l","component":{"type":4,"custom_id":"a","style":1}}]}`,
		`{"custom_id":"m","title":"t","components":[{"type":1,"components":[{"type":4,"custom_id":"a","style":2,"label":"l","required":false}]}]}`,
		`{"custom_id":"m","title":"t","components":[{"type":18,"label":"l","component":{"type":5,"custom_id":"a","required":false,"min_values":0}},{"type":10,"content":"x"}]}`,
		`{"custom_id":"m","title":"t","components":[{"type":18},null,{"type":1,"components":[]}]}`, `null`, `[]`,
	} {
		f.Add(s)
	}
	box := must(sandbox.New(sandbox.Options{Base: "http://127.0.0.1:1", AfterFunc: func(time.Duration, func()) func() bool { return func() bool { return true } }}))
	do := asBot(box)
	if w := do(http.MethodPut, "/applications/"+box.ApplicationID()+"/commands", `[{"name":"play","description":"Play"}]`); w.Code != 200 {
		f.Fatal(w.Body)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		i := must(box.As(anna).Command(yard, "play"))
		w := do(http.MethodPost, "/interactions/"+i.ID+"/"+box.InteractionToken(i.ID)+"/callback", `{"type":9,"data":`+raw+`}`)
		m, open := box.Modal(i.ID)
		if w.Code != 204 && w.Code != 400 || open != (w.Code == 204) {
			t.Fatalf("%d %s, open %v", w.Code, w.Body, open)
		}
		if !open {
			return
		}
		must(json.Marshal(m))
		_, err := box.As(anna).Submit(i.ID) // may lack something
		if _, still := box.Modal(i.ID); still == (err == nil) {
			t.Fatalf("sent: %v, still open: %v", err, still)
		}
	})
}

// FuzzPageRequests checks that no request of the page causes a server error.
func FuzzPageRequests(f *testing.F) {
	f.Add("commands", `{"channel_id":"`+yard+`","name":"play","options":[{"name":"a","value":1}]}`)
	f.Add("components", `{"message_id":"1","values":["a"]}`)
	f.Add("messages", `{"channel_id":"`+yard+`","content":"x"}`)
	f.Add("read", `{}`)
	f.Add("", `[`)
	box := must(sandbox.New(sandbox.Options{Base: "http://127.0.0.1:1"}))
	f.Fuzz(func(t *testing.T, deed, raw string) {
		if deed == "autocomplete" || strings.ContainsAny(deed, "/?#% \r\n") || strings.ContainsFunc(deed, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Skip()
		}
		req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/sandbox/users/"+anna+"/"+deed, strings.NewReader(raw))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		box.ServeHTTP(w, req)
		if w.Code >= 500 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	})
}
