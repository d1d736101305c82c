package discord_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
)

// Secrets, which may be in requests and nowhere else.
const (
	botToken         = "bot-secret-MTA5"
	interactionToken = "interaction-secret-aW50ZXJhY3Rpb24"
)

var interaction = discord.Interaction{ID: "71", ApplicationID: "9", Token: interactionToken}

// request is a request that the server received.
type request struct {
	method, uri string
	header      http.Header
	body        []byte
}

// path returns the path without its query.
func (r request) path() string {
	path, _, _ := strings.Cut(r.uri, "?")
	return path
}

// fakeDiscord is an HTTP server that records requests. It answers each with the
// next of its answers, and repeats the last one.
type fakeDiscord struct {
	client  *discord.Client
	session *discordgo.Session
	server  *httptest.Server

	mu      sync.Mutex
	got     []request
	answers []http.HandlerFunc
}

func newDiscord(t *testing.T, answers ...http.HandlerFunc) *fakeDiscord {
	t.Helper()
	d := &fakeDiscord{answers: answers}
	d.server = httptest.NewServer(d)
	t.Cleanup(d.server.Close)
	d.session = newSession(t, d.server.URL, nil)
	d.client = discord.NewClient(d.session)
	return d
}

func newSession(t *testing.T, base string, next http.RoundTripper) *discordgo.Session {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	s, err := discordgo.New("Bot " + botToken)
	if err != nil {
		t.Fatal(err)
	}
	s.Client.Transport = &discord.Transport{Base: u, Next: next}
	return s
}

func (d *fakeDiscord) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	n := len(d.got)
	d.got = append(d.got, request{r.Method, r.RequestURI, r.Header, body})
	d.mu.Unlock()
	d.answers[min(n, len(d.answers)-1)](w, r)
}

// only returns the one request that was received.
func (d *fakeDiscord) only(t *testing.T) request {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.got) != 1 {
		t.Fatalf("%d requests, want 1", len(d.got))
	}
	return d.got[0]
}

func (d *fakeDiscord) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.got)
}

// answer returns a handler with a fixed answer.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// hangUp is a handler that closes the connection without an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

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
			bubble(t, func(int, *http.Request) reply {
				return reply{status: 204, held: time.Second}
			}, func(t *testing.T, s *server, client *discord.Client) {
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
	bubble(t, func(int, *http.Request) reply {
		return reply{status: 204, header: h}
	}, func(t *testing.T, s *server, client *discord.Client) {
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

// recorded is a transport that records where requests went.
type recorded struct{ urls []string }

func (r *recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	r.urls = append(r.urls, q.URL.String()+" "+q.Host)
	return (&http.Response{StatusCode: 204, Body: http.NoBody, Header: http.Header{}}), nil
}

func TestTransport(t *testing.T) {
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

// Requests at a time leave their connections for the next ones.
func TestConnectionsAreKept(t *testing.T) {
	const requests, rounds = 20, 4
	var mu sync.Mutex
	opened := 0
	together := make(chan struct{}, requests) // each request of a round waits for all
	arrived := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-together
		w.WriteHeader(http.StatusNoContent)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if s == http.StateNew {
			opened++
		}
	}
	server.Start()
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &discord.Transport{Base: base}}
	for range rounds {
		var round sync.WaitGroup
		for range requests {
			round.Go(func() {
				response, err := client.Get("https://discord.com/api")
				if err != nil {
					t.Error(err)
					return
				}
				response.Body.Close()
			})
		}
		for range requests {
			<-arrived
		}
		for range requests {
			together <- struct{}{}
		}
		round.Wait()
	}
	mu.Lock()
	defer mu.Unlock()
	if opened > 2*requests { // a connection may return too late for the next round
		t.Errorf("%d connections for %d requests at a time", opened, requests)
	}
}

// Observers see every request with its answer, each retry on its own, without
// identifiers and tokens.
func TestObservers(t *testing.T) {
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

// The bot is in contact with Discord for twenty seconds after any answer but that
// of a fault. It asks if it has heard nothing for longer.
func TestInContact(t *testing.T) {
	for _, c := range []struct {
		name string
		then http.HandlerFunc
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
