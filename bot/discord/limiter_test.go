package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord"
)

// within returns the headers of a bucket with some requests remaining.
func within(bucket string, limit, remaining int, after string) map[string]string {
	return map[string]string{
		"X-RateLimit-Bucket": bucket, "X-RateLimit-Limit": fmt.Sprint(limit),
		"X-RateLimit-Remaining": fmt.Sprint(remaining), "X-RateLimit-Reset-After": after,
	}
}

const posted = `{"id":"1"}`

func post(t *testing.T, c *discord.Client, channel string) {
	t.Helper()
	if _, err := c.CreateMessage(t.Context(), channel, "n", hello); err != nil {
		t.Error(err)
	}
}

// Requests wait until an empty bucket is refilled. Another channel has its own
// bucket.
func TestEmptyBucket(t *testing.T) {
	left := map[string]int{}
	var mu sync.Mutex
	bubble(t, func(_ int, r *http.Request) reply {
		mu.Lock()
		defer mu.Unlock()
		n := left[r.URL.Path]
		if n == 0 {
			n = 2
		}
		left[r.URL.Path] = n - 1
		return reply{status: 200, header: within("abc", 2, n-1, "5.000"), body: posted}
	}, func(t *testing.T, s *server, c *discord.Client) {
		for range 5 {
			post(t, c, "5")
		}
		if got := s.times(); got != "0s 0s 5s 5s 10s" {
			t.Errorf("sent at %s", got)
		}
		post(t, c, "6")
		if got := s.times(); !strings.HasSuffix(got, " 10s") {
			t.Errorf("another channel: %s", got)
		}
	})
}

// Two routes whose answers name the same bucket share it.
func TestSharedBucket(t *testing.T) {
	bubble(t, func(n int, _ *http.Request) reply {
		return reply{status: 200, header: within("shared", 3, max(0, 2-n%3), "7"), body: posted}
	}, func(t *testing.T, s *server, c *discord.Client) {
		post(t, c, "5")
		if err := c.EditMessage(t.Context(), "5", "9", hello); err != nil {
			t.Error(err)
		}
		post(t, c, "5")                                                     // the last one
		if err := c.EditMessage(t.Context(), "5", "9", hello); err != nil { // of the next window
			t.Error(err)
		}
		if got := s.times(); got != "0s 0s 0s 7s" {
			t.Errorf("sent at %s", got)
		}
	})
}

// Many concurrent requests stay within the limit: none is refused.
func TestConcurrentRequests(t *testing.T) {
	const limit, many = 5, 23
	var mu sync.Mutex
	var window time.Time
	count := 0
	bubble(t, func(_ int, _ *http.Request) reply {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(window) >= 4*time.Second {
			window, count = now, 0
		}
		count++
		if count > limit {
			return reply{status: 429, body: `{"message":"You are being rate limited.","retry_after":1}`}
		}
		after := fmt.Sprint((4*time.Second - time.Since(window)).Seconds())
		return reply{status: 200, header: within("b", limit, limit-count, after), body: posted, held: 100 * time.Millisecond}
	}, func(t *testing.T, s *server, c *discord.Client) {
		var all sync.WaitGroup
		for range many {
			all.Go(func() { post(t, c, "5") })
		}
		all.Wait()
		if len(s.got) != many {
			t.Errorf("%d requests for %d posts: some were refused", len(s.got), many)
		}
		if took := time.Since(s.began); took < 16*time.Second || took > 25*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// While nothing is known of a channel, a slow answer delays the next post by no
// more than a second.
func TestSlowAnswer(t *testing.T) {
	bubble(t, replies(reply{status: 200, body: posted, held: 15 * time.Second}, answer(200, posted)), func(t *testing.T, s *server, c *discord.Client) {
		var all sync.WaitGroup
		all.Go(func() { post(t, c, "5") })
		synctest.Wait()
		post(t, c, "5")
		if got := s.times(); got != "0s 1s" {
			t.Errorf("sent at %s", got)
		}
		all.Wait()
	})
}

// A request that a limit does not allow within its deadline fails at once.
func TestLimitBeyondDeadline(t *testing.T) {
	bubble(t, replies(reply{status: 200, header: within("b", 1, 0, "60"), body: posted}), func(t *testing.T, s *server, c *discord.Client) {
		post(t, c, "5")
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		_, err := c.CreateMessage(ctx, "5", "n", hello)
		var e *discord.Error
		if !errors.As(err, &e) || e.RetryAfter != time.Minute || discord.OutcomeUnknown(err) || discord.RetryAfter(err) != time.Minute {
			t.Fatalf("%v", err)
		}
		if got := s.times(); got != "0s" || time.Since(s.began) != 0 {
			t.Errorf("sent at %s, failed after %v", got, time.Since(s.began))
		}
	})
}

// A cancelled request leaves the queue.
func TestQueueCancelled(t *testing.T) {
	bubble(t, replies(reply{status: 200, header: within("b", 1, 0, "60"), body: posted}), func(t *testing.T, s *server, c *discord.Client) {
		post(t, c, "5")
		for range 2 { // the first in the queue, and the next
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := c.CreateMessage(ctx, "5", "n", hello); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
		post(t, c, "5")
		if got := s.times(); got != "0s 1m0s" {
			t.Errorf("sent at %s", got)
		}
	})
}

// A global 429 delays all posts, that of a bucket those of the same channel. Neither
// delays an answer to an interaction.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limited reply
		channel string // of the other post that is delayed
	}{
		"in the body":        {reply{status: 429, body: `{"message":"slow","retry_after":3,"global":true}`}, "6"},
		"in a header":        {reply{status: 429, body: `{"message":"slow","retry_after":3}`, header: map[string]string{"X-RateLimit-Global": "true"}}, "6"},
		"by the scope":       {reply{status: 429, body: `{"message":"slow","retry_after":3}`, header: map[string]string{"X-RateLimit-Scope": "global"}}, "6"},
		"of a proxy":         {reply{status: 429, body: `<html>error 1015</html>`, header: map[string]string{"Retry-After": "3"}}, "6"},
		"of a proxy in JSON": {reply{status: 429, body: `{"error":1015}`, header: map[string]string{"Retry-After": "3"}}, "6"},
		"of a bucket":        {reply{status: 429, body: `{"message":"slow","retry_after":3,"global":false}`}, "5"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, replies(c.limited, answer(200, posted)), func(t *testing.T, s *server, client *discord.Client) {
				var all sync.WaitGroup
				all.Go(func() { post(t, client, "5") })
				synctest.Wait()
				all.Go(func() { post(t, client, c.channel) })
				synctest.Wait()
				if c.channel == "5" {
					post(t, client, "6")
				} else if err := client.DeferReply(t.Context(), interaction); err != nil {
					t.Error(err)
				}
				all.Wait()
				if got := s.times(); got != "0s 0s 3s 3s" {
					t.Errorf("sent at %s: %+v", got, s.got)
				}
			})
		})
	}
}

