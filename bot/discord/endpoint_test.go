package discord_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
)

// tolerance bounds the distance of a timestamp from the present.
const tolerance = 6 * time.Minute

const command = `{"id":"71","application_id":"9","type":2,"token":"secret","channel":{"type":11},"app_permissions":"274877906944","data":{"id":"1","name":"help","type":1}}`

var (
	present = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	key     = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
)

// respondFunc is the function that Config.Accept receives.
type respondFunc = func(contentType string, body []byte) error

// rig is an endpoint whose interactions are answered by a function.
type rig struct {
	*discord.Endpoint
	applied atomic.Int32
	refused []int         // statuses
	stopped chan struct{} // closed by Config.Stop
	log     *discordtest.Log
}

func newRig(t testing.TB, serve func(*discordgo.Interaction, respondFunc)) *rig {
	r := &rig{log: discordtest.NewLog(t), stopped: make(chan struct{})}
	public, err := discord.ParsePublicKey(hex.EncodeToString(key.Public().(ed25519.PublicKey)))
	if err != nil {
		t.Fatal(err)
	}
	r.Endpoint = discord.NewEndpoint(discord.EndpointConfig{PublicKey: public, Now: func() time.Time { return present }, Logger: slog.New(r.log), Stop: func() { close(r.stopped) }, Refused: func(status int) { r.refused = append(r.refused, status) }, Accept: func(i *discordgo.Interaction, respond respondFunc) <-chan struct{} {
		r.applied.Add(1)
		served := make(chan struct{})
		go func() {
			defer close(served)
			serve(i, respond)
		}()
		return served
	}})
	return r
}

func pong(_ *discordgo.Interaction, respond respondFunc) {
	_ = respond("application/json", []byte(`{"type":5}`))
}

// signed returns a request as Discord sends it at a time.
func signed(at time.Time, body string) *http.Request {
	q := httptest.NewRequest(http.MethodPost, discord.EndpointPath, strings.NewReader(body))
	timestamp := strconv.FormatInt(at.Unix(), 10)
	q.Header.Set("X-Signature-Timestamp", timestamp)
	q.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, []byte(timestamp+body))))
	return q
}

func TestRequests(t *testing.T) {
	set := func(name, value string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set(name, value) }
	}
	body := func(s string) func(*http.Request) {
		return func(q *http.Request) { q.Body = io.NopCloser(strings.NewReader(s)) }
	}
	large := `{"id":"71","type":2,"data":{"name":"` + strings.Repeat("x", 1<<20) + `"}}`
	for _, c := range []struct {
		name   string
		at     time.Duration // of the timestamp, from the present
		body   string
		change func(*http.Request)
		status int
		answer string
	}{
		{"a command", 0, command, nil, 200, `{"type":5}`},
		{"a PING", 0, `{"id":"1","application_id":"9","type":1,"version":1,"token":"x"}`, nil, 200, `{"type":1}`},
		{"a PING without an ID", 0, `{"type":1}`, nil, 200, `{"type":1}`},
		{"a clock that is five minutes behind", -5 * time.Minute, command, nil, 200, `{"type":5}`},
		{"a clock that is five minutes ahead", 5 * time.Minute, command, nil, 200, `{"type":5}`},
		{"an old timestamp", -tolerance - time.Second, command, nil, 401, "timestamp"},
		{"a timestamp in the future", tolerance + time.Second, command, nil, 401, "timestamp"},
		{"no signature", 0, command, set("X-Signature-Ed25519", ""), 401, "signature"},
		{"half a signature", 0, command, set("X-Signature-Ed25519", strings.Repeat("ab", 32)), 401, "signature"},
		{"another signature", 0, command, set("X-Signature-Ed25519", strings.Repeat("ab", 64)), 401, "signature"},
		{"not hexadecimal", 0, command, set("X-Signature-Ed25519", strings.Repeat("x", 128)), 401, "signature"},
		{"no timestamp", 0, command, set("X-Signature-Timestamp", ""), 401, "signature"},
		{"another timestamp", 0, command, set("X-Signature-Timestamp", strconv.FormatInt(present.Unix()+1, 10)), 401, "signature"},
		{"the largest timestamp", 0, command, set("X-Signature-Timestamp", "9223372036854775807"), 401, "timestamp"},
		{"not a timestamp", 0, command, set("X-Signature-Timestamp", "today"), 401, "signature"},
		{"another body", 0, command, body(strings.Replace(command, "71", "72", 1)), 401, "signature"},
		{"no body", 0, command, body(""), 401, "signature"},
		{"a body that is too large", 0, large, nil, 413, "too large"},
		{"not JSON", 0, "interaction", nil, 400, "not an interaction"},
		{"no interaction", 0, "{}", nil, 400, "not an interaction"},
		{"data of another type", 0, `{"id":"71","type":2,"data":[]}`, nil, 400, "not an interaction"},
		{"GET", 0, "", func(q *http.Request) { q.Method = http.MethodGet }, 405, "posts"},
		{"HEAD", 0, "", func(q *http.Request) { q.Method = http.MethodHead }, 405, "posts"},
		{"another path", 0, command, func(q *http.Request) { q.URL.Path = "/" }, 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, pong)
			q := signed(present.Add(c.at), c.body)
			if c.change != nil {
				c.change(q)
			}
			w := httptest.NewRecorder()
			r.ServeHTTP(w, q)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.answer) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if counted := c.status == 400 || c.status == 401 || c.status == 413; counted != slices.Equal(r.refused, []int{c.status}) {
				t.Errorf("refused with %v", r.refused)
			}
			if want := c.answer == `{"type":5}`; (r.applied.Load() > 0) != want {
				t.Errorf("applied %d times", r.applied.Load())
			}
			if log := r.log.Take(); strings.Contains(log, "secret") || strings.Contains(log, "abab") {
				t.Errorf("log %s", log)
			}
		})
	}
}

