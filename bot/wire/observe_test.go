package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"castellan/bot/wire"
)

// Every request is told with its answer, those that are sent again one by one,
// and without identifiers and tokens.
func TestRequestsAreObserved(t *testing.T) {
	answers := []struct {
		status int
		body   string
	}{
		{200, `{"id":"7"}`},
		{429, `{"message":"slow","retry_after":0.001,"global":false}`},
		{429, `{"message":"slow","retry_after":0.001,"global":true}`},
		{200, `{"id":"7"}`},
		{429, `{"message":"too many","retry_after":3600,"global":false,"code":30046}`},
		{204, ``},
		{200, ``},
		{404, `{"message":"Unknown","code":10008}`},
		{429, `{"message":"slow","retry_after":7200,"global":true}`},
		// Nothing more arrives.
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(answers) == 0 {
			t.Errorf("%s %s arrived", r.Method, r.URL.Path)
			return
		}
		w.WriteHeader(answers[0].status)
		if body := answers[0].body; body != "" {
			_, _ = w.Write([]byte(body))
		}
		answers = answers[1:]
	}))
	defer server.Close()
	var seen []wire.Sent
	client := wire.NewClient(newSession(t, server.URL, nil), func(s wire.Sent) { seen = append(seen, s) })
	i := wire.Interaction{ID: "11", Application: "12", Token: "aW50ZXJhY3Rpb24"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, _ = client.Post(ctx, "21", "", wire.Message{})
	_, _ = client.Post(ctx, "21", "", wire.Message{})
	_ = client.Edit(ctx, "21", "22", wire.Message{})
	_ = client.Defer(ctx, i)
	_ = client.EditOriginal(ctx, i, wire.Message{})
	_ = client.FollowUp(ctx, i, wire.Message{})
	_ = client.Register(ctx, "12", "31", nil)
	_, _ = client.Post(ctx, "23", "", wire.Message{}) // the whole bot has to wait

	const post = "POST /channels/{id}/messages"
	want := []wire.Sent{
		{Route: post, Status: 200},
		{Route: post, Status: 429, Limit: wire.LimitRoute},
		{Route: post, Status: 429, Limit: wire.LimitGlobal},
		{Route: post, Status: 200},
		{Route: "PATCH /channels/{id}/messages/{id}", Status: 429, Limit: wire.LimitOldEdits},
		{Route: "POST /interactions/{id}/{token}/callback", Status: 204},
		{Route: "PATCH /webhooks/{id}/{token}/messages/@original", Status: 200},
		{Route: "POST /webhooks/{id}/{token}", Status: 404},
		{Route: "PUT /applications/{id}/guilds/{id}/commands", Status: 429, Limit: wire.LimitGlobal},
		{Route: post, Limit: wire.LimitHeld},
	}
	for i := range seen {
		if sent := seen[i].Status != 0; (seen[i].Took > 0) != sent {
			t.Errorf("%+v took %v", seen[i], seen[i].Took)
		}
		seen[i].Took = 0
	}
	if !slices.Equal(seen, want) {
		t.Errorf("seen\n%+v, want\n%+v", seen, want)
	}

	// No answer at all.
	seen = nil
	server.Close()
	_ = client.Defer(ctx, i)
	if len(seen) != 1 || seen[0].Status != 0 || seen[0].Limit != "" {
		t.Errorf("seen %+v", seen)
	}
}
