package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/apispec"
)

// Ids of the default world.
const (
	keep   = "1150000000000000001"
	yard   = "1150000000000000101"
	hall   = "1150000000000000102"
	anna   = "1120000000000000011" // the owner
	ben    = "1120000000000000012"
	chloe  = "1120000000000000013"
	nobody = "1120000000000000099"
)

// timeout bounds every wait; only failing tests reach it.
const timeout = 10 * time.Second

// clock is a clock that only moves by advance.
type clock struct {
	mu     sync.Mutex
	t      time.Time
	timers []*timer
}

type timer struct {
	at   time.Time
	f    func()
	done bool
}

func newClock() *clock { return &clock{t: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) afterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	tm := &timer{at: c.t.Add(d), f: f}
	c.timers = append(c.timers, tm)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := !tm.done
		tm.done = true
		return was
	}
}

// advance moves the clock and runs the timers that are due, without the lock.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.t = c.t.Add(d)
	var due []func()
	for _, tm := range c.timers {
		if !tm.done && !tm.at.After(c.t) {
			tm.done = true
			due = append(due, tm.f)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// rig is a sandbox behind a real HTTP server, with a fake clock and a gateway
// client.
type rig struct {
	t     *testing.T
	box   *sandbox.Sandbox
	clock *clock
	srv   *httptest.Server
	gw    *gateway // connected by newRig with the guilds intent

	mu   sync.Mutex
	seen []api.Exchange
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := bareRig(t, sandbox.Options{})
	r.gw = r.identify(1 << 0)
	return r
}

// oneGuild returns the default world without its second guild.
func oneGuild() sandbox.World {
	w := sandbox.DefaultWorld()
	w.Guilds = nil
	w.Channels = slices.DeleteFunc(w.Channels, func(c sandbox.Channel) bool { return c.GuildID != "" })
	return w
}

// bareRig returns a rig without a gateway client, by default with one guild.
func bareRig(t *testing.T, o sandbox.Options) *rig {
	t.Helper()
	r := &rig{t: t, clock: newClock()}
	if o.World.Users == nil {
		o.World = oneGuild()
	}
	o.Now, o.AfterFunc = r.clock.now, r.clock.afterFunc
	o.Observe = func(ex api.Exchange) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, ex)
		r.checkAnswer(ex)
	}
	var err error
	if r.box, err = sandbox.New(o); err != nil {
		t.Fatal(err)
	}
	r.srv = httptest.NewServer(r.box)
	t.Cleanup(func() {
		r.box.Close()
		r.srv.Close()
	})
	return r
}

// checkAnswer checks a successful answer against Discord's description.
func (r *rig) checkAnswer(ex api.Exchange) {
	if ex.Status >= 300 || ex.Status == 0 || ex.Version == 9 {
		return
	}
	_, op := apispec.Discord().Find(ex.Method, ex.Route)
	s, described := op.Answers[strconv.Itoa(ex.Status)]
	if !described || (s == nil) != (len(ex.ResponseBody) == 0) {
		r.t.Errorf("%s: status %d with %d bytes is not described", op.ID, ex.Status, len(ex.ResponseBody))
	}
	if s == nil {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(ex.ResponseBody))
	dec.UseNumber()
	var value any
	check(r.t, dec.Decode(&value))
	for _, f := range apispec.Discord().Check(s, value) {
		r.t.Errorf("%s: answer %s: %s", op.ID, f.Pointer, f.Problem)
	}
}

// body is a JSON object.
type body = map[string]any

type list = []any

// answer is a response.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	raw    []byte
}

// upload is a file part of a request.
type upload struct {
	field, name string
	data        []byte
}

// send sends a request to a version of the REST API. what is nil (no body), a
// string (sent verbatim) or a value to marshal.
func (r *rig) send(version int, method, path string, what any, files ...upload) answer {
	r.t.Helper()
	var raw []byte
	kind := "application/json"
	switch v := what.(type) {
	case nil:
	case string:
		raw = []byte(v)
	default:
		var err error
		if raw, err = json.Marshal(v); err != nil {
			r.t.Fatal(err)
		}
	}
	if len(files) > 0 {
		var buf bytes.Buffer
		w := multipart.NewWriter(&buf)
		check(r.t, w.WriteField("payload_json", string(raw)))
		for _, f := range files {
			part := must(w.CreateFormFile(f.field, f.name))
			must(part.Write(f.data))
		}
		check(r.t, w.Close())
		raw, kind = buf.Bytes(), w.FormDataContentType()
	}
	req := must(http.NewRequest(method, fmt.Sprintf("%s/api/v%d%s", r.srv.URL, version, path), bytes.NewReader(raw)))
	if raw != nil {
		req.Header.Set("Content-Type", kind)
	}
	// The routes of interactions need no token.
	if !strings.HasPrefix(path, "/interactions/") && !strings.HasPrefix(path, "/webhooks/") {
		req.Header.Set("Authorization", "Bot "+r.box.Token())
	}
	return r.do(req)
}

func (r *rig) do(req *http.Request) answer {
	r.t.Helper()
	res := must(http.DefaultClient.Do(req))
	defer res.Body.Close()
	got := must(io.ReadAll(res.Body))
	return answer{r.t, res.StatusCode, res.Header, got}
}

func (r *rig) post(path string, what any, files ...upload) answer {
	r.t.Helper()
	return r.send(10, http.MethodPost, path, what, files...)
}

