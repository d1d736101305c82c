package discord_test

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"testing"
	"time"

	"castellan/bot/discord"
)

func TestGateway(t *testing.T) {
	d := newDiscord(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"url":"wss://gateway.example","shards":2,
			"session_start_limit":{"total":1000,"remaining":7,"reset_after":14400000,"max_concurrency":1}}`))
	}, func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{}`))
	}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte(`{"message":"401: Unauthorized","code":0}`))
	})
	got, err := d.client.GetGateway(t.Context())
	want := discord.GatewayInfo{URL: "wss://gateway.example", Shards: 2, SessionStartLimit: discord.SessionStartLimit{Total: 1000, Remaining: 7, ResetAfter: 4 * time.Hour, MaxConcurrency: 1}}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if r := d.got[0]; r.method != "GET" || r.uri != "/api/v10/gateway/bot" || len(r.body) != 0 {
		t.Errorf("it asked %s %s %q", r.method, r.uri, r.body)
	}
	if _, err := d.client.GetGateway(t.Context()); err == nil {
		t.Error("an answer without an address is taken")
	}
	var refused *discord.Error
	if _, err := d.client.GetGateway(t.Context()); !errors.As(err, &refused) || refused.Status != 401 {
		t.Errorf("a refused token: %v", err)
	}
}

// discordgo's limiter keeps a bucket for every path for ever, about half a
// kilobyte for every interaction token.
func TestNoBucketIsKeptForAnInteraction(t *testing.T) {
	d := newDiscord(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for n := range 200 {
		i := discord.Interaction{ID: strconv.Itoa(n), ApplicationID: "9", Token: "token" + strconv.Itoa(n)}
		for _, err := range []error{
			d.client.Reply(t.Context(), i, hello), d.client.UpdateMessage(t.Context(), i, hello),
			d.client.DeferReply(t.Context(), i), d.client.DeferUpdate(t.Context(), i), d.client.Autocomplete(t.Context(), i, nil),
			d.client.EditOriginalResponse(t.Context(), i, hello), d.client.CreateFollowup(t.Context(), i, hello),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := reflect.ValueOf(d.session.Ratelimiter).Elem().FieldByName("buckets").Len(); n != 0 {
		t.Errorf("%d buckets are kept after 200 interactions", n)
	}
}
