package discord

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A bot of many channels does not keep a bucket for each for ever.
func TestBucketsThatHoldNothingAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		ask := func(channel int) *ticket {
			t.Helper()
			k, err := l.acquire(t.Context(), http.MethodPost, fmt.Sprintf("/channels/%d/messages", channel))
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		held := ask(1)
		full := http.Header{}
		full.Set("X-RateLimit-Limit", "1")
		full.Set("X-RateLimit-Remaining", "0")
		full.Set("X-RateLimit-Reset-After", "3600")
		l.release(ask(2), full, nil)
		for n := range 3 * manyBuckets {
			l.release(ask(10+n), http.Header{}, nil)
		}
		if len(l.buckets) > manyBuckets {
			t.Errorf("%d buckets are kept", len(l.buckets))
		}
		for _, channel := range []string{"1", "2"} {
			if l.buckets["POST /channels/{}/messages "+channel] == nil {
				t.Errorf("the bucket of channel %s, which holds something, was dropped", channel)
			}
		}
		l.release(held, nil, nil)
		time.Sleep(2 * time.Hour) // of the bubble
		l.tidy()
	})
}

func TestLimitedBy(t *testing.T) {
	for _, c := range []struct{ path, route, resource string }{
		{"/channels/5/messages", "GET /channels/{}/messages", "5"},
		{"/channels/5/messages?limit=100", "GET /channels/{}/messages", "5"},
		{"/channels/5/messages/6", "GET /channels/{}/messages/{}", "5"},
		{"/guilds/5/members/6", "GET /guilds/{}/members/{}", "5"},
		{"/applications/9/commands", "GET /applications/{}/commands", ""},
		{"/users/@me", "GET /users/@me", ""},
	} {
		route, resource := limitedBy("GET", c.path)
		if route != c.route || resource != c.resource {
			t.Errorf("%s is %q of %q, want %q of %q", c.path, route, resource, c.route, c.resource)
		}
	}
}
