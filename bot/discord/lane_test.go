package discord_test

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"castellan/bot/discord"
)

// discordgo holds a lock for each bucket during a call, and sleeps where
// headers say that a bucket is empty. Answers to interactions have three
// seconds and buckets of their own: here one of them waits for another on the
// same route, which would never come if they went through one bucket.
func TestAnswersDoNotWaitForEachOther(t *testing.T) {
	for _, c := range calls {
		if c.name == "Post" || c.name == "Edit" || c.name == "Register" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			both := make(chan struct{})
			var arrived sync.WaitGroup
			arrived.Add(2)
			go func() { arrived.Wait(); close(both) }()
			d := newDiscord(t, func(w http.ResponseWriter, r *http.Request) {
				arrived.Done()
				select {
				case <-both:
				case <-time.After(20 * time.Second): // only where the test fails
					t.Error("the second request did not come while the first was under way")
				}
				w.WriteHeader(http.StatusNoContent)
			})
			var done sync.WaitGroup
			for range 2 {
				done.Go(func() {
					if err := c.do(t.Context(), d.client, hello); err != nil {
						t.Error(err)
					}
				})
			}
			done.Wait()
		})
	}
}

// An empty bucket, or a global limit told to one answer, holds up no other.
func TestAnswersDoNotSleepForBuckets(t *testing.T) {
	d := newDiscord(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset-After", "3600")
		w.Header().Set("X-RateLimit-Global", "true")
		w.WriteHeader(http.StatusNoContent)
	})
	done := make(chan error, 1)
	go func() {
		for range 3 {
			if err := d.client.EditOriginalResponse(context.Background(), interaction, hello); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil || d.count() != 3 {
			t.Errorf("%v after %d requests", err, d.count())
		}
	case <-time.After(20 * time.Second): // only where the test fails
		t.Fatal("it sleeps")
	}
}

// recorded notes where a request went.
type recorded struct{ urls []string }

func (r *recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	r.urls = append(r.urls, q.URL.String()+" "+q.Host)
	return (&http.Response{StatusCode: 204, Body: http.NoBody, Header: http.Header{}}), nil
}

func TestTransportMovesDiscordAlone(t *testing.T) {
	for _, c := range []struct{ base, url, want string }{
		{"http://127.0.0.1:8080", "https://discord.com/api/v10/x?y=z", "http://127.0.0.1:8080/api/v10/x?y=z 127.0.0.1:8080"},
		{"http://[::1]:9/sub/", "https://discord.com/api/v9/gateway", "http://[::1]:9/sub/api/v9/gateway [::1]:9"},
		{"http://[::1]:9/sub", "https://discord.com/api/v10/a%2Fb/c%20d", "http://[::1]:9/sub/api/v10/a%2Fb/c%20d [::1]:9"},
		{"http://[::1]:9/s%2Fub/", "https://discord.com/api/v10/x", "http://[::1]:9/s%2Fub/api/v10/x [::1]:9"},
		{"http://127.0.0.1:8080", "https://cdn.discordapp.com/a.png", "https://cdn.discordapp.com/a.png cdn.discordapp.com"},
		{"http://127.0.0.1:8080", "https://discord.com.evil.example/api", "https://discord.com.evil.example/api discord.com.evil.example"},
		{"", "https://discord.com/api/v10/x", "https://discord.com/api/v10/x discord.com"},
	} {
		var base *url.URL
		if c.base != "" {
			var err error
			if base, err = url.Parse(c.base); err != nil {
				t.Fatal(err)
			}
		}
		next := &recorded{}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (&discord.Transport{Base: base, Next: next}).RoundTrip(request); err != nil {
			t.Fatal(err)
		}
		if len(next.urls) != 1 || next.urls[0] != c.want {
			t.Errorf("%s from %s went to %q, want %s", c.url, c.base, next.urls, c.want)
		}
		if request.URL.String() != c.url {
			t.Errorf("the caller's request was changed to %s", request.URL)
		}
	}
}