// Too many edits of an old message are not a limit of the bucket: the request is
// not repeated and delays no other.
func TestOldEditsLimit(t *testing.T) {
	tooMany := answer(429, `{"code":30046,"message":"Maximum number of edits to messages older than 1 hour reached. Try again later","retry_after":3600}`)
	bubble(t, replies(tooMany, answer(200, posted)), func(t *testing.T, s *server, c *discord.Client) {
		err := c.EditMessage(t.Context(), "5", "6", hello)
		if !discord.HasCode(err, discord.CodeTooManyOldEdits) || discord.RetryAfter(err) != time.Hour {
			t.Errorf("%v", err)
		}
		if err := c.EditMessage(t.Context(), "5", "7", hello); err != nil {
			t.Error(err)
		}
		if got := s.times(); got != "0s 0s" {
			t.Errorf("sent at %s", got)
		}
	})
}

// Invalid headers are ignored.
func TestInvalidHeaders(t *testing.T) {
	for _, h := range []map[string]string{
		{"X-RateLimit-Reset-After": "soon", "X-RateLimit-Remaining": "0"},
		{"X-RateLimit-Reset-After": "-5", "X-RateLimit-Remaining": "0"},
		{"X-RateLimit-Reset-After": "NaN", "X-RateLimit-Remaining": "0"},
		{"X-RateLimit-Reset-After": "60", "X-RateLimit-Remaining": "none"},
		{"X-RateLimit-Limit": "-3"},
		{"X-RateLimit-Limit": "0"},
	} {
		bubble(t, replies(reply{status: 200, header: h, body: posted}), func(t *testing.T, s *server, c *discord.Client) {
			for range 4 {
				post(t, c, "5")
			}
			if got := s.times(); got != "0s 0s 0s 0s" {
				t.Errorf("%v: sent at %s", h, got)
			}
		})
	}
}

// A failed request does not count as in flight.
func TestFailedRequestsAreReleased(t *testing.T) {
	bubble(t, replies(hangUp), func(t *testing.T, s *server, c *discord.Client) {
		for range 10 {
			if _, err := c.CreateMessage(t.Context(), "5", "n", hello); !discord.OutcomeUnknown(err) {
				t.Errorf("%v", err)
			}
		}
		if len(s.got) != 10 || time.Since(s.began) != 0 {
			t.Errorf("%d requests in %v", len(s.got), time.Since(s.began))
		}
	})
}
