package discord_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord"
)

// Secrets, which may be in requests and nowhere else.
const (
	botToken         = "bot-secret-MTA5"
	interactionToken = "interaction-secret-aW50ZXJhY3Rpb24"
)

var interaction = discord.Interaction{ID: "71", ApplicationID: "9", Token: interactionToken}

// request is a request that a server received.
type request struct {
	at               time.Duration // since the test began
	method, url, uri string
	header           http.Header
	body             []byte
}

// path returns the path below that of the API, without its query.
func (r request) path() string {
	path, _, _ := strings.Cut(strings.TrimPrefix(r.uri, "/api/v10"), "?")
	return path
}

// reply is an answer of a server.
type reply struct {
	status int // 0 for a connection that ends without an answer
	header map[string]string
	body   string
	held   time.Duration // how long it is delayed
}

// hangUp is no answer.
var hangUp reply

func answer(status int, body string) reply { return reply{status: status, body: body} }

// replies gives each of the answers in turn, and repeats the last one.
func replies(all ...reply) func(int, *http.Request) reply {
	return func(n int, _ *http.Request) reply { return all[min(n, len(all)-1)] }
}

// server is a transport that answers in Discord's place and records the requests.
type server struct {
	client *discord.Client
	began  time.Time
	reply  func(n int, r *http.Request) reply

	mu  sync.Mutex
	got []request
}

func newServer(answer func(n int, r *http.Request) reply) *server {
	return &server{began: time.Now(), reply: answer}
}

// newDiscord returns a server with a client.
func newDiscord(t *testing.T, answers ...reply) *server {
	t.Helper()
	s := newServer(replies(answers...))
	s.client = newClient(t, "http://discord.test", s)
	return s
}

func newClient(t *testing.T, base string, transport http.RoundTripper, observers ...func(discord.RequestResult)) *discord.Client {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return discord.NewClient(botToken, u, transport, observers...)
}

// bubble runs a test in a bubble of synctest.
func bubble(t *testing.T, answer func(int, *http.Request) reply, do func(t *testing.T, s *server, c *discord.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(answer)
		do(t, s, newClient(t, "http://discord.test", s))
	})
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	q := request{at: time.Since(s.began), method: r.Method, url: r.URL.String(), uri: r.URL.RequestURI(), header: r.Header}
	if r.Body != nil {
		q.body, _ = io.ReadAll(r.Body)
	}
	s.mu.Lock()
	n := len(s.got)
	s.got = append(s.got, q)
	s.mu.Unlock()
	a := s.reply(n, r)
	if a.held > 0 {
		select {
		case <-time.After(a.held):
		case <-r.Context().Done():
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if a.status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	h := http.Header{}
	for k, v := range a.header {
		h.Set(k, v)
	}
	return &http.Response{StatusCode: a.status, Body: io.NopCloser(strings.NewReader(a.body)), Header: h, Request: r}, nil
}

// only returns the one request that was received.
func (s *server) only(t *testing.T) request {
	t.Helper()
	if s.count() != 1 {
		t.Fatalf("%d requests, want 1", s.count())
	}
	return s.got[0]
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

// times returns when the requests arrived.
func (s *server) times() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, r := range s.got {
		all = append(all, r.at.String())
	}
	return strings.Join(all, " ")
}

// parts returns a multipart body by the names of its parts.
func parts(t *testing.T, r request) (names []string, byName map[string]*part) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		t.Fatalf("Content-Type %q: %v", r.header.Get("Content-Type"), err)
	}
	byName = map[string]*part{}
	reader := multipart.NewReader(bytes.NewReader(r.body), params["boundary"])
	for {
		p, err := reader.NextRawPart()
		if err == io.EOF {
			return names, byName
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, p.FormName())
		byName[p.FormName()] = &part{p.FileName(), p.Header.Get("Content-Type"), data}
	}
}

type part struct {
	file, contentType string
	data              []byte
}

// field returns a value within JSON, by its path.
func field(t *testing.T, text []byte, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, key := range strings.Split(path, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no %s in %s", path, text)
		}
		v = object[key]
	}
	return v
}

