package discord

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"castellan/storage"
)

func TestEvictIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		ask := func(channel int) *permit {
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
		for n := range 3 * maxIdleBuckets {
			l.release(ask(10+n), http.Header{}, nil)
		}
		if len(l.buckets) > maxIdleBuckets {
			t.Errorf("%d buckets are kept", len(l.buckets))
		}
		for _, channel := range []string{"1", "2"} {
			if l.buckets["POST /channels/{id}/messages "+channel] == nil {
				t.Errorf("the bucket of channel %s, which holds something, was evicted", channel)
			}
		}
		l.release(held, nil, nil)
		time.Sleep(2 * time.Hour) // of the bubble
		l.evictIdle()
	})
}

func TestRouteTemplate(t *testing.T) {
	for _, c := range []struct{ path, route, major string }{
		{"/channels/5/messages", "GET /channels/{id}/messages", "5"},
		{"/channels/5/messages?limit=100", "GET /channels/{id}/messages", "5"},
		{"/channels/5/messages/6", "GET /channels/{id}/messages/{id}", "5"},
		{"/guilds/5/members/6", "GET /guilds/{id}/members/{id}", "5"},
		{"/applications/9/commands", "GET /applications/{id}/commands", ""},
		{"/users/@me", "GET /users/@me", ""},
		{"/interactions/5/secret/callback", "GET /interactions/{id}/{token}/callback", ""},
		{"/webhooks/5/secret/messages/@original", "GET /webhooks/{id}/{token}/messages/@original", ""},
	} {
		if route, major := routeTemplate("GET", c.path), majorParameter(c.path); route != c.route || major != c.major {
			t.Errorf("%s is %q of %q, want %q of %q", c.path, route, major, c.route, c.major)
		}
	}
}

// Requests at a time leave their connections for the next ones.
func TestConnectionsAreKept(t *testing.T) {
	if n := newTransport().MaxIdleConnsPerHost; n < DefaultGlobalLimit {
		t.Errorf("%d connections are kept", n)
	}
}

// everything gives a process all slots.
type everything struct{ storage.Peers }

func (everything) ShareRequests(_ context.Context, u storage.RequestUse) (storage.RequestShare, error) {
	return storage.RequestShare{Slots: u.Limit, For: 2 * u.Window, Processes: 1}, nil
}

// BenchmarkLimiter measures what the limits cost a request, without and with other
// processes.
func BenchmarkLimiter(b *testing.B) {
	for name, sharing := range map[string]storage.Peers{"alone": nil, "shared": everything{}} {
		b.Run(name, func(b *testing.B) {
			c := NewClient("", nil, nil)
			c.SetGlobalLimit(1 << 20) // more than are sent
			if sharing != nil {
				c.Share(sharing)
			}
			for b.Loop() {
				p, err := c.limits.acquire(b.Context(), "POST", "/channels/1/messages")
				if err != nil {
					b.Fatal(err)
				}
				c.limits.release(p, nil, nil)
			}
		})
	}
}
