package sandbox_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// act sends an action of a person on the page.
func (r *rig) act(path string, what any) answer {
	r.t.Helper()
	raw := must(json.Marshal(what))
	req, err := http.NewRequest(http.MethodPost, r.srv.URL+"/sandbox/users/"+path, strings.NewReader(string(raw)))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return r.do(req)
}

// sentence checks for an error with a sentence for the person.
func (a answer) sentence(status int) {
	a.t.Helper()
	if s, _ := a.ok(status)["error"].(string); s == "" {
		a.t.Fatalf("no sentence: %s", a.raw)
	}
}

func TestPagePolicy(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	a := r.fetch(r.srv.URL + "/")
	a.ok(http.StatusOK)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !strings.Contains(a.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("headers %v", a.header)
	}
	for _, path := range []string{"/assets/nothing.js", "/assets/../doc.go", "/assets/%2e%2e/doc.go", "/other", "/sandbox/other", "/attachments/1/2/3"} {
		if a := r.fetch(r.srv.URL + path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestPageOrigins(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	own := "http://" + strings.TrimPrefix(r.srv.URL, "http://")
	tests := []struct {
		name   string
		host   string
		header map[string]string
		want   int
	}{
		{"as it is", "", nil, 200},
		{"localhost", "localhost:8080", nil, 200},
		{"IPv6", "[::1]:8080", nil, 200},
		{"own origin", "", map[string]string{"Origin": own, "Sec-Fetch-Site": "same-origin"}, 200},
		{"address bar", "", map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{"another host's name", "evil.example:8080", nil, 403},
		{"another host's name that begins like ours", "localhost.evil.example", nil, 403},
		{"another machine's address", "192.168.0.1:8080", nil, 403},
		{"foreign origin", "", map[string]string{"Origin": "https://evil.example"}, 403},
		{"opaque origin", "", map[string]string{"Origin": "null"}, 403},
		{"another port", "", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"cross-site without origin", "", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"/sandbox/state", "/attachments/1/2/3"} {
				req := must(http.NewRequest(http.MethodGet, r.srv.URL+path, nil))
				req.Host = tt.host
				for k, v := range tt.header {
					req.Header.Set(k, v)
				}
				want := tt.want
				if want == 200 && path != "/sandbox/state" {
					want = 404
				}
				if got := r.do(req); got.status != want {
					t.Errorf("%s: %d, want %d", path, got.status, want)
				}
			}
		})
	}
	req := must(http.NewRequest(http.MethodPost, r.srv.URL+"/sandbox/users/"+anna+"/messages", strings.NewReader(`{"channel_id":"`+yard+`","content":"x"}`)))
	req.Header.Set("Content-Type", "text/plain") // which another site's form can send
	r.do(req).sentence(http.StatusBadRequest)
	if n := len(r.box.As(anna).Messages(yard)); n != 0 {
		t.Error("it was said all the same")
	}
}

func TestGatewayRefusesPages(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	req := must(http.NewRequest(http.MethodGet, r.srv.URL+"/gateway/?v=10&encoding=json", nil))
	for k, v := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Origin": r.srv.URL} {
		req.Header.Set(k, v)
	}
	if got := r.do(req); got.status != http.StatusForbidden {
		t.Errorf("status %d", got.status)
	}
}

func TestPageState(t *testing.T) {
	r := newRig(t)
	r.register()
	in := r.play()
	r.post(in.callback(), body{"type": 4, "data": body{"content": "<@" + ben + ">", "flags": 64}}).ok(http.StatusNoContent)
	r.say(body{"content": "<@" + ben + "> look"})
	state := func(user string) body {
		return r.fetch(r.srv.URL + "/sandbox/state?user=" + user).ok(http.StatusOK)
	}
	s := state(anna)
	if text(t, s, "me", "id") != anna || len(s["users"].(list)) != 5 || text(t, s, "guilds", 0, "channels", 0, "id") != yard || s["online"] != true {
		t.Errorf("state %v", s)
	}
	if text(t, s, "application", "user", "id") != r.box.ApplicationID() || text(t, s, "commands", keep, 0, "name") != "play" {
		t.Errorf("application %v, commands %v", s["application"], s["commands"])
	}
	if text(t, s, "users", 4, "nick") == "" || dig(t, s, "users", 0, "nick") != nil {
		t.Errorf("users %v", s["users"])
	}
	mine := dig(t, s, "channels", yard, "messages").(list)
	if len(mine) != 2 || text(t, mine, 0, "interaction_metadata", "command_name") != "play" {
		t.Errorf("Anna sees %v", mine)
	}
	bens := dig(t, state(ben), "channels", yard).(body)
	if len(bens["messages"].(list)) != 1 || bens["mentions"] != 1.0 || bens["unread"] != true {
		t.Errorf("Ben sees %v", bens)
	}
	if text(t, state(""), "me", "id") != anna {
		t.Error("without a user it is not the first one's")
	}
	r.fetch(r.srv.URL + "/sandbox/state?user=" + nobody).sentence(http.StatusNotFound)
}

func TestPageActions(t *testing.T) {
	r := newRig(t)
	r.commands("", list{command("play", option(4, "size", body{"min_value": 1}), option(3, "text", body{"autocomplete": true}))}).ok(http.StatusOK)
	cmd := func(options ...any) body { return body{"channel_id": yard, "name": "play", "options": options} }
	id := r.act(anna+"/commands", cmd(body{"name": "size", "type": 4, "value": 7})).ok(http.StatusAccepted)["id"]
	in := r.interaction()
	if in.id != id || dig(t, in.data, "data", "options", 0, "value") != 7.0 {
		t.Errorf("delivered %v", in.data["data"])
	}
	r.act(anna+"/commands", cmd(body{"name": "size", "type": 4, "value": 0})).sentence(http.StatusBadRequest)
	r.act(anna+"/commands", body{"channel_id": yard, "name": "other"}).sentence(http.StatusBadRequest)
	r.act(anna+"/commands", "text").sentence(http.StatusBadRequest)
	r.act(nobody+"/commands", cmd()).sentence(http.StatusNotFound)
	r.act(anna+"/dances", body{}).sentence(http.StatusNotFound)

	done := make(chan answer, 1)
	ask := func() {
		done <- r.act(anna+"/autocomplete", cmd(body{"name": "text", "type": 3, "value": "a", "focused": true}))
	}
	go ask()
	r.post(r.interaction().callback(), body{"type": 8, "data": body{"choices": list{body{"name": "shown", "value": "meant"}}}}).ok(http.StatusNoContent)
	if got := (<-done).ok(http.StatusOK); text(t, got, "choices", 0, "name") != "shown" || text(t, got, "choices", 0, "value") != "meant" {
		t.Errorf("got %v", got)
	}
	go ask()
	r.interaction()
	r.clock.advance(3 * time.Second)
	(<-done).sentence(http.StatusGatewayTimeout)

	message := r.say(body{"content": "x", "components": list{row(press("b")), row(menu("m", selectOptions(2)))}})
	press := func(id string, kind int, values ...string) answer {
		return r.act(ben+"/components", body{"channel_id": yard, "message_id": message, "custom_id": id, "component_type": kind, "values": values})
	}
	id = press("b", 2).ok(http.StatusAccepted)["id"]
	if in := r.interaction(); in.id != id || text(t, in.data, "data", "custom_id") != "b" {
		t.Errorf("delivered %v", in.data["data"])
	}
	press("m", 3, "1").ok(http.StatusAccepted)
	if in := r.interaction(); text(t, in.data, "data", "values", 0) != "1" {
		t.Errorf("delivered %v", in.data["data"])
	}
	press("m", 2).sentence(http.StatusBadRequest)

	if got := r.act(ben+"/messages", body{"channel_id": yard, "content": " hi "}).ok(http.StatusCreated); got["content"] != "hi" || text(t, got, "author", "id") != ben {
		t.Errorf("got %v", got)
	}
	r.act(ben+"/messages", body{"channel_id": yard, "content": " "}).sentence(http.StatusBadRequest)
	r.act(anna+"/read", body{"channel_id": yard}).ok(http.StatusNoContent)
	if _, unread := r.box.As(anna).Unread(yard); unread {
		t.Error("still unread")
	}
	r.fetch(r.srv.URL + "/sandbox/users/" + anna + "/read").sentence(http.StatusMethodNotAllowed)
}

// listen opens a user's event stream and returns a function for the next event.
func (r *rig) listen(user string) func() body {
	r.t.Helper()
	res := must(http.Get(r.srv.URL + "/sandbox/events?user=" + user))
	r.t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewReader(res.Body)
	next := func() body {
		r.t.Helper()
		for {
			line := must(lines.ReadString('\n'))
			if raw, ok := strings.CutPrefix(line, "data: "); ok {
				var ev body
				check(r.t, json.Unmarshal([]byte(raw), &ev))
				if ev["type"] == "wire" { // sent for every request
					continue
				}
				return ev
			}
		}
	}
	if ev := next(); ev["type"] != "hello" {
		r.t.Fatalf("the first event is %v", ev)
	}
	return next
}

func TestPageEvents(t *testing.T) {
	r := newRig(t)
	mine, bens := r.listen(anna), r.listen(ben)
	expect := func(next func() body, kind string) body {
		t.Helper()
		ev := next()
		if ev["type"] != kind {
			t.Fatalf("got %v, want %s", ev, kind)
		}
		return ev
	}
	r.register()
	if ev := expect(mine, "commands"); text(t, ev, "commands", keep, 0, "name") != "play" {
		t.Errorf("got %v", ev)
	}
	expect(bens, "commands")

	in := r.play()
	r.post(in.callback(), body{"type": 5, "data": body{"flags": 64}}).ok(http.StatusNoContent)
	thinking := expect(mine, "message")
	if dig(t, thinking, "message", "flags") != 192.0 {
		t.Errorf("thinking: %v", thinking)
	}
	id := text(t, thinking, "message", "id")
	if ev := expect(mine, "interaction"); ev["id"] != in.id || ev["state"] != "deferred" || ev["message_id"] != id {
		t.Errorf("got %v", ev)
	}
	r.patch(r.webhook(in)+"/messages/@original", body{"content": "done"}).ok(http.StatusOK)
	if ev := expect(mine, "message"); text(t, ev, "message", "content") != "done" {
		t.Errorf("got %v", ev)
	}
	if ev := expect(mine, "interaction"); ev["state"] != "answered" {
		t.Errorf("got %v", ev)
	}
	r.send(10, http.MethodDelete, r.webhook(in)+"/messages/@original", nil).ok(http.StatusNoContent)
	if ev := expect(mine, "message_delete"); ev["id"] != id || ev["channel_id"] != yard {
		t.Errorf("got %v", ev)
	}

	in = r.play()
	r.clock.advance(3 * time.Second)
	if ev := expect(mine, "interaction"); ev["id"] != in.id || ev["state"] != "failed" {
		t.Errorf("got %v", ev)
	}

	// Ben got none of these events: the next one is a message.
	r.say(body{"content": "<@" + ben + ">"})
	if ev := expect(bens, "message"); ev["channel_id"] != yard {
		t.Errorf("got %v", ev)
	}
	if ev := expect(bens, "channel"); ev["mentions"] != 1.0 || ev["unread"] != true {
		t.Errorf("got %v", ev)
	}
	r.box.As(ben).Read(yard)
	if ev := expect(bens, "channel"); ev["mentions"] != 0.0 || ev["unread"] != false {
		t.Errorf("got %v", ev)
	}
	r.box.DropGateway()
	if ev := expect(bens, "online"); ev["online"] != false {
		t.Errorf("got %v", ev)
	}
	r.identify(0)
	if ev := expect(bens, "online"); ev["online"] != true {
		t.Errorf("got %v", ev)
	}
}

func TestListen(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.168.1.1:0", "example.org:80", "[::]:0", "8080"} {
		if l, err := sandbox.Listen(addr); err == nil {
			l.Close()
			t.Errorf("%s was listened on", addr)
		}
	}
	l := must(sandbox.Listen("127.0.0.1:0"))
	defer l.Close()
	if _, err := sandbox.Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a port in use: %v", err)
	}
}

func TestServeAndClose(t *testing.T) {
	box := must(sandbox.New(sandbox.Options{}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- box.Serve(l) }()
	res := must(http.Get("http://" + l.Addr().String() + "/sandbox/state"))
	res.Body.Close()
	if box.Base() != "http://"+l.Addr().String() {
		t.Errorf("base %q", box.Base())
	}
	check(t, box.Close())
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve returned %v", err)
	}
}
