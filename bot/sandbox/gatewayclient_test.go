package sandbox_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// gateway is a client of the gateway that returns every frame.
type gateway struct {
	t       *testing.T
	ws      *websocket.Conn
	session string
	ready   body
	seq     float64
	seqs    []float64
	types   []string
}

// dial opens a connection.
func (r *rig) dial(query string) *gateway {
	r.t.Helper()
	ws, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(r.srv.URL, "http")+"/gateway/?"+query, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	res.Body.Close()
	r.t.Cleanup(func() { ws.Close() })
	return &gateway{t: r.t, ws: ws}
}

func (r *rig) hello() *gateway {
	r.t.Helper()
	g := r.dial("v=10&encoding=json")
	if f := g.frame(); f["op"] != 10.0 || dig(r.t, f, "d", "heartbeat_interval") != 41250.0 {
		r.t.Fatalf("no hello: %v", f)
	}
	return g
}

// identify opens a connection and identifies.
func (r *rig) identify(intents int) *gateway {
	r.t.Helper()
	g := r.hello()
	g.send(2, body{"token": r.box.Token(), "intents": intents, "properties": body{}})
	g.ready = g.event("READY")
	g.session = text(r.t, g.ready, "session_id")
	if intents&1 != 0 && len(g.ready["guilds"].(list)) > 0 {
		g.event("GUILD_CREATE")
	}
	return g
}

func (g *gateway) send(op int, d any) {
	g.t.Helper()
	check(g.t, g.ws.WriteJSON(body{"op": op, "d": d}))
}

// frame returns the next frame.
func (g *gateway) frame() body {
	g.t.Helper()
	f := must(g.read())
	return f
}

func (g *gateway) read() (body, error) {
	if err := g.ws.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	_, raw, err := g.ws.ReadMessage()
	if err != nil {
		return nil, err
	}
	var f body
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	if s, ok := f["s"].(float64); ok {
		g.seq = s
		g.seqs = append(g.seqs, s)
		g.types = append(g.types, f["t"].(string))
	}
	return f, nil
}

// event returns the data of the next dispatch, which must have the type.
func (g *gateway) event(kind string) body {
	g.t.Helper()
	f := g.frame()
	if f["op"] != 0.0 || f["t"] != kind {
		g.t.Fatalf("got op %v %v, want %s", f["op"], f["t"], kind)
	}
	return f["d"].(body)
}

// closed checks that the sandbox closes the connection with a code.
func (g *gateway) closed(code int) {
	g.t.Helper()
	for {
		_, err := g.read()
		var c *websocket.CloseError
		if errors.As(err, &c) {
			if c.Code != code {
				g.t.Fatalf("closed with %d %q, want %d", c.Code, c.Text, code)
			}
			return
		}
		if err != nil {
			g.t.Fatalf("%v, want close code %d", err, code)
		}
	}
}
