package sandbox_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

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

// An invitation of a bot leads to the page.
func TestInvitationLeadsToThePage(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	a := r.fetch(r.srv.URL + "/oauth2/authorize?client_id=1&scope=bot")
	if a.ok(http.StatusOK); !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		t.Errorf("headers %v", a.header)
	}
}