// discordgo holds a lock for each bucket during a call, and sleeps if headers
// say that a bucket is empty. Answers to interactions have three seconds, so
// none waits for another.
func TestConcurrentAnswers(t *testing.T) {
	for _, c := range calls {
		if !c.answer {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			bubble(t, replies(reply{status: 204, held: time.Second}), func(t *testing.T, s *server, client *discord.Client) {
				var all sync.WaitGroup
				for range 2 {
					all.Go(func() {
						if err := c.do(t.Context(), client, hello); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if got := s.times(); got != "0s 0s" {
					t.Errorf("sent at %s", got)
				}
			})
		})
	}
}

// An empty bucket or a global limit in an answer's headers does not delay the next
// request.
func TestAnswersIgnoreRateLimitHeaders(t *testing.T) {
	h := within("b", 1, 0, "3600")
	h["X-RateLimit-Global"] = "true"
	bubble(t, replies(reply{status: 204, header: h}), func(t *testing.T, s *server, client *discord.Client) {
		for range 3 {
			if err := client.EditOriginalResponse(t.Context(), interaction, hello); err != nil {
				t.Error(err)
			}
		}
		if got := s.times(); got != "0s 0s 0s" {
			t.Errorf("sent at %s", got)
		}
	})
}

func TestBaseAddress(t *testing.T) {
	for _, c := range []struct{ base, channel, want string }{
		{"http://127.0.0.1:8080", "1", "http://127.0.0.1:8080/api/v10/channels/1"},
		{"http://[::1]:9/sub/", "1", "http://[::1]:9/sub/api/v10/channels/1"},
		{"http://[::1]:9/sub", "a%2Fb", "http://[::1]:9/sub/api/v10/channels/a%2Fb"},
		{"http://[::1]:9/s%2Fub/", "1", "http://[::1]:9/s%2Fub/api/v10/channels/1"},
		{"", "1", "https://discord.com/api/v10/channels/1"},
	} {
		s := newServer(replies(answer(204, "")))
		client := discord.NewClient(botToken, nil, s)
		if c.base != "" {
			client = newClient(t, c.base, s)
		}
		if _, err := client.GetChannel(t.Context(), c.channel); err != nil {
			t.Fatal(err)
		}
		if got := s.only(t).url; got != c.want {
			t.Errorf("from %s: went to %s, want %s", c.base, got, c.want)
		}
	}
}

// Observers see every request with its answer, each retry on its own, without
// identifiers and tokens.
func TestObservers(t *testing.T) {
	slow := `{"message":"slow","retry_after":0.001,"global":`
	all := []reply{
		answer(200, `{"id":"7"}`), answer(429, slow+`false}`), answer(429, slow+`true}`), answer(200, `{"id":"7"}`),
		answer(429, `{"message":"too many","retry_after":3600,"global":false,"code":30046}`),
		answer(204, ``), answer(200, ``), answer(404, `{"message":"Unknown","code":10008}`), hangUp,
		answer(429, `{"message":"slow","retry_after":7200,"global":true}`),
	}
	for i := range all {
		all[i].held = time.Millisecond
	}
	synctest.Test(t, func(t *testing.T) {
		var seen []discord.RequestResult
		s := newServer(replies(all...))
		client := newClient(t, "http://discord.test", s, func(r discord.RequestResult) { seen = append(seen, r) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, _ = client.CreateMessage(ctx, "21", "", hello)
		_, _ = client.CreateMessage(ctx, "21", "", hello)
		_ = client.EditMessage(ctx, "21", "22", hello)
		_ = client.DeferReply(ctx, interaction)
		_ = client.EditOriginalResponse(ctx, interaction, hello)
		_ = client.CreateFollowup(ctx, interaction, hello)
		_ = client.DeferReply(ctx, interaction)
		_, _ = client.BulkOverwriteCommands(ctx, "12", "31", nil)
		_, _ = client.CreateMessage(ctx, "23", "", hello) // the whole bot has to wait

		const post, callback = "POST /channels/{id}/messages", "POST /interactions/{id}/{token}/callback"
		want := []discord.RequestResult{
			{Route: post, Status: 200},
			{Route: post, Status: 429, RateLimit: discord.RateLimitRoute},
			{Route: post, Status: 429, RateLimit: discord.RateLimitGlobal},
			{Route: post, Status: 200},
			{Route: "PATCH /channels/{id}/messages/{id}", Status: 429, RateLimit: discord.RateLimitOldEdits},
			{Route: callback, Status: 204},
			{Route: "PATCH /webhooks/{id}/{token}/messages/@original", Status: 200},
			{Route: "POST /webhooks/{id}/{token}", Status: 404},
			{Route: callback},
			{Route: "PUT /applications/{id}/guilds/{id}/commands", Status: 429, RateLimit: discord.RateLimitGlobal},
			{Route: post, RateLimit: discord.RateLimitHeld},
		}
		for i := range want[:len(want)-1] {
			want[i].Duration = time.Millisecond
		}
		if !slices.Equal(seen, want) || s.count() != len(all) {
			t.Errorf("seen\n%+v, want\n%+v, %d requests", seen, want, s.count())
		}
	})
}

// The bot is in contact with Discord for twenty seconds after any answer but that
// of a fault. It asks if it has heard nothing for longer.
func TestInContact(t *testing.T) {
	for _, c := range []struct {
		name string
		then reply
		want bool
	}{
		{"answered", answer(200, `{"id":"9","verify_key":"ab","interactions_endpoint_url":null}`), true},
		{"refused", answer(401, `{"code":0,"message":"401: Unauthorized"}`), true},
		{"a fault", answer(503, `no healthy upstream`), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			d := newDiscord(t, answer(200, `{"id":"9"}`), c.then)
			d.client.SetClock(func() time.Time { return now })
			if d.client.SinceContact() < 1000*time.Hour || !d.client.InContact(t.Context()) || d.client.SinceContact() != 0 {
				t.Errorf("the first answer was %v ago", d.client.SinceContact())
			}
			now = now.Add(19 * time.Second)
			if !d.client.InContact(t.Context()) || d.count() != 1 {
				t.Error("it asks again within twenty seconds")
			}
			now = now.Add(time.Second)
			if got := d.client.InContact(t.Context()); got != c.want || d.count() != 2 {
				t.Errorf("in contact: %v", got)
			}
			now = now.Add(time.Hour)
			d.client.RecordContact()
			if !d.client.InContact(t.Context()) || d.count() != 2 {
				t.Error("an interaction is no contact")
			}
		})
	}
}
