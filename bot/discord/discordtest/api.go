package discordtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// Secrets, which may be in requests and nowhere else.
const (
	Token            = "bot-secret-MTA5"
	InteractionToken = "interaction-secret-aW50"
)

// BaseURL is the base address of the API.
const BaseURL = "http://discord.test"

// Base returns the parsed BaseURL.
func Base() *url.URL { return &url.URL{Scheme: "http", Host: "discord.test"} }

// Answer is Discord's answer to a request. The zero value closes the connection
// without one.
type Answer struct {
	Status int
	Body   string
}

// Answers to plan.
var (
	Disconnect          = Answer{}
	OK                  = Answer{200, `{"id":"9001","channel_id":"2"}`}
	NoContent           = Answer{204, ``}
	BadGateway          = Answer{502, `bad gateway`}
	AlreadyAcknowledged = Answer{400, `{"code":40060,"message":"Interaction has already been acknowledged."}`}
	UnknownInteraction  = Answer{404, `{"code":10062,"message":"Unknown interaction"}`}
	UnknownMessage      = Answer{404, `{"code":10008,"message":"Unknown Message"}`}
	MissingPermissions  = Answer{403, `{"code":50013,"message":"Missing Permissions"}`}
)

// Refusal returns an answer with one of Discord's codes.
func Refusal(status, code int) Answer {
	return Answer{status, fmt.Sprintf(`{"code":%d,"message":"No","retry_after":3600}`, code)}
}

// Created returns the answer to a post that created a message.
func Created(message string) Answer { return Answer{200, fmt.Sprintf(`{"id":%q}`, message)} }

// Request is a request that the API received.
type Request struct {
	Method, Route string // the route without base address, query and tokens
	Type          int    // of an interaction callback
	Body          string // its JSON
	Files         int
}

// API answers requests: as planned, then with OK. It implements
// http.RoundTripper.
type API struct {
	// Arrived receives every request. Take empties it.
	Arrived chan Request

	mu       sync.Mutex
	t        testing.TB
	requests []Request
	plan     []Answer
}

// NewAPI returns an API.
func NewAPI(t testing.TB) *API { return &API{t: t, Arrived: make(chan Request, 1000)} }

// Client returns a client that sends its requests to the API.
func (a *API) Client(observers ...func(discord.RequestResult)) *discord.Client {
	return discord.NewClient(Token, Base(), a, observers...)
}

// SetTB makes failures those of another test, such as a fuzz target's.
func (a *API) SetTB(t testing.TB) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.t = t
}

// Plan sets the next answers.
func (a *API) Plan(answers ...Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plan = answers
}

// Take returns the requests since the last call.
func (a *API) Take() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.requests
	a.requests = nil
	for len(a.Arrived) > 0 {
		<-a.Arrived
	}
	return all
}

// Next waits for the next request and fails the test if it is another.
func (a *API) Next(want string) Request {
	a.t.Helper()
	r := <-a.Arrived
	if got := Summary([]Request{r}); got != want {
		a.t.Fatalf("%s, want %s", got, want)
	}
	return r
}

// RoundTrip answers a request.
func (a *API) RoundTrip(q *http.Request) (*http.Response, error) {
	if err := q.Context().Err(); err != nil {
		return nil, err
	}
	r := a.read(q)
	a.mu.Lock()
	a.requests = append(a.requests, r)
	answer := OK
	if len(a.plan) > 0 {
		answer, a.plan = a.plan[0], a.plan[1:]
	}
	a.mu.Unlock()
	a.Arrived <- r
	if answer.Status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	w := httptest.NewRecorder()
	w.WriteHeader(answer.Status)
	_, _ = io.WriteString(w, answer.Body)
	return w.Result(), nil
}

func (a *API) read(q *http.Request) Request {
	route := strings.ReplaceAll(strings.TrimPrefix(q.URL.Path, "/api/v10"), InteractionToken, "…")
	r := Request{Method: q.Method, Route: route}
	if q.Header.Get("Authorization") != "Bot "+Token {
		a.t.Errorf("%s %s is not authorised", q.Method, route)
	}
	var data []byte
	if q.Body != nil {
		var err error
		data, err = io.ReadAll(q.Body)
		a.must(err)
	}
	if kind, params, _ := mime.ParseMediaType(q.Header.Get("Content-Type")); kind == "multipart/form-data" {
		form, err := multipart.NewReader(bytes.NewReader(data), params["boundary"]).ReadForm(1 << 25)
		a.must(err)
		data, r.Files = []byte(form.Value["payload_json"][0]), len(form.File)
	}
	if len(data) == 0 || q.Method == http.MethodGet || q.Method == http.MethodDelete {
		return r
	}
	var body any
	a.must(json.Unmarshal(data, &body))
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	a.must(e.Encode(body))
	r.Body = strings.TrimSpace(text.String())
	if object, ok := body.(map[string]any); ok {
		number, _ := object["type"].(float64)
		r.Type = int(number)
	}
	return r
}

// must fails the test. RoundTrip may run in another goroutine, so it does not
// end the test.
func (a *API) must(err error) {
	if err != nil {
		a.t.Error(err)
	}
}

func (r Request) String() string { return Summary([]Request{r}) }

// Summary returns requests in short: "callback 4, PATCH original".
func Summary(all []Request) string {
	var words []string
	for _, r := range all {
		w := r.Method + " " + r.Route
		switch {
		case strings.HasSuffix(r.Route, "/callback"):
			w = fmt.Sprintf("callback %d", r.Type)
		case strings.HasSuffix(r.Route, "/@original"):
			w = r.Method + " original"
		case strings.HasPrefix(r.Route, "/webhooks"):
			w = r.Method + " webhook"
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}

// Text returns the text displays of the message in a request.
func (r Request) Text() string {
	var words []string
	r.walk(func(component map[string]any) {
		if component["type"] == 10.0 {
			words = append(words, component["content"].(string))
		}
	})
	return strings.Join(words, "\n")
}

// CustomIDs returns the custom IDs of the message's components.
func (r Request) CustomIDs() (ids []string) {
	r.walk(func(component map[string]any) {
		if id, ok := component["custom_id"].(string); ok {
			ids = append(ids, id)
		}
	})
	return ids
}

// walk visits the message of a request and its components.
func (r Request) walk(visit func(map[string]any)) {
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			visit(v)
			walk(v["data"])
			walk(v["components"])
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var body any
	_ = json.Unmarshal([]byte(r.Body), &body)
	if object, ok := body.(map[string]any); ok && strings.HasSuffix(r.Route, "/callback") {
		body = object["data"]
	}
	walk(body)
}

// Private reports whether only one person sees the message of a request.
func (r Request) Private() bool {
	var body struct {
		Flags int
		Data  struct{ Flags int }
	}
	_ = json.Unmarshal([]byte(r.Body), &body)
	return (body.Flags|body.Data.Flags)&int(discordgo.MessageFlagsEphemeral) != 0
}
