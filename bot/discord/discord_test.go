package discord_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
)

// Secrets, which may stand in requests and nowhere else.
const (
	botToken         = "bot-secret-MTA5"
	interactionToken = "interaction-secret-aW50ZXJhY3Rpb24"
)

var interaction = discord.Interaction{ID: "71", ApplicationID: "9", Token: interactionToken}

// request is one that arrived.
type request struct {
	method, uri string
	header      http.Header
	body        []byte
}

// fakeDiscord is an HTTP server in Discord's place. It notes every request and
// answers each with the next of its answers, the last one for ever.
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

// only is the one request that has arrived.
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

// answer is a fixed answer.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

// parts is a multipart body by the names of its parts, whose headers are as
// they were sent.
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

// field is a value within JSON, by its path.
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