func (r *rig) patch(path string, what any, files ...upload) answer {
	r.t.Helper()
	return r.send(10, http.MethodPatch, path, what, files...)
}

func (r *rig) get(path string) answer {
	r.t.Helper()
	return r.send(10, http.MethodGet, path, nil)
}

// ok checks the status and returns the response as an object.
func (a answer) ok(status int) body {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %.800s", a.status, status, a.raw)
	}
	var out body
	if len(a.raw) > 0 && a.raw[0] == '{' {
		if err := json.Unmarshal(a.raw, &out); err != nil {
			a.t.Fatalf("%v: %s", err, a.raw)
		}
	}
	return out
}

// fails checks for one of Discord's errors.
func (a answer) fails(status, code int) body {
	a.t.Helper()
	out := a.ok(status)
	if got, _ := out["code"].(float64); int(got) != code {
		a.t.Fatalf("code %v, want %d: %s", out["code"], code, a.raw)
	}
	if s, _ := out["message"].(string); s == "" {
		a.t.Fatalf("no message: %s", a.raw)
	}
	return out
}

// invalid checks for a 50035 with an error code at a path such as
// "components.0.label"; "" is the body itself.
func (a answer) invalid(path, code string) {
	a.t.Helper()
	at := any(a.fails(http.StatusBadRequest, 50035)["errors"])
	if path != "" {
		for _, key := range strings.Split(path, ".") {
			m, _ := at.(body)
			at = m[key]
		}
	}
	m, _ := at.(body)
	faults, _ := m["_errors"].(list)
	for _, f := range faults {
		if f, ok := f.(body); ok && f["code"] == code && f["message"] != "" {
			return
		}
	}
	a.t.Fatalf("no fault %s at %q: %s", code, path, a.raw)
}

// dig returns a nested value by keys and indices.
func dig(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch key := p.(type) {
		case string:
			m, ok := v.(body)
			if !ok {
				t.Fatalf("%v: no object at %v: %v", path, key, v)
			}
			v = m[key]
		case int:
			l, ok := v.(list)
			if !ok || key >= len(l) {
				t.Fatalf("%v: no element %d: %v", path, key, v)
			}
			v = l[key]
		}
	}
	return v
}

func text(t *testing.T, v any, path ...any) string {
	t.Helper()
	s, ok := dig(t, v, path...).(string)
	if !ok {
		t.Fatalf("%v is no text: %v", path, dig(t, v, path...))
	}
	return s
}

// picture returns a PNG of a size in pixels.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var buf bytes.Buffer
	check(t, png.Encode(&buf, image.NewGray(image.Rect(0, 0, width, height))))
	return buf.Bytes()
}

func (r *rig) channel() string { return "/channels/" + yard + "/messages" }

// say has the bot write a message and returns its id.
func (r *rig) say(what body, files ...upload) string {
	r.t.Helper()
	return text(r.t, r.post(r.channel(), what, files...).ok(http.StatusOK), "id")
}

// register registers commands, by default one without options.
func (r *rig) register(commands ...body) {
	r.t.Helper()
	if len(commands) == 0 {
		commands = []body{{"name": "play", "description": "Play"}}
	}
	r.send(10, http.MethodPut, "/applications/"+r.box.ApplicationID()+"/commands", commands).ok(http.StatusOK)
}

// received is an interaction as the gateway delivered it.
type received struct {
	id, token string
	data      body
}

func (in received) callback() string {
	return "/interactions/" + in.id + "/" + in.token + "/callback"
}

func (r *rig) webhook(in received) string {
	return "/webhooks/" + r.box.ApplicationID() + "/" + in.token
}

// play has Anna use the command and the bot receive it.
func (r *rig) play() received {
	r.t.Helper()
	if len(r.box.As(anna).Commands()) == 0 {
		r.register()
	}
	must(r.box.As(anna).Command(yard, "play"))
	return r.interaction()
}

// interaction returns the next interaction that the bot receives.
func (r *rig) interaction() received {
	r.t.Helper()
	d := r.gw.event("INTERACTION_CREATE")
	return received{text(r.t, d, "id"), text(r.t, d, "token"), d}
}

// click has a person press a button and the bot receive it.
func (r *rig) click(user, message, customID string) received {
	r.t.Helper()
	must(r.box.As(user).Click(yard, message, customID))
	return r.interaction()
}

// state checks the state of an interaction.
func (r *rig) state(in received, want string) {
	r.t.Helper()
	i, ok := r.box.Interaction(in.id)
	if !ok || i.State != want {
		r.t.Fatalf("interaction is %q, want %q", i.State, want)
	}
}

// button returns an action row with one button.
func button(customID string) body {
	return body{"type": 1, "components": list{body{"type": 2, "style": 1, "label": "Press", "custom_id": customID}}}
}

// v2 returns a message with components v2.
func v2(components ...any) body { return body{"flags": 1 << 15, "components": components} }

func textDisplay(content string) body { return body{"type": 10, "content": content} }

func gallery(urls ...string) body {
	items := list{}
	for _, u := range urls {
		items = append(items, body{"media": body{"url": u}, "description": "A picture"})
	}
	return body{"type": 12, "items": items}
}

// parseList parses a response that is a list.
func parseList(t *testing.T, a answer) list {
	t.Helper()
	var out list
	if err := json.Unmarshal(a.raw, &out); err != nil {
		t.Fatalf("%v: %.200s", err, a.raw)
	}
	return out
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// check fails the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