func TestInteraction(t *testing.T) {
	newRig(t, func(i *discordgo.Interaction, respond respondFunc) {
		if i.ID != "71" || i.Token != "secret" || i.ApplicationCommandData().Name != "help" {
			t.Errorf("%+v", i)
		}
		if want := discord.PermissionSendMessagesInThreads | discord.PermissionSendMessages | discord.InThread | discord.NoThreads; i.AppPermissions != want {
			t.Errorf("permissions %x", i.AppPermissions)
		}
		pong(i, respond)
	}).ServeHTTP(httptest.NewRecorder(), signed(present, command))
}

// The first answer of the client is the response, in JSON or as a form with files.
// There is only one.
func TestFirstAnswer(t *testing.T) {
	file := discord.File{Name: "board.png", ContentType: "image/png", Data: []byte("picture")}
	api := discordtest.NewAPI(t)
	r := newRig(t, func(i *discordgo.Interaction, respond respondFunc) {
		to := discord.Interaction{ID: i.ID, ApplicationID: i.AppID, Token: i.Token}
		ctx := discord.WithHTTPResponse(t.Context(), i.ID, respond)
		if err := api.Client().Reply(ctx, to, discord.Message{Files: []discord.File{file}}); err != nil {
			t.Error(err)
		}
		if err := api.Client().Reply(ctx, to, discord.Message{}); !discord.HasCode(err, discord.CodeAlreadyAcknowledged) {
			t.Errorf("answered twice: %v", err)
		}
	})
	server := httptest.NewServer(r)
	defer server.Close()
	q := signed(present, command)
	q.RequestURI, q.URL.Scheme, q.URL.Host = "", "http", server.Listener.Addr().String()
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, parameters, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(res.Body, parameters["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if text := form.Value["payload_json"]; res.StatusCode != http.StatusOK || len(text) != 1 || !strings.HasPrefix(text[0], `{"type":4,`) || form.File["files[0]"][0].Filename != "board.png" {
		t.Errorf("%d %+v", res.StatusCode, form)
	}
	if got := api.Take(); len(got) != 0 {
		t.Errorf("sent %v", got)
	}
}

// An interaction that nobody answers, because the bot is overloaded, is refused at
// once.
func TestNoAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	newRig(t, func(*discordgo.Interaction, respondFunc) {}).ServeHTTP(w, signed(present, command))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d", w.Code)
	}
}

// Discord gives up. The work goes on, and learns that its answer is too late.
func TestGivenUp(t *testing.T) {
	ctx, giveUp := context.WithCancel(t.Context())
	returned, result := make(chan struct{}), make(chan error)
	r := newRig(t, func(_ *discordgo.Interaction, respond respondFunc) {
		giveUp()
		<-returned
		result <- respond("application/json", []byte(`{"type":5}`))
	})
	r.ServeHTTP(httptest.NewRecorder(), signed(present, command).WithContext(ctx))
	close(returned)
	if err := <-result; !discord.HasCode(err, discord.CodeUnknownInteraction) {
		t.Error(err)
	}
}

// brokenWriter is a connection that is gone.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenConnection(t *testing.T) {
	result := make(chan error, 2)
	newRig(t, func(_ *discordgo.Interaction, respond respondFunc) {
		for range 2 {
			result <- respond("application/json", []byte(`{"type":5}`))
		}
	}).ServeHTTP(brokenWriter{httptest.NewRecorder()}, signed(present, command))
	for range 2 {
		if err := <-result; !discord.HasCode(err, discord.CodeUnknownInteraction) {
			t.Error(err)
		}
	}
}

// Run finishes the request in progress when it is told to stop, and accepts no
// others.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	arrived, gate := make(chan struct{}), make(chan struct{})
	r := newRig(t, func(i *discordgo.Interaction, respond respondFunc) {
		close(arrived)
		<-gate
		pong(i, respond)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended, status := make(chan error, 1), make(chan int, 1)
	go func() { ended <- r.Run(ctx, l) }()
	q := signed(present, command)
	q.RequestURI, q.URL.Scheme, q.URL.Host = "", "http", l.Addr().String()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	go func() {
		res, err := client.Do(q)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		res.Body.Close()
		status <- res.StatusCode
	}()
	<-arrived
	stop()
	<-r.stopped
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("it still listens")
	}
	close(gate)
	if got := <-status; got != http.StatusOK {
		t.Errorf("%d", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// FuzzRequest sends bodies with a valid signature: none breaks the endpoint.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		command, `{"type":1}`, `{"id":"1","type":3,"data":{"component_type":2,"custom_id":"x"},"message":{"components":[{"type":17,"components":[{"type":99}]}]}}`,
		`{"id":"1","type":4,"data":{"name":"x","options":[{"type":3,"name":"y","value":1,"focused":true}]}}`, `{"id":"1","type":5,"data":{"components":[{"type":18}]}}`, `[]`, `null`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		newRig(t, pong).ServeHTTP(w, signed(present, body))
		if w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
