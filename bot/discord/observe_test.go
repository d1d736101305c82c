package discord_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"castellan/bot/discord"
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
	var seen []discord.RequestResult
	client := discord.NewClient(newSession(t, server.URL, nil), func(s discord.RequestResult) { seen = append(seen, s) })
	i := discord.Interaction{ID: "11", ApplicationID: "12", Token: "aW50ZXJhY3Rpb24"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, _ = client.CreateMessage(ctx, "21", "", discord.Message{})
	_, _ = client.CreateMessage(ctx, "21", "", discord.Message{})
	_ = client.EditMessage(ctx, "21", "22", discord.Message{})
	_ = client.DeferReply(ctx, i)
	_ = client.EditOriginalResponse(ctx, i, discord.Message{})
	_ = client.CreateFollowup(ctx, i, discord.Message{})
	_ = client.BulkOverwriteCommands(ctx, "12", "31", nil)
	_, _ = client.CreateMessage(ctx, "23", "", discord.Message{}) // the whole bot has to wait

	const post = "POST /channels/{id}/messages"
	want := []discord.RequestResult{
		{Route: post, Status: 200},
		{Route: post, Status: 429, RateLimit: discord.RateLimitRoute},
		{Route: post, Status: 429, RateLimit: discord.RateLimitGlobal},
		{Route: post, Status: 200},
		{Route: "PATCH /channels/{id}/messages/{id}", Status: 429, RateLimit: discord.RateLimitOldEdits},
		{Route: "POST /interactions/{id}/{token}/callback", Status: 204},
		{Route: "PATCH /webhooks/{id}/{token}/messages/@original", Status: 200},
		{Route: "POST /webhooks/{id}/{token}", Status: 404},
		{Route: "PUT /applications/{id}/guilds/{id}/commands", Status: 429, RateLimit: discord.RateLimitGlobal},
		{Route: post, RateLimit: discord.RateLimitHeld},
	}
	for i := range seen {
		if sent := seen[i].Status != 0; (seen[i].Duration > 0) != sent {
			t.Errorf("%+v took %v", seen[i], seen[i].Duration)
		}
		seen[i].Duration = 0
	}
	if !slices.Equal(seen, want) {
		t.Errorf("seen\n%+v, want\n%+v", seen, want)
	}

	// No answer at all.
	seen = nil
	server.Close()
	_ = client.DeferReply(ctx, i)
	if len(seen) != 1 || seen[0].Status != 0 || seen[0].RateLimit != "" {
		t.Errorf("seen %+v", seen)
	}
}
